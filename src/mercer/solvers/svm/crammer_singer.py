"""Dual coordinate descent for the machine of Crammer and Singer, which learns all classes together.

    minimise P(w) = 1/2 sum_k |w_k|^2 + sum_i cost_i max_k (w_k.(x_i, s) + [k != y_i] - w_{y_i}.(x_i, s))

with s the constant column that carries the (penalised) offsets, as in LIBLINEAR. The dual has a coefficient per row and
class: minimise 1/2 sum_k |w_k|^2 - sum_i a_{i,y_i} over a_ik <= cost_i [k = y_i] and sum_k a_ik = 0, w_k = sum_i a_ik
(x_i, s). Givens: rows, dense or CSR, class codes, costs. Result: w_k, offsets, a, primal and dual value. Stop: largest
violation <= tol on a pass over all rows, a duality gap, a number of passes, or a time.
Reference: Keerthi, Sundararajan, Chang, Hsieh and Lin 2008, section 3; Crammer and Singer 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core import reference_svm, select
from mercer._core.gram import checked, csr_arrays
from mercer._core.reference_svm import is_sparse
from mercer.arrays import Floats
from mercer.solvers.svm.smo import STATUS, Outcome, Problem


@dataclass(frozen=True)
class JointSolution(Outcome):
    """coef (classes, columns) and offset (classes) of the decisions; beta: the a_ik, row after row."""

    coef: Floats
    offset: Floats
    beta: Floats


def box(codes: NDArray[np.int32], cost: Floats, n_classes: int) -> Problem:
    """The bounds of the a_ik: what a start has to keep to."""
    own = np.ravel(codes[:, None] == np.arange(n_classes))
    upper = np.where(own, np.repeat(cost, n_classes), 0.0)
    return Problem(-1.0 * own, np.full(len(own), -np.inf), upper, np.zeros(len(own)), equality=False)


def solve(
    codes: NDArray[np.int32],
    cost: Floats,
    n_classes: int,
    x: Any,
    *,
    start: Floats | None = None,
    offset_scale: float = 1.0,
    tol: float = 1e-4,
    gap_tol: float = 0.0,
    max_iter: int = 1000,
    time_limit: float = 0.0,
    seed: int = 0,
) -> JointSolution:
    """Minimise P over the rows of x (ndarray or CSR, float32 or float64), from the a_ik of `start` if given.

    offset_scale: value of the constant column, 0 for no offset. max_iter: passes over the rows. seed: their order.
    """
    x, shape = checked(x), (len(codes), n_classes)
    a = np.zeros(shape) if start is None else np.array(start, dtype=np.float64).reshape(shape)
    w = np.zeros((n_classes, x.shape[1] + 1))
    if select.native is None:
        report = reference_svm.crammer_singer(
            x, codes, cost, a, w, offset_scale, tol, gap_tol, max_iter, time_limit, seed
        )
    else:
        rows = (*csr_arrays(x), x.shape[1]) if is_sparse(x) else (x,)
        run = select.native.crammer_singer_csr if is_sparse(x) else select.native.crammer_singer_dense
        by_class = w.T.copy() if is_sparse(x) else w  # column after column for sparse rows
        report = run(*rows, codes, cost, a, by_class, tol, gap_tol, max_iter, time_limit, offset_scale, seed)
        w = by_class.T if is_sparse(x) else w
    violation, primal, dual, epochs, seconds, status = report
    return JointSolution(
        primal, dual, violation, epochs, seconds, STATUS[status], w[:, :-1].copy(), w[:, -1] * offset_scale, a.ravel()
    )
