"""A kernel seen as a distance."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from mercer._core.neighbours import k_smallest
from mercer.distances.base import Distance, Floats, Ints, Neighbours
from mercer.table import Table


class Similarity(Protocol):
    """What is asked of a kernel."""

    def fit(self, table: Any) -> Any: ...

    def gram(self, a: Any, b: Any = None) -> NDArray[Any]: ...

    def diag(self, a: Any) -> NDArray[Any]: ...


class KernelDistance(Distance):
    """d(a, b) = sqrt(k(a, a) - 2 k(a, b) + k(b, b)): distance in the feature space of the kernel."""

    def __init__(self, kernel: Similarity) -> None:
        self.kernel = kernel

    def fit(self, table: Table, classes: Ints | None = None) -> Self:
        self.schema_ = table.schema
        self.kernel.fit(table)
        return self

    def cells(self, table: Table) -> Table:
        return table

    def between(self, a: Any, b: Any, *, n_jobs: int = 1) -> Floats:
        squared = self.kernel.diag(a)[:, None] - 2.0 * self.kernel.gram(a, b) + self.kernel.diag(b)[None, :]
        return np.sqrt(np.maximum(squared, 0.0)).astype(np.float64)

    def nearest(
        self, rows: Any, queries: Any, k: int, *, groups: tuple[Ints, Ints] | None = None, n_jobs: int = 1
    ) -> Neighbours:
        size = max(1, 4_000_000 // max(len(rows), 1))  # a block of distances takes about 32 MB
        of_rows, of_queries = groups or (None, None)
        parts = []
        for start in range(0, len(queries), size):
            block = slice(start, start + size)
            own = None if of_queries is None else of_queries[block]
            parts.append(k_smallest(self.between(queries.take(block), rows), k, of_rows, own))
        if not parts:
            return Neighbours(np.zeros((0, k)), np.zeros((0, k), np.int32))
        return Neighbours(np.vstack([p[0] for p in parts]), np.vstack([p[1] for p in parts]))
