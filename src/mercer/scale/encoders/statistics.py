"""What encoders learn from, counted in passes over chunks: ranges, moments, ranks, levels, gaps and words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.encode import Encoder
from mercer.encode.base import refuse_empty
from mercer.encode.blocks import level_counts
from mercer.encode.scale import safe_unit
from mercer.encode.text import WordCounts, word_counts
from mercer.errors import BadTable
from mercer.scale.learners.encoding import NumberMoments
from mercer.scale.ranks import different_numbers, order_statistics
from mercer.scale.rows import Count, Part, Rows, State, Sums
from mercer.table import Schema, Table


@dataclass(frozen=True)
class Through(Generic[State]):
    """`count` of rows that fitted encoders have changed, one after the other."""

    count: Count[State]
    steps: tuple[Encoder, ...]

    def __call__(self, part: Part) -> State | None:
        table = part.table
        for step in self.steps:
            table = step._apply(table)
        return self.count(replace(part, table=table))


@dataclass(frozen=True)
class EncodedRows:
    """All rows as an encoder sees them behind the fitted encoders `steps`; each method is a pass or more.

    Attributes
    ----------
    rows : Rows
        As they are read.
    schema : Schema
        What the columns are behind the steps.
    steps : tuple of Encoder
        The fitted encoders before.
    """

    rows: Rows
    schema: Schema
    steps: tuple[Encoder, ...] = ()

    def behind(self, step: Encoder) -> EncodedRows:
        """The same rows behind one more fitted encoder."""
        return EncodedRows(self.rows, step.schema_out_, (*self.steps, step))

    def merge(self, count: Count[State]) -> State:
        """One pass, as of `Rows`."""
        return self.rows.merge(Through(count, self.steps))

    def moments(self, names: tuple[str, ...]) -> tuple[NumberMoments, Floats]:
        """Of numeric columns, divided by a unit each so that squares are within the range of a double; and the units.

        BadColumn where a column has no known number.
        """
        found = self._moments(names, np.ones(len(names)))
        unit = safe_unit(found.low, found.high)
        return (found if (unit == 1).all() else self._moments(names, unit)), unit

    def ranges(self, names: tuple[str, ...]) -> tuple[Longs, Floats, Floats]:
        """How many numbers of each column are known, the smallest and the largest; BadColumn where none is known."""
        found = self._moments(names, np.ones(len(names)))
        return found.known.astype(np.int64), found.low, found.high

    def _moments(self, names: tuple[str, ...], unit: Floats) -> NumberMoments:
        found = self.merge(CountMoments(names, unit)) if names else NumberMoments.of(np.empty((1, 0)))
        refuse_empty(found.known == 0, names)
        return found

    def at_ranks(self, names: tuple[str, ...], ranks: Sequence[Longs]) -> list[Floats]:
        """The numbers of each column at these ranks, from 0."""
        found = order_statistics(self, KnownNumbers(names), {j: places.tolist() for j, places in enumerate(ranks)})
        return [found[j] for j in range(len(names))]

    def below(self, names: tuple[str, ...], edges: Sequence[Floats]) -> Sequence[Longs]:
        """How many numbers of each column are below each of its edges."""
        return self.merge(CountBelow(names, tuple(edges))).values

    def numbers(self, names: tuple[str, ...]) -> list[tuple[Floats, Longs]]:
        """The different numbers of each column, increasing, and how often each is there: 16 bytes for each."""
        return different_numbers(self, KnownNumbers(names), len(names)) if names else []

    def levels(self, names: tuple[str, ...]) -> Sequence[Floats]:
        """The counts of each categorical column as by `level_counts`."""
        return self.merge(CountLevels(names)).values if names else ()

    def gaps(self, names: tuple[str, ...]) -> tuple[int, Longs]:
        """How many rows there are, and how many of them have no known cell in each column."""
        n_rows, lost = self.merge(CountGaps(names)).values
        return n_rows, lost

    def words(self, names: tuple[str, ...]) -> list[WordCounts]:
        """The words of each column of texts."""
        found = self.merge(CountWords(names)).values if names else ()
        return [_word_counts(*pair) for pair in zip(found[::2], found[1::2], strict=True)]

    def each(self, check: Callable[[Table], object]) -> None:
        """Give every table to `check`, which may raise an error."""
        self.merge(Check(check))


@dataclass(frozen=True)
class KnownNumbers:
    """The numbers of columns, (n_rows, n_columns), NaN where one is missing."""

    names: tuple[str, ...]

    def __call__(self, part: Part) -> Floats:
        _refuse_sparse(part.table)
        return part.table.numbers(self.names).astype(np.float64, copy=False)


@dataclass(frozen=True)
class CountMoments:
    """Moments of numeric columns, each divided by a unit."""

    names: tuple[str, ...]
    unit: Floats

    def __call__(self, part: Part) -> NumberMoments:
        return NumberMoments.of(KnownNumbers(self.names)(part) / self.unit)


@dataclass(frozen=True)
class CountBelow:
    """How many numbers of each column are below each of its edges, which increase."""

    names: tuple[str, ...]
    edges: tuple[Floats, ...]

    def __call__(self, part: Part) -> Sums:
        columns = KnownNumbers(self.names)(part).T
        return Sums(tuple(np.searchsorted(np.sort(x), e) for x, e in zip(columns, self.edges, strict=True)))


@dataclass(frozen=True)
class CountLevels:
    """Missing, known and unseen cells of categorical columns."""

    names: tuple[str, ...]

    def __call__(self, part: Part) -> Sums:
        return Sums(tuple(level_counts(part.table, name, None) for name in self.names))


@dataclass(frozen=True)
class CountGaps:
    """Rows, and missing cells of each column."""

    names: tuple[str, ...]

    def __call__(self, part: Part) -> Sums:
        table = part.table
        _refuse_sparse(table)
        return Sums((len(table), np.array([table.missing(n).sum() for n in self.names], dtype=np.int64)))


@dataclass(frozen=True)
class CountWords:
    """Of each column of texts: in how many texts each word stands, then how often it does."""

    names: tuple[str, ...]

    def __call__(self, part: Part) -> Sums:
        found = [word_counts(column) for column in part.table.texts(self.names).T]
        pairs = [(_counter(w.words, w.n_texts), _counter(w.words, w.times)) for w in found]
        return Sums(tuple(counter for pair in pairs for counter in pair))


@dataclass(frozen=True)
class Check:
    """Something to be found out of every table, without a result."""

    check: Callable[[Table], object]

    def __call__(self, part: Part) -> None:
        self.check(part.table)


def _refuse_sparse(table: Table) -> None:
    if table.is_sparse:
        raise BadTable("sparse numbers are not counted in chunks. Give the step that makes them sparse=False.")


def _counter(words: Sequence[str], counts: Longs) -> Counter[str]:
    return Counter(dict(zip(words, counts.tolist(), strict=True)))


def _word_counts(n_texts: Counter[str], times: Counter[str]) -> WordCounts:
    words = sorted(times)
    found = np.array([[n_texts[w], times[w]] for w in words], dtype=np.int64).reshape(-1, 2)
    return WordCounts(words, found[:, 0], found[:, 1])
