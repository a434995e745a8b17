"""Any estimator of scikit-learn's interface, fitted without each fold in turn and asked about it."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv

from mercer.arrays import Floats, Longs
from mercer.errors import MercerError
from mercer.evaluation.assessment.labels import Labels
from mercer.evaluation.assessment.predictions import Predictions, predictions_of
from mercer.evaluation.assessment.weights import weight_argument
from mercer.select.copies import Copies
from mercer.table import Task
from mercer.table.formats.containers import row_count, take_rows

Split: TypeAlias = tuple[Longs, Longs]  # numbers of the training rows, and of the test rows
MOST_TRAINING_ROWS = 10_000  # on which the training score is taken, evenly spaced


@dataclass(frozen=True)
class Fold:
    """One fold: its test rows, what was predicted for them and for the training rows, and the fitted model."""

    train: Longs
    test: Longs
    tested: Predictions
    trained: Predictions
    model: Any


def splits_of(
    cv: Any, X: Any, y: NDArray[Any], labels: Labels, groups: Any, together: Copies | None = None
) -> list[Split]:
    """Row numbers of the training and the test rows, by any splitter of scikit-learn, a number of folds or a list.

    A number of folds deals groups, or copies of a row, `together`, each by the class of its first row.
    """
    if isinstance(cv, bool) or (isinstance(cv, int) and cv < 2):
        raise MercerError(f"cv={cv!r}: cross-validation takes 2 folds or more, a splitter, or a list of splits.")
    classes = labels.task is Task.CLASSIFICATION
    if isinstance(cv, int) and cv > len(y):
        raise MercerError(f"cv={cv} folds of {len(y)} rows. Give fewer folds.")
    if isinstance(cv, int) and together is not None and len(together.first) >= cv:
        first = Labels(labels.task, labels.values[together.first], labels.names, labels.positive)
        dealt = splits_of(cv, np.empty((len(first), 1)), y[together.first], first, None)
        return [(together.rows_of(train), together.rows_of(test)) for train, test in dealt]
    splitter = check_cv(cv, labels.values if classes else y, classifier=classes)
    if isinstance(cv, int):
        splitter.shuffle, splitter.random_state = True, 0  # rows of a table often come sorted
    try:
        dealt = list(splitter.split(np.empty((row_count(X), 1)), labels.values, groups))
        found = [(_row_numbers(train, len(y)), _row_numbers(test, len(y))) for train, test in dealt]
    except (ValueError, TypeError, OverflowError) as error:
        raise MercerError(f"cv={reprlib.repr(cv)} does not split these rows: {error}") from None
    if not found:
        raise MercerError(f"cv={reprlib.repr(cv)} holds no split. Give pairs of training and test rows.")
    return found


def _row_numbers(given: Any, n_rows: int) -> Longs:
    """Numbers of rows, of which there are some; a mask of all rows is one way to give them."""
    rows = np.asarray(given)
    if rows.dtype == bool and rows.shape == (n_rows,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or not len(rows) or rows.dtype.kind not in "iu" or rows.min() < -n_rows or rows.max() >= n_rows:
        raise ValueError(f"expected numbers of rows below {n_rows:,}, found {reprlib.repr(given)}.")
    return rows.astype(np.int64)


def cross_validate(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    labels: Labels,
    splits: Iterable[Split],
    weight: Floats | None,
    groups: Longs | None = None,
) -> list[Fold]:
    """The estimator fitted to the training rows of each split; nothing of the test rows is seen in fitting.

    Parameters
    ----------
    estimator : estimator
        Not changed: clones of it are fitted.
    X : table
        In any container.
    y : ndarray of shape (n_rows,)
        As the estimator is to see it.
    labels : Labels
        The same, read.
    splits : iterable of (training rows, test rows)
        Row numbers.
    weight : ndarray or None
        Of each row, in fits (where the estimator takes weights) and scores.
    groups : ndarray of shape (n_rows,), optional
        The group of each row, for intervals.

    Returns
    -------
    list of Fold
        One for each split.
    """
    found = []
    for number, (train, test) in enumerate(splits, 1):
        if labels.task is Task.CLASSIFICATION and len(np.unique(labels.values[train])) < 2:
            raise MercerError(f"Fold {number} has a single class among its training rows. Give fewer folds.")
        model = fitted(estimator, take_rows(X, train), y[train], None if weight is None else weight[train])
        few = train[np.linspace(0, len(train) - 1, min(len(train), MOST_TRAINING_ROWS)).astype(np.int64)]
        tested, trained = (predictions_for(model, X, labels, rows, weight) for rows in (test, few))
        tested = tested if groups is None else replace(tested, groups=groups[test])
        found.append(Fold(train, test, tested, trained, model))
    return found


def fitted(estimator: Any, X: Any, y: NDArray[Any], weight: Floats | None) -> Any:
    """A clone of the estimator, fitted; with weights where it takes them."""
    return clone(estimator).fit(X, y, **weight_argument(estimator, weight))


def predictions_for(model: Any, X: Any, labels: Labels, rows: Longs, weight: Floats | None) -> Predictions:
    """What a fitted model predicts for some of the rows."""
    some = Labels(labels.task, labels.values[rows], labels.names, labels.positive)
    return predictions_of(model, take_rows(X, rows), some, None if weight is None else weight[rows])


def pooled(folds: list[Fold]) -> tuple[Longs, Predictions]:
    """The rows tested, in order, and the first prediction of each: one test of all rows."""
    rows = np.concatenate([fold.test for fold in folds])
    first = np.unique(rows, return_index=True)[1]
    parts = [fold.tested for fold in folds]
    weight = None if parts[0].weight is None else np.concatenate([p.weight for p in parts if p.weight is not None])
    groups = None if parts[0].groups is None else np.concatenate([p.groups for p in parts if p.groups is not None])
    scales = {p.scale for p in parts}
    joined = Predictions(
        parts[0].task,
        np.concatenate([p.truth for p in parts]),
        np.concatenate([p.predicted for p in parts]),
        np.concatenate([p.guess for p in parts]),
        parts[0].classes,
        parts[0].positive,
        weight,
        scales.pop() if len(scales) == 1 else "label",
        groups,
    )
    return rows[first], joined.take(first)


def share_tested(folds: list[Fold]) -> float:
    """Mean of n_test / n_train, which the corrected t interval asks for."""
    return float(np.mean([len(fold.test) / len(fold.train) for fold in folds]))
