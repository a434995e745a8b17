"""Distances that are measured a block of queries at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer._core.neighbours import k_smallest
from mercer.arrays import Floats, Ints
from mercer.distances.base import Distance, Neighbours

_CELLS = 4_000_000  # distances in a block, about 32 MB


class BlockDistance(Distance):
    """A distance whose `between` is all there is: every pair is measured, then the smallest are found."""

    def nearest(
        self, rows: Any, queries: Any, k: int, *, groups: tuple[Ints, Ints] | None = None, n_jobs: int = 1
    ) -> Neighbours:
        return nearest_in_blocks(lambda block: self.between(block, rows), len(rows), queries, k, groups)


def nearest_in_blocks(
    measure: Callable[[Any], Floats], n_rows: int, queries: Any, k: int, groups: tuple[Ints, Ints] | None
) -> Neighbours:
    """The k smallest of the distances (n_block, n_rows) that `measure` gives for a block of queries, block by block."""
    size = max(1, _CELLS // max(n_rows, 1))
    of_rows, of_queries = groups or (None, None)
    parts = []
    for start in range(0, len(queries), size):
        block = slice(start, start + size)
        own = None if of_queries is None else of_queries[block]
        parts.append(k_smallest(measure(queries.take(block)), k, of_rows, own))
    if not parts:
        return Neighbours(np.zeros((0, k)), np.zeros((0, k), np.int32))
    return Neighbours(np.vstack([p[0] for p in parts]), np.vstack([p[1] for p in parts]))
