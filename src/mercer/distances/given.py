"""Distances that someone else has measured."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mercer._core.neighbours import k_smallest
from mercer.distances.base import Distance, Floats, Ints, Neighbours
from mercer.errors import BadTable
from mercer.table import Table


class PrecomputedDistance(Distance):
    """d(a, b) is in the table: column j of a row is its distance to training row j.

    fit takes the square matrix of the training rows.
    """

    def fit(self, table: Table, classes: Ints | None = None) -> Self:
        self.schema_ = table.schema
        found = self.cells(table)
        if found.shape[0] != found.shape[1]:
            raise BadTable(
                "Precomputed distances must be a square matrix: a row and a column per training row. "
                f"Found {found.shape[0]} x {found.shape[1]}."
            )
        return self

    def cells(self, table: Table) -> Floats:
        found = np.asarray(table.numbers(self.schema_.names), dtype=np.float64)
        wrong = ~(found >= 0) | np.isinf(found)
        if wrong.any():
            row, column = (int(i) for i in np.argwhere(wrong)[0])
            raise BadTable(
                f"Negative values in data passed as distances, or none at all: {found[row, column]} in row {row + 1}, "
                f"column {column + 1}. A distance is a number of at least 0."
            )
        return found

    def between(self, a: Any, b: Any, *, n_jobs: int = 1) -> Floats:
        """The distances as they are; b is all the training rows, which are not looked at."""
        return np.asarray(a, dtype=np.float64)

    def nearest(
        self, rows: Any, queries: Any, k: int, *, groups: tuple[Ints, Ints] | None = None, n_jobs: int = 1
    ) -> Neighbours:
        return Neighbours(*k_smallest(queries, k, *(groups or (None, None))))
