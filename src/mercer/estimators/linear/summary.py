"""What `summary` shows of a linear regression: a table of coefficients, figures of the fit, notes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import special

from mercer.arrays import Bools, Floats
from mercer.encode.design import Design
from mercer.errors import Aliased, MercerError, OutliersLeftOut
from mercer.estimators.linear.coefficients import Coefficients, Summary
from mercer.estimators.linear.fit import LinearFit, Problem
from mercer.estimators.linear.inference import QUANTILES, Errors, Inference

INTERCEPT = "(Intercept)"


def linear_summary(
    fit: LinearFit, problem: Problem, design: Design, aliased: Mapping[str, str], *, level: float, n_outliers: int
) -> Summary:
    """Coefficients with Student's t, R^2, F and the likelihood of normal residuals, quantiles of the residuals."""
    check_level(level)
    inference, b0 = fit.inference, int(problem.intercept)
    kept = np.array([name not in aliased for name in design.names], dtype=bool)
    shown = np.append(problem.intercept, kept)
    intercept, coef = fit.without_aliased(problem)
    estimate = np.where(shown, np.append(intercept, coef), np.nan)
    error = np.where(shown, np.sqrt(np.maximum(np.diag(inference.covariance), 0.0)), np.nan)
    names = [INTERCEPT, *design.names]
    table = Coefficients(names[1 - b0 :], estimate[1 - b0 :], error[1 - b0 :], inference.df_residual, level)
    quantiles = inference.quantiles
    residuals = {} if quantiles is None else dict(zip(QUANTILES, map(float, quantiles), strict=True))
    f = _f_statistic(inference, coef[kept], kept, b0, problem.errors)
    kind = "no standard" if np.isnan(inference.covariance).all() else problem.errors
    title = f"Linear regression, {inference.n_rows:,} rows, {kind} errors"
    notes = _linear_notes(fit, problem, design, aliased, n_outliers)
    return Summary(title, {"": table}, _linear_figures(inference, f, b0), residuals, tuple(notes))


def _linear_figures(fit: Inference, f: float, b0: int) -> dict[str, float]:
    """R^2 = 1 - RSS / TSS, its adjustment for k, F, the likelihood of normal residuals, AIC and BIC."""
    n, slopes, df, rss = fit.n_rows, fit.n_parameters - b0, fit.df_residual, np.float64(fit.rss)
    with np.errstate(divide="ignore", invalid="ignore"):
        r2 = float(1 - rss / fit.tss)
        likelihood = float(0.5 * (fit.log_weights - n * (np.log(2 * np.pi * rss / n) + 1)))
        bic = float(-2 * likelihood + np.log(n) * fit.n_parameters)
    return {
        "R^2": r2,
        "adjusted R^2": 1 - (1 - r2) * (n - b0) / df if df > 0 else np.nan,
        "F": f,
        "p of F": float(special.fdtrc(slopes, df, f)) if df > 0 and slopes > 0 else np.nan,
        "residual standard error": float(np.sqrt(rss / df)) if df > 0 else np.nan,
        "degrees of freedom": df,
        "log likelihood": likelihood,
        "AIC": -2 * likelihood + 2 * fit.n_parameters,
        "BIC": bic,
    }


def _f_statistic(fit: Inference, coef: Floats, kept: Bools, b0: int, errors: Errors) -> float:
    """F = b' V^-1 b / k over the slopes; for classical errors the usual ratio of explained to residual squares."""
    slopes = fit.n_parameters - b0
    if slopes <= 0 or fit.df_residual <= 0 or not fit.rss or np.isnan(fit.covariance).all():
        return np.nan
    if errors == "classical":
        return float((fit.tss - fit.rss) / slopes / (fit.rss / fit.df_residual))
    covariance = fit.covariance[1:, 1:][np.ix_(kept, kept)]
    return float(coef @ np.linalg.lstsq(covariance, coef, rcond=None)[0] / slopes)


def _linear_notes(
    fit: LinearFit, problem: Problem, design: Design, aliased: Mapping[str, str], n_outliers: int
) -> list[str]:
    notes = column_notes(design.baselines, design.filled)
    if aliased:
        notes.append("Aliased: " + "; ".join(f"{n} = {text}" for n, text in aliased.items()) + ".")
    if problem.alpha > 0:
        notes.append(f"Ridge penalty {problem.alpha:g}: estimates are shrunk towards 0, tests are approximate.")
    if problem.positive:
        notes.append(
            f"Coefficients are held at or above 0, {int((fit.coef == 0).sum())} of them at 0: standard errors, "
            "tests and intervals do not hold and are left out; degrees of freedom count the coefficients above 0."
        )
    if n_outliers:
        notes.append(f"{n_outliers} outliers left out.")
    return notes


def column_notes(baselines: Mapping[str, str], filled: Mapping[str, str]) -> list[str]:
    """Baseline levels, and what stands for missing cells."""
    notes = []
    if baselines:
        notes.append("Baselines: " + ", ".join(f"{c} = {level}" for c, level in baselines.items()) + ".")
    if filled:
        notes.append("Missing cells: " + ", ".join(f"{c} {how}" for c, how in filled.items()) + ".")
    return notes


def aliased_terms(fit: LinearFit, problem: Problem, names: Sequence[str]) -> dict[str, str]:
    """Each term that is a combination of others -> that combination, e.g. '1 - a - 2 b'."""
    mean = problem.centred(fit.moments).mean[:-1]
    combinations = fit.solution.aliased.items()
    return {names[j]: _combination_text(c, mean[j] - mean @ c, names) for j, c in combinations}


def warn_aliased(aliased: Mapping[str, str], n_terms: int, problem: Problem) -> None:
    """Say which coefficients were left out, if any; where they share, scikit-learn is silent."""
    if aliased and not problem.shares:
        shown = "; ".join(f"{name!r} = {text}" for name, text in list(aliased.items())[:3])
        more = f" and {len(aliased) - 3} more" if len(aliased) > 3 else ""
        warnings.warn(
            f"{len(aliased)} of {n_terms} coefficients are aliased with others: {shown}{more}. Predictions are not "
            "affected.", Aliased, stacklevel=3,
        )  # fmt: skip


def warn_outliers(n_outliers: int, n_rows: int) -> None:
    """Say how many rows were left out, if any."""
    if n_outliers:
        notice = f"{n_outliers} of {n_rows} rows were left out as outliers; see outliers_."
        warnings.warn(notice, OutliersLeftOut, stacklevel=3)


def _combination_text(combination: Floats, constant: float, names: Sequence[str]) -> str:
    size = np.abs(combination).max(initial=0.0)
    used = [int(j) for j in np.flatnonzero(np.abs(combination) > 1e-7 * size)] if size else []
    if not used:
        return f"{constant:.4g}"
    parts = [f"{constant:.4g}"] if abs(constant) > 1e-7 * size else []
    for j in used[:4]:
        factor = abs(combination[j])
        sign = "- " if combination[j] < 0 else "+ " if parts else ""
        parts.append(sign + (names[j] if abs(factor - 1) < 1e-6 else f"{factor:.4g} {names[j]}"))
    return " ".join(parts) + (f" and {len(used) - 4} more" if len(used) > 4 else "")


def check_level(level: float) -> None:
    """Refuse a level of confidence that is none."""
    if not 0 < level < 1:
        raise MercerError(f"level={level}: a number between 0 and 1.")
