"""Dual coordinate descent for the multi-class SVM of Crammer and Singer, one problem for all classes.

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

from mercer._core import svm
from mercer._core.gram import checked, native_matrix
from mercer._core.reference.gram import is_sparse
from mercer._core.stopping import Limits, Report
from mercer.arrays import Floats
from mercer.solvers.svm.coordinate import PASSES
from mercer.solvers.svm.smo import Problem


@dataclass(frozen=True)
class JointSolution(Report):
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
    limits: Limits = PASSES,
    seed: int = 0,
) -> JointSolution:
    """Minimise P over the rows of x.

    Parameters
    ----------
    codes : array of int32 of shape (n,)
        Class of each row, 0 to n_classes - 1.
    cost : array of shape (n,)
        Cost of an error in each row.
    n_classes : int
        Number of classes.
    x : ndarray or CSR array of shape (n, columns), float32 or float64
        The rows.
    start : array, optional
        The a_ik to start from, row after row.
    offset_scale : float
        Value of the constant column, 0 for no offset.
    limits : Limits
        When to stop; iterations are passes over the rows.
    seed : int
        Of the order of the rows.

    Returns
    -------
    JointSolution
    """
    x, shape = checked(x), (len(codes), n_classes)
    a = np.zeros(shape) if start is None else np.array(start, dtype=np.float64).reshape(shape)
    sparse, width = is_sparse(x), x.shape[1] + 1
    w = np.zeros((width, n_classes) if sparse else (n_classes, width))  # column after column for sparse rows
    report = svm.crammer_singer(native_matrix(x), codes, cost, a, w, limits, offset_scale, seed)
    w = w.T if sparse else w
    return JointSolution(*report, w[:, :-1].copy(), w[:, -1] * offset_scale, a.ravel())
