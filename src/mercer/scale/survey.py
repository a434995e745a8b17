"""The first pass: what the columns and the target of all chunks together are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mercer.errors import BadColumn, BadTable, BadTarget, did_you_mean
from mercer.scale.chunks import Chunk, Chunks, chunk_source, keeps_labels, reads_alike
from mercer.scale.engine import Engine, Progress
from mercer.scale.memory import MEMORY
from mercer.scale.target import Amounts, Classes, Either, count_target
from mercer.table import Cause, Schema, Source
from mercer.table.formats.dialect import Options
from mercer.table.infer import infer_profiles
from mercer.table.profile.column import ColumnProfile, profile_columns

SURVEYED = "cells of the first pass"


@dataclass(frozen=True)
class TableProfile:
    """The profiles of the columns and of the target of some chunks."""

    columns: dict[str, ColumnProfile]
    target: Classes | Amounts | Either
    sizes: dict[int, int]  # rows of each chunk, by its place
    known: dict[int, int]  # those that have a target
    where: str

    def merge(self, other: TableProfile) -> TableProfile:
        """Of both samples together, the rows of `other` behind."""
        odd = sorted(self.columns.keys() ^ other.columns.keys())
        if odd:
            has, lacks = (self, other) if odd[0] in self.columns else (other, self)
            raise BadColumn(
                f"{lacks.where} has no column {odd[0]!r}, which {has.where} has. Give chunks of the same columns, or "
                "leave one of the files out."
            )
        columns = {name: profile.merge(other.columns[name]) for name, profile in self.columns.items()}
        sizes, known = self.sizes | other.sizes, self.known | other.known
        return TableProfile(columns, self.target.merge(other.target), sizes, known, self.where)  # type: ignore[arg-type]


@dataclass(frozen=True)
class KeptSource:
    """The cells of a chunk, kept for the pass behind the first, which would read the same."""

    source: Source

    @property
    def nbytes(self) -> int:
        """Memory that they take."""
        return int(sum(cells.estimated_size() for cells in self.source.columns.values()))


@dataclass(frozen=True)
class ProfileWork:
    """The profile of a chunk."""

    target: str | None
    classes: bool | None
    kinds: Mapping[str, Any]
    missing: tuple[str, ...]
    options: Options
    fit: str = ""
    learned: bool = True
    counted: frozenset[str] = frozenset()  # columns whose different numbers are counted

    def __call__(self, place: int, chunk: Chunk, load: Callable[[], Any]) -> TableProfile | None:
        source = chunk_source(chunk, load(), self.missing)
        if source is None:
            return None
        if self.target is not None and self.target not in source.columns:
            raise BadTarget(
                f"there is no column {self.target!r} to predict. {did_you_mean(self.target, source.columns)}"
            )
        if source.sparse is not None:
            raise BadTable("sparse tables are not learned in chunks. Give a table of columns.")
        n_rows, cells = source.n_rows, None if self.target is None else source.columns.pop(self.target)
        columns = profile_columns(source, chunk.name, {*self.kinds, *self.counted})
        target: Classes | Amounts | Either = Amounts(n_rows, 0)
        if cells is not None and self.learned:
            target = count_target(cells, source, chunk.name, classes=self.classes, as_given=keeps_labels(chunk))
        if self.fit and reads_alike(chunk):
            if cells is not None:
                source.columns[str(self.target)] = cells
            MEMORY.recall(self.fit, (place, SURVEYED), lambda: KeptSource(source))
        return TableProfile(columns, target, {place: n_rows}, {place: target.n_known}, chunk.name)


@dataclass(frozen=True)
class Survey:
    """The schema of a table in chunks, its target, and the profiles of its columns.

    Attributes
    ----------
    schema : Schema
        What each column is, and why.
    target : Classes, Amounts or Either
        Of all rows.
    columns : dict of str to ColumnProfile
        The columns of the input.
    sizes, known : dict of int to int
        Rows of each chunk that has rows, by its place; those of them that have a target.
    """

    schema: Schema
    target: Classes | Amounts | Either
    columns: dict[str, ColumnProfile]
    sizes: dict[int, int]
    known: dict[int, int]

    @property
    def n_rows(self) -> int:
        """Rows of all chunks, also those without a target."""
        return sum(self.sizes.values())

    @property
    def gaps(self) -> frozenset[str]:
        """Columns that lack cells."""
        return frozenset(name for name, column in self.columns.items() if column.n_missing)


def survey(
    chunks: Chunks,
    engine: Engine,
    target: str | None,
    kinds: Mapping[str, Any] | None,
    *,
    classes: bool | None,
    progress: Progress | None = None,
    fit: str = "",
    learned: bool = True,
) -> Survey:
    """One pass over the chunks; BadTable or BadTarget if there is nothing to learn.

    A second one counts the numbers of columns that hold texts in other chunks, or whose one number is to be a level.

    classes : whether the target is classes; None counts it as classes and as numbers, as far as it can be either
    fit : for which cells are kept while there is room; '' keeps none
    learned : whether the target is; where it is not, its column is left out, and every row counts
    """
    work = ProfileWork(target, classes, dict(kinds or {}), chunks.missing, chunks.options, fit, learned)
    found: TableProfile | None = engine.merge(chunks, work, progress)
    if found is None:
        raise BadTable("The table has no rows: every chunk is empty.")
    mixed = frozenset(name for name, profile in found.columns.items() if profile.has_uncounted_numbers)
    if mixed:
        found = engine.merge(chunks, replace(work, counted=mixed), progress)
        assert found is not None
    schema = infer_profiles(found.columns, kinds)
    if not learned and not len(schema):  # as of one table, encoders take constant columns where there are no others
        constant = {c.name: "category" for c in schema.left_out if c.cause is Cause.CONSTANT}
        found = engine.merge(chunks, replace(work, counted=mixed | constant.keys()), progress)
        assert found is not None
        schema = infer_profiles(found.columns, constant)
    if not len(schema):
        reasons = "; ".join(f"{c.name!r}: {c.reason}" for c in schema.left_out[:3])
        raise BadTable(f"No column is left to learn from ({reasons}).")
    if not found.target.n_known:
        raise BadTarget(f"Every cell of the target {target!r} is missing. Name another column as the target.")
    return Survey(schema, found.target, found.columns, found.sizes, found.known)
