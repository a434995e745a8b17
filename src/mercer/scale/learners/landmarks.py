"""Rows of a table in chunks by their numbers, and the features of kernels that are made of such rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Array, Longs
from mercer.estimators.kernel.approximation.basis import RANK, Basis, expect_rows
from mercer.estimators.kernel.approximation.error import COMPARED, compared_error
from mercer.estimators.kernel.approximation.features import RandomMap
from mercer.estimators.kernel.approximation.landmarks import Landmarks
from mercer.kernels import Kernel
from mercer.scale.learners.design import KeptMatrix
from mercer.scale.rows import Part, Rows
from mercer.table import Table
from mercer.table.assemble import vstack

_PERMUTED = 1 << 24  # rows up to which a sample is that of one table, by a permutation of all numbers


@dataclass(frozen=True)
class SomeRows:
    """Rows and their target."""

    table: Table
    target: NDArray[Any]


@dataclass(frozen=True)
class RowNumbers:
    """Where the rows with a target are: `start` is the number of the first row of each chunk, and of all rows."""

    rows: Rows
    start: Longs

    @classmethod
    def of(cls, rows: Rows) -> RowNumbers:
        """From what the first pass counted; by one pass where nobody did."""
        known, n_chunks = rows.known, len(rows.chunks)
        if known is None or not n_chunks:
            sizes = [size or 0 for size in rows.each(lambda k: _size)]
        else:
            sizes = [known.get(place, 0) for place in range(1, n_chunks + 1)]
        return cls(rows, np.append(0, np.cumsum(sizes)))

    @property
    def n(self) -> int:
        """How many there are."""
        return int(self.start[-1])

    def draw(self, n_rows: int, rng: np.random.RandomState) -> Longs:
        """Numbers of so many rows, or of all: the first of a permutation, as of one table, unless that is too long."""
        if self.n <= _PERMUTED:
            return rng.permutation(self.n)[:n_rows].astype(np.int64)
        found: Longs = np.empty(0, dtype=np.int64)
        while len(found) < n_rows:  # a number is hardly ever drawn twice
            drawn = np.concatenate([found, rng.randint(0, self.n, n_rows - len(found), dtype=np.int64)])
            found = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
        return found

    def take(self, places: Longs) -> SomeRows:
        """The rows of these numbers, in their order: one pass."""
        wanted, order = np.unique(places, return_inverse=True)
        edges = np.searchsorted(wanted, self.start)

        def work(k: int) -> TakeRows:
            return TakeRows(wanted[edges[k] : edges[k + 1]] - self.start[k])

        found = [some for some in self.rows.each(work) if some is not None]
        target = np.concatenate([some.target for some in found])
        return SomeRows(vstack(*(some.table for some in found)).take(order), target[order])

    def take_each(self, *places: Longs) -> list[SomeRows]:
        """Those of several lists, by one pass."""
        edges = np.cumsum([0, *map(len, places)])
        found = self.take(np.concatenate(places))
        return [SomeRows(found.table.take(slice(a, b)), found.target[a:b]) for a, b in pairwise(edges.tolist())]


@dataclass(frozen=True)
class TakeRows:
    """Some rows of a chunk."""

    places: Longs

    def __call__(self, part: Part) -> SomeRows:
        return SomeRows(part.table.take(self.places), part.target[self.places])


def _size(part: Part) -> int:
    return len(part.target)


@dataclass(frozen=True)
class ChunkBasis:
    """Features of a kernel, how many they are, the landmarks, and rows to solve before all (None for none)."""

    basis: Basis
    width: int
    landmarks: SomeRows
    drawn: SomeRows | None


@dataclass(frozen=True)
class Drawn:
    """Rows drawn by one pass: landmarks and their numbers, rows to compare kernel and features on, rows to solve first.

    Of random features the landmarks are a row that shows what the columns are, and rows to compare are drawn later.
    """

    places: Longs
    landmarks: SomeRows
    compared: SomeRows
    first: SomeRows | None

    @classmethod
    def of(cls, machine: Any, numbers: RowNumbers, rng: np.random.RandomState, n_first: int) -> Drawn:
        """With so many rows to solve first."""
        places = compared = np.zeros(1, dtype=np.int64)
        if machine.approximation == "nystroem":
            places = numbers.draw(machine.rank or RANK, rng)
            compared = np.sort(numbers.draw(COMPARED, rng))
        first = np.sort(numbers.draw(n_first, np.random.RandomState(0)))
        found = numbers.take_each(places, compared, first)
        return cls(places, found[0], found[1], found[2] if n_first else None)


def chunk_basis(
    machine: Any, kernel: Kernel, sample: Drawn, numbers: RowNumbers, dtype: np.dtype[Any], rng: Any
) -> ChunkBasis:
    """What `make_basis` makes of all rows at once, for a fitted kernel."""
    kernel, places, landmarks, compared = expect_rows(kernel), sample.places, sample.landmarks, sample.compared.table
    made: Landmarks | RandomMap
    if machine.approximation == "nystroem":
        own = Landmarks.of(kernel, landmarks.table, np.arange(len(places)), machine._jobs, dtype)
        made = Landmarks(kernel, own.rows, places, own.normalization)
    else:
        made = RandomMap.draw(kernel, machine.rank or RANK, False, rng)
        compared = numbers.take(np.sort(numbers.draw(COMPARED, rng))).table
    basis = Basis(made, dtype, machine._jobs, compared_error(kernel, made.features, compared))
    width, none = basis.features(compared.take(slice(0, 1))).shape[1], np.empty(0, dtype=np.int64)
    kept = landmarks if len(basis.places) else SomeRows(landmarks.table.take(none), none)
    return ChunkBasis(basis, width, kept, sample.first)


@dataclass(frozen=True)
class FeatureRows:
    """The features of the rows of a chunk, kept from pass to pass while there is room; not to be written to."""

    basis: Basis

    def __call__(self, part: Part) -> Array:
        features: Array = part.recall("features", lambda: KeptMatrix(self.basis.features(part.table))).X
        return features
