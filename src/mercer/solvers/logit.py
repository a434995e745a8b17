"""Maximum likelihood of logistic models: binary and multinomial, with ridge and lasso penalties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sl
import scipy.optimize as so
from numpy.typing import NDArray

from mercer.solvers.proximal import fista
from mercer.solvers.rows import Sums, sum_rows

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Logit:
    """L(B) = -sum_i w_i log p(y_i | x_i),  p(k | x) proportional to exp(eta_k),  eta_k = a_k + b_k' (x - mean) / scale.

    B is (m, d + 1), a_k first. m = K - 1 fixes eta of class 0 at 0 (contrasts with that class; two classes need
    no other); m = K treats all classes alike, as penalties ask for. The rows are never copied: centre and
    scale enter through B.
    """

    X: Any  # (n, d) dense or CSR
    codes: NDArray[np.int32]
    weight: Floats | None
    n_classes: int
    m: int
    mean: Floats
    scale: Floats  # above 0
    intercept: bool = True

    @property
    def mass(self) -> float:
        return float(len(self.codes)) if self.weight is None else float(self.weight.sum())

    def value_gradient(self, B: Floats) -> tuple[float, Floats]:
        """L and its derivatives by B, (m, d + 1)."""
        slope, offset = self.raw(B)

        def work(rows: slice, part: Floats) -> Sums:
            loss, error = self._errors(part @ slope.T + offset, rows)
            return loss, error.sum(axis=0), error.T @ part

        loss, first, rest = sum_rows(self.X, work)
        return float(loss), self._in_scale(first, rest)

    def value_gradient_hessian(self, B: Floats) -> tuple[float, Floats, Floats]:
        """L, its first derivatives (m, d + 1) and its second ones (m (d + 1), m (d + 1))."""
        slope, offset = self.raw(B)
        size, d = self.m, len(self.mean)

        def work(rows: slice, part: Floats) -> Sums:
            eta = part @ slope.T + offset
            loss, error = self._errors(eta, rows)  # eta becomes the probabilities
            z = np.empty((len(part), d + 1))
            z[:, 0] = self.intercept
            np.subtract(part, self.mean, out=z[:, 1:])
            z[:, 1:] /= self.scale
            return loss, error.T @ z, self._curvature(eta, rows, z)

        loss, gradient, blocks = sum_rows(self.X, work)
        hessian = np.empty((size, d + 1, size, d + 1))
        for k, (a, b) in enumerate(self._pairs):
            hessian[a, :, b, :] = hessian[b, :, a, :] = blocks[k]
        return float(loss), gradient, hessian.reshape(size * (d + 1), size * (d + 1))

    @property
    def _pairs(self) -> list[tuple[int, int]]:
        return [(a, b) for a in range(self.m) for b in range(a, self.m)]

    def _curvature(self, p: Floats, rows: slice, z: Floats) -> Floats:
        weight = 1.0 if self.weight is None else self.weight[rows]
        blocks = []
        for a, b in self._pairs:
            if a == b:
                half = z * np.sqrt(weight * p[:, a] * (1 - p[:, a]))[:, None]
                blocks.append(half.T @ half)
            else:
                blocks.append(z.T @ (z * (-weight * p[:, a] * p[:, b])[:, None]))
        return np.array(blocks)

    def raw(self, B: Floats) -> tuple[Floats, Floats]:
        """Coefficients of x itself and intercepts: (m, d) and (m,)."""
        slope = B[:, 1:] / self.scale
        return slope, B[:, 0] * self.intercept - slope @ self.mean

    def _in_scale(self, first: Floats, rest: Floats) -> Floats:
        centred = (rest - np.outer(first, self.mean)) / self.scale
        return np.column_stack([first * self.intercept, centred])

    def _errors(self, eta: Floats, rows: slice) -> tuple[float, Floats]:
        """sum w (-log p of the class), and w (p - [is the class]); eta is overwritten by p."""
        codes, n = self.codes[rows], len(eta)
        lag = self.n_classes - self.m  # 1 when class 0 has no column
        place = np.flatnonzero(codes >= lag)
        chosen = np.zeros(n)
        chosen[place] = eta[place, codes[place] - lag]
        top = np.maximum(eta.max(axis=1), 0.0 if lag else -np.inf)
        np.exp(eta - top[:, None], out=eta)
        total = eta.sum(axis=1) + (np.exp(-top) if lag else 0.0)
        losses = np.log(total) + top - chosen
        eta /= total[:, None]
        error = eta.copy()
        error[place, codes[place] - lag] -= 1.0
        if self.weight is None:
            return float(losses.sum()), error
        return float(losses @ self.weight[rows]), error * self.weight[rows, None]


@dataclass(frozen=True)
class Penalty:
    """sum over b of ridge b^2 / 2 + lasso |b|, entry by entry of B, (m, d + 1); 0 for the intercepts."""

    ridge: Floats
    lasso: Floats

    def value(self, B: Floats) -> float:
        return float(0.5 * (self.ridge * B * B).sum() + (self.lasso * np.abs(B)).sum())


@dataclass(frozen=True)
class LogitFit:
    """B, the loss there, the steps taken and whether they sufficed."""

    B: Floats
    loss: float
    steps: int
    converged: bool


def newton(problem: Logit, penalty: Penalty, free: NDArray[np.bool_], tol: float, max_iter: int) -> LogitFit:
    """Newton's method (iteratively reweighted least squares); with a lasso, proximal Newton (Lee, Sun & Saunders 2014).

    Problem: min L(B) + penalty(B) over the entries `free` (d + 1,), the others stay 0.
    Steps that do not lower it enough are halved. Stops when the decrease that the quadratic model promises is below
    tol^2 per unit of weight; that last step is still taken, so the answer is better than tol.
    """
    mask = np.tile(free, problem.m)
    B = np.zeros((problem.m, len(free)))
    loss, gradient, hessian = problem.value_gradient_hessian(B)
    enough = problem.mass * tol * tol
    for step in range(1, max_iter + 1):
        g = (gradient + penalty.ridge * B).ravel()[mask]
        h = hessian[np.ix_(mask, mask)] + np.diag(penalty.ridge.ravel()[mask])
        move, promise = _model_step(g, h, B.ravel()[mask], penalty.lasso.ravel()[mask], enough)
        if promise <= 1e-16 * problem.mass:
            return LogitFit(B, loss, step, True)
        before, size = loss + penalty.value(B), 1.0
        while True:
            new = B.copy().ravel()
            new[mask] += size * move
            new = new.reshape(B.shape)
            loss, gradient, hessian = problem.value_gradient_hessian(new)
            if loss + penalty.value(new) <= before - 1e-4 * size * promise + 1e-12 * abs(before) or size < 1e-8:
                break
            size /= 2
        B = new
        if promise <= enough:
            return LogitFit(B, loss, step, True)
    return LogitFit(B, loss, max_iter, False)


def _model_step(g: Floats, h: Floats, b: Floats, lasso: Floats, enough: float) -> tuple[Floats, float]:
    """The step to the minimum of the quadratic model, and the decrease it promises."""
    if not lasso.any():
        move = -solve_semidefinite(h, g)
        return move, float(-0.5 * g @ move)
    bound = float(np.linalg.eigvalsh(h)[-1])
    tight = 1e-3 * np.sqrt(max(enough, 1e-300) * bound)
    new, _ = fista(lambda u: g + h @ (u - b), lasso, bound, b, tight, 20_000)
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


def lbfgs(
    problem: Logit, penalty: Penalty, correlation: Floats, free: NDArray[np.bool_], tol: float, max_iter: int
) -> LogitFit:
    """Limited-memory BFGS (Liu & Nocedal 1989; SciPy's) in coordinates where the columns are uncorrelated.

    B = T u with T T' close to the inverse second derivatives at B = 0, so that steps are few. Stops when no entry of
    the gradient by u, per unit of weight, is above tol.
    """
    m, size = problem.m, len(free)
    mass = problem.mass
    ridge = penalty.ridge[0, 1:] / mass
    bend = 0.25 if m == 1 else (1 / m) * (1 - 1 / m) + 1e-12
    values, vectors = np.linalg.eigh(bend * correlation + np.diag(ridge))
    turn = vectors / np.sqrt(np.maximum(values, 1e-7 * max(values[-1], 1e-12)))

    def spread(u: Floats) -> Floats:
        B = u.reshape(m, size)
        return np.asarray(np.column_stack([B[:, :1] / np.sqrt(bend), B[:, 1:] @ turn.T])) * free

    def both(u: Floats) -> tuple[float, Floats]:
        B = spread(u)
        loss, gradient = problem.value_gradient(B)
        gradient = (gradient + penalty.ridge * B) * free / mass
        back = np.column_stack([gradient[:, :1] / np.sqrt(bend), gradient[:, 1:] @ turn])
        return (loss + penalty.value(B)) / mass, back.ravel()

    options = {"maxiter": max_iter, "gtol": tol, "ftol": 1e-3 * tol * tol, "maxcor": 10}
    found = so.minimize(both, np.zeros(m * size), jac=True, method="L-BFGS-B", options=options)
    B = spread(found.x)
    loss = float(found.fun) * mass - penalty.value(B)
    return LogitFit(B, loss, int(found.nit), bool(found.success))


def proximal(
    problem: Logit, penalty: Penalty, correlation: Floats, free: NDArray[np.bool_], tol: float, max_iter: int
) -> LogitFit:
    """Accelerated proximal gradient on the rows themselves, for a lasso on more coefficients than Newton can hold."""
    shape = (problem.m, len(free))
    largest = float(np.linalg.eigvalsh(correlation)[-1]) if len(correlation) else 1.0
    bound = problem.mass * 0.5 * max(largest, 1.0) + float(penalty.ridge.max(initial=0.0))

    def gradient(b: Floats) -> Floats:
        B = b.reshape(shape)
        return np.asarray(((problem.value_gradient(B)[1] + penalty.ridge * B) * free).ravel())

    b, steps = fista(gradient, penalty.lasso.ravel(), bound, np.zeros(shape).ravel(), tol * problem.mass, max_iter)
    B = b.reshape(shape)
    return LogitFit(B, problem.value_gradient(B)[0], min(steps, max_iter), steps <= max_iter)
