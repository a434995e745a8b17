"""Locally weighted regression: a plane through the neighbours of each query, weighted by a kernel of their distance.

`regression.py` has the estimator, `fit.py` the kernels and the columns of the plane; `mercer.solvers.local_linear` does
the least squares.
"""
