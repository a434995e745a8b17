"""Which columns get an indicator of missing cells, decided on all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.scale.ranks import Keys, Pieces, counted, keys_of
from mercer.scale.rows import Part, Rows, Sums
from mercer.table import Kind
from mercer.table.missingness import (
    LEVEL,
    NO_INDICATORS,
    MissingIndicator,
    MissingIndicators,
    class_association,
    middle_ranks,
    rank_association,
)

_MOST_NUMBERS = 1 << 22  # different numbers whose ranks are known, 64 MB; of more, nearly equal ones share a rank
_ALL_BITS, _LESS = 64, 8


@dataclass(frozen=True)
class CountGaps:
    """Rows of each class whose cell is missing, (n_columns, n_classes)."""

    n_classes: int

    def __call__(self, part: Part) -> Sums:
        names = part.table.schema.names
        gone = np.array([np.bincount(part.target[part.table.missing(n)], minlength=self.n_classes) for n in names])
        return Sums((gone,))


@dataclass(frozen=True)
class NumberCounts:
    """How often each number is there: by the first bits of a float, as few as keep the numbers few."""

    keys: Keys  # in increasing order
    counts: Longs
    bits: int = _ALL_BITS

    def merge(self, other: NumberCounts) -> NumberCounts:
        """Of both samples together: the bits depend on all numbers, not on the order of merging."""
        bits = min(self.bits, other.bits)
        (found,) = Pieces((self.cut(bits),)).merge(Pieces((other.cut(bits),))).found
        return NumberCounts(*found, bits).few()

    def cut(self, bits: int) -> tuple[Keys, Longs]:
        """The first bits, and their counts."""
        keys, places = np.unique(self.keys >> np.uint64(self.bits - bits), return_inverse=True)
        return keys, np.bincount(places, weights=self.counts, minlength=len(keys)).astype(np.int64)

    def few(self) -> NumberCounts:
        """With fewer bits where there are too many numbers."""
        found = self
        while len(found.keys) > _MOST_NUMBERS:
            found = NumberCounts(*found.cut(found.bits - _LESS), found.bits - _LESS)
        return found


def count_gaps(part: Part) -> Sums:
    """How many cells are missing."""
    return Sums((sum(int(part.table.missing(n).sum()) for n in part.table.schema.names),))


def count_target_numbers(part: Part) -> NumberCounts:
    """The numbers of the target."""
    return NumberCounts(*counted(keys_of(part.target))).few()


@dataclass(frozen=True)
class CountRanks:
    """Rows whose cell is missing and the sum of the ranks of their target, (n_columns,) each."""

    known: NumberCounts
    rank: Floats

    def __call__(self, part: Part) -> Sums:
        gone = np.array([part.table.missing(n) for n in part.table.schema.names])
        places = np.searchsorted(self.known.keys, keys_of(part.target) >> np.uint64(_ALL_BITS - self.known.bits))
        return Sums((gone.sum(axis=1).astype(np.float64), gone @ self.rank[places]))


def number_indicators(rows: Rows, kind: Kind, choice: MissingIndicator) -> MissingIndicators:
    """What `MissingIndicators.learn` finds in all rows at once where numbers are predicted, from up to three passes."""
    if choice is False:
        return NO_INDICATORS
    if not rows.merge(count_gaps).values[0]:
        return NO_INDICATORS
    known = rows.merge(count_target_numbers)
    mass = known.counts.astype(np.float64)
    rank = middle_ranks(mass)
    lost, shift = rows.merge(CountRanks(known, rank)).values
    p = {
        c.name: rank_association(float(gone), float(moved), rank, mass)
        for c, gone, moved in zip(rows.schema, lost, shift, strict=True)
        if gone and c.is_main
    }
    found = [name for name, value in p.items() if choice is True or value < LEVEL / len(p)]
    return MissingIndicators.of(rows.schema, found, kind)


def class_indicators(rows: Rows, kind: Kind, choice: MissingIndicator) -> MissingIndicators:
    """What `MissingIndicators.learn` finds in all rows at once, from one pass."""
    if choice is False:
        return NO_INDICATORS
    gone = rows.merge(CountGaps(rows.n_classes)).values[0]
    found = [c.name for c, g in zip(rows.schema, gone, strict=True) if g.any() and c.is_main]
    if choice == "auto":
        place = {name: k for k, name in enumerate(rows.schema.names)}
        total = rows.counts.astype(np.float64)
        found = [n for n in found if class_association(gone[place[n]] * 1.0, total) < LEVEL / len(found)]
    return MissingIndicators.of(rows.schema, found, kind)
