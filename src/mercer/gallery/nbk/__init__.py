"""Examples of NBK: probability, Bayes classifiers, support vector machines, kernels."""
