"""Intervals for the area under the ROC curve and for average precision that do not collapse with few positives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from mercer.arrays import Bools, Floats, Longs
from mercer.evaluation.intervals import Score, wilson_ends
from mercer.evaluation.uncertainty import normal_scores
from mercer.evaluation.uncertainty.clusters import design_effect
from mercer.evaluation.uncertainty.influence import area_variance, degrees, of_area, of_precision, score_variance
from mercer.select.auc import Ranked

AREA = "score test, scaled by DeLong"
PRECISION = "Wilson, scaled by the jackknife"
# Degrees of freedom that the variance of normal scores counts as, where rows show less than it and where more...
_PRIOR_ABOVE, _PRIOR_BELOW = 10.0, 5.0
_SEEN = 6.0  # ...and those that rows must show for the low end to trust them
_PRIOR_PRECISION, _SEEN_PRECISION = 5.0, 12.0  # the same of average precision, whatever rows show
_SKEWNESS, _SKEWED = 4.0, 12.0  # of average precision: up to 12 positive rows, places without their own make up for it


def auc_interval(positive: Bools, score: Floats, level: float = 0.95) -> Score:
    """`area_interval` of rows in any order; no value when a class has no row."""
    return area_interval(Ranked(positive, score), level) if positive.any() and not positive.all() else Score(None)


def area_interval(ranked: Ranked, level: float = 0.95, groups: Longs | None = None) -> Score:
    """{A: |a - A| <= t sqrt(r v(A))}: the areas that a test would not reject, given the area a of these rows.

    v(A) is the variance of the area if scores of both classes were normal, of one standard deviation (Bamber 1975;
    the double integrals by Owen 1956): because it is taken at A and not at a, the interval does not collapse where
    a = 1. r is the variance that these rows show (DeLong et al. 1988) over v(a), drawn towards 1 as a variance of nu
    degrees of freedom (`degrees`) is in a moderated t test (Smyth 2004): by d more degrees, ten upwards and five
    downwards, because the scores to come are rather less regular than normal ones. t has nu + d / |2a - 1| - 1 degrees
    towards 1/2, where the variance of ranks is known, whatever the scores, if the classes are alike (Wilcoxon 1945);
    towards the other end, where it covers too often with few rows, it is t + |2a - 1| (z - t).

    Where rows are ranked without an error or with few, nu is small: that no row errs does not show that none will.
    So with g = |2a - 1| min(1, 6 / nu), the end towards 1/2 has r at least g and v^(1-g) u^g in place of v, where u is
    the larger variance of exponential scores (Hanley and McNeil 1982, in the form of Newcombe 2006, method 5). Rows in
    groups are worth as many as `design_effect` says. Coverage: benchmarks/interval_coverage.py.

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
    few = min(m, n)
    inner = float(np.clip(area, 0.5 / (few + 1), 1 - 0.5 / (few + 1)))
    nu = min(few, degrees(positive, contribution) / effect)
    shown = area_variance(positive, contribution, effect) / normal_scores.area_variance(inner, m, n)
    prior = _PRIOR_ABOVE if shown < 1 else _PRIOR_BELOW
    ratio = (nu * shown + prior) / (nu + prior)
    off = abs(2 * area - 1)
    unseen = _unseen(off, nu, _SEEN)
    z = float(stats.norm.ppf((1 + level) / 2))
    t = float(stats.t.ppf((1 + level) / 2, nu + prior / max(off, 1e-9) - 1))

    def rejected(a: float) -> bool:
        g, errors = (unseen, t) if (a < area) == (area >= 0.5) else (0.0, t + off * (z - t))
        variance = normal_scores.area_variance(a, m, n) ** (1 - g) * _exponential_variance(a, m, n) ** g
        return (area - a) ** 2 > errors**2 * max(ratio, g) * variance

    return Score(area, _edge(rejected, area, 0.0), _edge(rejected, area, 1.0), AREA)


def precision_interval(ranked: Ranked, level: float = 0.95, groups: Longs | None = None) -> Score:
    """Wilson's interval of average precision as a share of m' rows, where a share of m' rows varies as it does.

    A positive row is at its place by choice, so that with few of them average precision is too large (that of one in
    a random order of n rows is not 1/n but about ln(n)/n). The high end therefore belongs to a middle in which each
    counts half in the precision at its own place, k - 1/2 of the first k, the low end to one in which it does not
    count, k - 1. Because large errors go upwards, of which a skewness of order 1 / sqrt(m) is left but where average
    precision p is near 0 or 1, the low end is z (1 + 4 sqrt(m p (1 - p)) / (m + 12)) standard errors away, the high
    end z.
    m' = m / r of the m positive rows: r is the variance that these rows show (`influence.of_precision`) over the
    binomial one of Boyd, Eng and Page (2013), the largest of a mean of m independent shares, drawn towards r0 as a
    variance of nu degrees of freedom (`degrees`, at most m) is by five more. r0 is the ratio of normal scores
    (`normal_scores.precision_ratio`), which is far below 1 where rare rows are hardly ranked; of m + 1 parts one is 1.
    It is low where next to no row errs too, but that none errs does not show that none will: so the low end takes
    r0 to the power of 1 - (p - s) / (1 - s) min(1, 12 / nu), s being the share of positive rows. Rows in groups are
    worth as many as `design_effect` says. Coverage: benchmarks/interval_coverage.py.

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
    middle = _without_own(ranked, effect / 2)
    binomial = max(middle * (1 - middle), 0.25 / (m + 1)) / m
    shown = score_variance(contribution, effect, None) / binomial
    nu = min(m, degrees(ranked.in_row_order(ranked.hits) > 0, contribution) / effect)
    share = float(ranked.hits.mean())
    normal = normal_scores.precision_ratio(middle, share) if share < 1 else 1.0
    off = min(max(middle - share, 0.0) / (1 - share), 1.0) if share < 1 else 0.0
    z = float(stats.norm.ppf((1 + level) / 2))
    skewness = _SKEWNESS * np.sqrt(m * middle * (1 - middle)) / (m + _SKEWED)

    def rows(ratio: float) -> float:
        expected = ratio + (1 - ratio) / (m + 1)
        return m * (nu + _PRIOR_PRECISION) / (nu * shown + _PRIOR_PRECISION * expected)

    cautious = normal ** (1 - _unseen(off, nu, _SEEN_PRECISION))
    low, _ = wilson_ends(_without_own(ranked, effect), rows(cautious), z * (1 + skewness))
    _, high = wilson_ends(middle, rows(normal), z)
    return Score(value, min(low, value), max(high, value), PRECISION)


def _without_own(ranked: Ranked, part: float) -> float:
    """The mean over positive rows of (k - part) / (k - part + others), k positive and other rows up to the row's place.

    1 where there is none of either. Of tied rows, all have the place of the last, as in average precision.
    """
    true, false = ranked.counts(np.ones(len(ranked.order)))
    gained = np.diff(true, prepend=0.0)
    own = np.maximum(true - part, 0.0)
    precision = np.where(own + false > 0, own / np.maximum(own + false, 1e-300), 1.0)
    return float((gained * precision).sum() / true[-1])


def _unseen(off: float, nu: float, seen: float) -> float:
    """How far it is from shown that rows err as rarely: `off` is 0 in a random order and 1 where no row errs."""
    return off * (min(1.0, seen / nu) if nu > 0 else 1.0)


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
