"""Dual coordinate descent for linear support vector machines.

    minimise D(b) = 1/2 |w|^2 + r'b + sum_i e_i |b_i| + 1/2 sum_i ridge_i b_i^2 over lower <= b <= upper,
    w = sum_i b_i (x_i, s)

with s the constant column that carries the (penalised) offset, as in LIBLINEAR. Givens: rows, dense or CSR; the loss by
r, e, the box and the ridge (`hinge`, `insensitive`). Result: w, the offset, b, primal and dual value.
Stop: largest violation <= tol on a pass over all rows, a duality gap, a number of passes, or a time.
Reference: Hsieh et al. 2008, Algorithm 3 (classification); Ho and Lin 2012, Algorithm 3 (regression).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._core import svm
from mercer._core.gram import checked, native_matrix
from mercer._core.stopping import Limits, Report
from mercer.arrays import Floats
from mercer.solvers.svm import duals
from mercer.solvers.svm.smo import Problem

PASSES = Limits(tol=1e-4, max_iter=1000)  # the default of solvers that pass over the rows


@dataclass(frozen=True)
class LinearSolution(Report):
    """coef (columns) and offset of the decision function; beta: dual coefficients."""

    coef: Floats
    offset: float
    beta: Floats


def hinge(y: Floats, cost: Floats, *, squared: bool = False) -> Problem:
    """1/2 |w|^2 + sum_i cost_i max(0, 1 - y_i f_i), or its square; y is -1 or 1."""
    return duals.svc(y, 2 * cost if squared else cost, squared_slack=squared, bias=False)


def insensitive(z: Floats, cost: Floats, epsilon: float, *, squared: bool = False) -> Problem:
    """1/2 |w|^2 + sum_i cost_i max(0, |z_i - f_i| - epsilon), or its square."""
    return duals.svr(z, 2 * cost if squared else cost, epsilon, squared_slack=squared, bias=False)


def solve(
    problem: Problem,
    x: Any,
    *,
    start: Floats | None = None,
    offset_scale: float = 1.0,
    limits: Limits = PASSES,
    seed: int = 0,
) -> LinearSolution:
    """Minimise D over the rows of x.

    Parameters
    ----------
    problem : Problem
        The loss (`hinge`, `insensitive`), one variable per row.
    x : ndarray or CSR array of shape (n, columns), float32 or float64
        The rows.
    start : array of shape (n,), optional
        Dual coefficients to start from; the problem's own start by default.
    offset_scale : float
        Value of the constant column, 0 for no offset.
    limits : Limits
        When to stop; iterations are passes over the rows.
    seed : int
        Of the order of the rows.

    Returns
    -------
    LinearSolution
    """
    x = checked(x)
    beta = np.array(problem.start if start is None else start, dtype=np.float64)
    w = np.zeros(x.shape[1] + 1)
    report = svm.coordinate_descent(native_matrix(x), problem, beta, w, limits, offset_scale, seed)
    return LinearSolution(*report, w[:-1].copy(), float(w[-1] * offset_scale), beta)
