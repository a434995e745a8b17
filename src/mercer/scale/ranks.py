"""Order statistics of numbers in chunks, exact, in two or three passes and bounded memory.

A float's bits, its sign turned, are a whole number in the order of the floats. A pass counts the values by 16 of these
bits, which tells the bucket of each rank; once few values are left in the buckets, a last pass collects them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Longs
from mercer.scale.rows import Count, Part, State

Values: TypeAlias = Callable[[Part], Floats]  # (n_rows, k), NaN where there is none
Keys: TypeAlias = NDArray[np.uint64]
_BITS = 16
_FEW = 1 << 20  # values that are collected


@dataclass(frozen=True)
class Bucket:
    """Values of a column whose first bits are `prefix`; `below` values of the column are smaller."""

    column: int
    prefix: int = 0
    bits: int = 0
    below: int = 0
    size: int = 0

    def chosen(self, keys: Keys) -> Keys:
        """The keys that are in it."""
        return keys if self.bits == 0 else keys[keys >> np.uint64(64 - self.bits) == np.uint64(self.prefix)]

    def next_bits(self, inside: Keys) -> tuple[Keys, Longs]:
        """The first bits of keys that are in it, 16 more than its own, and how many keys have each; without a sort."""
        start = np.uint64(self.prefix << _BITS)
        counts = np.bincount(((inside >> np.uint64(64 - self.bits - _BITS)) - start).astype(np.int64))
        different = np.flatnonzero(counts)
        return different.astype(np.uint64) + start, counts[different].astype(np.int64)


@dataclass(frozen=True)
class Pieces:
    """Counts, or different values with their counts, of each bucket."""

    found: tuple[tuple[Keys, Longs], ...]  # sorted keys, how often each

    def merge(self, other: Pieces) -> Pieces:
        """Of both samples together."""
        return Pieces(tuple(_joined(a, b) for a, b in zip(self.found, other.found, strict=True)))


@dataclass(frozen=True)
class CountBuckets:
    """How many values of each bucket have which next bits; or, with `collect`, the values themselves."""

    values: Values
    buckets: tuple[Bucket, ...]
    collect: bool

    def __call__(self, part: Part) -> Pieces:
        values = self.values(part)
        keys = {j: keys_of(values[:, j]) for j in {b.column for b in self.buckets}}
        found = []
        for bucket in self.buckets:
            inside = bucket.chosen(keys[bucket.column])
            found.append(counted(inside) if self.collect else bucket.next_bits(inside))
        return Pieces(tuple(found))


class Passes(Protocol):
    """Rows of which passes are made, as of `Rows`."""

    def merge(self, count: Count[State]) -> State:
        """One pass."""


def first_buckets(values: Values, columns: Sequence[int]) -> CountBuckets:
    """The first pass for order statistics of these columns, to be made beside another one."""
    return CountBuckets(values, tuple(Bucket(j) for j in columns), False)


def order_statistics(
    rows: Passes, values: Values, ranks: Mapping[int, Sequence[int]], first: Pieces | None = None
) -> dict[int, Floats]:
    """The values at these ranks (from 0) of each column, among those that are not NaN, in increasing order.

    first : what `first_buckets` found for the columns of `ranks`, in their order; None to ask for it
    """
    wanted = [(column, rank) for column, places in ranks.items() for rank in places]
    held = [Bucket(column) for column, _ in wanted]
    while held and any(b.bits == 0 or (b.size > _FEW and b.bits < 64) for b in held):
        buckets = tuple(dict.fromkeys(held))
        pieces = rows.merge(CountBuckets(values, buckets, False)) if first is None or held[0].bits else first
        found = dict(zip(buckets, pieces.found, strict=True))
        held = [_narrowed(b, rank, *found[b]) for b, (_, rank) in zip(held, wanted, strict=True)]
    buckets = tuple(dict.fromkeys(held))
    collected = dict(zip(buckets, rows.merge(CountBuckets(values, buckets, True)).found, strict=True)) if held else {}
    answers: dict[int, list[float]] = {column: [] for column in ranks}
    for bucket, (column, rank) in zip(held, wanted, strict=True):
        keys, counts = collected[bucket]
        place = int(np.searchsorted(np.cumsum(counts), rank - bucket.below, side="right"))
        answers[column].append(float(_values(keys[place : place + 1])[0]))
    return {column: np.array(found) for column, found in answers.items()}


def different_numbers(rows: Passes, values: Values, n_columns: int) -> list[tuple[Floats, Longs]]:
    """The different values of each column in increasing order, and how often each is there: 16 bytes for each."""
    found = rows.merge(CountBuckets(values, tuple(Bucket(j) for j in range(n_columns)), True)).found
    return [(_values(keys), counts) for keys, counts in found]


def _narrowed(bucket: Bucket, rank: int, keys: Keys, counts: Longs) -> Bucket:
    ends = np.cumsum(counts)
    place = int(np.searchsorted(ends, rank - bucket.below, side="right"))
    below = bucket.below + int(ends[place] - counts[place])
    return replace(bucket, prefix=int(keys[place]), bits=bucket.bits + _BITS, below=below, size=int(counts[place]))


def keys_of(values: Any) -> Keys:
    """Whole numbers in the order of the floats, of those that are not NaN."""
    known = np.asarray(values, dtype=np.float64)
    bits = (known[~np.isnan(known)] + 0.0).view(np.uint64)
    top = np.uint64(1 << 63)
    return np.where(bits & top, ~bits, bits | top)


def counted(keys: Keys) -> tuple[Keys, Longs]:
    """The different keys in increasing order, and how often each is there."""
    different, counts = np.unique(keys, return_counts=True)
    return different, counts.astype(np.int64)


def _values(keys: Keys) -> Floats:
    """The floats of whole numbers that `keys_of` made."""
    top = np.uint64(1 << 63)
    return np.where(keys & top, keys ^ top, ~keys).view(np.float64)


def _joined(a: tuple[Keys, Longs], b: tuple[Keys, Longs]) -> tuple[Keys, Longs]:
    keys, places = np.unique(np.concatenate([a[0], b[0]]), return_inverse=True)
    return keys, np.bincount(places, weights=np.concatenate([a[1], b[1]]), minlength=len(keys)).astype(np.int64)
