"""Fitting a logistic model: the problem in z-scores, its solver, standard errors, separation of the classes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.linalg as sl

from mercer._core.threads import single_blas_thread
from mercer.arrays import Bools, Floats, Ints, Longs
from mercer.estimators.common.convergence import StoppedShort
from mercer.solvers.linear.least_squares import independent, root_of_moments, scales
from mercer.solvers.linear.logistic import Logit, LogitFit, Penalty, lbfgs, newton, proximal
from mercer.solvers.linear.moments import Moments
from mercer.state import Reader, State

Solver = Literal["auto", "newton", "lbfgs", "proximal"]
SEPARATION_RIDGE = 1e-3  # on z-scores, where the classes are separated and there is no penalty
MAX_WORK = 2e10  # rows * (classes * columns)^2 up to which second derivatives are worth their cost
MAX_COEFFICIENTS = 1500  # coefficients up to which they fit the cache
_FLAT = 1e-6  # curvature per row, relative to equal class probabilities, below which a direction diverges


@dataclass(frozen=True)
class LogisticProblem:
    """min over b of sum_i w_i log-loss_i + (1 / C) ((1 - l1_ratio) |b|^2 / 2 + l1_ratio |b|_1); and how to solve it."""

    C: float
    l1_ratio: float
    solver: Solver
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
    n_iter: int
    aliased: Bools  # (d,)
    separating: tuple[int, ...]  # coefficients that diverge
    covariance: Floats | None  # ((K - 1)(d + 1), (K - 1)(d + 1)), intercept first

    def to_state(self) -> State:
        state: State = {
            "coef": self.coef, "intercept": self.intercept, "mean": self.mean,
            "log_likelihood": self.log_likelihood, "null_log_likelihood": self.null_log_likelihood,
            "n_iter": self.n_iter, "aliased": self.aliased.astype(np.uint8),
            "separating": np.array(self.separating, dtype=np.int64),
        }  # fmt: skip
        return state if self.covariance is None else state | {"covariance": self.covariance}

    @classmethod
    def from_state(cls, state: Reader, n_classes: int, d: int) -> LogisticFit:
        rows, width = (1 if n_classes == 2 else n_classes), (n_classes - 1) * (d + 1)
        separating = state.array("separating", "int64", (None,), low=0, high=d - 1)
        fit = cls(
            state.array("coef", "float64", (rows, d)), state.array("intercept", "float64", (rows,)),
            state.array("mean", "float64", (d,)), state.number("log_likelihood"), state.number("null_log_likelihood"),
            state.integer("n_iter"), state.array("aliased", "uint8", (d,), high=1).astype(bool),
            tuple(separating.tolist()),
            state.squares("covariance", (width, width)) if state.has("covariance") else None,
        )  # fmt: skip
        state.finish()
        return fit


@single_blas_thread()
def fit_logistic(X: Any, codes: Ints, weight: Floats | None, n_classes: int, problem: LogisticProblem) -> LogisticFit:
    """The maximum of the penalised likelihood, its standard errors, and what separates the classes if anything does."""
    moments = Moments.of(X, codes.astype(np.float64), weight)
    logit, correlation = _z_scores(X, codes, weight, n_classes, problem, moments)
    free = _free_coefficients(moments, problem)
    start = _derivatives_at_zero(logit, moments, correlation) if n_classes == 2 else None
    found = _solve(logit, raw_penalty(logit, problem), correlation, free, problem, start)
    separating: tuple[int, ...] = ()
    covariance = None
    if _affordable(logit, n_classes - 1):
        covariance, separating = _covariance(logit, found, free, problem, correlation)
    if not problem.penalised and (separating or _perfect(logit, found)):
        # The likelihood has no maximum: with a small ridge penalty on the z-scores there is one.
        separating, covariance = separating or largest_coefficients(found), None
        ridge = penalty_entries(logit, SEPARATION_RIDGE, np.ones_like(logit.scale))
        mild = replace(problem, C=1.0, l1_ratio=0.0)
        found = _solve(logit, Penalty(ridge, np.zeros_like(ridge)), correlation, free, mild, start)
    if not found.converged:
        notice = f"LogisticRegression stopped after {found.steps} steps, short of tol={problem.tol:g}. Raise max_iter."
        warnings.warn(notice, StoppedShort, stacklevel=4)
    coef, intercept = logit.raw(found.B)
    if logit.m > 1 or n_classes > 2:
        coef, intercept = all_classes(coef, intercept, n_classes)
    aliased = np.zeros(len(moments.mean) - 1, dtype=bool) if problem.penalised else ~free[1:]
    null = null_log_likelihood(codes, weight, n_classes, problem.intercept)
    return LogisticFit(
        coef, intercept, moments.mean[:-1], -found.loss, null, found.steps, aliased, separating, covariance
    )


def _free_coefficients(moments: Moments, problem: LogisticProblem) -> Bools:
    """Which of (intercept, coefficients) are fitted: not those of constant columns, nor of aliased ones unpenalised."""
    free = np.append(problem.intercept, scales(moments) > 0)
    if not problem.penalised:
        centred = moments if problem.intercept else moments.around_zero()
        free[1:] &= independent(root_of_moments(centred)[0].factor)
    return free


def _z_scores(
    X: Any, codes: Ints, weight: Floats | None, n_classes: int, problem: LogisticProblem, moments: Moments
) -> tuple[Logit, Floats]:
    """The loss as a function of the coefficients of z-scores, and the correlation matrix of the columns."""
    spread = scales(moments)
    mean = moments.mean[:-1] if problem.intercept else np.zeros(len(spread))
    spread = spread if problem.intercept else scales(moments.around_zero())
    scale = np.where(spread > 0, spread, 1.0) / np.sqrt(moments.weight)
    scale = np.where(spread > 0, scale, 1.0)
    products = (moments if problem.intercept else moments.around_zero()).scatter[:-1, :-1]
    correlation = products / np.outer(scale, scale) / moments.weight
    m = n_classes if n_classes > 2 and problem.penalised else n_classes - 1
    return Logit(X, codes, weight, n_classes, m, mean, scale, problem.intercept), correlation


def _derivatives_at_zero(logit: Logit, moments: Moments, correlation: Floats) -> tuple[float, Floats, Floats]:
    """L and its derivatives at B = 0, where p = 1/2 in every row, from the moments of the columns and the codes."""
    mass, centre = moments.weight, moments if logit.intercept else moments.around_zero()
    slope = -centre.scatter[:-1, -1] / logit.scale
    if not logit.intercept:  # the codes are not centred either
        slope += 0.5 * mass * moments.mean[:-1] / logit.scale
    gradient = np.append(mass * (0.5 - moments.mean[-1]) * logit.intercept, slope)[None]
    hessian = np.zeros((len(slope) + 1, len(slope) + 1))
    hessian[0, 0], hessian[1:, 1:] = 0.25 * mass * logit.intercept, 0.25 * mass * correlation
    return mass * float(np.log(2.0)), gradient, hessian


def penalty_entries(logit: Logit, strength: float, factors: Floats) -> Floats:
    """The same strengths for every class, none for the intercepts, (m, d + 1)."""
    return np.tile(np.append(0.0, strength * factors), (logit.m, 1))


def raw_penalty(logit: Logit, problem: LogisticProblem) -> Penalty:
    """The penalty on the coefficients of x, in terms of those of its z-scores."""
    strength = 1 / problem.C if problem.penalised else 0.0
    ridge = penalty_entries(logit, strength * (1 - problem.l1_ratio), logit.scale**-2.0)
    return Penalty(ridge, penalty_entries(logit, strength * problem.l1_ratio, 1 / logit.scale))


def _affordable(logit: Logit, m: int) -> bool:
    """Whether second derivatives are."""
    n, width = len(logit.codes), m * (len(logit.mean) + 1)
    return width <= MAX_COEFFICIENTS and float(n) * width * width <= MAX_WORK


def _solve(
    logit: Logit, penalty: Penalty, correlation: Floats, free: Bools, problem: LogisticProblem,
    start: tuple[float, Floats, Floats] | None,
) -> LogitFit:  # fmt: skip
    solver = problem.solver
    if solver == "auto":
        first_order: Solver = "proximal" if penalty.lasso.any() else "lbfgs"
        solver = "newton" if _affordable(logit, logit.m) else first_order
    if solver == "newton":
        return newton(logit, penalty, free, problem.tol, problem.max_iter, start)
    steps = problem.max_iter * 10  # they are that much cheaper
    method = lbfgs if solver == "lbfgs" else proximal
    return method(logit, penalty, correlation, free, problem.tol, steps)


def _covariance(
    logit: Logit, fit: LogitFit, free: Bools, problem: LogisticProblem, correlation: Floats
) -> tuple[Floats | None, tuple[int, ...]]:
    """Inverse second derivatives at the maximum, for contrasts with the first class; and divergent coefficients."""
    k, width = logit.n_classes - 1, len(free)
    contrast = replace(logit, m=k)
    B = fit.B if logit.m == k else fit.B[1:] - fit.B[0]
    known = fit.hessian if logit.m == k else None
    hessian = contrast.value_gradient_hessian(B)[2] if known is None else known
    alike = np.eye(k) if k == 1 else np.eye(k) - 1 / (k + 1)
    ridge = (1 - problem.l1_ratio) / problem.C * logit.scale**-2.0 if problem.penalised else 0 * logit.scale
    hessian = hessian + np.kron(alike, np.diag(np.append(0.0, ridge)))
    mask = np.tile(free, k)
    inner = hessian[np.ix_(mask, mask)]
    if not problem.penalised and (divergent := _divergent(inner, correlation, free, k, logit.mass)):
        return None, divergent
    values, vectors = np.linalg.eigh(inner)
    if not len(values) or values[0] <= 1e-13 * values[-1]:
        return None, ()
    whole = np.zeros_like(hessian)
    whole[np.ix_(mask, mask)] = (vectors / values) @ vectors.T
    back = np.eye(width)
    back[1:, 1:] = np.diag(1 / logit.scale)
    back[0, 1:] = -logit.mean / logit.scale
    turn = np.kron(np.eye(k), back)
    return turn @ whole @ turn.T, ()


def _divergent(h: Floats, correlation: Floats, free: Bools, k: int, mass: float) -> tuple[int, ...]:
    """The coefficients of the direction with the least curvature, if that is nearly 0: there is no maximum."""
    even = np.eye(len(free))
    even[1:, 1:] = correlation
    usual = np.kron(np.eye(k), even[np.ix_(free, free)]) * mass
    values, vectors = sl.eigh(h, usual)
    if values[0] > _FLAT:
        return ()
    size = np.abs(vectors[:, 0]).reshape(k, -1).max(axis=0)
    places = np.flatnonzero(free)
    return _strongest(size[places > 0], places[places > 0] - 1)


def largest_coefficients(fit: LogitFit) -> tuple[int, ...]:
    size = np.abs(fit.B[:, 1:]).max(axis=0)
    return _strongest(size, np.arange(len(size)))


def _strongest(size: Floats, places: Longs) -> tuple[int, ...]:
    order = np.argsort(-size, kind="stable")
    return tuple(int(places[j]) for j in order[:3] if size[j] >= 0.2 * size.max())


def _perfect(logit: Logit, fit: LogitFit) -> bool:
    return fit.loss <= 1e-6 * logit.mass


def all_classes(coef: Floats, intercept: Floats, n_classes: int) -> tuple[Floats, Floats]:
    """A row for every class, the rows adding up to 0, of the many that give the same probabilities."""
    if len(coef) < n_classes:
        coef = np.vstack([np.zeros(coef.shape[1]), coef])
        intercept = np.append(0.0, intercept)
        return coef - coef.mean(axis=0), intercept - intercept.mean()
    return coef, intercept - intercept.mean()


def null_log_likelihood(codes: Ints, weight: Floats | None, n_classes: int, intercept: bool) -> float:
    """The log likelihood without any column."""
    counts = np.bincount(codes, weights=weight, minlength=n_classes).astype(np.float64)
    if not intercept:
        return float(-counts.sum() * np.log(n_classes))
    return float(counts @ np.log(counts / counts.sum()))
