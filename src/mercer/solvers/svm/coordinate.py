"""Dual coordinate descent for linear machines.

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

from mercer._core import reference_svm, select
from mercer._core.gram import checked, csr_arrays
from mercer._core.reference_svm import is_sparse
from mercer.arrays import Floats
from mercer.solvers.svm import duals
from mercer.solvers.svm.smo import STATUS, Outcome, Problem


@dataclass(frozen=True)
class LinearSolution(Outcome):
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
    tol: float = 1e-4,
    gap_tol: float = 0.0,
    max_iter: int = 1000,
    time_limit: float = 0.0,
    seed: int = 0,
) -> LinearSolution:
    """Minimise D over the rows of x (ndarray or CSR, float32 or float64), from `start` if given.

    offset_scale: value of the constant column, 0 for no offset. max_iter: passes over the rows. seed: their order.
    """
    x = checked(x)
    beta = np.array(problem.start if start is None else start, dtype=np.float64)
    w = np.zeros(x.shape[1] + 1)
    if select.native is None:
        report = reference_svm.coordinate_descent(
            x, problem, beta, w, offset_scale, tol, gap_tol, max_iter, time_limit, seed
        )
    else:
        settings = (
            problem.linear, problem.lower, problem.upper, problem.tube, problem.ridge, beta, w, tol, gap_tol,
            max_iter, time_limit, offset_scale, seed,
        )  # fmt: skip
        if is_sparse(x):
            report = select.native.coordinate_csr(*csr_arrays(x), x.shape[1], *settings)
        else:
            report = select.native.coordinate_dense(x, *settings)
    violation, primal, dual, epochs, seconds, status = report
    offset = float(w[-1] * offset_scale)
    return LinearSolution(primal, dual, violation, epochs, seconds, STATUS[status], w[:-1].copy(), offset, beta)
