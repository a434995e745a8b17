"""Intervals for the area under the ROC curve and for average precision that do not collapse with few positives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from mercer.arrays import Bools, Floats
from mercer.evaluation.intervals import Score, wilson

AREA = "Newcombe, scaled by DeLong"
PRECISION = "Wilson, by positive rows"
_PRIOR = 10.0  # rows of the rarer class that the variance of exponential scores counts as


def auc_interval(positive: Bools, score: Floats, level: float = 0.95, value: float | None = None) -> Score:
    """{A: |a - A| <= t sqrt(r v(A))}: the areas that a test would not reject, given the area a of these rows.

    v(A) is the variance of the area if scores were exponential (Hanley and McNeil 1982, in the form of Newcombe 2006,
    method 5): because it is taken at A and not at a, the interval does not collapse where a = 1. r is the variance that
    these rows show (DeLong et al. 1988) over v(a), drawn towards 1 as if ten more rows of the rarer class had shown
    that; t has as many degrees of freedom as those rows less one. Coverage: benchmarks/coverage.py.

    Parameters
    ----------
    positive : ndarray of shape (n_rows,)
        Which rows are of the positive class.
    score : ndarray of shape (n_rows,)
        Larger for rows that look more like it.
    level : float, default 0.95
        Confidence level.
    value : float or None, default None
        The area to put the interval around; None for that of these rows.

    Returns
    -------
    Score
        Area and interval; no value when a class has no row.
    """
    m, n = int(positive.sum()), int((~positive).sum())
    if not m or not n:
        return Score(None)
    area, variance = _delong(positive, score)
    few = min(m, n)
    inner = float(np.clip(area, 0.5 / (few + 1), 1 - 0.5 / (few + 1)))
    ratio = (few * variance / _exponential_variance(inner, m, n) + _PRIOR) / (few + _PRIOR)
    t = float(stats.t.ppf((1 + level) / 2, few + _PRIOR - 1))
    centre = area if value is None else value

    def rejected(a: float) -> bool:
        return (centre - a) ** 2 > t * t * ratio * _exponential_variance(a, m, n)

    return Score(centre, _edge(rejected, centre, 0.0), _edge(rejected, centre, 1.0), AREA)


def precision_interval(value: float, n_positive: int, level: float = 0.95) -> Score:
    """Wilson's interval of average precision as a share of the positive rows, whose precisions it averages.

    The binomial variance is that of Boyd, Eng and Page (2013). Coverage: benchmarks/coverage.py.
    """
    found = wilson(value * n_positive, n_positive, level)
    return Score(found.value, found.low, found.high, PRECISION)


def _delong(positive: Bools, score: Floats) -> tuple[float, float]:
    """The area, and its variance from the share of the other class that each row is ranked above."""
    m, n = int(positive.sum()), int((~positive).sum())
    ranks = stats.rankdata(score)
    above = (ranks[positive] - stats.rankdata(score[positive])) / n
    below = 1 - (ranks[~positive] - stats.rankdata(score[~positive])) / m
    variance = sum(float(part.var(ddof=1)) / len(part) for part in (above, below) if len(part) > 1)
    return float(above.mean()), variance


def _exponential_variance(area: float, m: int, n: int) -> float:
    size = (m + n) / 2 - 1
    return area * (1 - area) * (1 + size * (1 - area) / (2 - area) + size * area / (1 + area)) / (m * n)


def _edge(rejected: Callable[[float], bool], inside: float, end: float) -> float:
    """The first value from `inside` towards `end` that is rejected, by bisection; `end` when none is."""
    almost = end + (1e-12 if end < inside else -1e-12)
    if inside == end or not rejected(almost):
        return end
    low, high = inside, almost
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if rejected(middle) else (middle, high)
    return low
