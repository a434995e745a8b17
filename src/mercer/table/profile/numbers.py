"""The numbers of a column over chunks of rows: their ends, their order, and how many differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.table.kinds.identifiers import names_rows, nearly_all_differ
from mercer.table.kinds.markers import Ends, Marker
from mercer.table.profile.cells import SAMPLE, NumberCells
from mercer.table.profile.counts import Smallest, number_hashes


@dataclass(frozen=True)
class NumberProfile:
    """What `NumberCells` says of numbers in memory, of disjoint chunks merged in the order of their rows."""

    n_rows: int
    n_missing: int
    whole: bool
    low: Any = None
    high: Any = None
    few: frozenset[Any] | None = frozenset()  # the different numbers, None for more than two
    outermost: Ends | None = None
    ends: tuple[Any, Any] | None = None  # the first and the last number where they are in order, None where not
    head: NDArray[Any] | None = None  # the first numbers of a column of whole ones
    smallest: Smallest | None = None  # None where no rule will ask how many differ

    @classmethod
    def of(cls, cells: NumberCells, name: str) -> NumberProfile:
        """Of a chunk."""
        if cells.n_missing == cells.n_rows or cells.low is None or cells.low != cells.low:
            return cls(cells.n_rows, cells.n_rows, cells.whole)
        low, high = cells.low, cells.high
        few = frozenset((low, high)) if cells.has_only_ends() else None
        outermost = cells.outermost()
        if not cells.whole:
            return cls(cells.n_rows, cells.n_missing, False, low, high, few, outermost)
        numbers = cells.cells.drop_nulls().to_numpy()
        ends = (numbers[0], numbers[-1]) if cells.in_order() else None
        asked = names_rows(name) or nearly_all_differ(numbers[:SAMPLE], 0.5)
        smallest = Smallest.of(number_hashes(numbers)) if asked else None
        head = numbers[:SAMPLE].copy()
        return cls(cells.n_rows, cells.n_missing, True, low, high, few, outermost, ends, head, smallest)

    @property
    def n_known(self) -> int:
        """Rows that have a number."""
        return self.n_rows - self.n_missing

    @property
    def dtype(self) -> pl.DataType:
        """A type that holds them."""
        return pl.Int64() if self.whole else pl.Float64()

    def merge(self, other: NumberProfile) -> NumberProfile:
        """Of both samples together, the rows of `other` behind."""
        n_rows, n_missing = self.n_rows + other.n_rows, self.n_missing + other.n_missing
        if not self.n_known or not other.n_known:
            return replace(self if self.n_known else other, n_rows=n_rows, n_missing=n_missing)
        few = None if self.few is None or other.few is None else self.few | other.few
        ordered = self.ends is not None and other.ends is not None and self.ends[1] <= other.ends[0]
        head = None if self.head is None or other.head is None else np.concatenate([self.head, other.head])[:SAMPLE]
        asked = self.smallest is not None and other.smallest is not None
        return NumberProfile(
            n_rows,
            n_missing,
            self.whole and other.whole,
            min(self.low, other.low),
            max(self.high, other.high),
            None if few is None or len(few) > 2 else few,
            self.outermost.merge(other.outermost),  # type: ignore[union-attr, arg-type]
            (self.ends[0], other.ends[1]) if ordered else None,  # type: ignore[index]
            head,
            self.smallest.merge(other.smallest) if asked else None,  # type: ignore[union-attr, arg-type]
        )

    def has_only_ends(self) -> bool:
        """Whether every number is the smallest or the largest."""
        return self.few is not None

    def missing_marker(self) -> Marker | None:
        """The number that may stand for a missing value."""
        return None if self.outermost is None else self.outermost.marker()

    def in_order(self) -> bool:
        """Whether no number is below the one before."""
        return self.ends is not None

    def n_different(self) -> float:
        """How many different numbers there are; 0 where a chunk showed that they are few."""
        return 0 if self.smallest is None else self.smallest.n_different()

    def nearly_all_differ(self, share: float) -> bool:
        """Whether more than this share of the numbers differ, of the first 2,000 and of all."""
        if self.head is None or not nearly_all_differ(self.head, share):
            return False
        return self.n_different() > share * self.n_known
