"""Proximal gradient descent for penalties with a corner."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.arrays import Floats


def soften(b: Floats, by: Floats) -> Floats:
    """sign(b) max(|b| - by, 0), the minimiser over u of |u - b|^2 / 2 + by |u|."""
    found: Floats = np.sign(b) * np.maximum(np.abs(b) - by, 0.0)
    return found


def fista(
    gradient: Callable[[Floats], Floats], lasso: Floats, bound: float, start: Floats, tol: float, max_iter: int
) -> tuple[Floats, int]:
    """min over b of f(b) + sum_j lasso_j |b_j|, given the gradient of a convex f and a bound on its curvature.

    b <- soften(v - f'(v) / L, lasso / L) with momentum (Beck & Teboulle 2009), restarted when it points uphill.
    Stops when max |L (v - b)| <= tol. Returns b and the number of steps, max_iter + 1 when they did not suffice.
    """
    b, v, t = start, start, 1.0
    for step in range(1, max_iter + 1):
        new = soften(v - gradient(v) / bound, lasso / bound)
        if bound * float(np.abs(v - new).max(initial=0.0)) <= tol:
            return new, step
        if (v - new) @ (new - b) > 0:
            v, t = new, 1.0
        else:
            later = (1 + np.sqrt(1 + 4 * t * t)) / 2
            v, t = new + (t - 1) / later * (new - b), later
        b = new
    return b, max_iter + 1
