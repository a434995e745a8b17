"""Examples of Lim: naive Bayes, k-NN, support vector machines and support vector regression."""
