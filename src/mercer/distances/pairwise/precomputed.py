"""Precomputed distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from mercer._core.neighbours import k_smallest
from mercer.arrays import Floats, Ints
from mercer.distances.base import Distance, Neighbours
from mercer.distances.pairwise.graph import Graph
from mercer.docstrings import shares_docs
from mercer.errors import BadTable
from mercer.table import Table


@shares_docs()
class PrecomputedDistance(Distance):
    """d(a, b) is in the table: column j of a row is its distance to training row j.

    fit takes the square matrix of the training rows. A sparse matrix is a graph of neighbours: a distance stored there
    counts, 0 included, and a pair without one is infinitely far apart.

    Attributes
    ----------
    {compared_schema_}

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import read_table
    >>> from mercer.distances import PrecomputedDistance
    >>> measured = read_table(np.array([[0.0, 2.0, 1.0], [2.0, 0.0, 3.0], [1.0, 3.0, 0.0]]))
    >>> distance = PrecomputedDistance().fit(measured)
    >>> distance.nearest(None, distance.cells(measured), 2).row
    array([[0, 2],
           [1, 0],
           [2, 0]], dtype=int32)
    """

    def fit(self, table: Table, classes: Ints | None = None, weight: Floats | None = None) -> Self:
        self.schema_ = table.schema
        found = self.cells(table)
        if found.shape[0] != found.shape[1]:
            raise BadTable(
                "Precomputed distances must be a square matrix: a row and a column per training row. "
                f"Found {found.shape[0]} x {found.shape[1]}."
            )
        return self

    def cells(self, table: Table) -> Floats | Graph:
        if table.is_sparse:
            graph = Graph.of(table.csr(self.schema_.names))
            values, row, column = graph.values.data, graph.row_numbers(), graph.values.indices
            _refuse_negative(values, lambda i: (row[i], column[i]))
            return graph
        found = np.asarray(table.numbers(self.schema_.names), dtype=np.float64)
        _refuse_negative(found.ravel(), lambda i: np.unravel_index(i, found.shape))
        return found

    def between(self, a: Any, b: Any, *, n_jobs: int = 1) -> Floats:
        """The distances as they are.

        Parameters
        ----------
        a : ndarray or Graph, what `cells` gave
            The distances of the rows to the training rows.
        b : object
            The training rows; not used.
        n_jobs : int, default 1
            Not used.

        Returns
        -------
        distances : ndarray of shape (n_a, n_training_rows)
            Infinite where a sparse matrix holds none.
        """
        return a.dense() if isinstance(a, Graph) else np.asarray(a, dtype=np.float64)

    def nearest(
        self, rows: Any, queries: Any, k: int, *, groups: tuple[Ints, Ints] | None = None, n_jobs: int = 1
    ) -> Neighbours:
        if isinstance(queries, Graph):
            return queries.nearest(k, groups)
        return Neighbours(*k_smallest(queries, k, *(groups or (None, None))))


def _refuse_negative(values: Floats, place: Callable[[int], Any]) -> None:
    wrong = ~(values >= 0) | np.isinf(values)
    if wrong.any():
        first = int(wrong.argmax())
        row, column = (int(i) for i in place(first))
        raise BadTable(
            f"Negative values in data passed as distances, or none at all: {values[first]} in row {row + 1}, "
            f"column {column + 1}. A distance is a number of at least 0."
        )
