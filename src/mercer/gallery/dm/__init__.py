"""Examples of DM: regression, trees, k-NN, support vector machines, logistic regression, naive Bayes."""
