"""Intervals for mean losses of class probabilities that do not miss the rare large loss which few rows do not show."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.evaluation.intervals import Score
from mercer.evaluation.uncertainty.clusters import design_effect
from mercer.evaluation.uncertainty.tilting import Moments, Tilted, pearson_quantile

TILTED = "score test, probabilities tilted to each mean"
_PRIOR = 5.0  # degrees of freedom that the variance of the tilted probabilities counts as
_SKEWNESS = 0.5  # of the mean: the variance that rows show, which is large where it is, makes up for the other half


def loss_intervals(
    log_loss: Floats, brier: Floats, proba: Floats, level: float, groups: Longs | None = None
) -> dict[str, Score]:
    """{M: q(a / 2) <= (m - M) / sqrt(r v(M) / (n - 1)) <= q(1 - a / 2)}: the mean losses that a test would not reject.

    m is the mean of these n rows, v(M) the variance of a loss if the probabilities were wrong in the way nearest to
    them that makes its mean M (`Tilted`): more than they say where M is more than they say. So the interval has a rare
    large loss that no row shows yet, and it holds where probabilities are too sure or too timid, of which their own
    variance knows nothing. r is the variance that these rows show over v(m), drawn towards 1 as a variance of
    2 n / (kurtosis - 1) degrees of freedom is by five more; the kurtosis is that at m. q are quantiles of Pearson's
    type III distribution with half the skewness that the mean has at M. Rows in groups are worth as many as
    `design_effect` says. Coverage: benchmarks/interval_coverage.py.

    Parameters
    ----------
    log_loss, brier : ndarray of shape (n_rows,)
        Losses of the rows.
    proba : ndarray of shape (n_rows, n_classes)
        Probabilities of the classes.
    level : float
        Confidence level.
    groups : ndarray of shape (n_rows,), optional
        The group of each row.

    Returns
    -------
    dict of str to Score
        "log_loss" and "brier"; without an interval where the probabilities allow but one loss, or of one row.
    """
    eps = np.finfo(proba.dtype).eps  # which is the least that the log loss takes a probability for
    shares = np.clip(proba / proba.sum(axis=1, keepdims=True), eps, 1.0)
    squares = np.square(proba).sum(axis=1, keepdims=True) - 2 * proba + 1
    squares /= 2 if proba.shape[1] == 2 else 1
    return {
        "log_loss": _interval(log_loss, Tilted(shares, -np.log(shares)), level, groups),
        "brier": _interval(brier, Tilted(shares, squares), level, groups),
    }


def _interval(losses: Floats, tilted: Tilted, level: float, groups: Longs | None) -> Score:
    mean = float(losses.mean())
    n = len(losses) / design_effect(losses - mean, groups, level)
    if n <= 1 or tilted.unit <= 0:
        return Score(mean)
    here = tilted.tilt_to(mean)
    expected = tilted.moments(here)
    ratio = _ratio(float(losses.var()), expected, n)

    def end(tail: float) -> float:
        def distance(at: Moments) -> float:
            skewness = _SKEWNESS * at.skewness / np.sqrt(n)
            return at.mean - mean + pearson_quantile(tail, skewness) * float(np.sqrt(ratio * at.variance / (n - 1)))

        step = np.sign(0.5 - tail) * 2 / np.sqrt(n * expected.variance)  # as far as the end of a normal mean
        return tilted.moments(tilted.root(distance, here, step)).mean

    return Score(mean, min(end((1 + level) / 2), mean), max(end((1 - level) / 2), mean), TILTED)


def _ratio(shown: float, expected: Moments, n: float) -> float:
    degrees = min(2 * n / max(expected.kurtosis - 1, 1.0), n - 1)
    return (degrees * shown / expected.variance + _PRIOR) / (degrees + _PRIOR)
