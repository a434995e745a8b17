"""The rows of a table in chunks as a learner sees them: tables of one schema, and passes that merge what it counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self, TypeAlias, TypeVar
from uuid import uuid4

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.arrays import Longs
from mercer.scale.chunks import Chunk, Chunks, chunk_source, keeps_labels
from mercer.scale.engine import Engine, Progress
from mercer.scale.memory import MEMORY, Kept
from mercer.scale.sample import Sample
from mercer.scale.survey import SURVEYED, KeptSource
from mercer.scale.target import codes_among, target_labels, target_numbers
from mercer.solvers.held import Held
from mercer.table import Schema, Source, Table
from mercer.table.build import build, conform
from mercer.table.formats.dialect import Options
from mercer.table.missingness import NO_INDICATORS, MissingIndicators
from mercer.table.read import schema_options


class Mergeable(Protocol):
    """The state of some rows, which adds up."""

    def merge(self, other: Self) -> Self:
        """The state of both samples together, the rows of `other` behind."""


State = TypeVar("State", bound=Mergeable)
_TEXT = 200  # bytes of a cell of text


@dataclass(frozen=True)
class Part:
    """The rows of a chunk.

    Attributes
    ----------
    table : Table
        Its rows that have a target.
    target : ndarray of shape (n_rows,)
        Class codes (int32) or numbers.
    fit, place : str, int
        Which fit and chunk of it the rows are of.
    numbers : ndarray of shape (n_rows,) or None
        Which rows of the whole table they are, from 0, where some of the rows are asked for.
    first : int
        Number of the first row in its chunk.
    """

    table: Table
    target: NDArray[Any]
    fit: str = ""
    place: int = 0
    numbers: Longs | None = None
    first: int = 0

    def recall(self, name: str, make: Callable[[], Kept]) -> Kept:
        """What `make` makes of these rows, which is the same in every pass: kept under a name while there is room."""
        found = MEMORY.recall(self.fit, (self.place, self.first, len(self.target), name), make)
        assert found is not None
        return found

    def blocks(self, n_rows: int) -> Iterator[Part]:
        """So many rows at a time, for work that takes much memory a row."""
        if len(self.target) <= n_rows:
            yield self
            return
        for start in range(0, len(self.target), n_rows):
            some = slice(start, start + n_rows)
            numbers = None if self.numbers is None else self.numbers[some]
            table, target = self.table.take(some), self.target[some]
            yield replace(self, table=table, target=target, numbers=numbers, first=self.first + start)

    @property
    def nbytes(self) -> int:
        """Memory that it takes, about."""
        table = self.table
        held = table.number_block.values.nbytes + table.code_block.values.nbytes + self.target.nbytes
        return int(held + _TEXT * table.text_block.values.size)


Count: TypeAlias = Callable[[Part], State | None]


@dataclass(frozen=True)
class Sums:
    """Numbers and arrays that add up."""

    values: tuple[Any, ...]

    def merge(self, other: Sums) -> Sums:
        """The sums over both samples."""
        return Sums(tuple(a + b for a, b in zip(self.values, other.values, strict=True)))


@dataclass(frozen=True)
class States:
    """Several states of the same rows."""

    states: tuple[Any, ...]

    def merge(self, other: States) -> States:
        """Of both samples together."""
        return States(tuple(a.merge(b) for a, b in zip(self.states, other.states, strict=True)))


@dataclass(frozen=True)
class Together:
    """Several counts in one pass."""

    counts: tuple[Count[Any], ...]

    def __call__(self, part: Part) -> States:
        return States(tuple(count(part) for count in self.counts))


@dataclass(frozen=True)
class CountWork:
    """`count` on the rows of a chunk, in the schema of the model."""

    count: Count[Any]
    schema: Schema
    indicators: MissingIndicators
    target: str | None
    labels: NDArray[Any] | None
    missing: tuple[str, ...]
    options: Options
    sample: Sample | None
    fit: str
    learned: bool
    stripped: bool
    dates: str

    def __call__(self, place: int, chunk: Chunk, load: Callable[[], Any]) -> Any:
        part = MEMORY.recall(self.fit, place, lambda: self.part(place, chunk, load))
        return None if part is None else self.count(replace(part, table=self.indicators.apply(part.table)))

    def part(self, place: int, chunk: Chunk, load: Callable[[], Any]) -> Part | None:
        """The rows of the chunk, without indicators of missing cells; None for none."""
        surveyed: KeptSource | None = MEMORY.take(self.fit, (place, SURVEYED))
        source = chunk_source(chunk, load(), self.missing, schema=self.schema) if surveyed is None else surveyed.source
        if source is None:
            return None
        values, known = self._target(source, keeps_labels(chunk) and not self.stripped)
        kept = known if self.sample is None else known & self.sample.chosen(place, len(known))
        values = values[kept[known]]
        if not len(values):
            return None
        if not kept.all():
            source = source.filter(pl.Series(kept))
        table = build(conform(source, self.schema), self.schema)
        numbers = None if self.sample is None else self.sample.row_numbers(place, len(known))[kept]
        return Part(table, values, self.fit, place, numbers)

    def _target(self, source: Source, as_given: bool) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Class codes or numbers of the rows that have one, and which rows these are; its column is taken out."""
        if self.target is None or not self.learned:
            n_rows = source.n_rows
            source.columns = {name: cells for name, cells in source.columns.items() if name != self.target}
            return np.zeros(n_rows), np.ones(n_rows, dtype=bool)
        cells = source.pop(self.target)
        if self.labels is None:
            return target_numbers(cells, source, self.dates)
        labels, codes, known = target_labels(cells, source, as_given)
        return codes_among(labels, self.labels)[codes] if len(codes) else codes, known


@dataclass(frozen=True)
class Rows:
    """All rows, of which no process holds more than a chunk.

    Attributes
    ----------
    schema : Schema
        Of every chunk.
    target : str or None
        The column to predict; None for none.
    labels : ndarray of shape (n_classes,) or None
        The classes in increasing order; None where numbers are predicted.
    counts : ndarray of shape (n_classes,)
        Rows of each class; empty where numbers are predicted.
    sample : Sample or None
        Which of the rows these are; None for all.
    names : ndarray of shape (n_classes,) or None
        What a learner calls the classes; None for their labels.
    learned : bool
        Whether the target is; where it is not, its column is left out, and every row counts.
    stripped : bool
        Whether classes are texts without surrounding blanks also in data frames, as `mercer.train` has them.
    dates : str
        The notation of a target of dates, whose days are predicted; "limits" of numbers beside which cells that are
        none count as missing; '' of any other.
    known : mapping of int to int or None
        How many of these rows each chunk has, by its place; None where nobody counted them.
    gaps : frozenset of str
        Columns that were seen to lack cells, maybe in other rows: what is asked of them is counted along.
    """

    chunks: Chunks
    engine: Engine
    schema: Schema
    target: str | None
    labels: NDArray[Any] | None
    counts: Longs
    indicators: MissingIndicators = NO_INDICATORS
    progress: Progress | None = None
    sample: Sample | None = None
    names: NDArray[Any] | None = None
    learned: bool = True
    stripped: bool = False
    dates: str = ""
    fit: str = field(default_factory=lambda: uuid4().hex)  # by which processes know what they keep
    known: Mapping[int, int] | None = None
    gaps: frozenset[str] = frozenset()

    def merge(self, count: Count[State]) -> State:
        """One pass: what `count` makes of each chunk, merged in the order of the rows.

        count : a function of a Part, or an object that is called as one, which can be pickled; None for no state
        """
        found: State = self.engine.merge(self.chunks, self._work(count), self.progress)
        return found

    def each(self, count: Callable[[int], Callable[[Part], Any]]) -> Iterator[Any]:
        """One pass: what `count(k)` makes of chunk k, chunk after chunk; None for one without rows.

        For what does not merge into something small, and for work that differs from chunk to chunk.
        """
        return self.engine.each(self.chunks, lambda k: self._work(count(k)), self.progress)

    def hold(self, make: Callable[[int], Callable[[Part], Any]]) -> Held:
        """One pass: what `make(k)` makes of chunk k, held where it is made, to be asked again and again.

        What processes keep of the chunks themselves is let go: it is not needed for that.
        """
        held = self.engine.hold(self.chunks, lambda k: self._work(make(k)), self.progress)
        self.engine.forget()
        return held

    def _work(self, count: Callable[[Part], Any]) -> CountWork:
        given = self.schema, self.indicators, self.target, self.labels, self.chunks.missing, self._options
        return CountWork(count, *given, self.sample, self.fit, self.learned, self.stripped, self.dates)

    @property
    def _options(self) -> Options:
        """As the schema says; the target is read as numbers where it was, and as it is written otherwise."""
        options = schema_options(self.chunks.options, self.schema)
        if self.target is None or not self.learned:
            return options
        names = options.names | {self.target}
        numbers = not self.dates if self.labels is None else self.labels.dtype.kind in "iuf"
        return replace(options, names=names, numbers=options.numbers | {self.target} if numbers else options.numbers)

    def anew(self, progress: Progress | None) -> Rows:
        """The same rows for another fit, which keeps nothing of this one."""
        return replace(self, progress=progress, fit=uuid4().hex)

    def flagged(self, indicators: MissingIndicators) -> Rows:
        """The same rows with columns that say where cells are missing."""
        return replace(self, indicators=indicators)

    @property
    def classes(self) -> NDArray[Any]:
        """What the classes are called, where classes are predicted; texts are objects, as in a data frame."""
        assert self.labels is not None
        found = self.labels if self.names is None else self.names
        return found.astype(object) if found.dtype.kind == "U" else found

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return 0 if self.labels is None else len(self.labels)

    def class_codes(self) -> NDArray[np.int32]:
        """A row of each class: with `counts` as weights, all rows as far as classes go."""
        return np.arange(self.n_classes, dtype=np.int32)
