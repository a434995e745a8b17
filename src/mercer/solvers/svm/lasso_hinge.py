"""Linear SVMs under an L1 penalty: the squared hinge, by proximal gradient descent.

    minimise P(w, b) = |w|_1 + |b| / s + sum_i cost_i max(0, 1 - y_i (w.x_i + b))^2

with s the value of the constant column that carries the (penalised) offset b, as in LIBLINEAR; 0 for no offset. Givens:
rows, dense or CSR; y of -1 and 1. Result: w, mostly 0, and b. Stop: the step of a proximal gradient is <= tol, a number
of passes, or a time. The gap is taken to D(a) = sum_i a_i - a_i^2 / (4 cost_i), with a >= 0, |sum_i a_i y_i x_ij| <= 1
and |sum_i a_i y_i| <= 1 / s, at the slack's own a made to fit. Reference: Yuan, Chang, Hsieh and Lin 2010, eq. 3.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np
import scipy.sparse.linalg as sla

from mercer._core.gram import checked
from mercer._core.reference.gram import is_sparse
from mercer._core.stopping import Limits, Status
from mercer.arrays import Floats
from mercer.solvers.proximal import fista, soften
from mercer.solvers.svm.coordinate import PASSES, LinearSolution

_DENSE = 300  # columns up to which the largest curvature is computed outright


class _Late(Exception):
    """The time is over."""


class _Hinge:
    """The loss by u = unit * (w, b): in these units every column is of like size, so that steps are few."""

    def __init__(self, x: Any, y: Floats, cost: Floats) -> None:
        self.x, self.y, self.cost = x, y, cost
        squares = x.multiply(x) if is_sparse(x) else np.square(x, dtype=np.float64)
        size = np.sqrt(np.append(np.asarray(squares.T @ cost).ravel(), cost.sum()))
        self.unit = np.where(size > 0, size, 1.0)

    def slack(self, u: Floats) -> Floats:
        w = u / self.unit
        found: Floats = np.maximum(1 - self.y * (self.x @ w[:-1] + w[-1]), 0.0)
        return found

    def back(self, g: Floats) -> Floats:
        """sum_i g_i (x_i, 1)."""
        return np.append(np.asarray(self.x.T @ g).ravel(), g.sum())

    def gradient(self, u: Floats) -> Floats:
        return self.back(-2 * self.cost * self.slack(u) * self.y) / self.unit

    def curvature(self) -> float:
        """The largest eigenvalue of the second derivative where every row errs."""

        def times(v: Floats) -> Floats:
            w = v.ravel() / self.unit
            return self.back(self.cost * (self.x @ w[:-1] + w[-1])) / self.unit

        p = len(self.unit)
        if p <= _DENSE:
            whole = np.column_stack([times(column) for column in np.eye(p)])
            return 2 * float(np.linalg.eigvalsh((whole + whole.T) / 2)[-1])
        operator = sla.LinearOperator((p, p), matvec=times, dtype=np.float64)
        largest = sla.eigsh(operator, k=1, tol=1e-2, v0=np.ones(p), return_eigenvectors=False)[0]
        return 2.05 * float(largest)


def solve_lasso(
    y: Floats, cost: Floats, x: Any, *, offset_scale: float = 1.0, limits: Limits = PASSES
) -> LinearSolution:
    """Minimise P over the rows of x (ndarray or CSR). offset_scale: s. limits: iterations are passes, no gap rule."""
    start, loss = monotonic(), _Hinge(checked(x), y, cost)
    price = np.ones(len(loss.unit))
    price[-1] = 1 / offset_scale if offset_scale > 0 else np.inf
    lasso, bound = price / loss.unit, loss.curvature()
    latest: list[Floats] = [np.zeros_like(price)]

    def gradient(u: Floats) -> Floats:
        latest.append(u)
        if limits.time_limit and monotonic() - start > limits.time_limit:
            raise _Late
        found = loss.gradient(u)
        del latest[:-1]
        return found

    try:
        u, steps = fista(gradient, lasso, bound, np.zeros_like(price), limits.tol, limits.max_iter)
        status: Status = "converged" if steps <= limits.max_iter else "max_iter"
    except _Late:
        u, steps, status = latest[-1], 0, "time_limit"
    violation = bound * float(np.abs(u - soften(u - loss.gradient(u) / bound, lasso / bound)).max())
    w = u / loss.unit
    primal, dual, a = _values(loss, u, price)
    seconds = monotonic() - start
    return LinearSolution(
        primal, dual, violation, min(steps, limits.max_iter), seconds, status, w[:-1], float(w[-1]), a * y
    )


def _values(loss: _Hinge, u: Floats, price: Floats) -> tuple[float, float, Floats]:
    """P, D, and the dual coefficients a."""
    slack, w = loss.slack(u), np.abs(u / loss.unit)
    primal = float((w[w > 0] * price[w > 0]).sum() + (loss.cost * slack**2).sum())
    a = 2 * loss.cost * slack
    reach = float((np.abs(loss.back(a * loss.y)) / price).max())
    weight, square = float(a.sum()), float((loss.cost * slack**2).sum())
    shrink = min(1 / reach if reach > 0 else 1.0, weight / (2 * square) if square > 0 else 1.0)
    return primal, shrink * weight - shrink**2 * square, a * shrink
