"""Scores of predictions, as scikit-learn defines them; classes are codes 0, 1, ..., the columns of the probabilities.

The main metric, by which learners are ranked:

- two classes: area under the ROC curve. It measures whether rows of the rarer class are ranked above the others, does
  not depend on a threshold, and is 0.5 for random guessing. Average precision is reported beside it: when the
  positive class is rare, a high area can still mean many false positives;
- several classes: accuracy;
- classes whose errors have costs: the mean cost of a row, called as the costs say is best;
- numbers: R^2, the share of the variance explained; 0 is the mean of the target.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics as sk

from mercer.arrays import Floats, Longs
from mercer.errors import MercerError, did_you_mean
from mercer.select.auc import Ranked, roc_auc
from mercer.select.thresholds import Operating
from mercer.select.weighted import ClassScores, RegressionScores
from mercer.table import Task


@dataclass(frozen=True, slots=True)
class Metric:
    """One score: its name, direction, and what it says."""

    key: str
    title: str
    task: Task
    higher_is_better: bool
    meaning: str
    two_classes: bool = False  # defined for two classes alone

    @property
    def needs_decision(self) -> bool:
        """Whether it depends on which class rows are called, and so on a threshold."""
        return self.task is _CLASS and self.key not in _OF_PROBABILITIES

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest value it can take."""
        low = {"r2": -math.inf, "mcc": -1.0}.get(self.key, 0.0)
        return low, 1.0 if self.higher_is_better else math.inf


_TIE = 1e-3
_AREAS = ("roc_auc", "average_precision")
_OF_PROBABILITIES = {"roc_auc", "average_precision", "log_loss", "brier"}
_CLASS, _NUMBER = Task.CLASSIFICATION, Task.REGRESSION
METRICS = {
    m.key: m
    for m in (
        Metric("roc_auc", "ROC AUC", _CLASS, True, "chance that a positive row is ranked above a negative one"),
        Metric("average_precision", "Average precision", _CLASS, True, "precision averaged over recall"),
        Metric("accuracy", "Accuracy", _CLASS, True, "share of rows predicted right"),
        Metric("balanced_accuracy", "Balanced accuracy", _CLASS, True, "recall averaged over the classes"),
        Metric("recall", "Recall of the positive class", _CLASS, True, "share of positive rows found", True),
        Metric("precision", "Precision of the positive class", _CLASS, True, "share of rows called so that are", True),
        Metric("f1", "F1 of the positive class", _CLASS, True, "harmonic mean of its precision and recall", True),
        Metric("f1_macro", "F1, macro", _CLASS, True, "F1 averaged over the classes"),
        Metric("f1_weighted", "F1, weighted", _CLASS, True, "F1 averaged over the rows"),
        Metric("mcc", "Matthews correlation", _CLASS, True, "correlation of the class predicted with the true one"),
        Metric("log_loss", "Log loss", _CLASS, False, "mean of -log p(true class)"),
        Metric("brier", "Brier score", _CLASS, False, "mean squared error of the probabilities"),
        Metric("cost", "Cost of a row", _CLASS, False, "mean cost of a row, called as the costs say is best"),
        Metric("r2", "R²", _NUMBER, True, "share of the variance explained"),
        Metric("rmse", "RMSE", _NUMBER, False, "root of the mean squared error, in units of the target"),
        Metric("mse", "MSE", _NUMBER, False, "mean squared error"),
        Metric("mae", "MAE", _NUMBER, False, "mean absolute error, in units of the target"),
        Metric("median_absolute_error", "Median absolute error", _NUMBER, False, "half of the errors are smaller"),
        Metric("mape", "MAPE", _NUMBER, False, "mean absolute error as a share of the target, where none is 0"),
    )
}
# Other names that people know a metric by, those of scikit-learn's scorers and functions first.
SPELLINGS = {
    "auc": "roc_auc",
    "roc_auc_ovr": "roc_auc",
    "positive_accuracy": "recall",
    "sensitivity": "recall",
    "matthews_corrcoef": "mcc",
    "brier_score": "brier",
    "neg_brier_score": "brier",
    "logloss": "log_loss",
    "neg_log_loss": "log_loss",
    "mean_squared_error": "mse",
    "neg_mean_squared_error": "mse",
    "root_mean_squared_error": "rmse",
    "neg_root_mean_squared_error": "rmse",
    "mean_absolute_error": "mae",
    "neg_mean_absolute_error": "mae",
    "neg_median_absolute_error": "median_absolute_error",
    "mean_absolute_percentage_error": "mape",
    "neg_mean_absolute_percentage_error": "mape",
}
_OF_SEVERAL = {
    "f1": "f1_macro (the mean over the classes) and f1_weighted",
    "recall": "balanced_accuracy (the mean recall of the classes)",
    "precision": "f1_macro and balanced_accuracy",
}


def metric_key(name: str) -> str:
    """The key of a metric that is known by other names too; the name itself where nothing is."""
    return SPELLINGS.get(name, name)


def main_metric(task: Task, n_classes: int, *, has_costs: bool = False) -> Metric:
    """The metric that ranks the learners."""
    if task is Task.REGRESSION:
        return METRICS["r2"]
    if has_costs:
        return METRICS["cost"]
    return METRICS["roc_auc" if n_classes == 2 else "accuracy"]


def chosen_metric(key: str | None, task: Task, n_classes: int, *, has_costs: bool = False) -> Metric:
    """The metric of that key, or the main one for None.

    Raises
    ------
    MercerError
        There is no such metric, or it does not score this target.
    """
    if key is None:
        return main_metric(task, n_classes, has_costs=has_costs)
    key = metric_key(key)
    if key == "cost" and not has_costs and task is _CLASS:
        raise MercerError("metric 'cost': say what the errors cost, for example --cost fn=20,fp=1.")
    able = [m.key for m in METRICS.values() if m.task is task and not (m.two_classes and n_classes != 2)]
    if key not in METRICS:
        raise MercerError(f"There is no metric {key!r}. {did_you_mean(key, able)}")
    if key not in able:
        found = "numbers" if task is _NUMBER else f"{n_classes} classes"
        like = ""
        if task is _CLASS and key in _OF_SEVERAL:
            like = f"It is of the positive one of two classes; of several there are {_OF_SEVERAL[key]}. "
        raise MercerError(f"metric {key!r} does not score {found}. {like}Metrics that do: {', '.join(able)}.")
    return METRICS[key]


def check_defined(metric: Metric, values: NDArray[Any], *, dates: bool = False) -> None:
    """Refuse to rank by a metric that these values of the target have none of.

    Raises
    ------
    MercerError
        The metric is a share of the target, and some of the values are 0, or all are dates.
    """
    if metric.key != "mape":
        return
    if dates:
        raise MercerError("metric 'mape' is a share of the target, which is a date. Use mae, the error in days.")
    if zeros := int((values == 0).sum()):
        raise MercerError(
            f"metric 'mape' divides by the target, which is 0 in {zeros:,} of {len(values):,} rows. "
            "Use mae or median_absolute_error."
        )


class SearchScore:
    """A metric as the scorer of a learner's own search, (estimator, X, y) -> larger is better.

    A ranking does not depend on the threshold of the decisions, and areas are often largest where all rows are on one
    side of it: among areas that are the same to three digits, the share of rows predicted right decides.

    Parameters
    ----------
    metric : Metric
        What is scored.
    positive : int or None
        Place of the positive class among the classes of the estimator; None for several classes and for numbers.
    chooses_threshold : bool, default=False
        Whether the threshold of two classes is chosen by the metric later: its largest value over all thresholds counts
        then, in place of that of the classes predicted.
    """

    def __init__(self, metric: Metric, positive: int | None, *, chooses_threshold: bool = False) -> None:
        self.metric, self.positive, self.__name__ = metric, positive, metric.key
        self.chooses_threshold = chooses_threshold
        self.never_warns = positive is not None and metric.key in _AREAS

    def __call__(self, estimator: Any, X: Any, y: NDArray[Any], sample_weight: Any = None) -> float:
        own = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        weight = np.ones(len(y)) if own is None else own
        sign = 1.0 if self.metric.higher_is_better else -1.0
        if self.metric.task is _NUMBER:
            return sign * RegressionScores(y, estimator.predict(X))(weight)[self.metric.key]
        codes = np.searchsorted(estimator.classes_, y)
        if self.metric.key in _AREAS and self.positive is not None:
            right = float((weight * (estimator.predict(X) == y)).sum() / weight.sum())
            return self._area(estimator, X, codes, own) + _TIE * right
        if self.chooses_threshold and self.positive is not None and len(estimator.classes_) == 2:
            points = Operating(codes == self.positive, positive_scores(estimator, X, self.positive), weight=weight)
            return float(points.goal(self.metric.key).max())
        if self.metric.key in _OF_PROBABILITIES:
            proba = estimator.predict_proba(X)
        else:
            proba = np.eye(len(estimator.classes_))[np.searchsorted(estimator.classes_, estimator.predict(X))]
        return sign * ClassScores(codes, proba, self.positive)(weight)[self.metric.key]

    def _area(self, estimator: Any, X: Any, codes: Longs, weight: Floats | None) -> float:
        assert self.positive is not None
        found = codes == self.positive, positive_scores(estimator, X, self.positive)
        if self.metric.key == "roc_auc":
            return roc_auc(*found, weight)
        return Ranked(*found).average_precision(np.ones(len(codes)) if weight is None else weight)


def positive_scores(estimator: Any, X: Any, positive: int) -> Floats:
    """A number for each row, larger for a more likely positive one: decision values, or probabilities."""
    decides = hasattr(estimator, "decision_function")
    scores: Floats = estimator.decision_function(X) if decides else estimator.predict_proba(X)[:, 1]
    return scores if positive == 1 else -scores


def score(task: Task, truth: NDArray[Any], predicted: NDArray[Any], positive: int | None) -> dict[str, float]:
    """Every metric of this task; NaN where it is not defined on these rows."""
    if task is Task.REGRESSION:
        return regression_scores(truth, predicted)
    return class_scores(truth, predicted, positive)


def class_scores(truth: Longs, proba: Floats, positive: int | None) -> dict[str, float]:
    """Scores of class probabilities, (n_rows, n_classes); the class predicted is the most probable one."""
    return ClassScores(truth, proba, positive)(np.ones(len(truth)))


def regression_scores(truth: Floats, predicted: Floats) -> dict[str, float]:
    """Every metric of numbers; R^2 is NaN for fewer than two rows, MAPE where a target is 0."""
    mse = float(sk.mean_squared_error(truth, predicted))
    return {
        "r2": float(sk.r2_score(truth, predicted)) if len(truth) > 1 else math.nan,
        "rmse": math.sqrt(mse),
        "mse": mse,
        "mae": float(sk.mean_absolute_error(truth, predicted)),
        "median_absolute_error": float(sk.median_absolute_error(truth, predicted)),
        "mape": float(sk.mean_absolute_percentage_error(truth, predicted)) if (truth != 0).all() else math.nan,
    }


@dataclass(frozen=True, slots=True)
class ClassLine:
    """Precision, recall and F1 of one class; the weight of its rows, that of the rows predicted as it, and its rows.

    Where rows have no weights, each weighs 1.
    """

    label: str
    precision: float
    recall: float
    f1: float
    support: float
    predicted: float
    rows: int


def class_report(
    truth: Longs, guess: Longs, classes: Sequence[str], weight: Floats | None = None
) -> tuple[list[ClassLine], list[list[float]]]:
    """A line per class, and the confusion matrix (rows: true class, columns: predicted), in rows or their weights."""
    labels = np.arange(len(classes))
    matrix = sk.confusion_matrix(truth, guess, labels=labels, sample_weight=weight)
    parts = sk.precision_recall_fscore_support(truth, guess, labels=labels, zero_division=0, sample_weight=weight)
    number = int if weight is None else float
    rows = np.bincount(truth, minlength=len(classes)).tolist()
    lines = [
        ClassLine(name, float(p), float(r), float(f), number(s), number(n), count)
        for name, p, r, f, s, n, count in zip(classes, *parts, matrix.sum(axis=0), rows, strict=True)
    ]
    return lines, matrix.tolist()
