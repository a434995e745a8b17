"""Least squares and logistic likelihoods."""
