"""How often each of the different cells of a column was met, in bounded memory.

Up to `MOST` different cells are counted exactly. Of more, the counts are those of Misra and Gries (1982), merged as by
Agarwal et al. (2013): a cell that is met in more than n / MOST of n rows is always among them, and each count is too
low by `lost` at most, which is at most n / MOST. How many cells differ is then estimated from the `MOST` smallest of
their hashes (Bar-Yossef et al. 2002), with a standard error of 1 / sqrt(MOST) = 0.4 %.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.arrays import Bools
from mercer.table.formats.cells import sorted_texts
from mercer.table.formats.source import Distinct

MOST = 1 << 16
SHOWN = 2000  # cells of a sketch that notations and words are told by
_ALL = float(2**64)
Hashes: TypeAlias = NDArray[np.uint64]
Met: TypeAlias = tuple[int, int, int]  # rows, first row, last row


@dataclass(frozen=True)
class Smallest:
    """The smallest of the hashes of different values: whatever the chunks, those of all rows together."""

    hashes: Hashes  # sorted, at most MOST

    @classmethod
    def of(cls, hashes: Hashes) -> Smallest:
        return cls(np.unique(hashes)[:MOST])

    def merge(self, other: Smallest) -> Smallest:
        return Smallest.of(np.concatenate([self.hashes, other.hashes]))

    def n_different(self) -> float:
        """How many values there are: exact below `MOST`."""
        if len(self.hashes) < MOST:
            return len(self.hashes)
        return float(round((MOST - 1) / (float(self.hashes[-1]) / _ALL)))


def number_hashes(values: NDArray[Any]) -> Hashes:
    """Hashes of numbers, by the bits of a float."""
    return mixed_bits((values.astype(np.float64) + 0.0).view(np.uint64))  # -0.0 is 0.0


def mixed_bits(bits: Hashes) -> Hashes:
    """The last steps of SplitMix64 (Steele et al. 2014): neighbours have hashes that look independent."""
    with np.errstate(over="ignore"):
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


def text_hashes(cells: Iterable[str]) -> Hashes:
    """Hashes of texts, the same on every machine."""
    found = b"".join(blake2b(c.encode("utf-8", "surrogatepass"), digest_size=8).digest() for c in cells)
    return np.frombuffer(found, dtype="<u8").astype(np.uint64)


@dataclass(frozen=True)
class Counts:
    """The different cells of some rows. Cells are texts; a number has its text as a key."""

    met: dict[str, Met] = field(default_factory=dict)
    lost: int = 0
    smallest: Smallest | None = None  # None while every cell is counted
    shown: tuple[str, ...] = ()  # of a sketch: the cells of the smallest hashes

    @classmethod
    def of(cls, found: Distinct, *choices: Bools) -> list[Counts]:
        """Of a column of texts: counts of each choice among its distinct cells."""
        n, m = len(found.places), len(found.cells)
        rows = np.bincount(found.places, minlength=m + 1)
        first, last = np.empty(m + 1, dtype=np.int64), np.empty(m + 1, dtype=np.int64)
        first[found.places[::-1]] = np.arange(n - 1, -1, -1)  # the last assignment stays
        last[found.places] = np.arange(n)
        counts = []
        for places in map(np.flatnonzero, choices):
            met: dict[str, Met] = {}
            for cell, *seen in zip(found.cells.gather(places), rows[places].tolist(), first[places].tolist(),
                                   last[places].tolist(), strict=True):  # fmt: skip
                met[cell] = _together(met[cell], (seen[0], seen[1], seen[2])) if cell in met else (*seen,)
            counts.append(cls(met)._bounded())
        return counts

    @classmethod
    def of_numbers(cls, names: Iterable[str], rows: Iterable[int]) -> Counts:
        """Of different numbers by their names, each met in so many rows; which these are is not kept."""
        return cls({name: (n, 0, 0) for name, n in zip(names, rows, strict=True)})._bounded()

    @property
    def exact(self) -> bool:
        """Whether every cell is counted."""
        return self.smallest is None

    def n_different(self) -> float:
        """How many cells differ."""
        return len(self.met) if self.smallest is None else self.smallest.n_different()

    def shifted(self, rows: int) -> Counts:
        """The same, further down in the table by so many rows."""
        met = {cell: (n, first + rows, last + rows) for cell, (n, first, last) in self.met.items()}
        return Counts(met, self.lost, self.smallest, self.shown)

    def merge(self, other: Counts) -> Counts:
        """The counts of both samples together."""
        met = dict(self.met)
        for cell, seen in other.met.items():
            met[cell] = _together(met[cell], seen) if cell in met else seen
        if self.smallest is None and other.smallest is None:
            return Counts(met)._bounded()
        parts = [c._sketched() for c in (self, other)]
        (mine, shown), (theirs, further) = parts
        both = _fewest({*shown, *further})
        return Counts(met, self.lost + other.lost, mine.merge(theirs), both)._bounded()

    def _sketched(self) -> tuple[Smallest, tuple[str, ...]]:
        if self.smallest is not None:
            return self.smallest, self.shown
        return Smallest.of(text_hashes(self.met)), _fewest(self.met)

    def _bounded(self) -> Counts:
        """At most `MOST` cells: the count of the next is taken from all."""
        if len(self.met) <= MOST:
            return self
        smallest, shown = self._sketched()
        less = int(np.partition(np.array([n for n, _, _ in self.met.values()]), -MOST - 1)[-MOST - 1])
        met = {cell: (n - less, *rest) for cell, (n, *rest) in self.met.items() if n > less}
        return Counts(met, self.lost + less, smallest, shown)  # type: ignore[arg-type]


def _together(a: Met, b: Met) -> Met:
    return a[0] + b[0], min(a[1], b[1]), max(a[2], b[2])


def _fewest(cells: Iterable[str]) -> tuple[str, ...]:
    """The cells of the smallest hashes."""
    cells = list(cells)
    order = np.argsort(text_hashes(cells), kind="stable")[:SHOWN].tolist()
    return tuple(cells[k] for k in order)


@dataclass(frozen=True)
class CountedTexts:
    """What `Distinct` says of the texts of a column, from counts over chunks.

    plain : cells that are plain numbers; others : all others that are known; absent : cells that mean "missing"
    """

    plain: Counts
    others: Counts
    absent: Counts
    n_rows: int
    n_told: int  # rows whose cell is not missing

    @cached_property
    def cells(self) -> pl.Series:
        """The different cells; of a sketch, those kept."""
        return pl.Series([*self._known, *self.absent.met], dtype=pl.String)

    @cached_property
    def _known(self) -> list[str]:
        kept = [*self.plain.met, *self.others.met, *self.plain.shown, *self.others.shown]
        return list(dict.fromkeys(kept))

    @cached_property
    def missing(self) -> Bools:
        """Which of the cells stand for a missing value."""
        return np.arange(len(self.cells)) >= len(self._known)

    @cached_property
    def known(self) -> pl.Series:
        """The different cells that are not missing, sorted."""
        return sorted_texts(self.cells.filter(pl.Series(~self.missing)))

    @property
    def n_different(self) -> float:
        """How many cells differ, missing ones included."""
        return self.n_levels() + len(self.absent.met)

    def n_levels(self) -> float:
        """How many known cells differ."""
        return self.plain.n_different() + self.others.n_different()

    def n_known(self) -> int:
        """Rows whose cell is not missing."""
        return self.n_told

    def count(self, cells: Bools) -> int:
        """Rows that hold one of these cells, too low by what a sketch lost."""
        return sum(n for _, n, _, _ in self.met(cells))

    def met(self, cells: Bools) -> list[tuple[str, int, int, int]]:
        """These cells as they are met: each with its number of rows and its first and last row, from 0."""
        places = {**self.plain.met, **self.others.met, **self.absent.met}
        found = [(c, *places[c]) for c in self.cells.filter(pl.Series(cells)) if c in places]
        return sorted(found, key=lambda seen: seen[2])
