"""Solvers: they minimise, and know nothing of tables, kernels or labels.

svm/     duals of support vector machines
linear/  least squares and logistic likelihoods
tree/    growing and pruning decision trees
"""
