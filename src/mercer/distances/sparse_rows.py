"""Rows held sparse are compared by products of rows: the cost grows with the cells that are stored.

    |a - b|^2 = |a|^2 - 2 a . b + |b|^2        sum_j |a_j - b_j|        1 - a . b / (|a| |b|)

The difference of squares rounds: it finds the nearest rows, which are then measured again, cell by cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances
from sklearn.preprocessing import normalize

from mercer.arrays import Floats, Ints
from mercer.distances.base import Neighbours
from mercer.distances.column_sum import Cells
from mercer.distances.pairwise.base import nearest_in_blocks
from mercer.errors import TooLarge
from mercer.formatting import byte_size

SparseForm = Literal["squared", "manhattan", "cosine"]
WIDE = 256  # columns up to which sparse rows are compared as dense ones: exact, and they fit
_MOST_CELLS = 1 << 28  # of rows made dense: 2 GiB
_LARGEST = 1e100  # the squares of larger numbers may overflow


@dataclass(frozen=True)
class SparseCells:
    """Rows as a distance compares them: numbers in a CSR array (n, p), none of them missing."""

    numbers: Any

    def __len__(self) -> int:
        return int(self.numbers.shape[0])

    def take(self, rows: Any) -> SparseCells:
        return SparseCells(self.numbers[rows])

    def dense(self) -> Cells:
        """The same rows, zeros stored, as far as they fit."""
        n_rows, n_columns = self.numbers.shape
        refuse_dense(n_rows, n_columns, "A row with a missing or huge number among sparse rows")
        return Cells(self.numbers.toarray(), np.zeros((len(self), 0), np.int32))


def sparse_cells(numbers: Any) -> SparseCells | None:
    """The rows of a wide CSR array; None for few columns, missing cells, or numbers whose squares overflow."""
    numbers = sp.csr_array(numbers, dtype=np.float64)
    if numbers.shape[1] <= WIDE or not (np.abs(numbers.data) < _LARGEST).all():
        return None
    numbers.sum_duplicates()
    if max(numbers.nnz, numbers.shape[1]) < 2**31:  # the Manhattan distance of scikit-learn takes no other
        numbers.indices, numbers.indptr = (a.astype(np.int32, copy=False) for a in (numbers.indices, numbers.indptr))
    return SparseCells(numbers)


def refuse_dense(n_rows: int, n_columns: int, who: str) -> None:
    """TooLarge where sparse rows would have to be stored with their zeros, and that is too much."""
    if n_rows * n_columns > _MOST_CELLS:
        raise TooLarge(
            f"{who} needs {n_rows:,} x {n_columns:,} cells with their zeros, {byte_size(8 * n_rows * n_columns)}. "
            "Euclidean, Manhattan and Cosine keep complete sparse rows sparse; or use fewer columns."
        )


def sums_between(form: SparseForm, a: SparseCells, b: SparseCells) -> Floats:
    """Squared, Manhattan or cosine distance of every row of `a` to every row of `b`, (n_a, n_b)."""
    if form == "cosine":
        product = normalize(a.numbers) @ normalize(b.numbers).T
        return np.clip(1.0 - product.toarray(), 0.0, None)
    measure = manhattan_distances if form == "manhattan" else euclidean_distances
    options = {} if form == "manhattan" else {"squared": True}
    return np.asarray(measure(a.numbers, b.numbers, **options), dtype=np.float64)


def nearest_sums(
    form: SparseForm, rows: SparseCells, queries: SparseCells, k: int, groups: tuple[Ints, Ints] | None
) -> Neighbours:
    """The k rows with the smallest sums for each query, equal ones by row number."""
    found = nearest_in_blocks(lambda q: sums_between(form, q, rows), len(rows), queries, k, groups)
    if form != "squared" or not found.row.size:
        return found
    apart = rows.numbers[found.row.ravel()] - queries.numbers[np.repeat(np.arange(len(queries)), k)]
    sums = np.asarray(apart.multiply(apart).sum(axis=1), dtype=np.float64).reshape(found.row.shape)
    sums[np.isinf(found.distance)] = np.inf  # fewer than k rows of other groups
    order = np.lexsort((found.row, sums))
    return Neighbours(np.take_along_axis(sums, order, axis=1), np.take_along_axis(found.row, order, axis=1))
