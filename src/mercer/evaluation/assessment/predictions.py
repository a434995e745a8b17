"""What was predicted for rows whose target is known: by a fitted estimator of any library, or as given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from mercer.arrays import Floats, Longs
from mercer.errors import BadTable, MercerError
from mercer.evaluation.assessment.labels import Labels, as_numbers
from mercer.evaluation.intervals import Score
from mercer.evaluation.pairwise import decides_pairs
from mercer.evaluation.uncertainty.held_out import score_intervals
from mercer.select.weighted import ClassScores, RegressionScores, Scale
from mercer.table import Task
from mercer.table.formats.containers import row_count


@dataclass(frozen=True)
class Predictions:
    """Predictions for rows with a known target.

    Attributes
    ----------
    task : Task
        Classification or regression.
    truth : ndarray of shape (n_rows,)
        Class codes or numbers.
    predicted : ndarray of shape (n_rows, n_classes) or (n_rows,)
        Probabilities (or what `scale` says) of the classes, or numbers.
    guess : ndarray of shape (n_rows,)
        Codes of the classes predicted; empty in regression.
    classes : tuple of str
        Names of the classes by code; empty in regression.
    positive : int or None
        Code of the positive class of two.
    weight : ndarray of shape (n_rows,), optional
        Of each row.
    scale : {"probability", "score", "label"}
        What `predicted` holds of a class.
    groups : ndarray of shape (n_rows,), optional
        The group of each row, a whole number from 0, where rows of a group are not independent.
    """

    task: Task
    truth: NDArray[Any]
    predicted: Floats
    guess: Longs
    classes: tuple[str, ...] = ()
    positive: int | None = None
    weight: Floats | None = None
    scale: Scale = "probability"
    groups: Longs | None = None

    def __len__(self) -> int:
        return len(self.truth)

    def take(self, rows: NDArray[Any]) -> Self:
        """The predictions for some of the rows."""
        weight, groups = (None if part is None else part[rows] for part in (self.weight, self.groups))
        guess = self.guess[rows] if len(self.guess) else self.guess
        kept = {"truth": self.truth[rows], "predicted": self.predicted[rows], "guess": guess}
        return replace(self, **kept, weight=weight, groups=groups)

    @property
    def mass(self) -> Floats:
        """Weight of each row, 1 where none were given."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @cached_property
    def scorer(self) -> ClassScores | RegressionScores:
        """Every metric as a function of row weights."""
        if self.task is Task.REGRESSION:
            return RegressionScores(self.truth, self.predicted)
        return ClassScores(self.truth, self.predicted, self.positive, self.guess, self.scale)

    def scores(self) -> dict[str, float]:
        """Every metric; NaN where it is not defined."""
        return self.scorer(self.mass)

    def intervals(self, level: float) -> dict[str, Score]:
        """Every metric with its interval."""
        guess = self.guess if self.task is Task.CLASSIFICATION else None
        rest = self.positive, level
        kept = {"weight": self.weight, "groups": self.groups, "guess": guess, "scale": self.scale}
        return score_intervals(self.task, self.truth, self.predicted, *rest, **kept)  # type: ignore[arg-type]


def predictions_of(model: Any, X: Any, labels: Labels, weight: Floats | None) -> Predictions:
    """What a fitted estimator predicts for rows whose labels are known.

    Parameters
    ----------
    model : estimator
        Fitted, with `predict` and, where it has them, `predict_proba` or `decision_function`.
    X : table
        In any container that the model takes.
    labels : Labels
        The target of the rows.
    weight : ndarray or None
        Of each row.

    Returns
    -------
    Predictions
        With a column for each class of the labels; 0 of a class that the model does not know.
    """
    if row_count(X) != len(labels):
        raise BadTable(f"X has {row_count(X):,} rows, y has {len(labels):,}. Give a target for each row.")
    answers = np.asarray(model.predict(X))
    if answers.ndim > 1 and answers.shape[1:] != (1,):
        raise MercerError("The model predicts several targets at once. Evaluate a model of one target.")
    answers = answers.reshape(len(answers))
    if labels.task is Task.REGRESSION:
        numbers = answers.astype(np.float64)
        _expect_finite(numbers, "prediction")
        return Predictions(labels.task, labels.values, numbers, np.zeros(0, dtype=np.int64), weight=weight)
    guess = labels.codes_of(answers)
    found, scale = _class_columns(model, X, labels, guess)
    return Predictions(labels.task, labels.values, found, guess, labels.names, labels.positive, weight, scale)


def _class_columns(model: Any, X: Any, labels: Labels, guess: Longs) -> tuple[Floats, Scale]:
    """Probabilities of the classes, else decision values, else the labels themselves, a column a class."""
    scale: Scale = "probability"
    found = _answers(model, "predict_proba", X)
    if found is None:
        scale, found = "score", None if decides_pairs(model) else _answers(model, "decision_function", X)
        if found is not None and found.ndim == 1:
            found = np.column_stack([-found, found])
    n_known = len(getattr(model, "classes_", ()))
    if found is None or found.shape != (len(labels), n_known):  # one against one: not a column a class
        return np.eye(len(labels.names))[guess], "label"
    _expect_finite(found, scale)
    lowest = 0.0 if scale == "probability" else float(found.min()) - 1.0
    columns = np.full((len(labels), len(labels.names)), lowest)
    columns[:, labels.codes_of(np.asarray(model.classes_))] = found
    return columns, scale


def _answers(model: Any, method: str, X: Any) -> Floats | None:
    try:
        found = getattr(model, method)(X)
    except (AttributeError, NotFittedError):  # a model without it; of SVC, without `probability`
        return None
    return None if isinstance(found, list) else np.asarray(found, dtype=np.float64)


def _expect_finite(values: Floats, what: str) -> None:
    bad = ~np.isfinite(values).reshape(len(values), -1).all(axis=1)
    if bad.any():
        raise MercerError(f"The {what} of row {int(bad.argmax()) + 1} is not a finite number.")


def given_predictions(
    labels: Labels, predicted: Any, probabilities: Any, weight: Floats | None, classes: Sequence[Any] | None
) -> Predictions:
    """Predictions that were made elsewhere, checked against their labels.

    Parameters
    ----------
    labels : Labels
        The target of the rows.
    predicted : array of shape (n_rows,) or None
        Class labels or numbers; None for the most probable class.
    probabilities : array of shape (n_rows,) or (n_rows, n_classes), or None
        Of the positive class, or of each class in the order of `classes`.
    weight : ndarray or None
        Of each row.
    classes : sequence or None
        What the columns of the probabilities are of; the sorted classes when None.

    Returns
    -------
    Predictions
        Checked.
    """
    for name, values in (("predicted", predicted), ("probabilities", probabilities)):
        if values is not None and len(values) != len(labels):
            raise BadTable(f"{name} has {len(values):,} rows, y has {len(labels):,}. Give one for each row.")
    if labels.task is Task.REGRESSION:
        return _given_numbers(labels, predicted, weight)
    if probabilities is None:
        guess = labels.codes_of(np.asarray(predicted))
        columns, scale = np.eye(len(labels.names))[guess], "label"
    else:
        columns, scale = _given_probabilities(labels, probabilities, classes), "probability"
        guess = columns.argmax(axis=1) if predicted is None else labels.codes_of(np.asarray(predicted))
    kept = labels.names, labels.positive, weight
    return Predictions(labels.task, labels.values, columns, guess, *kept, scale)  # type: ignore[arg-type]


def _given_numbers(labels: Labels, predicted: Any, weight: Floats | None) -> Predictions:
    if predicted is None:
        raise MercerError("The target is a number: give `predicted`, not `probabilities`.")
    try:
        numbers = as_numbers(predicted).reshape(len(labels))
    except (TypeError, ValueError):
        raise MercerError("The target is a number, but `predicted` holds something else.") from None
    _expect_finite(numbers, "prediction")
    return Predictions(labels.task, labels.values, numbers, np.zeros(0, dtype=np.int64), weight=weight)


def _given_probabilities(labels: Labels, probabilities: Any, classes: Sequence[Any] | None) -> Floats:
    try:
        shares = np.asarray(probabilities, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise MercerError(f"probabilities: numbers from 0 to 1 are expected ({error}).") from None
    _expect_finite(shares, "probability")
    if shares.size and (shares.min() < 0 or shares.max() > 1):
        row = int(((shares < 0) | (shares > 1)).reshape(len(shares), -1).any(axis=1).argmax()) + 1
        raise MercerError(f"probabilities, row {row}: {shares[row - 1]} is not between 0 and 1.")
    if shares.ndim == 1:
        if labels.positive is None:
            raise MercerError(f"{len(labels.names)} classes: give probabilities as a column for each of them.")
        columns = np.column_stack([1 - shares, shares])
        return columns if labels.positive == 1 else columns[:, ::-1]
    places = np.arange(len(labels.names)) if classes is None else labels.codes_of(np.asarray(classes))
    if shares.ndim != 2 or shares.shape[1] != len(places):
        raise MercerError(
            f"probabilities of shape {shares.shape} for {len(places)} classes ({', '.join(labels.names[:8])}). Give a "
            "column for each class, and `classes` to say which, when some are not in y."
        )
    columns = np.zeros((len(labels), len(labels.names)))
    columns[:, places] = shares
    if (columns.sum(axis=1) <= 0).any():
        row = int((columns.sum(axis=1) <= 0).argmax()) + 1
        raise MercerError(f"probabilities, row {row}: all of them are 0.")
    return columns


def row_weights(weight: Any, n_rows: int) -> Floats | None:
    """Weights of rows, checked: one for each, none negative, not all 0."""
    if weight is None:
        return None
    try:
        values = np.asarray(weight, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise MercerError(f"sample_weight: weights are numbers ({error}).") from None
    if values.shape != (n_rows,):
        raise MercerError(f"sample_weight of shape {values.shape}: give one weight for each of the {n_rows:,} rows.")
    if not np.isfinite(values).all() or (values < 0).any() or not values.any():
        raise MercerError("sample_weight: weights are finite, 0 or more, and not all of them 0.")
    return values
