"""Logistic regression: the way of the data is in the docstring of `mercer.estimators.linear`.

`regression.py` has the estimator, `parameters.py` what its parameters may be, `problem.py` what they mean; `fit.py`
solves, `wide.py` with many columns; `summary.py` shows coefficients with their tests.
"""
