"""A learner inside another: fitted to rows of a Table, asked about rows of a Table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from mercer.arrays import Floats
from mercer.combine.resample.sample import Sample
from mercer.errors import MercerError
from mercer.table import Table
from mercer.table.estimator import TableEstimator


def fit_inner(estimator: Any, rows: Sample, classes: NDArray[Any]) -> Any:
    """A copy of the estimator, fitted to the rows."""
    model = clone(estimator)
    weights = {} if rows.weight is None else {"sample_weight": rows.weight}
    model.fit(as_input(model, rows.table), classes[rows.codes], **weights)
    if not np.array_equal(model.classes_, classes):
        raise MercerError(f"{type(model).__name__} has the classes {model.classes_!r} in place of {classes!r}.")
    return model


def as_input(model: Any, table: Table) -> Any:
    """A table as a learner takes it: itself for mercer's, numbers or a data frame for others."""
    first = model.steps[0][1] if isinstance(model, Pipeline) else model
    if isinstance(first, TableEstimator):
        return table
    if len(table.schema.numeric_names) == len(table.schema):
        return table.csr() if table.is_sparse else table.numbers()
    return table.to_pandas()


def inner_probabilities(model: Any, table: Table) -> Floats:
    """Probability of each class, (n_rows, n_classes)."""
    found: Floats = np.asarray(model.predict_proba(as_input(model, table)), dtype=np.float64)
    return found
