"""Newton's method for penalised logistic regression in the feature space of a kernel.

    minimise  P(a, b) = 1/2 sum_k a_k'K a_k + sum_i cost_i (-log p_i,y_i),  p_i = softmax(f_i),  f = K a + 1 b'

One function f for two classes (p = 1 / (1 + exp(-f))), one for each of several. Givens: `multiply(v)` = K v, costs (C
times the weight of each row), Y (n, k) of 0 and 1. Result: a, (n, k); b, (k,); the duality gap. Each Newton step solves
(I + W K) d = -g by conjugate gradients in the inner product u'K v, W the curvature of the losses, so that only products
with K are needed. Stop: duality gap at most `tol` times P, a number of steps, or a time. The dual point is
u = cost (Y - p), feasible once b is the best for a (sum_i u_i = 0), and the gap is then 1/2 (a - u)'K(a - u).
Reference: Keerthi, Duan, Shevade and Poo 2005 (the dual); Zhu and Hastie 2005.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp, softmax

from mercer.arrays import Floats

_HALVINGS = 30
_OFFSET_STEPS = 50
_CG_STEPS = 500


@dataclass(frozen=True)
class LogisticSolution:
    """coef (n, k), intercept (k,), the gap of primal and dual value, and whether it is within the tolerance."""

    coef: Floats
    intercept: Floats
    primal: float
    gap: float
    iterations: int
    converged: bool


@dataclass(frozen=True)
class LogisticProblem:
    """Products with the kernel matrix, cost of each row, (n,), and classes as columns of 0 and 1, (n, k)."""

    multiply: Callable[[Floats], Floats]
    cost: Floats
    classes: Floats

    def probabilities(self, f: Floats) -> Floats:
        """p, (n, k)."""
        return np.asarray(expit(f) if f.shape[1] == 1 else softmax(f, axis=1))

    def loss(self, f: Floats) -> float:
        """sum_i cost_i (-log p_i,y_i)."""
        top = np.logaddexp(0.0, f[:, 0]) if f.shape[1] == 1 else logsumexp(f, axis=1)
        return float(self.cost @ (top - (self.classes * f).sum(axis=1)))

    def curvature(self, p: Floats, values: Floats) -> Floats:
        """W v, (n, k)."""
        part = p * values
        across = p * (1 - p) * values if p.shape[1] == 1 else part - p * part.sum(axis=1, keepdims=True)
        return self.cost[:, None] * across

    def slope(self, f: Floats) -> Floats:
        """u = cost (Y - p), (n, k): the dual point of f."""
        return self.cost[:, None] * (self.classes - self.probabilities(f))


def solve(
    problem: LogisticProblem, *, tol: float, max_iter: int, time_limit: float | None = None,
    start: tuple[Floats, Floats] | None = None,
) -> LogisticSolution:  # fmt: skip
    """Minimise from zero, or from an earlier solution (a, b)."""
    end = np.inf if time_limit is None else time.monotonic() + time_limit
    shape = problem.classes.shape
    a, b = (np.zeros(shape), np.zeros(shape[1])) if start is None else start
    image = problem.multiply(a)
    for step in range(max_iter + 1):
        b = _best_offsets(problem, image, b)
        f = image + b
        gradient = a - problem.slope(f)
        primal = float((a * image).sum() / 2 + problem.loss(f))
        gap = float(max((gradient * problem.multiply(gradient)).sum() / 2, 0.0))
        done = gap <= tol * max(primal, np.finfo(np.float64).tiny)
        if done or step == max_iter or time.monotonic() > end:
            return LogisticSolution(a, b, primal, gap, max(step, 1), done)
        exactness = min(0.1, np.sqrt(gap / max(primal, 1e-300)))
        d, d_image, d_b = _newton_direction(problem, problem.probabilities(f), gradient, exactness)
        a, image, b = _line_search(problem, (a, image, b), (d, d_image, d_b), primal)
    raise AssertionError("unreachable")


def _newton_direction(
    problem: LogisticProblem, p: Floats, gradient: Floats, exactness: float
) -> tuple[Floats, Floats, Floats]:
    """(d, K d, change of b) with (I + W K) d + W 1 b' = -g and 1'W(K d + 1 b') = 0, by conjugate gradients."""
    offsets = np.zeros(gradient.shape[1])
    found, found_image, found_b = np.zeros_like(gradient), np.zeros_like(gradient), offsets.copy()
    residual, residual_b = -gradient, offsets.copy()
    image = problem.multiply(residual)
    size = first = float((residual * image).sum() + residual_b @ residual_b)
    direction, direction_b, direction_image = residual.copy(), residual_b.copy(), image.copy()
    for _ in range(_CG_STEPS):
        if size <= exactness**2 * first or size <= 0:
            break
        bent = problem.curvature(p, direction_image + direction_b)
        applied, applied_b = direction + bent, bent.sum(axis=0)
        applied_image = problem.multiply(applied)
        length = size / float((direction * applied_image).sum() + direction_b @ applied_b)
        found, found_image, found_b = (
            found + length * direction, found_image + length * direction_image, found_b + length * direction_b,
        )  # fmt: skip
        residual, image, residual_b = (
            residual - length * applied, image - length * applied_image, residual_b - length * applied_b,
        )  # fmt: skip
        last, size = size, float((residual * image).sum() + residual_b @ residual_b)
        ratio = size / last
        direction, direction_image, direction_b = (
            residual + ratio * direction, image + ratio * direction_image, residual_b + ratio * direction_b,
        )  # fmt: skip
    return found, found_image, found_b


def _line_search(
    problem: LogisticProblem, at: tuple[Floats, Floats, Floats], along: tuple[Floats, Floats, Floats], primal: float
) -> tuple[Floats, Floats, Floats]:
    """The longest of 1, 1/2, 1/4, ... steps that makes P smaller."""
    length = 1.0
    for _ in range(_HALVINGS):
        a, image, b = (x + length * d for x, d in zip(at, along, strict=True))
        if (a * image).sum() / 2 + problem.loss(image + b) < primal:
            return a, image, b
        length /= 2
    return at


def _best_offsets(problem: LogisticProblem, image: Floats, b: Floats) -> Floats:
    """b with sum_i cost_i (Y_i - p_i) = 0 for given K a, by Newton's method on k numbers, steps halved."""
    total = problem.cost.sum()
    share = problem.cost / total  # with costs of 1e-300 themselves, products of the curvature vanish
    loss = problem.loss(image + b)
    for _ in range(_OFFSET_STEPS):
        slope = problem.slope(image + b).sum(axis=0) / total
        if np.abs(slope).max() <= 1e-13:
            break
        p = problem.probabilities(image + b)
        if len(b) == 1:
            bent = np.array([[float(share @ (p * (1 - p))[:, 0])]])
        else:
            bent = np.diag(share @ p) - (p * share[:, None]).T @ p
        step = np.linalg.pinv(bent, hermitian=True) @ slope
        moved = problem.loss(image + b + step)
        while moved > loss and np.abs(step).max() > 1e-12:
            step /= 2
            moved = problem.loss(image + b + step)
        if moved > loss:
            break
        b, loss = b + step, moved
    return b if len(b) == 1 else b - b.mean()  # a number added to all of several changes nothing
