"""Maximum likelihood of logistic models: binary and multinomial, with ridge and lasso penalties.

Problem: minimise L(B) + penalty(B), L the negative log-likelihood of `Logit`. Givens: rows, dense or CSR, class codes,
weights. Result: B, and where `newton` ran the second derivatives. Stop: largest first derivative (or proximal step)
<= tol, a number of iterations. Reference: Hastie, Tibshirani and Friedman 2009, 4.4. For more coefficients: `lbfgs`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import scipy.linalg as sl
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit

from mercer._core import softmax_rows
from mercer.arrays import Floats
from mercer.solvers.linear.lasso import lasso_quadratic
from mercer.solvers.linear.split_matrix import SplitMatrix
from mercer.solvers.row_chunks import Sums, sum_rows

MAX_WORK = 2e10  # steps of the products of all columns and classes up to which second derivatives are worth them
MAX_COEFFICIENTS = 1500  # coefficients up to which they fit the cache
Watch: TypeAlias = Callable[[Floats], None] | None  # called with B after each step


@dataclass(frozen=True)
class Logit:
    """L(B) = -sum_i w_i log p(y_i | x_i),  p(k | x) proportional to exp(eta_k),  eta_k = a_k + b_k' (x - mean) / scale.

    B is (m, d + 1), a_k first. m = K - 1 fixes eta of class 0 at 0 (contrasts with that class; two classes need
    no other); m = K treats all classes alike, as penalties ask for. The rows are never copied: centre and
    scale enter through B.
    """

    X: Any  # (n, d) dense, CSR or SplitMatrix
    codes: NDArray[np.int32]
    weight: Floats | None
    n_classes: int
    m: int
    mean: Floats
    scale: Floats  # above 0
    intercept: bool = True

    @property
    def n_rows(self) -> int:
        return len(self.codes)

    @property
    def mass(self) -> float:
        return float(len(self.codes)) if self.weight is None else float(self.weight.sum())

    @property
    def shares(self) -> Floats:
        """Of the classes, by weight, (K,)."""
        return np.bincount(self.codes, weights=self.weight, minlength=self.n_classes) / self.mass

    @property
    def work(self) -> float:
        """How long the products of all columns take, in steps of dense ones."""
        n, width = self.n_rows, len(self.mean) + 1
        return self.X.work if isinstance(self.X, SplitMatrix) else float(n) * width * width

    def curvature_pays(self, m: int) -> bool:
        """Whether second derivatives by the scores of m classes are worth their cost: they save passes over rows."""
        return m * (len(self.mean) + 1) <= MAX_COEFFICIENTS and m * m * self.work <= MAX_WORK

    def sample(self, n_rows: int) -> Logit | None:
        """The loss on rows drawn at random, with the weight of all; None where a class has none of them."""
        rows = np.sort(np.random.default_rng(0).choice(self.n_rows, n_rows, replace=False))
        weight = np.ones(n_rows) if self.weight is None else self.weight[rows]
        if (np.bincount(self.codes[rows], weight, self.n_classes) == 0).any():
            return None
        # So that a penalty counts as it does beside all rows.
        weight = weight * (self.mass / weight.sum())
        return replace(self, X=self.X[rows], codes=self.codes[rows], weight=weight)

    def value_gradient(self, B: Floats) -> tuple[float, Floats]:
        """L and its derivatives by B, (m, d + 1)."""
        slope, offset = self.raw(B)

        def work(rows: slice, part: Any) -> Sums:
            loss, error, _ = self._errors(part, slope, offset, rows)
            return loss, error.sum(axis=0), (part.T @ error).T

        # Sparse rows at once: a copy of a chunk of them costs as much as its products, sums of (m, d) more than both.
        at_once = sp.issparse(self.X) or isinstance(self.X, SplitMatrix)
        loss, first, rest = work(slice(None), self.X) if at_once else sum_rows(self.X, work)
        return float(loss), self._in_scale(first, rest)

    def value_errors(self, B: Floats) -> tuple[float, Floats, Floats]:
        """L, its derivatives by the scores of each row and the probabilities there, both (n, m)."""
        return self._errors(self.X, *self.raw(B), slice(None))

    def gradient_of(self, error: Floats) -> Floats:
        """The derivatives by B, (m, d + 1), of those by the scores."""
        return self._in_scale(error.sum(axis=0), (self.X.T @ error).T)

    def value_gradient_hessian(self, B: Floats) -> tuple[float, Floats, Floats]:
        """L, its first derivatives (m, d + 1) and its second ones (m (d + 1), m (d + 1))."""
        slope, offset = self.raw(B)
        d = len(self.mean)
        if isinstance(self.X, SplitMatrix):
            loss, error, p = self.value_errors(B)
            return loss, self.gradient_of(error), self._in_pairs(self._split_curvature(self.X, p))

        def work(rows: slice, part: Floats) -> Sums:
            loss, error, p = self._errors(part, slope, offset, rows)
            z = np.empty((len(part), d + 1))
            z[:, 0] = self.intercept
            np.subtract(part, self.mean, out=z[:, 1:])
            return loss, error.T @ z, self._curvature(p, rows, z)

        loss, gradient, blocks = sum_rows(self.X, work)
        return float(loss), gradient / np.append(1.0, self.scale), self._in_pairs(blocks)

    def _in_pairs(self, blocks: Floats) -> Floats:
        """The second derivatives, of the products of (1, x - mean) for each pair of scores."""
        scale, size = np.append(1.0, self.scale), self.m
        hessian = np.empty((size, len(scale), size, len(scale)))
        for k, (a, b) in enumerate(self._pairs):
            hessian[a, :, b, :] = hessian[b, :, a, :] = blocks[k] / np.outer(scale, scale)
        return hessian.reshape(size * len(scale), size * len(scale))

    @property
    def _pairs(self) -> list[tuple[int, int]]:
        return [(a, b) for a in range(self.m) for b in range(a, self.m)]

    def _curvature(self, p: Floats, rows: slice, z: Floats) -> Floats:
        """Products of the columns of z weighted by d eta_a d eta_b, a block for each pair; z may be overwritten."""
        weight = 1.0 if self.weight is None else self.weight[rows]
        if self.m == 1:
            z *= np.sqrt(weight * p[:, 0] * (1 - p[:, 0]))[:, None]
            return (z.T @ z)[None]
        blocks = []
        for a, b in self._pairs:
            bend = weight * p[:, a] * ((a == b) - p[:, b])
            blocks.append(z.T @ (z * bend[:, None]))
        return np.array(blocks)

    def _split_curvature(self, X: SplitMatrix, p: Floats) -> Floats:
        """What `_curvature` is of all rows."""
        weight = 1.0 if self.weight is None else self.weight
        ones, first = np.full((len(X), 1), float(self.intercept)), np.roll(np.arange(len(self.mean) + 1), 1)
        blocks = []
        for a, b in self._pairs:
            sign, other = (1, 1 - p[:, a]) if a == b else (-1, p[:, b])
            _, product = X.products(self.mean, ones, weight * p[:, a] * other)
            blocks.append(sign * product[np.ix_(first, first)])
        return np.array(blocks)

    def scaled(self, coef: Floats, intercept: Floats) -> Floats:
        """B of coefficients of x itself and intercepts of every class (of the second, if there are two)."""
        if len(coef) > self.m:
            coef, intercept = coef[1:] - coef[0], intercept[1:] - intercept[0]
        return np.column_stack([(intercept + coef @ self.mean) * self.intercept, coef * self.scale])

    def raw(self, B: Floats) -> tuple[Floats, Floats]:
        """Coefficients of x itself and intercepts: (m, d) and (m,)."""
        slope = B[:, 1:] / self.scale
        return slope, B[:, 0] * self.intercept - slope @ self.mean

    def _in_scale(self, first: Floats, rest: Floats) -> Floats:
        centred = (rest - np.outer(first, self.mean)) / self.scale
        return np.column_stack([first * self.intercept, centred])

    def _errors(self, part: Any, slope: Floats, offset: Floats, rows: slice) -> tuple[float, Floats, Floats]:
        """sum w (-log p of the class), w (p - [is the class]) and p, the last two (n_rows, m)."""
        codes = self.codes[rows]
        weight = None if self.weight is None else self.weight[rows]
        if self.n_classes == 2:
            eta = (part @ slope[0] + offset[0]) * (1 - 2 * codes)  # log odds of the other class
            losses = np.logaddexp(0.0, eta)
            wrong = expit(eta)
            p = np.where(codes == 1, 1 - wrong, wrong)[:, None]
            error = (np.where(codes == 1, -wrong, wrong))[:, None]
        else:
            losses, error, p = self._many(part, slope, offset, codes)
        if weight is None:
            return float(losses.sum()), error, p
        return float(losses @ weight), error * weight[:, None], p

    def _many(
        self, part: Any, slope: Floats, offset: Floats, codes: NDArray[np.int32]
    ) -> tuple[Floats, Floats, Floats]:
        lag = self.n_classes - self.m  # 1 when class 0 has no row in B
        eta = np.zeros((len(codes), self.n_classes))
        eta[:, lag:] = part @ slope.T
        eta[:, lag:] += offset
        place = np.arange(len(eta)) * self.n_classes + codes
        scores, p = eta.ravel()[place] - eta.max(axis=1), eta
        softmax_rows(p, 1)
        own = p.ravel()[place]
        # Below what a double holds, the logarithm is that of the score beside the largest.
        losses = np.where(own > 1e-290, -np.log(np.maximum(own, 1e-290)), -scores)
        error = p.copy()
        error.ravel()[place] -= 1.0
        return losses, error[:, lag:], p[:, lag:]


@dataclass(frozen=True)
class Penalty:
    """sum over b of ridge b^2 / 2 + lasso |b|, entry by entry of B, (m, d + 1); 0 for the intercepts."""

    ridge: Floats
    lasso: Floats

    def value(self, B: Floats) -> float:
        return float(0.5 * (self.ridge * B * B).sum() + (self.lasso * np.abs(B)).sum())


@dataclass(frozen=True)
class LogitFit:
    """B, the loss there, the steps taken, whether they sufficed, and the second derivatives if they were at hand."""

    B: Floats
    loss: float
    steps: int
    converged: bool
    hessian: Floats | None = None


def newton(
    problem: Logit, penalty: Penalty, free: NDArray[np.bool_], tol: float, max_iter: int, start: Floats | None = None,
    at_zero: tuple[float, Floats, Floats] | None = None, watch: Watch = None,
) -> LogitFit:  # fmt: skip
    """Newton's method (iteratively reweighted least squares); with a lasso, proximal Newton (Lee, Sun & Saunders 2014).

    Problem: min L(B) + penalty(B) over the entries `free` (d + 1,), the others stay 0. `start`: the first B, or None
    for 0; `at_zero`: L and its derivatives there, when they are known. `watch` is called with the B of each step.
    Steps that do not lower it enough are halved. Stops when the decrease that the quadratic model promises is below
    tol^2 per unit of weight; that last step is still taken, so the answer is better than tol.
    """
    mask = np.tile(free, problem.m)
    B = np.zeros((problem.m, len(free))) if start is None else np.ascontiguousarray(start * free)
    known = at_zero if start is None else None
    loss, gradient, hessian = problem.value_gradient_hessian(B) if known is None else known
    enough = problem.mass * tol * tol
    level = common_intercept(problem, penalty)
    for step in range(1, max_iter + 1):
        g = (gradient + penalty.ridge * B).ravel()[mask]
        h = (hessian + level)[np.ix_(mask, mask)] + np.diag(penalty.ridge.ravel()[mask])
        move, promise = _model_step(g, h, B.ravel()[mask], penalty.lasso.ravel()[mask], enough)
        if promise <= 1e-16 * problem.mass:  # too little to be seen in the loss
            B.ravel()[mask] += move
            tell(watch, B)
            return LogitFit(B, loss, step, True, hessian)
        before, size = loss + penalty.value(B), 1.0
        while True:
            new = B.copy()
            new.ravel()[mask] += size * move
            loss, gradient, hessian = problem.value_gradient_hessian(new)
            if loss + penalty.value(new) <= before - 1e-4 * size * promise + 1e-12 * abs(before) or size < 1e-8:
                break
            size /= 2
        B = new
        tell(watch, B)
        if promise <= enough:
            return LogitFit(B, loss, step, True, hessian)
    return LogitFit(B, loss, max_iter, False, hessian)


def tell(watch: Watch, B: Floats) -> None:
    """Call who watches, if anybody does."""
    if watch is not None:
        watch(B)


def common_intercept(problem: Logit, penalty: Penalty) -> Any:
    """Curvature along one constant on the intercepts of all classes, which changes no probability: steps avoid it."""
    size = penalty.ridge.shape[1]
    if problem.m < problem.n_classes or not problem.intercept or penalty.ridge[0, 0] > 0:
        return 0.0
    where = np.zeros((problem.m, size))
    where[:, 0] = 1.0
    return np.outer(where.ravel(), where.ravel()) * problem.mass / problem.m**2


def _model_step(g: Floats, h: Floats, b: Floats, lasso: Floats, enough: float) -> tuple[Floats, float]:
    """The step to the minimum of the quadratic model, and the decrease it promises."""
    if not lasso.any():
        move = -solve_semidefinite(h, g)
        return move, float(-0.5 * g @ move)
    largest = float(np.diag(h).max(initial=0.0))
    new = lasso_quadratic(h, g, b, lasso, 1e-3 * np.sqrt(max(enough, 1e-26 * largest) * largest))
    move = new - b
    change = g @ move + 0.5 * move @ h @ move + lasso @ (np.abs(new) - np.abs(b))
    return move, float(-change)


def solve_semidefinite(h: Floats, g: Floats) -> Floats:
    """h^-1 g; directions without curvature are left alone."""
    scale = np.sqrt(np.maximum(np.diag(h), 1e-300))
    scaled = h / np.outer(scale, scale)
    try:
        factor = sl.cho_factor(scaled + 1e-14 * np.eye(len(h)), check_finite=False)
        if np.diag(factor[0]).min() > 1e-6:
            return np.asarray(sl.cho_solve(factor, g / scale) / scale)
    except np.linalg.LinAlgError:
        pass
    values, vectors = np.linalg.eigh(scaled)
    inverse = np.where(values > 1e-11 * values[-1], 1 / np.where(values > 0, values, 1.0), 0.0)
    return np.asarray(vectors @ (inverse * (vectors.T @ (g / scale))) / scale)


def class_shares(problem: Logit, free: NDArray[np.bool_]) -> Floats:
    """B of no column: intercepts that give every row the shares of the classes."""
    share = np.maximum(problem.shares, 1e-9)  # of a class of weight 0 too
    B = np.zeros((problem.m, len(free)))
    base = share if problem.m == problem.n_classes else share[1:] / share[0]
    B[:, 0] = np.log(base) * problem.intercept
    return B
