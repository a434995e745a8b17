"""Two models on the same rows: every metric's difference, its interval and a test that it is 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from mercer.arrays import Bools, Floats, Longs
from mercer.evaluation.assessment.predictions import Predictions
from mercer.evaluation.intervals import CORRECTED_T, wilson
from mercer.evaluation.uncertainty.areas import area_interval, precision_interval
from mercer.evaluation.uncertainty.clusters import design_effect
from mercer.evaluation.uncertainty.influence import JACKKNIFE, contributions, of_mean, score_variance
from mercer.evaluation.uncertainty.joint import JOINT_LIKELIHOOD, joint_gap
from mercer.select.tuning_result import resampled_interval
from mercer.select.weighted import ClassScores
from mercer.table import Task

DELONG = "DeLong"
JOINED = "separate intervals"
MCNEMAR = "McNemar, Newcombe's interval"
PAIRED_T = "paired t"
_BY_JACKKNIFE = ("average_precision", "median_absolute_error")  # no means over rows
_COUNTED = ("balanced_accuracy", "precision", "f1", "f1_macro", "f1_weighted", "mcc")  # from confusion matrices
_AREAS = ("roc_auc", "average_precision")
_ENOUGH = 30  # rows of a class, from which areas differ by the variance that rows show
_MOST_CELLS = 4096  # of the joint counts: 16 classes


@dataclass(frozen=True, slots=True)
class Difference:
    """Score of the first model minus that of the second.

    Attributes
    ----------
    metric : str
        Key of the metric.
    value : float or None
        First minus second; None where it is not defined.
    low, high : float or None
        Confidence interval.
    p_value : float or None
        Two-sided, of no difference.
    method : str
        Of interval and test.
    """

    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    method: str = ""


def fold_difference(
    metric: str, first: Sequence[float], second: Sequence[float], share: float, level: float
) -> Difference:
    """Mean over folds of the difference, with variance (1/J + n_test/n_train) s^2 (Nadeau and Bengio 2003).

    Parameters
    ----------
    metric : str
        Key of the metric.
    first, second : sequence of float
        Scores on the same folds; folds on which one is not defined are left out.
    share : float
        n_test / n_train of one fold.
    level : float
        Confidence level.

    Returns
    -------
    Difference
        By t with J - 1 degrees of freedom.
    """
    gaps = np.array(first, dtype=np.float64) - np.array(second, dtype=np.float64)
    gaps = gaps[np.isfinite(gaps)]
    if not len(gaps):
        return Difference(metric, None)
    mean = float(gaps.mean())
    if len(gaps) < 2:
        return Difference(metric, mean)
    low, high = resampled_interval(gaps, share, level)
    error = float(np.sqrt((1 / len(gaps) + share) * gaps.var(ddof=1)))
    return Difference(metric, mean, low, high, _p_of_t(mean, error, len(gaps) - 1), CORRECTED_T)


def row_differences(first: Predictions, second: Predictions, level: float) -> list[Difference]:
    """Every metric of two models on the same test rows.

    Area under the ROC curve of two classes: DeLong et al. (1988); it and average precision of fewer than 30 rows of a
    class are drawn to the intervals of the two models. Accuracy and recall: McNemar's exact test and the
    interval of Newcombe (1998, method 10). Mean losses and errors: paired t, of RMSE and R^2 by the delta method.
    Average precision and the median error: infinitesimal jackknife. Balanced accuracy, precision, F1 and Matthews
    correlation: joint counts of (truth, first, second), by `joint_gap`. With weights, all but the last by the
    infinitesimal jackknife, and the counts are of Kish's effective number of rows, (sum w)^2 / sum w^2.
    Where rows come in groups, n of them are worth n / D, with the D of each difference by `design_effect`.

    Parameters
    ----------
    first, second : Predictions
        For the same rows.
    level : float
        Confidence level.

    Returns
    -------
    list of Difference
        In the order of the metrics, those that both models have.
    """
    weight = first.mass
    values = first.scores(), second.scores()
    parts = [contributions(p.scorer, p.truth, weight) for p in (first, second)]
    found: dict[str, Difference] = {}
    if first.task is Task.CLASSIFICATION:
        counted = parts[0].keys() & set(_COUNTED)
        effects = {k: design_effect(parts[0][k] - parts[1][k], first.groups, level) for k in counted}
        found |= {d.metric: d for d in _joint_counts(first, second, level, effects)}
        if first.weight is None:
            found |= {d.metric: d for d in _matched(first, second, level)}
    for key in parts[0].keys() & parts[1].keys() - found.keys():
        gap = values[0][key] - values[1][key]
        found[key] = _by_contributions(key, gap, parts[0][key] - parts[1][key], first, level)
        if key in _AREAS:
            found[key] = _of_few(found[key], (first, second), (parts[0][key], parts[1][key]), level)
    gaps = {key: values[0][key] - values[1][key] for key in values[0]}
    return [found.get(key, Difference(key, gap if np.isfinite(gap) else None)) for key, gap in gaps.items()]


def loss_difference(metric: str, first: Floats, second: Floats, tested: Predictions, level: float) -> Difference:
    """Mean loss of the first model minus that of the second, by a paired t over the rows or groups.

    Parameters
    ----------
    metric : str
        Key of the metric.
    first, second : ndarray of shape (n_rows,)
        Losses of the rows.
    tested : Predictions
        Of either model: weights and groups of the rows.
    level : float
        Confidence level.

    Returns
    -------
    Difference
        Of the two means.
    """
    gaps = first - second
    return _by_contributions(
        metric, float(np.average(gaps, weights=tested.mass)), of_mean(gaps, tested.mass), tested, level
    )


def _of_few(found: Difference, models: Sequence[Predictions], parts: Sequence[Floats], level: float) -> Difference:
    """Of areas where a class has few rows: drawn to the models' own intervals, joined by their correlation.

    Three positive rows that two models rank without an error show no variance at all, by which the difference of their
    areas was covered in 81 of 100 samples. The squares of both distances are averaged, with 1 - m / 30 for the
    intervals joined (Zou and Donner 2008) where the smaller class has m rows.
    """
    first = models[0]
    few = min(int(rows) for rows in np.bincount(first.truth, minlength=2))
    if first.positive is None or first.weight is not None or few >= _ENOUGH:
        return found
    assert found.value is not None and found.low is not None and found.high is not None
    interval = area_interval if found.metric == "roc_auc" else precision_interval
    ranked = [model.scorer.ranked[0] for model in models if isinstance(model.scorer, ClassScores)]
    one, two = (interval(each, level, first.groups) for each in ranked)
    scale = float(np.sqrt((parts[0] @ parts[0]) * (parts[1] @ parts[1])))
    alike = float(parts[0] @ parts[1]) / scale if scale > 0 else 0.0
    own = 1 - few / _ENOUGH
    below, above = (
        float(np.sqrt(own * joined**2 + (1 - own) * (found.value - end) ** 2))
        for joined, end in (
            (_joined(one.value, one.low, two.high, two.value, alike), found.low),
            (_joined(one.high, one.value, two.value, two.low, alike), found.high),
        )
    )
    quantile = float(stats.norm.ppf((1 + level) / 2))
    p_value = _p_of_t(found.value, (below if found.value > 0 else above) / quantile, np.inf)
    low, high = max(found.value - below, -1.0), min(found.value + above, 1.0)
    return Difference(found.metric, found.value, low, high, p_value, f"{found.method}, drawn to {JOINED}")


def _by_contributions(key: str, gap: float, contribution: Floats, tested: Predictions, level: float) -> Difference:
    """gap -+ t sqrt(sum of squared contributions); DeLong's variance for the area of two classes."""
    effect, plain = design_effect(contribution, tested.groups, level), tested.weight is None
    degrees, positive = max(len(contribution) / effect, 2.0) - 1, None
    method = PAIRED_T if plain and key not in _BY_JACKKNIFE else JACKKNIFE
    if key == "roc_auc" and tested.positive is not None and plain:
        degrees, positive, method = np.inf, tested.truth == tested.positive, DELONG
    error = float(np.sqrt(score_variance(contribution, effect, positive)))
    half = float(stats.t.ppf((1 + level) / 2, degrees)) * error
    return Difference(key, gap, gap - half, gap + half, _p_of_t(gap, error, degrees), method)


def _p_of_t(gap: float, error: float, degrees: float) -> float:
    if error <= 0:
        return 1.0 if gap == 0 else 0.0
    return float(2 * stats.t.sf(abs(gap) / error, degrees))


def _matched(first: Predictions, second: Predictions, level: float) -> list[Difference]:
    """Accuracy, and the recall of the positive class, from rows that one model alone has right."""
    right = first.guess == first.truth, second.guess == second.truth
    found = [mcnemar("accuracy", *right, level, first.groups)]
    if first.positive is not None and (positive := first.truth == first.positive).any():
        groups = None if first.groups is None else first.groups[positive]
        found.append(mcnemar("recall", right[0][positive], right[1][positive], level, groups))
    return found


def mcnemar(metric: str, first: Bools, second: Bools, level: float, groups: Longs | None = None) -> Difference:
    """Shares of rows that two models have right: exact binomial test of the rows where they differ, and an interval.

    The interval joins Wilson's intervals of both shares by their correlation phi (Newcombe 1998, method 10): it does
    not collapse where the models agree on every row.

    Parameters
    ----------
    metric : str
        Key of the metric.
    first, second : ndarray of shape (n_rows,)
        Which rows each has right.
    level : float
        Confidence level.
    groups : ndarray of shape (n_rows,), optional
        The group of each row: counts are divided by `design_effect`, for the test rounded.

    Returns
    -------
    Difference
        Of the two shares.
    """
    gaps = first.astype(np.float64) - second
    gap, effect = float(gaps.mean()), design_effect(gaps - gaps.mean(), groups, level)
    n = len(first) / effect
    both, only, other = (float(np.sum(rows)) / effect for rows in (first & second, first & ~second, ~first & second))
    neither = n - both - only - other
    discordant = round(only + other)
    p_value = float(stats.binomtest(min(round(only), discordant), discordant).pvalue) if discordant else 1.0
    one, two = wilson(both + only, n, level), wilson(both + other, n, level)
    phi = _correlation(both, only, other, neither)
    low = gap - _joined(one.value, one.low, two.high, two.value, phi)
    high = gap + _joined(one.high, one.value, two.value, two.low, phi)
    return Difference(metric, gap, max(low, -1.0), min(high, 1.0), p_value, MCNEMAR)


def _joined(a: float | None, b: float | None, c: float | None, d: float | None, phi: float) -> float:
    assert a is not None and b is not None and c is not None and d is not None
    one, two = a - b, c - d
    return float(np.sqrt(max(one**2 - 2 * phi * one * two + two**2, 0.0)))


def _correlation(both: float, only: float, other: float, neither: float) -> float:
    """Of the two, with half a row taken from a positive covariance, as Newcombe does; 0 where a share is 0 or 1."""
    n = both + only + other + neither
    margins = (both + only) * (other + neither) * (both + other) * (only + neither)
    if margins <= 0:
        return 0.0
    product = both * neither - only * other
    return (max(product - n / 2, 0.0) if product > 0 else product) / float(np.sqrt(margins))


def _joint_counts(first: Predictions, second: Predictions, level: float, effects: dict[str, float]) -> list[Difference]:
    """What confusion matrices say, by joint counts of (truth, first, second)."""
    size = len(first.classes)
    if size**3 > _MOST_CELLS:
        return []
    cells: Longs = (first.truth * size + first.guess) * size + second.guess
    worth = first.mass * first.mass.sum() / np.square(first.mass).sum()
    counts = np.bincount(cells, worth, size**3).reshape(size, size, size)
    gaps = {key: joint_gap(key, counts / effect, first.positive, level) for key, effect in effects.items()}
    return [Difference(key, *gap, JOINT_LIKELIHOOD) for key, gap in gaps.items()]
