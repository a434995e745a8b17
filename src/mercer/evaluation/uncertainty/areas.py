"""Intervals for the area under the ROC curve and for average precision that do not collapse with few positives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from mercer.arrays import Bools, Floats, Longs
from mercer.evaluation.intervals import Score, wilson_ends
from mercer.evaluation.uncertainty.clusters import design_effect
from mercer.evaluation.uncertainty.influence import area_variance, degrees, of_area, of_precision
from mercer.select.auc import Ranked

AREA = "Newcombe, scaled by DeLong"
PRECISION = "Wilson, scaled by the jackknife"
_PRIOR = 10.0  # degrees of freedom that the variance of exponential scores counts as
_PRIOR_PRECISION = 5.0  # those of the binomial variance


def auc_interval(positive: Bools, score: Floats, level: float = 0.95) -> Score:
    """`area_interval` of rows in any order; no value when a class has no row."""
    return area_interval(Ranked(positive, score), level) if positive.any() and not positive.all() else Score(None)


def area_interval(ranked: Ranked, level: float = 0.95, groups: Longs | None = None) -> Score:
    """{A: |a - A| <= t sqrt(r v(A))}: the areas that a test would not reject, given the area a of these rows.

    v(A) is the variance of the area if scores were exponential (Hanley and McNeil 1982, in the form of Newcombe 2006,
    method 5): because it is taken at A and not at a, the interval does not collapse where a = 1. r is the variance that
    these rows show (DeLong et al. 1988) over v(a), drawn towards 1 as a variance of nu degrees of freedom (`degrees`)
    is in a moderated t test (Smyth 2004), by ten more, which is what the ratio varies by among normal scores whose
    standard deviations differ by up to two times; t has nu + 9. Where rows are ranked without an error or with few,
    nu is small: that no row errs does not show that none will. Rows in groups are worth as many as `design_effect`
    says. Coverage: benchmarks/interval_coverage.py.

    Parameters
    ----------
    ranked : Ranked
        Rows by falling score, of both classes.
    level : float, default 0.95
        Confidence level.
    groups : ndarray of shape (n_rows,), optional
        The group of each row.

    Returns
    -------
    Score
        Area and interval.
    """
    ones = np.ones(len(ranked.order))
    area, contribution = ranked.roc_auc(ones), of_area(ranked, ones)
    effect = design_effect(contribution, groups, level)
    m, n = (float(rows) / effect for rows in (ranked.hits.sum(), (1 - ranked.hits).sum()))
    positive = ranked.in_row_order(ranked.hits) > 0
    variance = area_variance(positive, contribution, effect)
    few = min(m, n)
    inner = float(np.clip(area, 0.5 / (few + 1), 1 - 0.5 / (few + 1)))
    nu = min(few, degrees(positive, contribution) / effect)
    ratio = (nu * variance / _exponential_variance(inner, m, n) + _PRIOR) / (nu + _PRIOR)
    t = float(stats.t.ppf((1 + level) / 2, nu + _PRIOR - 1))

    def rejected(a: float) -> bool:
        return (area - a) ** 2 > t * t * ratio * _exponential_variance(a, m, n)

    return Score(area, _edge(rejected, area, 0.0), _edge(rejected, area, 1.0), AREA)


def precision_interval(ranked: Ranked, level: float = 0.95, groups: Longs | None = None) -> Score:
    """Wilson's interval of average precision as a share of m' rows, where a share of m' rows varies as it does.

    Its middle is average precision with each positive row counted half in the precision at its own place, k - 1/2 of
    the first k: the row is there by choice, and with few positive rows average precision is too large for that (that
    of one positive row in a random order of n is not 1/n but about ln(n)/n).
    m' = m / r of the m positive rows: r is the variance that these rows show (`influence.of_precision`) over the
    binomial one of Boyd, Eng and Page (2013), the largest of a mean of m independent shares, drawn towards 1 as a
    variance of nu degrees of freedom (`degrees`, at most m) is by five more; t has m + 4. Rows in groups are worth as
    many as `design_effect` says. Coverage: benchmarks/interval_coverage.py.

    Parameters
    ----------
    ranked : Ranked
        Rows by falling score.
    level : float, default 0.95
        Confidence level.
    groups : ndarray of shape (n_rows,), optional
        The group of each row.

    Returns
    -------
    Score
        Average precision and interval.
    """
    ones = np.ones(len(ranked.order))
    value, contribution = ranked.average_precision(ones), of_precision(ranked, ones)
    effect = design_effect(contribution, groups, level)
    m = float(ranked.hits.sum()) / effect
    variance = float(np.square(contribution).sum()) * effect * m / max(m - 1, 1)
    middle = _half_counted(ranked, effect)
    binomial = max(middle * (1 - middle), 0.25 / (m + 1)) / m
    nu = min(m, degrees(ranked.in_row_order(ranked.hits) > 0, contribution) / effect)
    ratio = (nu * variance / binomial + _PRIOR_PRECISION) / (nu + _PRIOR_PRECISION)
    t = float(stats.t.ppf((1 + level) / 2, m + _PRIOR_PRECISION - 1))
    low, high = wilson_ends(middle, m / ratio, t)
    return Score(value, min(low, value), max(high, value), PRECISION)


def _half_counted(ranked: Ranked, effect: float) -> float:
    """The mean over positive rows of (k - 1/2) / (k - 1/2 + others), k positive and other rows up to the row's place.

    Of tied rows, all have the place of the last, as in average precision. With a design effect, that many count as one.
    """
    true, false = ranked.counts(np.ones(len(ranked.order)))
    gained = np.diff(true, prepend=0.0)
    own = np.maximum(true - effect / 2, 0.0)
    precision = own / np.maximum(own + false, 1e-300)
    return float((gained * precision).sum() / true[-1])


def _exponential_variance(area: float, m: float, n: float) -> float:
    size = max((m + n) / 2 - 1, 0.0)
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
