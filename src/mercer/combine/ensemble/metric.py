"""The metric that a selection goes by: of predictions against the target, for one set of rows and weights."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer, get_scorer_names

from mercer.arrays import Floats, Longs
from mercer.errors import MercerError, did_you_mean
from mercer.select.auc import Ranked
from mercer.select.costs import CostMatrix
from mercer.select.weighted import ClassScores, RegressionScores
from mercer.table import Task

MetricLike: TypeAlias = str | Callable[[Any, Any], float] | None
Gain: TypeAlias = Callable[[Floats], float]  # of predictions (n_rows, n_outputs): larger is better, NaN is undefined

_LOWER = ("log_loss", "brier", "cost", "rmse", "mse", "mae", "median_absolute_error", "mape")
_OF_POSITIVE = ("recall", "precision", "f1")
_LABELS = ("balanced_accuracy", "f1_macro", "f1_weighted", "mcc", *_OF_POSITIVE)
CLASS_METRICS = ("roc_auc", "average_precision", "accuracy", "log_loss", "brier", "cost", *_LABELS)
NUMBER_METRICS = ("r2", "rmse", "mse", "mae", "median_absolute_error", "mape")


class SelectionMetric:
    """A metric of predictions for given rows.

    Parameters
    ----------
    metric : str, callable or None
        A key of mercer's metrics, the name of a scorer of scikit-learn, or a function of (target, predictions) whose
        larger values are better; None for the area under the ROC curve of two classes, the accuracy of several, and
        R^2 of numbers.
    task : Task
        Classes or numbers.
    y : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        Class codes, or numbers.
    n_classes : int
        Columns of the predictions of classes.
    weight : ndarray of shape (n_rows,), optional
        Of the rows; functions and scorers that take no `sample_weight` do not see it.
    positive : int, default 1
        Code of the positive one of two classes.
    costs : CostMatrix, optional
        What "cost" counts.
    """

    def __init__(
        self,
        metric: MetricLike,
        task: Task,
        y: NDArray[Any],
        n_classes: int = 0,
        *,
        weight: Floats | None = None,
        positive: int = 1,
        costs: CostMatrix | None = None,
    ) -> None:
        if metric == "positive_accuracy":  # the name it has in Yao's thesis
            metric = "recall"
        if metric is None:
            metric = "r2" if task is Task.REGRESSION else "roc_auc" if n_classes == 2 else "accuracy"
        self.task, self.y, self.n_classes, self.costs = task, y, n_classes, costs
        self.weight = np.ones(len(y)) if weight is None else weight
        self.is_weighted = weight is not None
        self.positive = positive if n_classes == 2 else None
        self.name = metric if isinstance(metric, str) else getattr(metric, "__name__", type(metric).__name__)
        self.higher_is_better = not (isinstance(metric, str) and metric in _LOWER)
        self.gain = self._gain(metric)

    def score(self, gain: Any) -> Any:
        """A gain, or an array of them, in the metric's own direction."""
        return gain if self.higher_is_better else -gain

    def _gain(self, metric: str | Callable[[Any, Any], float]) -> Gain:
        if not isinstance(metric, str):
            return self._of_callable(metric)
        if self.task is Task.REGRESSION and metric in NUMBER_METRICS:
            return self._of_numbers(metric)
        if self.task is Task.CLASSIFICATION and metric in CLASS_METRICS:
            return self._of_classes(metric)
        if metric in get_scorer_names():
            return self._of_scorer(metric)
        known = NUMBER_METRICS if self.task is Task.REGRESSION else CLASS_METRICS
        raise MercerError(f"There is no metric {metric!r} of {self.task}. {did_you_mean(metric, known)}")

    def _of_callable(self, metric: Callable[[Any, Any], float]) -> Gain:
        def gain(predicted: Floats) -> float:
            shown = predicted[:, 0] if self.y.ndim == 1 and predicted.shape[1] == 1 else predicted
            try:
                return float(metric(self.y, shown))
            except (TypeError, ValueError) as error:
                what = "class codes and probabilities" if self.n_classes else "numbers and predictions"
                raise MercerError(
                    f"metric {self.name!r}: {error}. It is called with {what}, and gives one number, higher for better."
                ) from error

        return gain

    def _of_numbers(self, key: str) -> Gain:
        y, sign = self.y.reshape(len(self.y), -1), -1.0 if key in _LOWER else 1.0

        def gain(predicted: Floats) -> float:
            scores = [RegressionScores(y[:, j], predicted[:, j])(self.weight)[key] for j in range(y.shape[1])]
            return sign * float(np.mean(scores))

        return gain

    def _of_classes(self, key: str) -> Gain:
        if key == "cost" and self.costs is None:
            raise MercerError("metric 'cost': say what the errors cost, for example costs='fn=20,fp=1'.")
        if key in _OF_POSITIVE and self.positive is None:
            raise MercerError(
                f"metric {key!r} is of the positive one of two classes; there are {self.n_classes}. "
                "Use f1_macro, f1_weighted or balanced_accuracy."
            )
        if key in ("roc_auc", "average_precision"):
            return lambda p: self._area(p, key)
        if key in _LABELS:
            return lambda p: ClassScores(self.y, p, self.positive, scale="label")(self.weight)[key]
        losses = {"accuracy": self._right, "log_loss": self._log_loss, "brier": self._brier, "cost": self._cost}
        sign = -1.0 if key in _LOWER else 1.0
        return lambda p: sign * float((losses[key](p) * self.weight).sum() / self.weight.sum())

    def _area(self, proba: Floats, key: str) -> float:
        wanted = range(self.n_classes) if self.positive is None else [self.positive]
        ranked = [Ranked(self.y == c, proba[:, c]) for c in wanted]
        areas = [r.roc_auc(self.weight) if key == "roc_auc" else r.average_precision(self.weight) for r in ranked]
        known = [area for area in areas if not np.isnan(area)]
        return float(np.mean(known)) if known else np.nan

    def _right(self, proba: Floats) -> Floats:
        return (proba.argmax(axis=1) == self.y).astype(np.float64)

    def _log_loss(self, proba: Floats) -> Floats:
        own = proba[np.arange(len(self.y)), self.y] / proba.sum(axis=1)
        found: Floats = -np.log(np.clip(own, np.finfo(np.float64).eps, 1.0))
        return found

    def _brier(self, proba: Floats) -> Floats:
        squares = np.square(proba).sum(axis=1) - 2 * proba[np.arange(len(self.y)), self.y] + 1
        found: Floats = squares / 2 if self.n_classes == 2 else squares
        return found

    def _cost(self, proba: Floats) -> Floats:
        assert self.costs is not None
        called: Longs = self.costs.expected(proba).argmin(axis=1)
        return self.costs.incurred(self.y, called)

    def _of_scorer(self, name: str) -> Gain:
        scorer = get_scorer(name)
        rows, weights = np.empty((len(self.y), 1)), {"sample_weight": self.weight} if self.is_weighted else {}

        def gain(predicted: Floats) -> float:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                try:
                    return float(scorer(_Predicted(predicted, self.n_classes), rows, self.y, **weights))
                except ValueError as error:
                    raise MercerError(f"metric {name!r} does not score this {self.task}: {error}") from error

        return gain


class MeanOfTargets(SelectionMetric):
    """The mean of a metric over several targets of classes; one that is not defined for a target leaves it out.

    Parameters
    ----------
    metric : str, callable or None
        As for one target, but "cost"; None for the area under the ROC curve where each target has two classes, else
        for accuracy.
    y : ndarray of shape (n_rows, n_targets)
        Class codes.
    n_classes : sequence of int
        Of each target: the predictions have their columns one after the other.
    weight : ndarray of shape (n_rows,), optional
        Of the rows.
    """

    def __init__(
        self, metric: MetricLike, y: NDArray[Any], n_classes: Sequence[int], *, weight: Floats | None = None
    ) -> None:
        if metric == "cost":
            raise MercerError("metric 'cost' is of one target. Use an ensemble for each, in MultiOutputClassifier.")
        if metric is None:
            metric = "roc_auc" if set(n_classes) == {2} else "accuracy"
        given = zip(y.T, n_classes, strict=True)
        self.targets = [SelectionMetric(metric, Task.CLASSIFICATION, codes, n, weight=weight) for codes, n in given]
        self.ends = np.cumsum(n_classes)[:-1]
        super().__init__(metric, Task.CLASSIFICATION, y, sum(n_classes), weight=weight)

    def _gain(self, metric: str | Callable[[Any, Any], float]) -> Gain:
        def gain(predicted: Floats) -> float:
            parts = np.split(predicted, self.ends, axis=1)
            gains = [one.gain(part) for one, part in zip(self.targets, parts, strict=True)]
            known = [one for one in gains if not np.isnan(one)]
            return float(np.mean(known)) if known else np.nan

        return gain


class _Predicted(BaseEstimator):
    """Predictions in the shape of a fitted estimator, which is what scorers take."""

    def __init__(self, predicted: Floats, n_classes: int) -> None:
        self.predicted = predicted
        self.n_classes = n_classes
        if n_classes:
            self.classes_ = np.arange(n_classes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier" if self.n_classes else "regressor"
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict_proba(self, X: Any) -> Floats:
        """As they were given."""
        return self.predicted

    def predict(self, X: Any) -> NDArray[Any]:
        """Class codes or numbers."""
        if self.n_classes:
            return self.predicted.argmax(axis=1)
        return self.predicted[:, 0] if self.predicted.shape[1] == 1 else self.predicted
