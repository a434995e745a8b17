"""What `summary` shows of a logistic regression: tables of coefficients, figures of the fit, notes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from mercer.arrays import Floats
from mercer.encode.design import Design
from mercer.estimators.linear.coefficients import Coefficients, Summary
from mercer.estimators.linear.logistic.fit import SEPARATION_RIDGE, LogisticFit
from mercer.estimators.linear.logistic.problem import LogisticProblem
from mercer.estimators.linear.summary import INTERCEPT, check_level, column_notes
from mercer.solvers.linear.logistic import MAX_COEFFICIENTS


def logistic_summary(
    fit: LogisticFit, problem: LogisticProblem, design: Design, classes: NDArray[Any], *, level: float, n_rows: int
) -> Summary:
    """Coefficients with Wald's z and odds ratios, a table for each class but the first; likelihood-ratio test."""
    check_level(level)
    start = 0 if problem.intercept else 1
    names = [INTERCEPT, *design.names][start:]
    estimates, errors = _contrasts(fit)
    aliased = np.append(False, fit.aliased)
    estimates[:, aliased], errors[:, aliased] = np.nan, np.nan
    tables = {
        f"{label} against {classes[0]}": Coefficients(
            names, estimates[k, start:], errors[k, start:], level=level, ratios=True
        )
        for k, label in enumerate(classes[1:])
    }
    figures = _logistic_figures(fit, len(classes) - 1, int(problem.intercept), n_rows)
    title = f"Logistic regression, {n_rows:,} rows"
    return Summary(title, tables, figures, notes=tuple(_logistic_notes(fit, problem, design)))


def _contrasts(fit: LogisticFit) -> tuple[Floats, Floats]:
    """Intercepts and coefficients of each class minus those of the first, and standard errors: (K - 1, d + 1)."""
    whole = np.column_stack([fit.intercept, fit.coef])
    estimates = whole if len(whole) == 1 else whole[1:] - whole[0]
    if fit.covariance is None:
        return estimates, np.full(estimates.shape, np.nan)
    return estimates, np.sqrt(np.maximum(np.diag(fit.covariance), 0.0)).reshape(estimates.shape)


def _logistic_figures(fit: LogisticFit, k: int, b0: int, n_rows: int) -> dict[str, float]:
    """The log likelihood with and without columns, their ratio's test, McFadden's pseudo R^2, AIC and BIC."""
    slopes = k * int((~fit.aliased).sum())
    ratio = 2 * (fit.log_likelihood - fit.null_log_likelihood)
    parameters = slopes + k * b0
    return {
        "log likelihood": fit.log_likelihood,
        "without columns": fit.null_log_likelihood,
        "likelihood ratio": ratio,
        "degrees of freedom": float(slopes),
        "p of the ratio": float(special.chdtrc(slopes, max(ratio, 0.0))) if slopes else np.nan,
        "pseudo R^2": 1 - fit.log_likelihood / fit.null_log_likelihood if fit.null_log_likelihood else np.nan,
        "AIC": -2 * fit.log_likelihood + 2 * parameters,
        "BIC": float(-2 * fit.log_likelihood + np.log(n_rows) * parameters),
    }


def _logistic_notes(fit: LogisticFit, problem: LogisticProblem, design: Design) -> list[str]:
    notes = column_notes(design.baselines, design.filled)
    if problem.penalised:
        notes.append(f"Penalty C = {problem.C:g}: estimates are shrunk towards 0, tests are approximate.")
    if fit.separating:
        named = ", ".join(design.names[j] for j in fit.separating)
        notes.append(f"Separated by {named}: a ridge penalty of {SEPARATION_RIDGE:g} on z-scores was added.")
    elif fit.covariance is None:
        size = fit.coef.shape[1] + 1
        many = f"{size:,} coefficients, more than the {MAX_COEFFICIENTS:,} whose covariance is computed"
        flat = "there are directions without curvature, or second derivatives cost too much"
        notes.append(f"No standard errors: {many if size > MAX_COEFFICIENTS else flat}.")
    if fit.aliased.any():
        notes.append(f"Aliased: {', '.join(design.names[j] for j in np.flatnonzero(fit.aliased).tolist())}.")
    return notes
