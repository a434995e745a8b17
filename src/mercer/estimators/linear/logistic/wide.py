"""Fitting a logistic model of many columns: nothing as large as columns times columns is ever formed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats, Ints
from mercer.encode.blocks import column_widths
from mercer.estimators.linear.logistic.fit import (
    SEPARATION_RIDGE,
    Course,
    LogisticFit,
    class_coefficients,
    fit_logistic,
    largest_coefficients,
    null_log_likelihood,
    penalty_entries,
    raw_penalty,
)
from mercer.estimators.linear.logistic.problem import LogisticProblem
from mercer.solvers.linear.lbfgs import lbfgs
from mercer.solvers.linear.logistic import MAX_COEFFICIENTS, MAX_WORK, Logit, LogitFit, Penalty, Watch
from mercer.solvers.linear.moments import means_variances
from mercer.solvers.linear.split_matrix import work_of_products
from mercer.solvers.linear.working_set import working_set


def fit_classes(
    X: Any, codes: Ints, weight: Floats | None, n_classes: int, problem: LogisticProblem, course: Course
) -> LogisticFit:
    """The fit of few columns or of many."""
    fit = fit_wide if is_wide(X) else fit_logistic
    return fit(X, codes, weight, n_classes, problem, course)


def fit_columns_of_width_1(
    X: Any, codes: Ints, weight: Floats | None, n_classes: int, problem: LogisticProblem, course: Course
) -> LogisticFit:
    """The fit with the penalty on the coefficients of columns divided by their width."""
    width, tell = column_widths(X, weight), course.tell
    start = None if course.start is None else (course.start[0] * width, course.start[1])
    scaled = sp.csr_array(X.multiply(1 / width)) if sp.issparse(X) else X / width
    told = None if tell is None else lambda found: tell(found | {"coef_": found["coef_"] / width})
    return fit_classes(scaled, codes, weight, n_classes, problem, Course(start, told)).rescaled(width)


def is_wide(X: Any) -> bool:
    """Whether products of columns are too many."""
    return X.shape[1] > MAX_COEFFICIENTS or (sp.issparse(X) and work_of_products(X) > MAX_WORK)


@single_blas_thread()
def fit_wide(
    X: Any, codes: Ints, weight: Floats | None, n_classes: int, problem: LogisticProblem, course: Course
) -> LogisticFit:
    """The maximum of the penalised likelihood by products of the matrix with vectors; no standard errors.

    Columns are centred and scaled through the coefficients, so that a sparse matrix stays sparse. A constant column
    (most hashed ones are empty) has coefficient 0 and is left out of the search.
    """
    mean, variance = means_variances(X, weight)
    size = np.sqrt(variance if problem.centred else variance + mean**2)
    varies = np.flatnonzero(size > 1e-13 * np.abs(mean))
    inner = X if len(varies) == X.shape[1] else X[:, varies]
    centre = mean[varies] if problem.centred else np.zeros(len(varies))
    logit = _scaled(Logit(inner, codes, weight, n_classes, n_classes - 1, centre, size[varies]), problem)

    def coefficients(B: Floats) -> tuple[Floats, Floats]:
        slope, intercept = class_coefficients(logit, B)
        coef = np.zeros((len(slope), X.shape[1]))
        coef[:, varies] = slope
        return coef, intercept

    solve = partial(_solve, logit, problem, course.first(logit, varies), course.watch(coefficients))
    found = solve(raw_penalty(logit, problem))
    separating: tuple[int, ...] = ()
    if not problem.penalised and _separates(logit, found):
        separating = tuple(int(varies[j]) for j in largest_coefficients(found))
        ridge = penalty_entries(logit, SEPARATION_RIDGE, np.ones_like(logit.scale))
        found = solve(Penalty(ridge, np.zeros_like(ridge)))
    coef, intercept = coefficients(found.B)
    counts = np.bincount(codes, weights=weight, minlength=n_classes).astype(np.float64)
    null = null_log_likelihood(counts, problem.intercept)
    aliased = np.zeros(X.shape[1], dtype=bool)
    return LogisticFit(
        coef, intercept, mean, -found.loss, null, found.steps, aliased, separating, None, found.converged
    )


def _scaled(logit: Logit, problem: LogisticProblem) -> Logit:
    """The same loss, with columns divided so that loss and ridge penalty together curve alike along each of them."""
    m = logit.n_classes if logit.n_classes > 2 and problem.penalised else logit.n_classes - 1
    ridge = (1 - problem.l1_ratio) / problem.C if problem.penalised else 0.0
    bend = float((logit.shares * (1 - logit.shares)).mean())
    scale = np.sqrt(logit.scale**2 + ridge / (logit.mass * bend))
    return replace(logit, m=m, scale=scale, intercept=problem.intercept)


def _separates(logit: Logit, fit: LogitFit) -> bool:
    """Whether every row is on its side of every plane: then longer coefficients are likelier, and there is no maximum.

    Curvature, which tells so of fewer columns, needs their products.
    """
    slope, offset = logit.raw(fit.B)
    scores = np.asarray(logit.X @ slope.T) + offset
    scores = np.column_stack([np.zeros(len(scores)), scores]) if logit.m < logit.n_classes else scores
    rows = np.arange(len(scores))
    own = scores[rows, logit.codes]
    scores[rows, logit.codes] = -np.inf
    return bool((own > scores.max(axis=1)).all())


def _solve(logit: Logit, problem: LogisticProblem, start: Floats | None, watch: Watch, penalty: Penalty) -> LogitFit:
    free = np.append(problem.intercept, np.ones(len(logit.mean), dtype=bool))
    if penalty.lasso.any():
        return working_set(logit, penalty, free, problem.tol, problem.max_iter, start, watch)
    return lbfgs(logit, penalty, None, free, problem.tol, problem.max_iter, start, watch)
