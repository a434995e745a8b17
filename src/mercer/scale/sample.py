"""Some of the rows of a table in chunks, drawn by their numbers: the same ones however the table is cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mercer.arrays import Bools, Floats, Longs
from mercer.table.profile.counts import mixed_bits

_STEP = 0x9E3779B97F4A7C15  # of SplitMix64
_WORD = 1 << 64


@dataclass(frozen=True)
class Sample:
    """The rows i with low <= u_i < high, u_i = hash(seed + i) / 2^64.

    Samples of one seed whose ends do not overlap share no row; which rows they are does not depend on the rows before.

    Attributes
    ----------
    starts : mapping of int to int
        The number of the first row of each chunk that has rows, by the place of the chunk.
    seed : int
        Another one draws other rows.
    low, high : float
        From 0 to 1.
    """

    starts: Mapping[int, int]
    seed: int
    low: float
    high: float

    def row_numbers(self, place: int, n_rows: int) -> Longs:
        """Of the rows of a chunk, among all rows, from 0."""
        return self.starts[place] + np.arange(n_rows)

    def chosen(self, place: int, n_rows: int) -> Bools:
        """Which rows of a chunk are drawn."""
        found = uniform(self.row_numbers(place, n_rows), self.seed)
        return (found >= self.low) & (found < self.high)


def uniform(rows: Longs, seed: int) -> Floats:
    """A number from 0 to 1 for each row, as if drawn at random: output i of SplitMix64, started at a hash."""
    start = int(mixed_bits(np.array([seed + 1], dtype=np.uint64))[0])
    with np.errstate(over="ignore"):
        places = (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(_STEP) + np.uint64(start)
    return mixed_bits(places) / _WORD


def first_rows(sizes: Mapping[int, int]) -> dict[int, int]:
    """The number of the first row of each chunk, from the sizes of the chunks by their places."""
    places = sorted(sizes)
    ends = np.cumsum([0, *(sizes[place] for place in places)])
    return dict(zip(places, ends.tolist(), strict=False))
