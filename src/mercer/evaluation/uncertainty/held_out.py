"""An interval for every metric of given predictions, by a formula that does not collapse where all are right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from mercer.arrays import Bools, Floats, Longs
from mercer.evaluation.intervals import Score, at_least_as_wide, moderated_t, moved, share
from mercer.evaluation.metrics import METRICS
from mercer.evaluation.uncertainty.areas import area_interval, precision_interval
from mercer.evaluation.uncertainty.clusters import design_effect
from mercer.evaluation.uncertainty.confusion import matrix_interval
from mercer.evaluation.uncertainty.influence import JACKKNIFE, contributions, of_mean, score_variance
from mercer.evaluation.uncertainty.losses import loss_intervals
from mercer.evaluation.uncertainty.matrices import MATRIX_SCORES
from mercer.select.weighted import ClassScores, RegressionScores, Scale
from mercer.table.target import Task

LOG_T = "t of the logarithm"
ORDER = "order statistics"
# The variance of squared errors is itself uncertain: 2n / (kurtosis - 1) degrees of freedom, n/7 of normal errors. With
# n/4.4 the interval of the MSE of 30 rows covers 96 % (normal errors) and 93 % (Laplace), with n - 1 94 and 89 %.
_ROWS_PER_DEGREE = 4.4
_ROWS_PER_DEGREE_OF_R2 = 3.0  # 30 rows: 96 and 97 % (normal errors)
# Where few rows have most of the errors or of the spread, their kurtosis shows it: with this share of the degrees that
# it gives, errors of a t of 3 degrees cover 84 to 88 % (77 to 81 % without), R^2 of log-normal amounts 93 to 97.
_SHARE_OF_DEGREES = 0.45
_MOST_CLASSES = 100  # whose confusion matrix has an interval by its likelihood: it has classes^2 cells


def score_intervals(
    task: Task,
    truth: NDArray[Any],
    predicted: Floats,
    positive: int | None,
    level: float,
    *,
    weight: Floats | None = None,
    groups: Longs | None = None,
    guess: Longs | None = None,
    scale: Scale = "probability",
) -> dict[str, Score]:
    """Every metric of these predictions with its interval.

    Shares of rows: `share`; F1 of the positive class is such a share too, of the rows that are positive or called so.
    Balanced accuracy, macro and weighted F1 and Matthews correlation: `matrix_interval`. Areas under curves: `areas`;
    of several classes, the mean over the classes of the ends. Losses of probabilities: `losses`. Mean errors of
    numbers: Student's t for their logarithm, so that the interval is above 0; R^2 as 1 less a ratio of such means;
    their median: the errors at the places that a share of 1/2 may have. What is not defined has no value.

    Where rows have weights, so have the scores; intervals are then wider by the root of Kish's design effect,
    n sum w^2 / (sum w)^2. Where rows come in groups, n of them are worth n / D, with the D of each score by
    `design_effect`.

    Parameters
    ----------
    task : Task
        Classification or regression.
    truth : ndarray of shape (n_rows,)
        Class codes or numbers.
    predicted : ndarray of shape (n_rows, n_classes) or (n_rows,)
        Probabilities or numbers.
    positive : int or None
        Code of the positive class of two.
    level : float
        Confidence level.
    weight : ndarray of shape (n_rows,), optional
        Of each row.
    groups : ndarray of shape (n_rows,), optional
        The group of each row, a whole number from 0, where rows of a group are not independent.
    guess, scale
        As `ClassScores` has them.

    Returns
    -------
    dict of str to Score
        By key of the metric.
    """
    scores: ClassScores | RegressionScores
    if task is Task.REGRESSION:
        scores = RegressionScores(truth, predicted)
        found = _of_numbers(scores, truth, level, groups)
    else:
        scores = ClassScores(truth, predicted, positive, guess, scale)
        found = _of_classes(scores, truth, predicted, level, groups)
    if weight is None:
        return found
    stretch = float(np.sqrt(len(weight) * np.square(weight).sum()) / weight.sum())
    return {key: moved(found[key], value, stretch, METRICS[key].limits) for key, value in scores(weight).items()}


def _of_classes(
    scores: ClassScores, truth: Longs, proba: Floats, level: float, groups: Longs | None
) -> dict[str, Score]:
    positive, values = scores.positive, scores(np.ones(len(truth)))
    found = {key: Score(value if np.isfinite(value) else None) for key, value in values.items()}
    counts = np.bincount(truth, minlength=proba.shape[1])
    if scores.curves:
        found["roc_auc"] = _mean([area_interval(ranked, level, groups) for ranked in scores.ranked])
        found["average_precision"] = _mean([precision_interval(ranked, level, groups) for ranked in scores.ranked])
    right = scores.cells % scores.n_classes == truth
    found["accuracy"] = share_interval(right, level, groups)
    recalls = [share_interval(right, level, groups, truth == c) for c in range(len(counts)) if counts[c]]
    if positive is not None:
        called = scores.cells % scores.n_classes == positive
        found["precision"] = share_interval(right, level, groups, called) if called.any() else Score(0.0, 0.0, 1.0)
        found["f1"] = _f1(right, called | (truth == positive), level, groups)
        if counts[positive]:
            found["recall"] = recalls[int((counts[:positive] > 0).sum())]
    if np.isfinite(values["brier"]):
        found |= loss_intervals(scores.log_loss, scores.brier, proba, level, groups)
    return found | _of_matrix(scores, truth, level, groups)


def share_interval(right: Bools, level: float, groups: Longs | None = None, among: Bools | None = None) -> Score:
    """The interval of the share of rows that are right, all or `among` some, by what their groups are worth.

    Parameters
    ----------
    right : ndarray of shape (n_rows,)
        Which rows count.
    level : float
        Confidence level.
    groups : ndarray of shape (n_rows,), optional
        The group of each row.
    among : ndarray of shape (n_rows,), optional
        The rows that the share is of.

    Returns
    -------
    Score
        Share and interval.
    """
    if among is not None:
        right, groups = right[among], None if groups is None else groups[among]
    effect = (
        1.0 if groups is None else design_effect(of_mean(right.astype(np.float64), np.ones(len(right))), groups, level)
    )
    return share(float(right.sum()) / effect, len(right) / effect, level)


def _f1(right: Bools, either: Bools, level: float, groups: Longs | None) -> Score:
    """2 J / (1 + J) of the share J that are right among the rows that are positive, called so, or both."""
    if not either.any():
        return Score(0.0, 0.0, 1.0)
    return _changed(share_interval(right, level, groups, either), lambda share: 2 * share / (1 + share))


def _mean(parts: list[Score]) -> Score:
    value, low, high = (float(np.mean([getattr(p, end) for p in parts])) for end in ("value", "low", "high"))
    return Score(value, low, high, parts[0].method)


def _of_matrix(scores: ClassScores, truth: Longs, level: float, groups: Longs | None) -> dict[str, Score]:
    """Of what the confusion matrix says; of very many classes by the infinitesimal jackknife."""
    size, effects = scores.n_classes, dict.fromkeys(MATRIX_SCORES, 1.0)
    matrix = np.bincount(scores.cells, minlength=size**2).reshape(size, size).astype(np.float64)
    many = size > _MOST_CLASSES
    parts = contributions(scores, truth, np.ones(len(truth))) if many or groups is not None else {}
    if groups is not None:
        effects = {key: design_effect(parts[key], groups, level) for key in effects}
    if not many:
        return {key: matrix_interval(key, matrix / effect, level) for key, effect in effects.items()}
    return {key: _normal(key, MATRIX_SCORES[key](matrix)[0], parts[key], effects[key], level) for key in effects}


def _normal(key: str, value: float, contribution: Floats, effect: float, level: float) -> Score:
    half = float(stats.norm.ppf((1 + level) / 2) * np.sqrt(score_variance(contribution, effect, None)))
    low, high = METRICS[key].limits
    return Score(value, max(value - half, low), min(value + half, high), JACKKNIFE)


def _of_numbers(scores: RegressionScores, truth: Floats, level: float, groups: Longs | None) -> dict[str, Score]:
    values = scores(np.ones(len(truth)))
    squares, absolute = scores.squares, scores.absolute
    spread = np.square(truth - truth.mean())
    found = {"mse": _ratio(squares, np.ones(len(truth)), level, groups, _ROWS_PER_DEGREE)}
    found["mae"] = mean_loss(absolute, level, groups=groups)
    found["median_absolute_error"] = _median(scores, level, groups)
    known = np.isfinite(scores.shares).all()
    found["mape"] = mean_loss(scores.shares, level, groups=groups) if known else Score(None)
    found["rmse"] = _changed(found["mse"], np.sqrt)
    varies = spread.sum() > 0 and len(truth) > 1
    ratio = _ratio(squares, spread, level, groups, _ROWS_PER_DEGREE_OF_R2) if varies else Score(None)
    turned = Score(ratio.value, ratio.high, ratio.low, ratio.method)  # a large ratio is a small R^2
    found["r2"] = _changed(turned, lambda value: 1 - value)
    return {key: found[key] for key in values}


def _median(scores: RegressionScores, level: float, groups: Longs | None) -> Score:
    """From one order statistic to another: the places that a binomial count of n rows at 1/2 has (Conover 1999, 3.2).

    Where too few rows are there for the level, from the smallest error to the largest.
    """
    n_rows, value = len(scores.order), scores.median(np.ones(len(scores.order)))
    above = np.sign(scores.absolute - value)
    n = n_rows / design_effect(above - above.mean(), groups, level)
    places = stats.binom.ppf([(1 - level) / 2, (1 + level) / 2], max(round(n), 1), 0.5) * n_rows / max(round(n), 1)
    low, high = np.clip([places[0] - 1, places[1]], 0, n_rows - 1).astype(np.int64)
    ordered = scores.absolute[scores.order]
    return Score(value, float(ordered[low]), float(ordered[high]), ORDER) if n_rows > 1 else Score(value)


def _changed(score: Score, change: Callable[[float], float]) -> Score:
    value, low, high = (None if end is None else float(change(end)) for end in (score.value, score.low, score.high))
    return Score(value, low, high, score.method)


def mean_loss(losses: Floats, level: float, groups: Longs | None = None) -> Score:
    """mean * exp(+- t s / (mean sqrt(n))): the t interval of the logarithm of a mean (delta method).

    Parameters
    ----------
    losses : ndarray of shape (n_rows,)
        Of each row, 0 or more.
    level : float
        Confidence level.
    groups : ndarray of shape (n_rows,), optional
        The group of each row; n is then what `design_effect` says that they are worth.

    Returns
    -------
    Score
        Mean and interval; none of a mean of 0.
    """
    return _ratio(losses, np.ones(len(losses)), level, groups)


def _ratio(
    top: Floats, bottom: Floats, level: float, groups: Longs | None, rows_per_degree: float | None = None
) -> Score:
    """The same for mean(top) / mean(bottom), by the delta method; no interval for a ratio of 0 or a single row.

    A ratio of means is a mean of ratios with weights `bottom`, of which as many count as (sum b)^2 / sum b^2.
    """
    ratio = float(top.mean() / bottom.mean())
    if len(top) < 2 or not ratio > 0:
        return Score(ratio if np.isfinite(ratio) else None)
    influence = top / top.mean() - bottom / bottom.mean()
    effect = design_effect(influence, groups, level)
    n, counted = len(top) / effect, float(bottom.sum() ** 2 / np.square(bottom).sum()) / effect
    if n <= 1 or counted <= 1:
        return Score(ratio)
    half = float(stats.t.ppf((1 + level) / 2, _degrees(influence, n, rows_per_degree)) * influence.std())
    half *= float(np.sqrt(counted / (counted - 1) / n))
    return Score(ratio, ratio * np.exp(-half), ratio * np.exp(min(half, 700.0)), LOG_T)


def _degrees(influence: Floats, n: float, rows_per_degree: float | None) -> float:
    """Of freedom that a variance has: of usual errors, and no more than 2n / (kurtosis - 1) of these allow."""
    usual = n - 1 if rows_per_degree is None else max(n / rows_per_degree - 1, 2.0)
    square = np.square(influence)
    kurtosis = float(np.square(square).mean() / square.mean() ** 2) if square.any() else 1.0
    return min(usual, max(2 * _SHARE_OF_DEGREES * n / max(kurtosis - 1, 1e-9), 2.0))


def fold_intervals(
    folds: Sequence[dict[str, float]], pooled: dict[str, Score], n_folds: int, test_share: float, level: float
) -> dict[str, Score]:
    """The mean over folds with its moderated t interval, which is at least as wide as one test on all rows.

    Few folds that agree, all of them right, say little about the next rows: without the second, the interval would be
    1.000 to 1.000.

    Parameters
    ----------
    folds : sequence of dict of str to float
        Every metric on each fold.
    pooled : dict of str to Score
        `score_intervals` of the predictions of all folds.
    n_folds : int
        Folds that the rows were dealt to, each time.
    test_share : float
        n_test / n_train of one fold.
    level : float
        Confidence level.

    Returns
    -------
    dict of str to Score
        By key of the metric.
    """
    found = {}
    for key, test in pooled.items():
        limits = METRICS[key].limits
        fold = moderated_t([scores[key] for scores in folds], test, n_folds, test_share, level, limits)
        found[key] = at_least_as_wide(fold, test, limits)
    return found
