"""Homogeneous blocks of a table: numbers, codes, sparse numbers, texts. Each knows which of its cells are missing.

A missing number is NaN, a missing code is -1, a missing text is None. In a block of codes, a code equal to the number
of levels of its column is a level that was not there when the schema was made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._core.memory import expect_memory

RowIndex: TypeAlias = NDArray[Any] | slice  # places, a mask or a slice
MISSING = -1
_COPIES = 3  # of a dense block: what asks for it makes others of it


def row_index(rows: Any, n_rows: int) -> RowIndex:
    """Rows as a user names them (a number, numbers, a mask, a slice, ... for all) as places, a mask or a slice."""
    if rows is Ellipsis:
        return slice(None)
    if isinstance(rows, slice):
        return rows
    found = np.asarray(rows)
    found = found.astype(np.intp) if not found.size else found
    if found.ndim > 1 or found.dtype.kind not in "iub":
        raise IndexError(f"Rows are a number, a slice, or a list of numbers or truth values; found {rows!r}.")
    if found.dtype.kind == "b" and len(found.reshape(-1)) != n_rows:
        raise IndexError(f"The mask has {found.size} values, but the table has {n_rows} rows.")
    return np.atleast_1d(found)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Float columns, (n_rows, n_columns), in whatever memory order they came.

    `complete`: True if it is known that no cell is missing, from a pass over the cells that was made anyway.
    """

    values: NDArray[np.floating]
    complete: bool = False

    def take(self, rows: RowIndex) -> Numbers:
        return Numbers(self.values[rows], self.complete)

    def select(self, columns: Sequence[int]) -> Numbers:
        if len(columns) == self.values.shape[1] and list(columns) == list(range(len(columns))):
            return self
        return Numbers(self.values[:, list(columns)], self.complete)

    def dense(self) -> NDArray[np.floating]:
        return self.values

    def missing(self) -> NDArray[np.bool_]:
        return np.isnan(self.values)

    def is_complete(self) -> bool:
        """Whether no cell is missing."""
        return self.complete or all_finite(self.values) or not np.isnan(self.values).any()


@dataclass(frozen=True, slots=True)
class SparseNumbers:
    """Float columns as a SciPy CSR matrix; cells that are not stored are 0."""

    values: sp.csr_array

    def take(self, rows: RowIndex) -> SparseNumbers:
        return SparseNumbers(self.values[rows])

    def select(self, columns: Sequence[int]) -> SparseNumbers:
        if len(columns) == self.values.shape[1] and list(columns) == list(range(len(columns))):
            return self
        return SparseNumbers(self.values[:, list(columns)])

    def dense(self) -> NDArray[np.floating]:
        n_rows, n_columns = self.values.shape
        expect_memory(
            _COPIES * n_rows * n_columns * self.values.dtype.itemsize,
            f"{n_rows:,} sparse rows of {n_columns:,} columns are needed with their zeros, which takes",
            "Use fewer columns, or a learner that keeps them sparse: LinearSVC, LogisticRegression, NaiveBayes, SVC, "
            "KNeighborsClassifier.",
        )
        dense: NDArray[np.floating] = self.values.toarray()
        return dense

    def missing(self) -> NDArray[np.bool_]:
        return np.isnan(self.dense())


@dataclass(frozen=True, slots=True)
class Codes:
    """Categorical columns as codes, (n_rows, n_columns) int32."""

    values: NDArray[np.int32]

    def take(self, rows: RowIndex) -> Codes:
        return Codes(np.asfortranarray(self.values[rows]))

    def select(self, columns: Sequence[int]) -> Codes:
        if len(columns) == self.values.shape[1] and list(columns) == list(range(len(columns))):
            return self
        return Codes(np.asfortranarray(self.values[:, list(columns)]))

    def missing(self) -> NDArray[np.bool_]:
        return self.values == MISSING


@dataclass(frozen=True, slots=True)
class Texts:
    """Text columns, (n_rows, n_columns) of str or None."""

    values: NDArray[np.object_]

    def take(self, rows: RowIndex) -> Texts:
        return Texts(self.values[rows])

    def select(self, columns: Sequence[int]) -> Texts:
        return Texts(self.values[:, list(columns)])

    def missing(self) -> NDArray[np.bool_]:
        return np.asarray(self.values == None, dtype=bool)  # noqa: E711


def all_finite(values: NDArray[np.floating]) -> bool:
    """Whether the sum of the cells is finite, so that each of them is: one pass, without a second array."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum(dtype=np.float64)))
