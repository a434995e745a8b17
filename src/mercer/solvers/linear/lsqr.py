"""Least squares by products of the matrix with vectors: nothing as large as columns times columns is ever formed."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, lsqr

from mercer.arrays import Floats


def solve_iterating(
    X: Any, y: Floats, weight: Floats | None, mean: Floats, *, alpha: float, tol: float
) -> tuple[Floats, int, bool]:
    """min over b of sum_i w_i (y_i - (x_i - mean)'b)^2 + alpha |b|^2, by LSQR (Paige & Saunders 1982).

    Givens: X (n, d), dense or CSR, which stays as it is; y (n,) less its mean; weights or None; the means of the
    columns (d,), 0 without an intercept. Result: b, of all minimisers the smallest; the number of steps; whether the
    stop rule was met. Stop: the residual or its gradient is below tol relative to the norms of matrix and residual.
    """
    root = np.ones(len(y)) if weight is None else np.sqrt(weight)

    def apply(b: Floats) -> Floats:
        return np.asarray(root * (X @ b - mean @ b))

    def apply_transposed(r: Floats) -> Floats:
        scaled = root * r
        return np.asarray(X.T @ scaled - mean * scaled.sum())

    operator = LinearOperator(X.shape, matvec=apply, rmatvec=apply_transposed, dtype=np.float64)
    found = lsqr(operator, root * y, damp=float(np.sqrt(alpha)), atol=tol, btol=tol)
    return found[0], int(found[2]), found[1] != _OUT_OF_STEPS


_OUT_OF_STEPS = 7  # of scipy's codes for why it stopped
