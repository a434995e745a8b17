"""The rows of a chunk while a tree is grown on bins: what they are asked, and what they answer.

Weights and targets are rounded to multiples of a power of two, as fine as 64 bits allow, so that their sums do not
depend on how rows are cut into parts; sums of weights that are whole numbers are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core import boost as core
from mercer._core.reference.boost_split import Units
from mercer.arrays import Floats, Ints, Longs
from mercer.solvers.boost.binning import Bytes
from mercer.solvers.boost.growth import Question
from mercer.solvers.boost.parts import Cells, asked_rows, no_sums


@dataclass(frozen=True)
class TreePart:
    """Rows of a chunk: bins, target (class codes or numbers), least and greatest number in each bin (p, 256)."""

    place: int
    cells: Cells
    y: NDArray[Any]
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Extent:
    """The least and the greatest number in each bin of each column."""

    low: Floats
    high: Floats

    def merge(self, other: Extent) -> Extent:
        """Of both."""
        return Extent(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


def extent(parts: Sequence[TreePart], shared: Any) -> Extent:
    """That of all parts."""
    low, high = np.full_like(parts[0].low, np.inf), np.full_like(parts[0].high, -np.inf)
    for part in parts:
        low, high = np.minimum(low, part.low), np.maximum(high, part.high)
    return Extent(low, high)


@dataclass(frozen=True)
class Weighing:
    """What all questions about a tree need: the weights of the rows, and how they are added up.

    weight: of the rows of each part by its place; None for 1 each. n_classes: 0 where numbers are predicted.
    largest: of what each channel sums up. n_rows: of all parts.
    """

    bins: Ints
    weight: Mapping[int, NDArray[Any]] | None
    n_classes: int
    largest: tuple[float, ...]
    n_rows: int
    n_jobs: int

    def of(self, part: TreePart) -> Floats:
        """The weights of the rows of a part."""
        return np.ones(len(part.y)) if self.weight is None else self.weight[part.place].astype(np.float64)

    @property
    def n_channels(self) -> int:
        """Sums of a bin: a weight for each class, or weight, weight x y and weight x y^2."""
        return self.n_classes or 3

    def decoded(self, sums: Longs) -> tuple[Floats, Longs]:
        """Of histograms (n_slots, n_channels, n_entries, 2): sums and rows, both (n_slots, n_entries, n_channels)."""
        units = [Units.of(top, 0.0, self.n_rows) for top in self.largest]
        values = np.stack([sums[:, k, :, 0] * unit.gradient for k, unit in enumerate(units)], axis=-1)
        rows: Longs = sums[..., 1] & ((1 << units[0].count_bits) - 1)
        return values, rows.transpose(0, 2, 1)


@dataclass(frozen=True)
class Totals:
    """Histograms that add up."""

    sums: Longs

    def merge(self, other: Totals) -> Totals:
        """Of both."""
        return Totals(self.sums + other.sums)


@dataclass(frozen=True)
class CountNodes:
    """Asks for the sums of each bin in the nodes of a question."""

    question: Question

    def __call__(self, parts: Sequence[TreePart], how: Weighing) -> Totals:
        """Of these parts: integers (n_slots, n_channels, n_entries, 2)."""
        n_slots = self.question.n_slots
        out = no_sums(n_slots * how.n_channels, how.bins)
        for part in parts:
            cells, rows, slot, weight = _asked(self.question, part, how)
            if len(rows):
                self._add(how, cells, rows, slot, weight, part.y[rows], out)
        return Totals(out.reshape(n_slots, how.n_channels, -1, 2))

    @staticmethod
    def _add(
        how: Weighing,
        cells: Bytes,
        rows: NDArray[np.uint32],
        slot: Ints,
        weight: Floats,
        y: NDArray[Any],
        out: Longs,
    ) -> None:
        if how.n_classes:
            channels = [(slot * how.n_classes + y, weight)]
        else:
            channels = [(slot * 3 + k, weight * y**k) for k in range(3)]
        none = np.zeros(len(rows))
        for k, (place, values) in enumerate(channels):
            given = rows, place.astype(np.int32), np.ascontiguousarray(values, dtype=np.float64), none
            core.boost_histograms(cells, how.bins, *given, None, how.largest[k], 0.0, how.n_rows, out, how.n_jobs)


@dataclass(frozen=True)
class Gathered:
    """Rows by their place: the node that each is asked for, bins, target and weights."""

    rows: dict[int, tuple[Ints, Bytes, NDArray[Any], Floats]]

    def merge(self, other: Gathered) -> Gathered:
        """Of both."""
        return Gathered(self.rows | other.rows)


@dataclass(frozen=True)
class GatherNodes:
    """Asks for the rows in the nodes of a question."""

    question: Question

    def __call__(self, parts: Sequence[TreePart], how: Weighing) -> Gathered:
        """Of these parts."""
        found = {}
        for part in parts:
            cells, rows, slot, weight = _asked(self.question, part, how)
            found[part.place] = slot, cells[rows], part.y[rows], weight
        return Gathered(found)


def _asked(question: Question, part: TreePart, how: Weighing) -> tuple[Bytes, NDArray[np.uint32], Ints, Floats]:
    """The bins of a part, the rows of it that weigh something in the nodes asked for, their nodes and weights."""
    cells, weight, nodes = part.cells.read(), how.of(part), np.zeros(len(part.y), dtype=np.int32)
    core.boost_descend(question.tree, cells, nodes, how.n_jobs)
    rows, slot = asked_rows(question, nodes, weight > 0)
    return cells, rows, slot, weight[rows]
