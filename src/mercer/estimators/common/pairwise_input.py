"""Input that is no table of columns: a matrix, where X[i, j] compares row i with training row j, or a list of texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from mercer.estimators.common.base import TableEstimator
from mercer.table import Table, conform_table, from_array, read_table

_GRAPH_FORMATS = ("csr", "csc", "coo", "lil")  # which keep a stored 0 apart from a cell that is not stored


def matrix_tags(tags: Any, *, sparse: bool) -> None:
    """Change scikit-learn's tags to those of an estimator whose X is a matrix of similarities or distances."""
    tags.input_tags.pairwise = True
    tags.input_tags.sparse = sparse
    tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = False


def as_matrix(X: Any) -> Any:
    """A data frame that holds a matrix as an array, by position; anything else as it is."""
    return X.to_numpy() if hasattr(X, "to_numpy") else X


def matrix_table(estimator: TableEstimator, X: Any, *, reset: bool, sparse: bool) -> Table:
    """The matrix as a table with a column for each training row.

    reset : whether `estimator` is being fitted, and takes the number of columns from X
    sparse : whether X may be a sparse graph, in which a cell that is not stored is not 0 but unknown
    """
    if sparse and sp.issparse(X) and X.format not in _GRAPH_FORMATS:
        raise TypeError(
            f"Sparse format {X.format!r} is not supported due to its handling of explicit zeros: distances of 0 are "
            f"not kept apart from pairs without one. Use one of {', '.join(_GRAPH_FORMATS)}."
        )
    formats = _GRAPH_FORMATS if sparse else False
    return from_array(validate_data(estimator, X, reset=reset, accept_sparse=formats, dtype=[np.float64, np.float32]))


def is_texts(X: Any) -> bool:
    """Whether X is texts in one dimension: rows that only a function can compare."""
    return isinstance(X, list | tuple | np.ndarray) and len(X) > 0 and all(isinstance(row, str) for row in X)


def texts_table(model: TableEstimator, X: Any, *, reset: bool) -> Table:
    """Texts in one dimension as a table of one text column."""
    if not reset:
        return conform_table({"x0": list(X)}, model.schema_)
    model.n_features_in_ = 1
    return read_table(np.array(list(X), dtype=object)[:, None], kinds={"x0": "text"})
