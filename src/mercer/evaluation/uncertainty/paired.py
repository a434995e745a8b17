"""Learners compared fold by fold: how far each is behind the best, and which do not differ from it beyond error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from mercer.arrays import Floats, Longs
from mercer.evaluation.intervals import PRIOR_DEGREES, Score
from mercer.evaluation.metrics import Metric
from mercer.evaluation.uncertainty.clusters import design_effect
from mercer.evaluation.uncertainty.influence import contributions, of_mean, score_variance
from mercer.select.weighted import scorer

if TYPE_CHECKING:
    from mercer.evaluation.run.records import Context, FoldResult

MODERATED_T = "moderated t"
_ROUNDING = 1e-12  # in the scores of learners that predict the same


def behind(
    best: Sequence[FoldResult], other: Sequence[FoldResult], metric: Metric, context: Context, level: float
) -> Score:
    """How much better the best is, by `moderated_difference` over the folds that both have.

    Both were scored on the same rows: what makes a fold hard for both leaves the difference.

    Parameters
    ----------
    best, other : sequence of FoldResult
        The first folds of either, as many as it has.
    metric : Metric
        What they are compared by.
    context : Context
        What the runs share.
    level : float
        Confidence level.

    Returns
    -------
    Score
        Above 0 where the best is better.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    pairs = list(zip(best, other, strict=False))
    gaps = np.array([sign * (a.scores[metric.key] - b.scores[metric.key]) for a, b in pairs])
    known = np.isfinite(gaps)
    expected = [_row_variance(*pair, metric, context) for pair, there in zip(pairs, known, strict=True) if there]
    return moderated_difference(gaps[known], expected, context.plan.test_share, level)


def moderated_difference(gaps: Floats, expected: Sequence[float], test_share: float, level: float) -> Score:
    """mean -+ t_v sqrt((max(1/J, n_test/n) + n_test/n) S^2), S^2 = (d s0^2 + (J - 1) s^2) / v and v = d + J - 1.

    The variance s^2 of the differences of three folds is next to unknown, but what differs from row to row within a
    fold says how much of it to expect, s0^2, which counts as d = 8 degrees of freedom (Smyth 2004). The first term is
    for test rows; it does not fall when folds are dealt again, because the rows stay the same. The second is for
    training sets that overlap, in place of the n_test/n_train of Nadeau and Bengio (2003), with which intervals of
    three folds would cover 99 %. Simulated, they cover 98 % on average, and find real differences over three folds 1.6
    times as often as s^2 alone does (benchmarks/difference_coverage.py).

    Parameters
    ----------
    gaps : ndarray of shape (n_folds,)
        Difference of each fold.
    expected : sequence of float
        Variance of each, as rows of the fold show it.
    test_share : float
        n_test / n_train of one fold.
    level : float
        Confidence level.

    Returns
    -------
    Score
        Mean and interval; no interval of a single fold.
    """
    if not len(gaps):
        return Score(None)
    mean, n = float(gaps.mean()), len(gaps)
    if n == 1:
        return Score(mean)
    degrees = PRIOR_DEGREES + n - 1
    variance = (PRIOR_DEGREES * float(np.mean(expected)) + (n - 1) * float(gaps.var(ddof=1))) / degrees
    tested = test_share / (1 + test_share)
    half = float(stats.t.ppf((1 + level) / 2, degrees) * np.sqrt((max(1 / n, tested) + tested) * variance))
    return Score(mean, mean - half, mean + half, MODERATED_T)


def _row_variance(one: FoldResult, two: FoldResult, metric: Metric, context: Context) -> float:
    """Of the difference of two models on the test rows of a fold; a class whose rows weigh nothing is none of it."""
    target, weight = context.target, context.weight_of(one.rows)
    kept = np.arange(len(one.rows)) if weight is None else np.flatnonzero(weight)
    rows, mass = one.rows[kept], np.ones(len(kept)) if weight is None else weight[kept]
    if one.costs is not None and two.costs is not None and metric.key == "cost":
        contribution = of_mean((one.costs - two.costs)[kept], mass)
    else:
        truth = target.values[rows]
        parts = []
        for fold in (one, two):
            guess = None if fold.guess is None else fold.guess[kept]
            scores = scorer(target.task, truth, fold.predicted[kept], target.positive, guess)
            parts.append(contributions(scores, truth, mass)[metric.key])
        contribution = parts[0] - parts[1]
    two_classes = metric.key == "roc_auc" and target.positive is not None and weight is None
    positive = target.codes[rows] == target.positive if two_classes else None
    return score_variance(contribution, design_effect(contribution, context.groups_of(rows)), positive)


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
    return (difference.high - difference.low) / 2 / float(stats.t.ppf((1 + level) / 2, PRIOR_DEGREES + n_folds - 1))


def is_near(difference: Score, n_folds: int, level: float) -> bool:
    """Whether a difference is at most one standard error.

    The interval of a difference over three folds holds much: a learner far behind may tie, but is not near.
    """
    return difference.value is not None and difference.value <= standard_error(difference, n_folds, level) + _ROUNDING


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
