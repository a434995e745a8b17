"""The kernel perceptron: `kernel_perceptron.py` has the estimator, `passes.py` its passes over the training rows.

`dual.py` finds a coefficient for each row that was a mistake.
"""
