"""Fitting a logistic model: the problem in z-scores, its solver, standard errors, separation of the classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import scipy.linalg as sl
import scipy.sparse as sp
from scipy.special import xlogy

from mercer._core.threads import single_blas_thread
from mercer.arrays import Bools, Floats, Ints, Longs
from mercer.errors import Aliased, BadTable
from mercer.estimators.common.sklearn_api.callbacks import Tell
from mercer.estimators.common.sklearn_api.convergence import Separated, StoppedShort
from mercer.estimators.linear.logistic.problem import LogisticProblem, Solver
from mercer.solvers.linear.lbfgs import lbfgs
from mercer.solvers.linear.least_squares import independent, root_of_moments, scales
from mercer.solvers.linear.logistic import Logit, LogitFit, Penalty, Watch, newton
from mercer.solvers.linear.moments import Moments
from mercer.solvers.linear.proximal_newton import proximal_newton
from mercer.solvers.linear.split_matrix import SplitMatrix
from mercer.state import Reader, State

Start: TypeAlias = tuple[Floats, Floats] | None  # coefficients and intercepts of an earlier fit
SEPARATION_RIDGE = 1e-3  # on z-scores, where the classes are separated and there is no penalty
# How scikit-learn's solvers say that they stopped before they were done.
_STOPPED: dict[str, str] = {
    "lbfgs": "lbfgs failed to converge after {steps} iteration(s)",
    "newton-cg": "newton-cg failed to converge after {steps} iterations. Increase the number of iterations",
    "newton-cholesky": "Newton solver did not converge after {steps} iterations",
    "liblinear": "Liblinear failed to converge, increase the number of iterations",
    "sag": "The max_iter was reached which means the coef_ did not converge",
    "saga": "The max_iter was reached which means the coef_ did not converge",
}
_FLAT = 1e-6  # curvature per row, relative to equal class probabilities, below which a direction diverges


@dataclass(frozen=True)
class Course:
    """Where a fit begins, and who is told of its steps."""

    start: Start = None
    tell: Tell | None = None

    def first(self, logit: Logit, columns: Any = slice(None)) -> Floats | None:
        """B to begin with, of some columns."""
        return None if self.start is None else logit.scaled(self.start[0][:, columns], self.start[1])

    def watch(self, coefficients: Callable[[Floats], tuple[Floats, Floats]]) -> Callable[[Floats], None] | None:
        """What a solver calls with the B of each step; `coefficients` makes `coef_` and `intercept_` of it."""
        if self.tell is None:
            return None
        tell = self.tell
        return lambda B: tell(dict(zip(("coef_", "intercept_"), coefficients(B), strict=True)))


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
    converged: bool = True  # not stored

    def rescaled(self, width: Floats) -> LogisticFit:
        """The fit to columns that are `width` times those that it was fitted to."""
        both = np.tile(np.append(1.0, width), max(1, len(self.intercept) - 1))  # intercept first, class by class
        covariance = None if self.covariance is None else self.covariance / np.outer(both, both)
        return replace(self, coef=self.coef / width, mean=self.mean * width, covariance=covariance)

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
            state.integer("n_iter", 0, 2**31 - 1), state.array("aliased", "uint8", (d,), high=1).astype(bool),
            tuple(separating.tolist()),
            state.squares("covariance", (width, width)) if state.has("covariance") else None,
        )  # fmt: skip
        state.finish()
        return fit


@single_blas_thread()
def fit_logistic(
    X: Any, codes: Ints, weight: Floats | None, n_classes: int, problem: LogisticProblem, course: Course
) -> LogisticFit:
    """The maximum of the penalised likelihood, its standard errors, and what separates the classes if anything does."""
    X = SplitMatrix.of(X) if sp.issparse(X) else X
    moments = Moments.of(X, codes.astype(np.float64), weight)
    counts = np.bincount(codes, weights=weight, minlength=n_classes).astype(np.float64)
    return maximise(partial(Logit, X, codes, weight, n_classes), moments, counts, problem, course)


def maximise(
    make: Callable[..., Logit], moments: Moments, counts: Floats, problem: LogisticProblem, course: Course
) -> LogisticFit:
    """The same from the moments of the columns and the class codes, the weight of each class, and what makes a loss.

    make : of m, mean, scale and intercept
    """
    n_classes = len(counts)
    logit, correlation = _z_scores(make, n_classes, problem, moments)
    free = _free_coefficients(moments, problem)
    known = n_classes == 2 and course.start is None and problem.centred == problem.intercept
    at_zero = _derivatives_at_zero(logit, moments, correlation) if known else None
    coefficients = partial(class_coefficients, logit)
    solve = partial(_solve, logit, correlation, free, problem, course.first(logit), at_zero, course.watch(coefficients))
    found = solve(raw_penalty(logit, problem))
    separating: tuple[int, ...] = ()
    covariance = None
    if logit.curvature_pays(n_classes - 1):
        covariance, separating = _covariance(logit, found, free, problem, correlation)
    if not problem.penalised and (separating or _perfect(logit, found)):
        # The likelihood has no maximum: with a small ridge penalty on the z-scores there is one.
        separating, covariance = separating or largest_coefficients(found), None
        ridge = penalty_entries(logit, SEPARATION_RIDGE, np.ones_like(logit.scale))
        found = solve(Penalty(ridge, np.zeros_like(ridge)))
    coef, intercept = coefficients(found.B)
    aliased = np.zeros(len(moments.mean) - 1, dtype=bool) if problem.penalised else ~free[1:]
    null = null_log_likelihood(counts, problem.intercept)
    return LogisticFit(
        coef, intercept, moments.mean[:-1], -found.loss, null, found.steps, aliased, separating, covariance,
        found.converged,
    )  # fmt: skip


def refuse_start(start: Start, n_classes: int, d: int) -> None:
    """BadTable when an earlier solution is of another number of classes or columns."""
    expected = (1 if n_classes == 2 else n_classes, d)
    if start is not None and start[0].shape != expected:
        raise BadTable(
            f"Initialization coef is of shape {start[0].shape}, expected {expected}: warm_start needs the classes and "
            "columns of the fit before. Fit a new model."
        )


def _free_coefficients(moments: Moments, problem: LogisticProblem) -> Bools:
    """Which of (intercept, coefficients) are fitted: not those of constant columns, nor of aliased ones unpenalised."""
    centred = moments if problem.centred else moments.around_zero()
    free = np.append(problem.intercept, scales(centred) > 0)
    if not problem.penalised:
        free[1:] &= independent(root_of_moments(centred)[0].factor)
    return free


def _z_scores(
    make: Callable[..., Logit], n_classes: int, problem: LogisticProblem, moments: Moments
) -> tuple[Logit, Floats]:
    """The loss as a function of the coefficients of z-scores, and the correlation matrix of the columns."""
    centred = moments if problem.centred else moments.around_zero()
    spread = scales(centred)
    mean = moments.mean[:-1] if problem.centred else np.zeros(len(spread))
    scale = np.where(spread > 0, spread / np.sqrt(moments.weight), 1.0)
    products = centred.scatter[:-1, :-1]
    correlation = products / np.outer(scale, scale) / moments.weight
    m = n_classes if n_classes > 2 and problem.penalised else n_classes - 1
    return make(m, mean, scale, problem.intercept), correlation


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


def penalty_entries(logit: Logit, strength: float, factors: Floats, intercept: float = 0.0) -> Floats:
    """The same strengths for every class, (m, d + 1); none for the intercepts unless a factor is given."""
    return np.tile(strength * np.append(intercept, factors), (logit.m, 1))


def raw_penalty(logit: Logit, problem: LogisticProblem) -> Penalty:
    """The penalty on the coefficients of x, in terms of those of its z-scores."""
    strength = 1 / problem.C if problem.penalised else 0.0
    on_intercept = 0.0 if problem.intercept_scaling is None else 1 / problem.intercept_scaling
    ridge = penalty_entries(logit, strength * (1 - problem.l1_ratio), logit.scale**-2.0, on_intercept**2)
    return Penalty(ridge, penalty_entries(logit, strength * problem.l1_ratio, 1 / logit.scale, on_intercept))


def _solve(
    logit: Logit, correlation: Floats, free: Bools, problem: LogisticProblem, start: Floats | None,
    at_zero: tuple[float, Floats, Floats] | None, watch: Watch, penalty: Penalty,
) -> LogitFit:  # fmt: skip
    if logit.curvature_pays(logit.m):
        return newton(logit, penalty, free, problem.tol, problem.max_iter, start, at_zero, watch)
    if penalty.lasso.any():
        return proximal_newton(logit, penalty, free, problem.tol, problem.max_iter, start, watch)
    return lbfgs(logit, penalty, correlation, free, problem.tol, problem.max_iter, start, watch)


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
    hessian = hessian + np.kron(alike, np.diag(raw_penalty(logit, problem).ridge[0]))
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


def class_coefficients(logit: Logit, B: Floats) -> tuple[Floats, Floats]:
    """Coefficients of x and intercepts: of the second class, or of every class if there are more.

    Then, of the many that give the same probabilities, those whose intercepts (and coefficients, where nothing else
    tells them apart) add up to 0.
    """
    coef, intercept = logit.raw(B)
    if logit.n_classes == 2:
        return coef, intercept
    if len(coef) < logit.n_classes:
        coef = np.vstack([np.zeros(coef.shape[1]), coef])
        intercept = np.append(0.0, intercept)
        coef = coef - coef.mean(axis=0)
    return coef, intercept - intercept.mean()


def null_log_likelihood(counts: Floats, intercept: bool) -> float:
    """The log likelihood without any column, from the weight of each class."""
    if not intercept:
        return float(-counts.sum() * np.log(len(counts)))
    return float(xlogy(counts, counts / counts.sum()).sum())


def warn_of_fit(fit: LogisticFit, solver: Solver, tol: float, names: Sequence[str]) -> None:
    """Say to the caller of fit that the solver stopped short, which terms separate the classes, which are aliased."""
    if not fit.converged:
        said = _STOPPED[solver].format(steps=fit.n_iter)
        notice = f"{said}: LogisticRegression stopped after {fit.n_iter} steps, short of tol={tol:g}. Raise max_iter."
        warnings.warn(notice, StoppedShort, stacklevel=3)
    if fit.separating:
        notice = (
            f"The classes are separated by {', '.join(repr(names[j]) for j in fit.separating)}: without a penalty the "
            f"coefficients diverge. The answer given has a ridge penalty of {SEPARATION_RIDGE:g} on z-scores; set C to "
            "choose your own."
        )
        warnings.warn(notice, Separated, stacklevel=3)
    aliased = np.flatnonzero(fit.aliased)
    if len(aliased):
        shown = ", ".join(repr(names[j]) for j in aliased[:3]) + (" and more" if len(aliased) > 3 else "")
        notice = f"{len(aliased)} terms are combinations of earlier ones, coefficient 0: {shown}."
        warnings.warn(notice, Aliased, stacklevel=3)
