"""Logistic regression with a kernel, on any table: KernelLogisticRegression.

`regression.py` declares the parameters and fits by `mercer.solvers.kernel_logistic` (Newton's method with products of
the kernel matrix alone, a duality gap as certificate); `search.py` is its search of C and gamma, folds left out and
each solution starting the next cost; `model_explanation.py` is what the report says.
"""
