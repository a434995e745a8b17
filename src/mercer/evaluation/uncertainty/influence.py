"""How much each row moves a score: its variance, and that of a difference on the same rows, are sums over rows.

If the weight of row i grows by dw, the score changes by d_i dw; the contributions c_i = w_i d_i sum to 0, and the sum
of c_i^2 estimates the variance of the score (the infinitesimal jackknife, Efron 1982). Of the area under the ROC curve
this is the variance of DeLong et al. (1988), of a mean its usual one; of the difference of two models on the same rows
it is the sum of squared differences.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Bools, Floats, Longs
from mercer.evaluation.uncertainty.matrices import MATRIX_SCORES, mean_f1
from mercer.select.auc import Ranked
from mercer.select.weighted import ClassScores, RegressionScores

JACKKNIFE = "infinitesimal jackknife"
_ROUNDING = 1e-27  # sum of squared contributions that is but the rounding of sums over a million rows


def contributions(
    scores: ClassScores | RegressionScores, truth: NDArray[np.generic], weight: Floats
) -> dict[str, Floats]:
    """c_i of every metric that has them: areas, shares and mean losses, or errors of numbers.

    Parameters
    ----------
    scores : ClassScores or RegressionScores
        Of the predictions.
    truth : ndarray of shape (n_rows,)
        Class codes or numbers.
    weight : ndarray of shape (n_rows,)
        Of each row.

    Returns
    -------
    dict of str to ndarray of shape (n_rows,)
        By key of the metric.
    """
    if isinstance(scores, RegressionScores):
        return _of_numbers(scores, weight)
    return _of_classes(scores, np.asarray(truth, dtype=np.int64), weight)


def _of_classes(scores: ClassScores, truth: Longs, weight: Floats) -> dict[str, Floats]:
    right = (scores.cells % scores.n_classes == truth).astype(np.float64)
    found = {"accuracy": of_mean(right, weight)}
    if scores.curves:
        found["roc_auc"] = np.mean([of_area(r, weight) for r in scores.ranked], axis=0)
        found["average_precision"] = np.mean([of_precision(r, weight) for r in scores.ranked], axis=0)
    if scores.positive is not None and (truth == scores.positive).any():
        found["recall"] = of_mean(right, weight * (truth == scores.positive))
    if scores.positive is not None:
        called = weight * (scores.cells % scores.n_classes == scores.positive)
        found["precision"] = of_mean(right, called) if called.any() else np.zeros(len(weight))
    found |= _of_matrix(scores.cells, scores.n_classes, scores.positive, weight)
    for key, losses in (("log_loss", scores.log_loss), ("brier", scores.brier)):
        if np.isfinite(losses).all():
            found[key] = of_mean(losses, weight)
    return found


def _of_matrix(cells: Longs, size: int, positive: int | None, weight: Floats) -> dict[str, Floats]:
    """Of what is counted from the confusion matrix, by the cell that a row is in."""
    matrix = np.bincount(cells, weight, size**2).reshape(size, size).astype(np.float64)
    slopes = {key: score(matrix)[1] for key, score in MATRIX_SCORES.items()}
    if positive is not None:
        slopes["f1"] = mean_f1(matrix, np.eye(size)[positive])[1]
    return {key: weight * found.ravel()[cells] for key, found in slopes.items()}


def _of_numbers(scores: RegressionScores, weight: Floats) -> dict[str, Floats]:
    found = {"mse": of_mean(scores.squares, weight), "mae": of_mean(scores.absolute, weight)}
    mse = _average(scores.squares, weight)
    found["rmse"] = found["mse"] / (2 * np.sqrt(mse)) if mse > 0 else np.zeros(len(weight))
    spread = np.square(scores.target - _average(scores.target, weight))
    variance = _average(spread, weight)
    found["median_absolute_error"] = of_median(scores, weight)
    if np.isfinite(scores.shares).all():
        found["mape"] = of_mean(scores.shares, weight)
    if variance > 0:
        found["r2"] = -(found["mse"] - mse / variance * of_mean(spread, weight)) / variance
    return found


def of_mean(values: Floats, weight: Floats) -> Floats:
    """Of the weighted mean: w_i (x_i - mean) / sum of w."""
    contribution: Floats = weight * (values - _average(values, weight)) / weight.sum()
    return contribution


def of_median(scores: RegressionScores, weight: Floats) -> Floats:
    """Of the weighted median m of the absolute errors: w_i ([x_i > m] - 1/2) / (f(m) sum of w).

    The density f at the median is that between the ends of its 95 % interval, half +- sqrt(sum of squared weights).
    """
    ordered = scores.absolute[scores.order]
    cumulated = np.cumsum(weight[scores.order])
    total, reach = float(cumulated[-1]), float(np.sqrt(np.square(weight).sum()))
    low, high = np.searchsorted(cumulated, [total / 2 - reach, total / 2 + reach]).clip(0, len(ordered) - 1)
    mass = float(cumulated[high] - cumulated[low]) / total
    width = float(ordered[high] - ordered[low])
    above = np.sign(scores.absolute - scores.median(weight)) / 2
    above = above - _average(above, weight)
    contribution: Floats = weight * above * (width / mass if mass > 0 else 0.0) / total
    return contribution


def of_area(ranked: Ranked, weight: Floats) -> Floats:
    """Of the area under the ROC curve A: (share of the other class ranked rightly - A) / rows of the own class."""
    true, false = ranked.counts(weight)
    below = (false[-1] - false + np.diff(false, prepend=0.0) / 2) / false[-1]  # negatives ranked lower, ties half
    above = (true - np.diff(true, prepend=0.0) / 2) / true[-1]
    place, ordered = ranked.places(), weight[ranked.order]
    area = ranked.roc_auc(weight)
    share = np.where(ranked.hits > 0, (below[place] - area) / true[-1], (above[place] - area) / false[-1])
    return ranked.in_row_order(ordered * share)


def of_precision(ranked: Ranked, weight: Floats) -> Floats:
    """Of average precision, sum_k (recall_k - recall_{k-1}) precision_k, by the weight of each row."""
    true, false = ranked.counts(weight)
    predicted = np.maximum(true + false, 1e-300)
    gained = np.diff(true, prepend=0.0) / true[-1]
    place, precision = ranked.places(), true / predicted
    # no square of predicted, which is 0 where the first rows have no weight
    hit_after, row_after = _suffix_sums(gained / predicted), _suffix_sums(gained * precision / predicted)
    value = ranked.average_precision(weight)
    change = ranked.hits * ((precision[place] - value) / true[-1] + hit_after[place]) - row_after[place]
    return ranked.in_row_order(weight[ranked.order] * change)


def area_variance(positive: Bools, contribution: Floats, effect: float = 1.0) -> float:
    """DeLong's variance of an area, or of a difference of areas: of each class with n - 1 in place of n.

    With a design effect, n rows of a class are worth n / effect, and the variance is that many times as large.
    """
    total = 0.0
    for rows in (positive, ~positive):
        part, n = contribution[rows], float(rows.sum()) / effect
        if n > 1:
            total += float(np.square(part - part.mean()).sum()) * effect * n / (n - 1)
    return total


def score_variance(contribution: Floats, effect: float, positive: Bools | None) -> float:
    """Of a score or a difference of scores: D n / (n - 1) sum c_i^2 of n rows worth n / D; of an area, DeLong's.

    Parameters
    ----------
    contribution : ndarray of shape (n_rows,)
        Of each row.
    effect : float
        D, by `design_effect`.
    positive : ndarray of shape (n_rows,) or None
        Which rows are positive, where the score is the area of two classes.

    Returns
    -------
    float
        0 where no row moves the score.
    """
    if positive is not None:
        return area_variance(positive, contribution, effect)
    n = max(len(contribution) / effect, 2.0)
    return float(np.square(contribution).sum()) * effect * n / (n - 1)


def degrees(positive: Bools, contribution: Floats) -> float:
    """nu = 2 (sum c_i^2)^2 / sum_i (c_i^2 - mean of the class)^2: of a sum of squared contributions (Satterthwaite).

    About the number of rows that matter where contributions are normal; 0 where no row moves the score.
    """
    squares = np.square(contribution)
    total = float(squares.sum())
    error = sum(float(np.square(squares[rows] - squares[rows].mean()).sum()) for rows in (positive, ~positive))
    return 0.0 if total <= _ROUNDING else 2 * total**2 / max(error, 2 * total**2 / len(squares))


def _suffix_sums(values: Floats) -> Floats:
    sums: Floats = np.cumsum(values[::-1])[::-1]
    return sums


def _average(values: Floats, weight: Floats) -> float:
    return float((values * weight).sum() / weight.sum())
