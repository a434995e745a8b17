"""Preconditioned conjugate gradients for (K + N) c + b 1 = y, when the kernel matrix is never held.

    minimise 1/2 c'(K + N)c - y'c for each target, products with K alone

Givens: `multiply(v)` = K v, (n, t) -> (n, t); the diagonal of K; `rows(index)` of K; N > 0; targets. Result: c, b and
the residual |(K + N) c + b 1 - y| / |y|, the certificate. Stop: that residual at most `tol` for every target, a number
of iterations, or a time. Preconditioner: L L' + N, L a pivoted Cholesky factor of K of low rank. Reference: Hestenes
and Stiefel 1952; Harbrecht, Peters and Schneider 2012 (the preconditioner).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from mercer.arrays import Array, Floats, Ints
from mercer.solvers.pivoted_cholesky import pivoted_cholesky
from mercer.solvers.ridge.solution import RidgeSolution, centred, relative_size

_SHARE = 1e-3  # of the trace: what the preconditioner leaves out, at least
_RANK = 300  # rows of the matrix it is made of, at most


@dataclass(frozen=True)
class Products:
    """A kernel matrix that is not held: its products, its diagonal, and some of its rows."""

    multiply: Callable[[Floats], Floats]
    diagonal: Floats
    rows: Callable[[Ints], Array]


@dataclass(frozen=True)
class Limits:
    """When to stop: a residual, iterations, seconds (None for no limit)."""

    tol: float
    max_iter: int
    time_limit: float | None = None


def solve(
    products: Products, noise: Floats, targets: Floats, *, intercept: bool, limits: Limits, rank: int = _RANK
) -> RidgeSolution:
    """The solution within the limits; `rank` is that of the preconditioner, at most."""
    n = len(noise)
    precondition = _preconditioner(products, noise, min(rank, n))
    columns = np.column_stack([targets, np.ones(n)]) if intercept else targets

    def multiply(values: Floats) -> Floats:
        found: Floats = products.multiply(values) + noise[:, None] * values
        return found

    found, iterations, converged = iterate(multiply, precondition, columns, limits)
    coef, b = (centred(found[:, :-1], found[:, -1])) if intercept else (found, np.zeros(targets.shape[1]))
    residual = relative_size(multiply(coef) + b - targets, targets)
    return RidgeSolution(coef, b, residual, iterations, converged)


def iterate(
    multiply: Callable[[Floats], Floats], precondition: Callable[[Floats], Floats], targets: Floats, limits: Limits
) -> tuple[Floats, int, bool]:
    """Every column by its own conjugate directions, products for all of them at once."""
    end = np.inf if limits.time_limit is None else time.monotonic() + limits.time_limit
    size = np.sqrt((targets**2).sum(axis=0))
    aim = (limits.tol * np.where(size > 0, size, 1.0)) ** 2
    found, residual = np.zeros_like(targets), targets.copy()
    step = precondition(residual)
    agreement = (residual * step).sum(axis=0)
    direction = step.copy()
    for iteration in range(limits.max_iter):
        if ((residual**2).sum(axis=0) <= aim).all():
            return found, max(iteration, 1), True
        if time.monotonic() > end:
            return found, max(iteration, 1), False
        image = multiply(direction)
        length = _ratio(agreement, (direction * image).sum(axis=0))
        found += length * direction
        residual -= length * image
        step = precondition(residual)
        last, agreement = agreement, (residual * step).sum(axis=0)
        direction = step + _ratio(agreement, last) * direction
    return found, limits.max_iter, bool(((residual**2).sum(axis=0) <= aim).all())


def _ratio(a: Floats, b: Floats) -> Floats:
    """a / b, and 0 for a column that is solved already."""
    found: Floats = np.divide(a, b, out=np.zeros_like(a), where=np.abs(b) > 0)
    return found


def _preconditioner(products: Products, noise: Floats, rank: int) -> Callable[[Floats], Floats]:
    """v -> (L L' + N)^-1 v = N^-1 v - N^-1 L (I + L'N^-1 L)^-1 L'N^-1 v."""
    factor = pivoted_cholesky(products.diagonal, products.rows, rank, share=_SHARE).factor
    scaled = factor / noise[:, None]
    inner = cho_factor(np.eye(factor.shape[1]) + factor.T @ scaled)

    def apply(values: Floats) -> Floats:
        part: Floats = values / noise[:, None]
        return part - scaled @ cho_solve(inner, factor.T @ part)

    return apply
