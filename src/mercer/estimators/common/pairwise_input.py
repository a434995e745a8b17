"""Input that is no table of columns but a matrix: how each row compares with the training rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from mercer.estimators.common.base import TableEstimator
from mercer.table import Table, from_array

_GRAPHS = ("csr", "csc", "coo", "lil")


class MatrixInput(TableEstimator):
    """Base of estimators for which X may be a matrix of similarities or distances, (n_rows, n_training_rows)."""

    _takes_graphs: ClassVar[bool] = False  # a sparse matrix, whose cells that are not stored are not 0

    @property
    def _given(self) -> bool:
        """Whether X is such a matrix."""
        return False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._given
        if self._given:
            tags.input_tags.allow_nan = False
            tags.input_tags.sparse = self._takes_graphs
            tags.input_tags.categorical = tags.input_tags.string = False
        return tags

    def _fit_table(self, X: Any) -> Table:
        return super()._fit_table(_as_matrix(X) if self._given else X)

    def _predict_table(self, X: Any) -> Table:
        return super()._predict_table(_as_matrix(X) if self._given else X)

    def _array_table(self, X: Any, *, reset: bool) -> Table:
        if not self._given:
            return super()._array_table(X, reset=reset)
        if self._takes_graphs and sp.issparse(X) and X.format not in _GRAPHS:
            raise TypeError(
                f"A sparse graph of format {X.format!r} does not keep distances of 0 apart from pairs without one. "
                f"Use one of {', '.join(_GRAPHS)}."
            )
        formats = _GRAPHS if self._takes_graphs else False
        return from_array(validate_data(self, X, reset=reset, accept_sparse=formats, dtype=[np.float64, np.float32]))


def _as_matrix(X: Any) -> Any:
    """A data frame that holds a matrix, by position."""
    return X.to_numpy() if hasattr(X, "to_numpy") else X
