"""Scores of training and test rows over the number of training rows, or over the values of a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.evaluation.assessment.cross_validation import Fold, share_tested
from mercer.evaluation.assessment.display import Grid, as_html, as_text, interval_text, number_text
from mercer.evaluation.assessment.labels import Labels
from mercer.evaluation.intervals import Score, corrected_t
from mercer.evaluation.metrics import Metric
from mercer.evaluation.result import plain
from mercer.table import Task


@dataclass(frozen=True)
class LearningCurve:
    """Scores of models fitted to more and more rows, as `mercer.learning_curve` returns them.

    Parameters
    ----------
    name : str
        What was fitted.
    metric : Metric
        What is scored.
    sizes : tuple of int
        Training rows.
    train, test : tuple of Score
        Mean over the folds of the score on training and on test rows, with its interval, for each size.
    level : float
        Confidence level of the intervals.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.learning_curve(mercer.NaiveBayes(), X, y, sizes=[30, 120])
    >>> found.sizes, len(found.test)
    ((30, 120), 2)
    """

    name: str
    metric: Metric
    sizes: tuple[int, ...]
    train: tuple[Score, ...]
    test: tuple[Score, ...]
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON.

        Returns
        -------
        dict
            Every field.
        """
        return plain(self)

    def __str__(self) -> str:
        return as_text(*self._shown(), ())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(*self._shown(), ())

    def _shown(self) -> tuple[str, list[Grid]]:
        names = [f"{size:,}" for size in self.sizes]
        return f"{self.name}: {self.metric.title}", [_grid("training rows", names, self.train, self.test, self.level)]


@dataclass(frozen=True)
class ValidationCurve:
    """Scores of models with other and other values of a parameter, as `mercer.validation_curve` returns them.

    Parameters
    ----------
    name : str
        What was fitted.
    metric : Metric
        What is scored.
    parameter : str
        Name of the parameter.
    values : tuple
        Its values.
    train, test : tuple of Score
        Mean over the folds of the score on training and on test rows, with its interval, for each value.
    level : float
        Confidence level of the intervals.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.validation_curve(mercer.DecisionTreeClassifier(), X, y, "max_depth", [1, 3])
    >>> found.best
    3
    """

    name: str
    metric: Metric
    parameter: str
    values: tuple[Any, ...]
    train: tuple[Score, ...]
    test: tuple[Score, ...]
    level: float

    @property
    def best(self) -> Any:
        """The value with the best mean on test rows; the first of equals."""
        sign = 1.0 if self.metric.higher_is_better else -1.0
        means = [-np.inf if s.value is None else sign * s.value for s in self.test]
        return self.values[int(np.argmax(means))]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON.

        Returns
        -------
        dict
            Every field; values that JSON does not know as text.
        """
        found: dict[str, Any] = plain(self)
        kept = (str, int, float, bool, type(None))
        return found | {"values": [v if isinstance(v, kept) else str(v) for v in found["values"]]}

    def __str__(self) -> str:
        return as_text(*self._shown(), ())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(*self._shown(), ())

    def _shown(self) -> tuple[str, list[Grid]]:
        names = [str(value) for value in self.values]
        return f"{self.name}: {self.metric.title}", [_grid(self.parameter, names, self.train, self.test, self.level)]


def _grid(what: str, names: Sequence[str], train: Sequence[Score], test: Sequence[Score], level: float) -> Grid:
    interval = f"{100 * level:g} % interval"
    rows = [
        [name, number_text(one.value), interval_text(one), number_text(two.value), interval_text(two)]
        for name, one, two in zip(names, train, test, strict=True)
    ]
    return Grid([what, "training", interval, "test", interval], rows)


def fold_means(folds: list[Fold], metric: Metric, level: float) -> tuple[Score, Score]:
    """Mean over the folds of the training and of the test score, with corrected t intervals."""
    share = share_tested(folds)
    parts = ([fold.trained for fold in folds], [fold.tested for fold in folds])
    train, test = (corrected_t([p.scores()[metric.key] for p in part], share, level, metric.limits) for part in parts)
    return train, test


def nested_rows(rows: Longs, labels: Labels, seed: int) -> Longs:
    """Rows in a random order whose beginnings, of any length, have the classes in their shares."""
    mixed = np.random.default_rng(seed).permutation(rows)
    if labels.task is Task.REGRESSION:
        return mixed
    classes = labels.values[mixed]
    place: Floats = np.empty(len(mixed))
    for code in np.unique(classes):
        own = classes == code
        place[own] = (np.arange(own.sum()) + 0.5) / own.sum()
    return mixed[np.argsort(place, kind="stable")]
