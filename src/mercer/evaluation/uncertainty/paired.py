"""Learners compared fold by fold: how far each is behind the best, and which do not differ from it beyond error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from mercer.arrays import Floats, Longs
from mercer.evaluation.intervals import Score, corrected_t
from mercer.evaluation.metrics import Metric
from mercer.evaluation.uncertainty.clusters import design_effect


def behind(best: Sequence[float], other: Sequence[float], metric: Metric, test_share: float, level: float) -> Score:
    """Mean over the folds of how much better the best is, with its corrected t interval (Nadeau and Bengio 2003).

    Both were scored on the same rows: what makes a fold hard for both leaves the difference.

    Parameters
    ----------
    best, other : sequence of float
        Scores of each fold; where one has fewer folds than the other, the first ones.
    metric : Metric
        Which way is better.
    test_share : float
        n_test / n_train of one fold.
    level : float
        Confidence level.

    Returns
    -------
    Score
        Above 0 where the best is better.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    return corrected_t([sign * (a - b) for a, b in zip(best, other, strict=False)], test_share, level)


def ranking(folds: Sequence[Sequence[float]], metric: Metric) -> list[int]:
    """Learners best first: argmin over i of max over j of mean(s_j - s_i), then the others by how far they are behind.

    Means are over the folds that both have, so that a learner whose time ended after the first folds, which may be easy
    ones, is not compared with the mean of others. Where all have all folds, this is the order of their means.

    Parameters
    ----------
    folds : sequence of sequence of float
        Scores of each learner on the first folds, as many as it has; those that are not finite are left out.
    metric : Metric
        Which way is better.

    Returns
    -------
    list of int
        Places in `folds`; of equal ones the first comes first, those without a finite score last.
    """
    scores = np.full((len(folds), max(map(len, folds))), np.nan)
    for row, found in zip(scores, folds, strict=True):
        row[: len(found)] = found
    scores[~np.isfinite(scores)] = np.nan
    gaps = (1.0 if metric.higher_is_better else -1.0) * (scores - scores[:, None])  # [i, j, fold]: j better than i
    both = np.isfinite(gaps)
    means = np.where(both, gaps, 0.0).sum(axis=2) / np.maximum(both.sum(axis=2), 1)
    unknown = np.isnan(scores).all(axis=1)
    best = int(np.where(unknown, np.inf, np.round(means, 15).max(axis=1)).argmin())
    return sorted(range(len(folds)), key=lambda i: (i != best, unknown[i], -means[best, i]))


def standard_error(difference: Score, n_folds: int, level: float) -> float:
    """The standard error that the interval of a difference over so many folds was made from; 0 without an interval."""
    if difference.low is None or difference.high is None or n_folds < 2:
        return 0.0
    return (difference.high - difference.low) / 2 / float(stats.t.ppf((1 + level) / 2, n_folds - 1))


def is_tie(difference: Score) -> bool:
    """Whether the interval of a difference holds 0: these rows do not tell the two apart."""
    return difference.low is not None and difference.low <= 0


def mean_difference(
    first: Floats, second: Floats, level: float, weight: Floats | None = None, groups: Longs | None = None
) -> Score:
    """mean(a - b) +- t s / sqrt(n) over rows that both were measured on.

    Parameters
    ----------
    first, second : ndarray of shape (n_rows,)
        A value of each row under either.
    level : float
        Confidence level.
    weight : ndarray of shape (n_rows,), optional
        Of each row; n is then Kish's effective number of rows, (sum w)^2 / sum w^2.
    groups : ndarray of shape (n_rows,), optional
        The group of each row; n is then divided by `design_effect`.

    Returns
    -------
    Score
        Above 0 where the first is larger.
    """
    gap, mass = first - second, np.ones(len(first)) if weight is None else weight
    mean = float(np.average(gap, weights=mass))
    n = float(mass.sum() ** 2 / np.square(mass).sum()) / design_effect(mass * (gap - mean), groups, level)
    if n <= 1:
        return Score(mean)
    spread = np.average(np.square(gap - mean), weights=mass) * n / (n - 1)
    half = float(stats.t.ppf((1 + level) / 2, n - 1) * np.sqrt(spread / n))
    return Score(mean, mean - half, mean + half, "paired t")
