"""An interval for every metric of given predictions, by a formula that does not collapse where all are right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from mercer.arrays import Floats, Longs
from mercer.evaluation.intervals import Score, percentiles, wilson
from mercer.evaluation.uncertainty.areas import auc_interval, precision_interval
from mercer.select.weighted import ClassScores, RegressionScores
from mercer.table.target import Task

LOG_T = "t of the logarithm"
DIRICHLET = "Dirichlet"
_DRAWS = 1000
_MOST_CLASSES = 30  # with more, scores of the confusion matrix have no interval: a draw has classes^2 cells


def score_intervals(
    task: Task, truth: NDArray[Any], predicted: Floats, positive: int | None, level: float, seed: int
) -> dict[str, Score]:
    """Every metric of these predictions with its interval.

    Shares of rows: Wilson. Areas under curves: `areas`; of several classes, the mean over the classes of the ends. Mean
    losses and errors: Student's t for their logarithm, so that the interval is above 0; R^2 as 1 less a ratio of such
    means. Balanced accuracy and F1: percentiles over confusion matrices drawn from a Dirichlet distribution, one row
    spread over all cells added to the counts. What is not defined has no value.

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
    seed : int
        Of the draws.

    Returns
    -------
    dict of str to Score
        By key of the metric.
    """
    if task is Task.REGRESSION:
        return _of_numbers(truth, predicted, level)
    return _of_classes(truth, predicted, positive, level, seed)


def _of_classes(truth: Longs, proba: Floats, positive: int | None, level: float, seed: int) -> dict[str, Score]:
    scores = ClassScores(truth, proba, positive)
    values = scores(np.ones(len(truth)))
    found = {key: Score(value if np.isfinite(value) else None) for key, value in values.items()}
    n, counts = len(truth), np.bincount(truth, minlength=proba.shape[1])
    wanted = [positive] if positive is not None else list(range(proba.shape[1]))
    curves = [c for c in wanted if 0 < counts[c] < n]
    if curves:
        found["roc_auc"] = _mean([auc_interval(truth == c, proba[:, c], level) for c in curves])
        of_class = [ClassScores(truth, proba, c)(np.ones(n))["average_precision"] for c in curves]
        pairs = zip(of_class, curves, strict=True)
        found["average_precision"] = _mean([precision_interval(v, int(counts[c]), level) for v, c in pairs])
    found["accuracy"] = wilson(round(values["accuracy"] * n), n, level)
    if positive is not None and counts[positive]:
        hits = round(values["positive_accuracy"] * counts[positive])
        found["positive_accuracy"] = wilson(hits, int(counts[positive]), level)
    for key, losses in (("log_loss", scores.log_loss), ("brier", scores.brier)):
        found[key] = _mean_loss(losses, level)
    return found | _of_matrix(scores.cells, proba.shape[1], values, level, seed)


def _mean(parts: list[Score]) -> Score:
    value, low, high = (float(np.mean([getattr(p, end) for p in parts])) for end in ("value", "low", "high"))
    return Score(value, low, high, parts[0].method)


def _of_matrix(cells: Longs, size: int, values: dict[str, float], level: float, seed: int) -> dict[str, Score]:
    """Balanced accuracy and F1 from confusion matrices that could have been."""
    keys = ("balanced_accuracy", "f1_macro", "f1_weighted")
    if size > _MOST_CLASSES:
        return {}
    counts = np.bincount(cells, minlength=size**2) + 1 / size**2
    matrices = np.random.default_rng(seed).dirichlet(counts, min(_DRAWS, 200_000 // size**2)).reshape(-1, size, size)
    right, true = np.diagonal(matrices, axis1=1, axis2=2), matrices.sum(axis=2)
    present = np.bincount(cells // size, minlength=size) > 0  # a class without a row in the test has no recall
    f1 = 2 * right / (true + matrices.sum(axis=1))
    recalls = (right / true)[:, present].mean(axis=1)
    draws = np.column_stack([recalls, f1.mean(axis=1), (f1 * true).sum(axis=1)])
    lows, highs = percentiles(draws, level)
    ends = zip(keys, lows.tolist(), highs.tolist(), strict=True)
    return {k: Score(values[k], min(low, values[k]), max(high, values[k]), DIRICHLET) for k, low, high in ends}


def _of_numbers(truth: Floats, predicted: Floats, level: float) -> dict[str, Score]:
    values = RegressionScores(truth, predicted)(np.ones(len(truth)))
    squares, absolute = np.square(truth - predicted), np.abs(truth - predicted)
    spread = np.square(truth - truth.mean())
    found = {"mse": _mean_loss(squares, level), "mae": _mean_loss(absolute, level)}
    found["rmse"] = _changed(found["mse"], np.sqrt)
    ratio = _ratio(squares, spread, level) if spread.sum() > 0 and len(truth) > 1 else Score(None)
    turned = Score(ratio.value, ratio.high, ratio.low, ratio.method)  # a large ratio is a small R^2
    found["r2"] = _changed(turned, lambda value: 1 - value)
    return {key: found[key] for key in values}


def _changed(score: Score, change: Callable[[float], float]) -> Score:
    value, low, high = (None if end is None else float(change(end)) for end in (score.value, score.low, score.high))
    return Score(value, low, high, score.method)


def _mean_loss(losses: Floats, level: float) -> Score:
    """mean * exp(+- t s / (mean sqrt(n))): the t interval of the logarithm of a mean (delta method)."""
    return _ratio(losses, np.ones(len(losses)), level)


def _ratio(top: Floats, bottom: Floats, level: float) -> Score:
    """The same for mean(top) / mean(bottom), by the delta method; no interval for a ratio of 0 or a single row."""
    n, ratio = len(top), float(top.mean() / bottom.mean())
    if n < 2 or not ratio > 0:
        return Score(ratio if np.isfinite(ratio) else None)
    influence = top / top.mean() - bottom / bottom.mean()
    half = float(stats.t.ppf((1 + level) / 2, n - 1) * influence.std(ddof=1) / np.sqrt(n))
    return Score(ratio, ratio * np.exp(-half), ratio * np.exp(min(half, 700.0)), LOG_T)
