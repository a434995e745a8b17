"""Fitting a logistic model in parts: the problem in z-scores, the solver it needs, errors, separation."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg as sl
from numpy.typing import NDArray

from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats
from mercer.estimators.common.convergence import StoppedShort
from mercer.solvers.linear.least_squares import independent, root_of_moments, scales
from mercer.solvers.linear.logistic import Logit, LogitFit, Penalty, lbfgs, newton, proximal
from mercer.solvers.linear.moments import Moments

SOLVERS = ("auto", "newton", "lbfgs", "proximal")
MILD = 1e-3  # ridge on z-scores where the classes are separated
_WORK = 2e10  # rows * (classes * columns)^2 up to which second derivatives are worth their cost
_WIDE = 1500  # coefficients up to which they fit the cache
_FLAT = 1e-6  # curvature per row, beside that of an even class mix, below which a direction has run away


@dataclass(frozen=True)
class Options:
    """What the caller asked for, checked."""

    C: float
    l1_ratio: float
    solver: str
    intercept: bool
    tol: float
    max_iter: int

    @property
    def penalised(self) -> bool:
        return bool(np.isfinite(self.C))


@dataclass(frozen=True)
class LogisticFit:
    """Coefficients of x, intercepts, and what the summary needs; covariance is of contrasts with the first class."""

    coef: Floats  # (1, d) for two classes, else (K, d)
    intercept: Floats  # (1,) or (K,)
    mean: Floats  # (d,)
    log_likelihood: float
    null_log_likelihood: float
    steps: int
    aliased: NDArray[np.bool_]  # (d,)
    separating: tuple[int, ...]  # coefficients that grow without end
    covariance: Floats | None  # ((K - 1)(d + 1), (K - 1)(d + 1)), intercept first


@single_blas_thread()
def fit_logistic(
    X: Any, codes: NDArray[np.int32], weight: Floats | None, n_classes: int, options: Options
) -> LogisticFit:
    """Minimise sum_i w_i log-loss_i + (1 / C) ((1 - l1_ratio) |b|^2 / 2 + l1_ratio |b|_1)."""
    moments = Moments.of(X, codes.astype(np.float64), weight)
    problem, correlation = _problem(X, codes, weight, n_classes, options, moments)
    free = np.append(options.intercept, scales(moments) > 0)
    if not options.penalised:
        centre = moments if options.intercept else moments.around_zero()
        free[1:] &= independent(root_of_moments(centre)[0].factor)
    penalty = _penalty(problem, options)
    start = _first(problem, moments, correlation) if n_classes == 2 else None
    fit = _solve(problem, penalty, correlation, free, options, start)
    separating: tuple[int, ...] = ()
    covariance = None
    if _affordable(problem, n_classes - 1):
        covariance, separating = _errors(problem, fit, free, options, correlation)
    if not options.penalised and (separating or _perfect(problem, fit)):
        # Without end there is no maximum: with a small ridge on the z-scores there is one.
        separating = separating or _largest(fit)
        mild = replace(options, C=1.0, l1_ratio=0.0)
        penalty = Penalty(_entries(problem, MILD, np.ones_like(problem.scale)), np.zeros_like(penalty.lasso))
        fit = _solve(problem, penalty, correlation, free, mild, start)
        covariance = None
    if not fit.converged:
        warnings.warn(
            f"LogisticRegression stopped after {fit.steps} steps, short of tol={options.tol:g}. Raise max_iter.",
            StoppedShort, stacklevel=4,
        )  # fmt: skip
    coef, intercept = problem.raw(fit.B)
    if problem.m > 1 or n_classes > 2:
        coef, intercept = _all_classes(coef, intercept, n_classes)
    aliased = np.zeros(len(moments.mean) - 1, dtype=bool) if options.penalised else ~free[1:]
    return LogisticFit(
        coef, intercept, moments.mean[:-1], -fit.loss, _null(codes, weight, n_classes, options.intercept), fit.steps,
        aliased, separating, covariance,
    )  # fmt: skip


def _problem(
    X: Any, codes: NDArray[np.int32], weight: Floats | None, n_classes: int, options: Options, moments: Moments
) -> tuple[Logit, Floats]:
    spread = scales(moments)
    mean = moments.mean[:-1] if options.intercept else np.zeros(len(spread))
    spread = spread if options.intercept else scales(moments.around_zero())
    scale = np.where(spread > 0, spread, 1.0) / np.sqrt(moments.weight)
    scale = np.where(spread > 0, scale, 1.0)
    products = (moments if options.intercept else moments.around_zero()).scatter[:-1, :-1]
    correlation = products / np.outer(scale, scale) / moments.weight
    m = n_classes if n_classes > 2 and options.penalised else n_classes - 1
    return Logit(X, codes, weight, n_classes, m, mean, scale, options.intercept), correlation


def _first(problem: Logit, moments: Moments, correlation: Floats) -> tuple[float, Floats, Floats]:
    """L and its derivatives at B = 0, where p = 1/2 in every row, from the moments of the columns and the codes."""
    mass, centre = moments.weight, moments if problem.intercept else moments.around_zero()
    slope = -centre.scatter[:-1, -1] / problem.scale
    if not problem.intercept:  # the codes are not centred either
        slope += 0.5 * mass * moments.mean[:-1] / problem.scale
    gradient = np.append(mass * (0.5 - moments.mean[-1]) * problem.intercept, slope)[None]
    hessian = np.zeros((len(slope) + 1, len(slope) + 1))
    hessian[0, 0], hessian[1:, 1:] = 0.25 * mass * problem.intercept, 0.25 * mass * correlation
    return mass * float(np.log(2.0)), gradient, hessian


def _entries(problem: Logit, strength: float, factors: Floats) -> Floats:
    """The same strengths for every class, none for the intercepts, (m, d + 1)."""
    return np.tile(np.append(0.0, strength * factors), (problem.m, 1))


def _penalty(problem: Logit, options: Options) -> Penalty:
    """Penalties on the coefficients of x are others on those of its z-scores."""
    strength = 1 / options.C if options.penalised else 0.0
    ridge = _entries(problem, strength * (1 - options.l1_ratio), problem.scale**-2.0)
    return Penalty(ridge, _entries(problem, strength * options.l1_ratio, 1 / problem.scale))


def _affordable(problem: Logit, m: int) -> bool:
    n, width = len(problem.codes), m * (len(problem.mean) + 1)
    return width <= _WIDE and float(n) * width * width <= _WORK


def _solve(
    problem: Logit, penalty: Penalty, correlation: Floats, free: NDArray[np.bool_], options: Options,
    start: tuple[float, Floats, Floats] | None,
) -> LogitFit:  # fmt: skip
    solver = options.solver
    if solver == "auto":
        cornered = bool(penalty.lasso.any())
        solver = "newton" if _affordable(problem, problem.m) else "proximal" if cornered else "lbfgs"
    if solver == "newton":
        return newton(problem, penalty, free, options.tol, options.max_iter, start)
    steps = options.max_iter * 10  # they are that much cheaper
    method = lbfgs if solver == "lbfgs" else proximal
    return method(problem, penalty, correlation, free, options.tol, steps)


def _errors(
    problem: Logit, fit: LogitFit, free: NDArray[np.bool_], options: Options, correlation: Floats
) -> tuple[Floats | None, tuple[int, ...]]:
    """Inverse second derivatives at the maximum, for contrasts with the first class; and coefficients without end."""
    k, width = problem.n_classes - 1, len(free)
    contrast = replace(problem, m=k)
    B = fit.B if problem.m == k else fit.B[1:] - fit.B[0]
    known = fit.hessian if problem.m == k else None
    hessian = contrast.value_gradient_hessian(B)[2] if known is None else known
    alike = np.eye(k) if k == 1 else np.eye(k) - 1 / (k + 1)
    ridge = (1 - options.l1_ratio) / options.C * problem.scale**-2.0 if options.penalised else 0 * problem.scale
    hessian = hessian + np.kron(alike, np.diag(np.append(0.0, ridge)))
    mask = np.tile(free, k)
    inner = hessian[np.ix_(mask, mask)]
    if not options.penalised and (away := _runaway(inner, correlation, free, k, problem.mass)):
        return None, away
    values, vectors = np.linalg.eigh(inner)
    if not len(values) or values[0] <= 1e-13 * values[-1]:
        return None, ()
    whole = np.zeros_like(hessian)
    whole[np.ix_(mask, mask)] = (vectors / values) @ vectors.T
    back = np.eye(width)
    back[1:, 1:] = np.diag(1 / problem.scale)
    back[0, 1:] = -problem.mean / problem.scale
    turn = np.kron(np.eye(k), back)
    return turn @ whole @ turn.T, ()


def _runaway(h: Floats, correlation: Floats, free: NDArray[np.bool_], k: int, mass: float) -> tuple[int, ...]:
    """The coefficients of the direction with the least curvature, if that is next to nothing: it has run away."""
    even = np.eye(len(free))
    even[1:, 1:] = correlation
    usual = np.kron(np.eye(k), even[np.ix_(free, free)]) * mass
    values, vectors = sl.eigh(h, usual)
    if values[0] > _FLAT:
        return ()
    size = np.abs(vectors[:, 0]).reshape(k, -1).max(axis=0)
    places = np.flatnonzero(free)
    return _strongest(size[places > 0], places[places > 0] - 1)


def _largest(fit: LogitFit) -> tuple[int, ...]:
    size = np.abs(fit.B[:, 1:]).max(axis=0)
    return _strongest(size, np.arange(len(size)))


def _strongest(size: Floats, places: NDArray[np.intp]) -> tuple[int, ...]:
    order = np.argsort(-size, kind="stable")
    return tuple(int(places[j]) for j in order[:3] if size[j] >= 0.2 * size.max())


def _perfect(problem: Logit, fit: LogitFit) -> bool:
    return fit.loss <= 1e-6 * problem.mass


def _all_classes(coef: Floats, intercept: Floats, n_classes: int) -> tuple[Floats, Floats]:
    """A row for every class, the rows adding up to 0: which of the equal answers is a matter of taste."""
    if len(coef) < n_classes:
        coef = np.vstack([np.zeros(coef.shape[1]), coef])
        intercept = np.append(0.0, intercept)
        return coef - coef.mean(axis=0), intercept - intercept.mean()
    return coef, intercept - intercept.mean()


def _null(codes: NDArray[np.int32], weight: Floats | None, n_classes: int, intercept: bool) -> float:
    """The log likelihood without any column."""
    counts = np.bincount(codes, weights=weight, minlength=n_classes).astype(np.float64)
    if not intercept:
        return float(-counts.sum() * np.log(n_classes))
    return float(counts @ np.log(counts / counts.sum()))
