"""The metrics as functions of row weights, with everything that does not depend on the weights done once.

A bootstrap asks for the same scores some hundred times: sorting once and summing weights is many times faster than
calling scikit-learn each time, whose `sample_weight` defines what is computed here (and checks it in tests). Of 19
classes even one set of scores took it 120 ms, most of it to check the same arrays for each class.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.select.auc import Ranked
from mercer.table import Task

Scale: TypeAlias = Literal["probability", "score", "label"]  # what is known of each class: labels are 0 and 1


class ClassScores:
    """Scores of class probabilities, (n_rows, n_classes), under any weights of the rows; NaN where not defined.

    Areas under curves are those of the positive class, or means over one class against the rest; classes that no row,
    or every row, belongs to are left out, and of macro F1 those that no row is of or called. The Brier score,
    sum_c (p_c - [c is true])^2, is halved for two classes.

    Parameters
    ----------
    target : ndarray of shape (n_rows,)
        Class codes.
    proba : ndarray of shape (n_rows, n_classes)
        Probabilities; on scale "score" larger for a more likely class, on scale "label" 1 for the class predicted.
    positive : int or None
        Code of the positive class of two.
    guess : ndarray of shape (n_rows,), optional
        Class predicted, where it is not the most probable one.
    scale : {"probability", "score", "label"}
        Scores have areas but no losses, labels neither.
    """

    def __init__(
        self,
        target: NDArray[np.int64],
        proba: Floats,
        positive: int | None,
        guess: NDArray[np.int64] | None = None,
        scale: Scale = "probability",
    ) -> None:
        self.n_classes = proba.shape[1]
        self.positive = positive
        predicted = proba.argmax(axis=1) if guess is None else guess
        self.cells = target * self.n_classes + predicted
        wanted = range(self.n_classes) if positive is None else [positive]
        rows = np.bincount(target, minlength=self.n_classes)
        self.seen = rows + np.bincount(predicted, minlength=self.n_classes) > 0
        self.curves = [c for c in wanted if 0 < rows[c] < len(target) and scale != "label"]
        self.ranked = [Ranked(target == c, proba[:, c]) for c in self.curves]
        if scale != "probability":
            self.log_loss = self.brier = np.full(len(target), np.nan)
            return
        total = proba.sum(axis=1)
        own = proba[np.arange(len(target)), target] / total
        self.log_loss = -np.log(np.clip(own, np.finfo(proba.dtype).eps, 1.0))
        squares = np.square(proba).sum(axis=1) - 2 * proba[np.arange(len(target)), target] + 1
        self.brier = squares / 2 if self.n_classes == 2 else squares

    def __call__(self, weights: Floats) -> dict[str, float]:
        matrix = np.bincount(self.cells, weights, self.n_classes**2).reshape(self.n_classes, self.n_classes)
        total = weights.sum()
        right, true, predicted = matrix.diagonal(), matrix.sum(axis=1), matrix.sum(axis=0)
        present = true > 0
        f1 = 2 * right / np.maximum(true + predicted, 1e-300)
        scores = {
            "roc_auc": _mean([r.roc_auc(weights) for r in self.ranked]),
            "average_precision": _mean([r.average_precision(weights) for r in self.ranked]),
            "accuracy": float(right.sum() / total),
            "balanced_accuracy": float((right[present] / true[present]).mean()),
            "f1_macro": float(f1[self.seen].mean()),
            "f1_weighted": float((f1 * true).sum() / total),
            "mcc": float(matthews(matrix.astype(np.float64))),
            "log_loss": _average(self.log_loss, weights),
            "brier": _average(self.brier, weights),
        }
        if self.positive is not None:
            k = self.positive
            scores["recall"] = float(right[k] / true[k]) if true[k] > 0 else np.nan
            scores["precision"] = float(right[k] / predicted[k]) if predicted[k] > 0 else 0.0
            scores["f1"] = float(f1[k])
        return scores


def matthews(matrices: Floats) -> Floats:
    """(s r - t.p) / sqrt((s^2 - p.p) (s^2 - t.t)): the correlation of true and predicted classes (Gorodkin 2004).

    Parameters
    ----------
    matrices : ndarray of shape (..., n_classes, n_classes)
        Weight of the rows by true class and class predicted: s in all, r of them right, t of each class, p called so.

    Returns
    -------
    ndarray of shape (...)
        0 where all rows are of one class, or called one.
    """
    true, predicted = matrices.sum(axis=-1), matrices.sum(axis=-2)
    total, right = true.sum(axis=-1), np.trace(matrices, axis1=-2, axis2=-1)
    together = total * right - (true * predicted).sum(axis=-1)
    spread = (total**2 - (predicted**2).sum(axis=-1)) * (total**2 - (true**2).sum(axis=-1))
    found: Floats = np.where(spread > 0, together / np.sqrt(np.maximum(spread, 1e-300)), 0.0)
    return found


class RegressionScores:
    """`mercer.evaluation.metrics.regression_scores` of the same rows under any weights."""

    def __init__(self, target: Floats, predicted: Floats) -> None:
        self.target = target - target.mean()  # the variance is then a difference of small numbers
        self.squares = np.square(target - predicted)
        self.absolute = np.abs(target - predicted)
        self.order = np.argsort(self.absolute)
        self.shares = self.absolute / np.abs(target) if (target != 0).all() else np.full(len(target), np.nan)

    def __call__(self, weights: Floats) -> dict[str, float]:
        mse = _average(self.squares, weights)
        mean = _average(self.target, weights)
        variance = _average(np.square(self.target), weights) - mean * mean
        return {
            "r2": 1 - mse / variance if variance > 0 else np.nan,
            "rmse": float(np.sqrt(mse)),
            "mse": mse,
            "mae": _average(self.absolute, weights),
            "median_absolute_error": self.median(weights),
            "mape": _average(self.shares, weights),
        }

    def median(self, weights: Floats) -> float:
        """Of the absolute errors: half of the weight is of smaller ones; between two that divide it, their mean."""
        cumulated = np.cumsum(weights[self.order])
        half = cumulated[-1] / 2
        rounding = 1e-12 * cumulated[-1]
        places = np.searchsorted(cumulated, [half - rounding, half + rounding])
        return float(self.absolute[self.order[np.minimum(places, len(self.order) - 1)]].mean())


def scorer(
    task: Task,
    target: NDArray[Any],
    predicted: Floats,
    positive: int | None,
    guess: NDArray[np.int64] | None = None,
) -> ClassScores | RegressionScores:
    """The scores of these predictions as a function of row weights; `guess` as `ClassScores` has it."""
    if task is Task.REGRESSION:
        return RegressionScores(target, predicted)
    return ClassScores(target, predicted, positive, guess)


def _average(values: Floats, weights: Floats) -> float:
    # not by BLAS: its threads cost more than they give at this size
    return float((values * weights).sum() / weights.sum())


def _mean(values: list[float]) -> float:
    known = [v for v in values if not np.isnan(v)]
    return float(np.mean(known)) if known else np.nan
