"""Distances to some of the training rows only: a sparse graph of neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats, Ints
from mercer.distances.base import Neighbours
from mercer.errors import BadTable


@dataclass(frozen=True)
class Graph:
    """The distances that are stored, 0 among them, (n_rows, n_training_rows); others are infinite."""

    values: sp.csr_array

    @classmethod
    def of(cls, values: sp.csr_array) -> Graph:
        """Equal places are added up, in a copy, as SciPy does on conversion."""
        if values.has_canonical_format:
            return cls(values)
        values = values.copy()
        values.sum_duplicates()
        return cls(values)

    def __len__(self) -> int:
        return int(self.values.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), int(self.values.shape[1])

    def take(self, rows: Any) -> Graph:
        return Graph(self.values[rows])

    def row_numbers(self) -> Ints:
        """The row of each distance, as they are stored."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.values.indptr))

    def dense(self) -> Floats:
        found = np.full(self.shape, np.inf)
        found[self.row_numbers(), self.values.indices] = self.values.data
        return found

    def nearest(self, k: int, groups: tuple[Ints, Ints] | None = None) -> Neighbours:
        """As `Distance.nearest`; a row with fewer than k distances is refused."""
        row, column, distance = self.row_numbers(), self.values.indices, self.values.data
        if groups is not None:
            others = groups[0][column] != groups[1][row]
            row, column, distance = row[others], column[others], distance[others]
        count = np.bincount(row, minlength=len(self))
        if len(self) and count.min() < k:
            raise BadTable(
                f"The sparse graph has {count.min()} distances to other rows for row {int(count.argmin()) + 1}, but "
                f"{k} neighbours are asked for. Store more of them, or lower n_neighbors (max_neighbors with 'cv')."
            )
        order = np.lexsort((column, distance, row))
        best = order[(np.cumsum(count) - count)[:, None] + np.arange(k)]
        return Neighbours(distance[best].astype(np.float64), column[best].astype(np.int32))
