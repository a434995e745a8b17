"""Examples of Pilario: perceptron, support vector machines, kernels, several classes, rare classes, kernel ridge."""
