"""Habits of scikit-learn that are no part of a method: what its callers expect of any estimator.

`availability.py` has methods that exist for some parameters only, `callbacks.py` reports the steps of a fit,
`convergence.py` has the warnings of solvers that stopped early; `sparse_interface.py` and `precision.py` say in which
type results are given.
"""
