"""The printed account of a linear regression."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from mercer.arrays import Floats
from mercer.estimators.linear.coefficients import Coefficients, Summary
from mercer.estimators.linear.fit import QUANTILES, LinearFit


def summarise(
    fit: LinearFit, b0: float, coef: Floats, names: Sequence[str], kept: NDArray[np.bool_], *,
    level: float, errors: str, intercept: bool, notes: Sequence[str],
) -> Summary:  # fmt: skip
    """The table of coefficients and the figures of the whole fit; `kept` are the coefficients that are not aliased."""
    shown = np.append(intercept, kept)
    estimate = np.where(shown, np.append(b0, coef), np.nan)
    error = np.where(shown, np.sqrt(np.maximum(np.diag(fit.covariance), 0.0)), np.nan)
    start = 0 if intercept else 1
    table = Coefficients(["(Intercept)", *names][start:], estimate[start:], error[start:], fit.freedom, level)
    residuals = {} if fit.quantiles is None else dict(zip(QUANTILES, map(float, fit.quantiles), strict=True))
    f = f_statistic(fit, coef[kept], kept, int(intercept), errors)
    kind = "no standard" if np.isnan(fit.covariance).all() else errors
    title = f"Linear regression, {fit.rows:,} rows, {kind} errors"
    return Summary(title, {"": table}, figures(fit, f, int(intercept)), residuals, tuple(notes))


def figures(fit: LinearFit, f: float, b0: int) -> dict[str, float]:
    """R^2 = 1 - RSS / TSS, its adjustment for k, F, the likelihood of normal residuals, AIC and BIC."""
    n, slopes, free = fit.rows, fit.parameters - b0, fit.freedom
    with np.errstate(divide="ignore", invalid="ignore"):
        r2 = float(1 - np.float64(fit.residual_squares) / fit.total_squares)
        likelihood = float(0.5 * (fit.log_weights - n * (np.log(2 * np.pi * fit.residual_squares / n) + 1)))
    return {
        "R^2": r2,
        "adjusted R^2": 1 - (1 - r2) * (n - b0) / free if free > 0 else np.nan,
        "F": f,
        "p of F": float(special.fdtrc(slopes, free, f)) if free > 0 and slopes > 0 else np.nan,
        "residual standard error": float(np.sqrt(fit.residual_squares / free)) if free > 0 else np.nan,
        "degrees of freedom": free,
        "log likelihood": likelihood,
        "AIC": -2 * likelihood + 2 * fit.parameters,
        "BIC": float(-2 * likelihood + np.log(n) * fit.parameters),
    }


def f_statistic(fit: LinearFit, coef: Floats, kept: NDArray[np.bool_], b0: int, errors: str) -> float:
    """F = b' V^-1 b / k over the slopes; for classical errors the usual ratio of explained to residual squares."""
    slopes = fit.parameters - b0
    if slopes <= 0 or fit.freedom <= 0 or not fit.residual_squares or np.isnan(fit.covariance).all():
        return np.nan
    if errors == "classical":
        explained = (fit.total_squares - fit.residual_squares) / slopes
        return float(explained / (fit.residual_squares / fit.freedom))
    covariance = fit.covariance[1:, 1:][np.ix_(kept, kept)]
    return float(coef @ np.linalg.lstsq(covariance, coef, rcond=None)[0] / slopes)


def combination_text(combination: Floats, constant: float, names: Sequence[str]) -> str:
    """A column in terms of others, e.g. '1 - a - 2 b'."""
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
