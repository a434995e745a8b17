"""The training rows that neighbours are found among: the distance, the rows as it compares them, weights, the index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints, Longs
from mercer.distances import Distance, Neighbours, PrecomputedDistance, Search, SumDistance
from mercer.distances.column_sum import Cells
from mercer.distances.sparse_rows import SparseCells, sparse_cells
from mercer.encode import BagOfWords
from mercer.errors import BadFile, MercerError
from mercer.select.copies import Copies, find_copies
from mercer.state import Reader, State
from mercer.table import Kind, Schema, Table, from_array
from mercer.table.blocks import SparseNumbers
from mercer.table.state import numbers_from_state, numbers_state


@dataclass
class TrainingRows:
    """Rows of positive weight as a fitted distance compares them, and the ways to find the nearest of them."""

    distance: Distance
    cells: Any  # (n_kept, ...), as `distance.cells` gives them
    weight: Floats | None  # (n_kept,)
    kept: Longs  # (n_kept,) row numbers in the table that was fitted
    words: BagOfWords | None  # texts become counts of words
    index: Search | None = None  # None: every row is measured

    @classmethod
    def fit(
        cls,
        table: Table,
        choose: Callable[[Table], Distance],
        weight: Floats | None,
        *,
        classes: Ints | None = None,
        n_words: int,
    ) -> tuple[Self, Table]:
        """Choose and fit the distance on the rows of positive weight; those rows too, texts as counts of words."""
        words = None
        if table.schema.of_kind(Kind.TEXT):
            words = BagOfWords(n_words)
            table = words._encode(table)
        distance = choose(table)
        kept = np.arange(len(table)) if weight is None else np.flatnonzero(weight > 0)
        if len(kept) < len(table):
            table, classes = table.take(kept), None if classes is None else classes[kept]
            if isinstance(distance, PrecomputedDistance):
                table = table.select([table.schema.names[int(i)] for i in kept])
        mass = None if weight is None else weight[kept]
        distance.fit(table, classes, mass)
        return cls(distance, distance.cells(table), mass, kept, words), table

    def __len__(self) -> int:
        return len(self.cells)

    def copies(self, target: NDArray[Any]) -> Copies | None:
        """Rows that were written more than once, target included; None for none, or for a distance of another kind."""
        if isinstance(self.cells, SparseCells):
            return find_copies(from_array(self.cells.numbers), target)
        if not isinstance(self.cells, Cells):
            return None
        return find_copies(from_array(np.hstack([self.cells.numbers, self.cells.codes])), target)

    def encode(self, table: Table) -> Table:
        """A table of the fitted schema with texts as counts of words."""
        return table if self.words is None else self.words._apply(self.words._predict_table(table))

    @property
    def mass(self) -> float:
        """Their weight: what no number of neighbours exceeds."""
        return float(len(self) if self.weight is None else self.weight.sum())

    def nearest(self, queries: Any, k: int, *, n_jobs: int) -> Neighbours:
        """The k nearest rows of each query; for None, of each training row, which is not its own neighbour.

        queries : rows as `distance.cells` gives them, or None
        """
        n = len(self)
        if queries is None and is_count(k) and k < n:
            own = np.arange(n, dtype=np.int32)
            return self.distance.nearest(self.cells, self.cells, k, groups=(own, own), n_jobs=n_jobs)
        if not is_count(k) or k > n or queries is None:
            raise MercerError(
                f"n_neighbors={k} must be at least 1 and at most the {n} training rows (n_samples = {n}), less the row "
                "itself when it is a training row."
            )
        if self.index is None:
            return self.distance.nearest(self.cells, queries, k, n_jobs=n_jobs)
        return self.index.nearest(queries, k, n_jobs=n_jobs)

    def nearest_by_weight(
        self, queries: Any, k: int, *, n_jobs: int, shared: SharedNeighbours | None = None
    ) -> tuple[Neighbours, Floats]:
        """The nearest rows whose weights sum to k, and the weight with which each counts, (n_queries, n_found).

        A row of weight w counts as w rows, so that the last one may count in part. Rows without weights are looked up
        in what is shared, where anything is.
        """
        if self.weight is None:
            find = self.nearest if shared is None else partial(shared.nearest, self)
            found = find(queries, k, n_jobs=n_jobs)
            return found, np.ones_like(found.distance)
        most = len(self) - (queries is None)
        total = self.weight.sum() - (self.weight.max() if queries is None else 0.0)
        if k > total:
            raise MercerError(f"n_neighbors={k} exceeds the weight {total:g} of the training rows (n_samples).")
        k_rows = min(k, most)
        while True:
            found = self.nearest(queries, k_rows, n_jobs=n_jobs)
            weight = self.weight[found.row]
            before = np.cumsum(weight, axis=1) - weight
            if k_rows == most or (before[:, -1] + weight[:, -1] >= k).all():
                return found, np.clip(k - before, 0.0, weight)
            k_rows = min(2 * k_rows, most)

    def to_state(self) -> State:
        """The rows themselves are in it: whoever has the file has the training rows."""
        if not isinstance(self.distance, SumDistance):
            raise MercerError("Only neighbours by a distance that is a sum over columns can be stored.")
        weight = {} if self.weight is None else {"weight": self.weight}
        words = {} if self.words is None else {"words": self.words.to_state()}
        return {
            "distance": self.distance.to_state(), **_cells_state(self.cells), "kept": self.kept.astype(np.int64),
            **weight, **words,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader, schema: Schema) -> Self:
        """The rows that `to_state` wrote, checked; `schema` is that of the estimator's input."""
        words = BagOfWords.from_state(state.child("words")) if state.has("words") else None
        distance = SumDistance.from_state(state.child("distance"))
        if distance.schema_.columns != (schema if words is None else words.schema_out_).columns:
            raise BadFile(f"{state.where}.distance is of other columns.")
        cells = _read_cells(state, distance)
        n = len(cells)
        weight = state.array("weight", "float64", (n,), low=0.0) if state.has("weight") else None
        if weight is not None and not weight.all():
            raise state.refuse("weight", "weights above 0")
        kept = state.array("kept", "int64", (n,), low=0)
        if not (np.diff(kept) > 0).all():
            raise state.refuse("kept", "row numbers that increase")
        state.finish()
        return cls(distance, cells, weight, kept, words)


def _cells_state(cells: Cells | SparseCells) -> State:
    if isinstance(cells, Cells):
        return {"numbers": cells.numbers, "codes": cells.codes}
    return {"n_rows": len(cells), "sparse": numbers_state(SparseNumbers(cells.numbers))}


def _read_cells(state: Reader, distance: SumDistance) -> Cells | SparseCells:
    """The rows that `_cells_state` wrote, as the distance compares them."""
    column_sum = distance.column_sum_
    refused = BadFile(f"{state.where}: a training row does not fit the columns.")
    if state.has("sparse"):
        n = state.integer("n_rows", 1)
        block = numbers_from_state(state.child("sparse"), n, len(column_sum.scale))
        cells = sparse_cells(block.values)
        if cells is None or distance._sparse_form is None:
            raise refused
        return cells
    numbers = state.cells("numbers", (None, len(column_sum.scale)))
    codes = state.array("codes", "int32", (len(numbers), len(column_sum.levels)), low=-1)
    most = column_sum.levels - int(distance.learns_costs)  # a level never seen has no costs
    if np.isinf(numbers).any() or (codes > most).any() or not len(numbers):
        raise refused
    return Cells(numbers, codes)


class SharedNeighbours:
    """The nearest rows of the last queries, for estimators that differ in how many they ask for and how these vote.

    Parameters
    ----------
    most : callable
        The largest number of neighbours that any of them asks for.
    """

    def __init__(self, most: Callable[[], int]) -> None:
        self.most = most
        self._last: tuple[bytes, Neighbours] | None = None

    def nearest(self, rows: TrainingRows, queries: Any, k: int, *, n_jobs: int) -> Neighbours:
        """The k nearest, of those found for the largest number: the same rows in the same order."""
        if not isinstance(queries, Cells) or not is_count(k) or k > len(rows):
            return rows.nearest(queries, k, n_jobs=n_jobs)
        digest = blake2b(repr((queries.numbers.shape, queries.codes.shape)).encode(), digest_size=16)
        for block in (queries.numbers, queries.codes):
            digest.update(np.ascontiguousarray(block).data)
        asked = digest.digest()
        if self._last is None or self._last[0] != asked or self._last[1].row.shape[1] < k:
            self._last = asked, rows.nearest(queries, max(k, min(self.most(), len(rows))), n_jobs=n_jobs)
        found = self._last[1]
        return Neighbours(np.ascontiguousarray(found.distance[:, :k]), np.ascontiguousarray(found.row[:, :k]))


def is_count(value: Any) -> bool:
    """Whether it is a whole number of at least 1."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= 1
