"""Quadratic functions with a lasso: the model that proximal Newton methods minimise at each step.

Problem: minimise over u  g'(u - b) + (u - b)' H (u - b) / 2 + sum_j lasso_j |u_j|. Givens: H positive semidefinite with
a positive diagonal, g, b, lasso >= 0. Result: u. Stop: no derivative that is not balanced by the lasso is above tol.
Reference: Friedman, Hastie and Tibshirani 2010 (coordinate descent); Lee, Battle, Raina and Ng 2007 (support solves).
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as sl

from mercer._core.linear import lasso_sweeps
from mercer.arrays import Floats
from mercer.solvers.proximal import soften

_SWEEPS = 20  # of coordinate descent before the support is solved at once
_ROUNDS = 200
_CROSSINGS = 5  # coordinates that may come to 0 before the next sweep


def lasso_quadratic(h: Floats, g: Floats, b: Floats, lasso: Floats, tol: float) -> Floats:
    """The minimum by coordinate descent, which finds the support, and a linear system, which is exact on it."""
    h, u, r = np.ascontiguousarray(h), b.copy(), g.copy()  # r: derivatives of the quadratic part at u
    curve = np.maximum(np.diag(h), 1e-300)
    for _ in range(_ROUNDS):
        gap = violations(u, r, curve, lasso)
        if gap.max(initial=0.0) <= tol:
            break
        lasso_sweeps(h, lasso, np.flatnonzero((u != 0) | (gap > tol)), u, r, _SWEEPS)
        _solve_support(h, lasso, u, r)
    return u


def violations(u: Floats, r: Floats, curve: Floats, lasso: Floats) -> Floats:
    """How far each coordinate is from its minimum with the others held, times its curvature."""
    return np.asarray(np.abs(u - soften(u - r / curve, lasso / curve)) * curve)


def _solve_support(h: Floats, lasso: Floats, u: Floats, r: Floats) -> None:
    """Go to the minimum over the coordinates that are not 0; one that comes to 0 on the way stays there."""
    for _ in range(_CROSSINGS):
        support = np.flatnonzero((u != 0) | (lasso == 0))
        inner = h[np.ix_(support, support)]
        inner[np.diag_indices_from(inner)] *= 1 + 1e-11  # collinear columns: some minimum of many
        try:
            factor = sl.cho_factor(inner, check_finite=False)
        except np.linalg.LinAlgError:
            return
        move = -sl.cho_solve(factor, r[support] + lasso[support] * np.sign(u[support]))
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where((lasso[support] > 0) & (u[support] * move < 0), -u[support] / move, np.inf)
        first = int(share.argmin()) if len(share) else 0
        size = min(1.0, float(share.min(initial=np.inf)))
        u[support] += size * move
        r += h[:, support] @ (size * move)
        if size == 1.0:
            return
        u[support[first]] = 0.0
