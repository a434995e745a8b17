"""Accelerated gradient descent on quadratics."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from mercer.arrays import Floats
from mercer.errors import MercerWarning


def descend(apply: Callable[[Floats], Floats], c: Floats, tol: float, max_iter: int) -> tuple[Floats, int]:
    """min over b of b'Gb / 2 - c'b, given the product apply(b) = Gb with a positive semi-definite G.

    b <- v - (Gv - c) / L with Nesterov's momentum, L the largest eigenvalue of G by power iteration; the momentum
    starts again whenever it points uphill (O'Donoghue & Candes 2015). From b = 0, so of all minimisers the smallest.
    Stops when max |Gb - c| <= tol * max |c|. Returns b and the number of steps.
    """
    bound = float(np.abs(c).max(initial=0.0)) * tol
    b = v = np.zeros_like(c)
    if not np.abs(c).any():
        return b, 0
    step, t = 1.0 / _largest(apply, c), 1.0
    for iteration in range(1, max_iter + 1):
        gradient = apply(v) - c
        new = v - step * gradient
        if np.abs(gradient).max() <= bound:
            return new, iteration
        if gradient @ (new - b) > 0:
            t, v = 1.0, new
        else:
            later = (1 + np.sqrt(1 + 4 * t * t)) / 2
            v, t = new + (t - 1) / later * (new - b), later
        b = new
    warnings.warn(
        f"Gradient descent stopped after {max_iter} steps, short of tol={tol:g}. Nearly collinear columns are slow: "
        "use method='qr'.", MercerWarning, stacklevel=2,
    )  # fmt: skip
    return b, max_iter


def _largest(apply: Callable[[Floats], Floats], start: Floats, steps: int = 30) -> float:
    """The largest eigenvalue, with a little room above the power iteration's lower bound."""
    v, size = start / np.linalg.norm(start), 1.0
    v = v + np.random.default_rng(0).normal(scale=0.1, size=len(v))
    for _ in range(steps):
        v = v / np.linalg.norm(v)
        v = apply(v)
        size = float(np.linalg.norm(v))
        if size == 0:
            return 1.0
    return 1.05 * size
