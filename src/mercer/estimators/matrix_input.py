"""Input that is no table of columns but a matrix: how each row compares with the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from mercer.estimators.base import TableEstimator
from mercer.table import Table, from_array


class MatrixInput(TableEstimator):
    """Base of estimators for which X may be a matrix of similarities or distances, (n_rows, n_training_rows)."""

    @property
    def _given(self) -> bool:
        """Whether X is such a matrix."""
        return False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._given
        if self._given:
            tags.input_tags.allow_nan = tags.input_tags.sparse = False
            tags.input_tags.categorical = tags.input_tags.string = False
        return tags

    def _fit_table(self, X: Any) -> Table:
        return super()._fit_table(_as_matrix(X) if self._given else X)

    def _predict_table(self, X: Any) -> Table:
        return super()._predict_table(_as_matrix(X) if self._given else X)

    def _array_table(self, X: Any, *, reset: bool) -> Table:
        if not self._given:
            return super()._array_table(X, reset=reset)
        return from_array(validate_data(self, X, reset=reset, dtype=[np.float64, np.float32]))


def _as_matrix(X: Any) -> Any:
    """A data frame that holds a matrix, by position."""
    return X.to_numpy() if hasattr(X, "to_numpy") else X
