"""The rows that models are fitted to, and what one of them predicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter

from mercer.arrays import Floats, Longs
from mercer.errors import MercerError
from mercer.table import Table, Task
from mercer.table.estimator import TableEstimator


@dataclass(frozen=True)
class TrainingData:
    """What models are fitted to.

    Attributes
    ----------
    table : Table
        The rows.
    y : ndarray of shape (n_rows,)
        Labels or numbers.
    codes : ndarray of shape (n_rows,)
        Class codes; of numbers the numbers themselves.
    classes : ndarray of shape (n_classes,) or None
        The labels in their order; None for numbers.
    weight : ndarray of shape (n_rows,) or None
        Of the rows.
    """

    table: Table
    y: NDArray[Any]
    codes: NDArray[Any]
    classes: NDArray[Any] | None
    weight: Floats | None

    @property
    def task(self) -> Task:
        """Classes or numbers."""
        return Task.REGRESSION if self.classes is None else Task.CLASSIFICATION

    @property
    def n_outputs(self) -> int:
        """Columns of a prediction."""
        return 1 if self.classes is None else len(self.classes)

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


def predict_member(model: Any, table: Table, classes: NDArray[Any] | None) -> Floats:
    """Numbers, (n_rows, 1), or probabilities in a column per class, 0 for one that the model has not seen."""
    rows = seen_by(model, table)
    if classes is None:
        return np.asarray(model.predict(rows), dtype=np.float64).reshape(len(table), 1)
    if not hasattr(model, "predict_proba"):
        raise MercerError(
            f"{type(model).__name__} gives no probabilities. Wrap it in scikit-learn's CalibratedClassifierCV, or set "
            "its parameter for them."
        )
    found = np.zeros((len(table), len(classes)))
    found[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(rows)
    return found


def seen_by(model: Any, table: Table) -> Any:
    """The rows as a model takes them: a Table for mercer's, numbers or a data frame for others."""
    if isinstance(model, TableEstimator):
        return table
    if len(table.schema.numeric_names) < len(table.schema) or table.schema.named:
        return table.to_pandas()
    return table.csr() if table.is_sparse else table.numbers()
