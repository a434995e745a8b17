"""The rows that models are fitted to, with one target or several, and what one of them predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from mercer.arrays import Floats, Longs
from mercer.errors import MercerError
from mercer.estimators.common.base import regression_target
from mercer.table import Table, Task
from mercer.table.estimator import TableEstimator
from mercer.table.target import class_codes, target_columns

Classes: TypeAlias = NDArray[Any] | list[NDArray[Any]] | None  # of one target, of each of several, of numbers


@dataclass(frozen=True)
class TrainingData:
    """What models are fitted to.

    Attributes
    ----------
    table : Table
        The rows.
    y : ndarray of shape (n_rows,) or (n_rows, n_targets)
        Labels or numbers; of several targets their class codes.
    codes : ndarray of the same shape
        Class codes; of numbers the numbers themselves.
    classes : ndarray of shape (n_classes,), list of these, or None
        The labels in their order, of several targets those of each; None for numbers.
    weight : ndarray of shape (n_rows,) or None
        Of the rows.
    """

    table: Table
    y: NDArray[Any]
    codes: NDArray[Any]
    classes: Classes
    weight: Floats | None

    @classmethod
    def read(cls, table: Table, y: Any, weight: Floats | None, task: Task) -> Self:
        """With a target of one column, or of several side by side, checked."""
        columns = target_columns(y, len(table))
        several = columns is not None and len(columns) > 1
        each = columns if several and columns is not None else [y]
        if task is Task.REGRESSION:
            numbers = [regression_target(column, len(table)) for column in each]
            values = np.column_stack(numbers) if several else numbers[0]
            return cls(table, values, values, None, weight)
        found = [class_codes(column, len(table)) for column in each]
        if several:
            codes = np.column_stack([codes for _, codes in found])
            return cls(table, codes, codes, [classes for classes, _ in found], weight)
        [(classes, codes)] = found
        return cls(table, classes[codes], codes, classes, weight)

    @property
    def task(self) -> Task:
        """Classes or numbers."""
        return Task.REGRESSION if self.classes is None else Task.CLASSIFICATION

    @property
    def n_classes(self) -> tuple[int, ...]:
        """Of each target; empty for numbers."""
        return tuple(map(len, class_lists(self.classes)))

    @property
    def n_outputs(self) -> int:
        """Columns of a prediction."""
        return sum(self.n_classes) if self.n_classes else int(np.prod(self.codes.shape[1:]))

    def model_for(self, model: Any) -> Any:
        """The model itself, or one of its kind for each of several targets where it takes but one."""
        if self.codes.ndim == 1 or get_tags(model).target_tags.multi_output:
            return model
        return (MultiOutputRegressor if self.classes is None else MultiOutputClassifier)(model)

    def take(self, rows: Longs) -> TrainingData:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, table=self.table.take(rows), y=self.y[rows], codes=self.codes[rows], weight=weight)

    def fit_in_place(self, model: Any) -> Any:
        """The model itself, fitted to the rows."""
        if self.weight is None:
            weights = {}
        elif has_fit_parameter(model, "sample_weight"):
            weights = {"sample_weight": self.weight}
        else:
            raise MercerError(f"{type(model).__name__} takes no sample_weight.")
        return model.fit(seen_by(model, self.table), self.y, **weights)


def class_lists(classes: Classes) -> Sequence[NDArray[Any]]:
    """The classes of each target; none of numbers."""
    if classes is None:
        return []
    return classes if isinstance(classes, list) else [classes]


def predict_member(model: Any, table: Table, classes: Classes) -> Floats:
    """A column per number, or probabilities in a column per class, 0 for one that the model has not seen."""
    rows = seen_by(model, table)
    if classes is None:
        return np.asarray(model.predict(rows), dtype=np.float64).reshape(len(table), -1)
    if not hasattr(model, "predict_proba"):
        raise MercerError(
            f"{type(model).__name__} gives no probabilities. Wrap it in scikit-learn's CalibratedClassifierCV, or set "
            "its parameter for them."
        )
    shares = model.predict_proba(rows)
    if isinstance(classes, list):
        return _side_by_side(model, shares, classes)
    return _all_columns(shares, model.classes_, classes)


def _all_columns(shares: Floats, seen: NDArray[Any], classes: NDArray[Any]) -> Floats:
    """Probabilities in a column per class; a model of all classes may have been fitted to their codes."""
    if len(seen) == len(classes):
        return shares
    found = np.zeros((len(shares), len(classes)))
    found[:, np.searchsorted(classes, seen)] = shares
    return found


def _side_by_side(model: Any, shares: Any, classes: list[NDArray[Any]]) -> Floats:
    """Probabilities of one target after the other; the targets of members are class codes."""
    if not isinstance(shares, list):  # of truth values, some models give the probability of the second alone
        if shares.shape[1] != len(classes) or any(len(known) != 2 for known in classes):
            raise MercerError(
                f"{type(model).__name__} gives probabilities of shape {shares.shape} for {len(classes)} targets. "
                "Wrap its estimator in scikit-learn's MultiOutputClassifier."
            )
        return np.stack([1 - shares, shares], axis=2).reshape(len(shares), -1)
    parts = zip(shares, model.classes_, classes, strict=True)
    return np.hstack([_all_columns(share, seen, np.arange(len(known))) for share, seen, known in parts])


def seen_by(model: Any, table: Table) -> Any:
    """The rows as a model takes them: a Table for mercer's, numbers or a data frame for others."""
    inside = model.estimator if isinstance(model, MultiOutputClassifier | MultiOutputRegressor) else model
    if isinstance(inside, TableEstimator):
        return table
    if len(table.schema.numeric_names) < len(table.schema) or table.schema.named:
        return table.to_pandas()
    return table.csr() if table.is_sparse else table.numbers()
