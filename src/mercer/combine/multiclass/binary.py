"""Binary problems around any classifier: the rows it is given, and its answers as margins or probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from mercer.arrays import Floats
from mercer.errors import BadTable, MercerError
from mercer.estimators.multiclass.codes import BinaryProblem
from mercer.table import Table
from mercer.table.estimator import TableEstimator, is_array
from mercer.table.formats.frames import is_frame


def shared_rows(estimator: Any, X: Any, table: Table) -> Any:
    """What every copy of the estimator is given rows of: the table, built once, or `X` for other libraries' own."""
    if isinstance(estimator, TableEstimator):
        return table
    if is_frame(X):
        return X
    if is_array(X):
        return X if hasattr(X, "shape") else np.asarray(X)
    if len(table.schema.numeric_names) < len(table.schema):
        raise BadTable(
            f"{type(estimator).__name__} is given rows as they are, and takes no {type(X).__name__} of mixed "
            "columns: give an array, a data frame, or an estimator of mercer's."
        )
    return table.numbers()


def fit_binary(estimator: Any, rows: Any, problem: BinaryProblem, weight: Floats | None) -> Any:
    """A copy of the estimator that learned the problem, its classes being 0 and 1."""
    whole = len(problem.rows) == (len(rows) if isinstance(rows, Table) else rows.shape[0])
    own = rows if whole else rows.take(problem.rows) if isinstance(rows, Table) else _safe_indexing(rows, problem.rows)
    y = (problem.y > 0).astype(np.int64)
    model = clone(estimator)
    return model.fit(own, y) if weight is None else model.fit(own, y, sample_weight=weight[problem.rows])


def expect_weights(estimator: Any) -> None:
    """MercerError unless the estimator can weigh rows."""
    if not has_fit_parameter(estimator, "sample_weight"):
        raise MercerError(
            f"{type(estimator).__name__} takes no sample_weight: leave it out, or use an estimator that does."
        )


def margins(model: Any, rows: Any) -> Floats:
    """On which side each row lies, and how surely, (n_rows,): the decision, 2 P(1) - 1, or the class as +1 or -1."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(rows), dtype=np.float64)
    if hasattr(model, "predict_proba"):
        return 2 * positive_probability(model, rows) - 1
    return np.where(np.asarray(model.predict(rows)) == 1, 1.0, -1.0)


def positive_probability(model: Any, rows: Any) -> Floats:
    """P(1) of each row, (n_rows,)."""
    return np.asarray(model.predict_proba(rows), dtype=np.float64)[:, 1]
