"""A column over chunks of rows, as inference asks about it."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from mercer.arrays import Bools, Floats
from mercer.errors import BadColumn
from mercer.table.formats.cells import matches
from mercer.table.formats.notation import PLAIN, read_numbers
from mercer.table.formats.source import Distinct, Source
from mercer.table.kinds.levels import declared_levels, number_levels, sort_levels
from mercer.table.kinds.parts import typed_days
from mercer.table.profile.cells import ColumnCells, NumberCells, is_whole
from mercer.table.profile.counts import MOST, CountedTexts, Counts, number_hashes
from mercer.table.profile.numbers import NumberProfile

_NAME = "[+-]?[0-9]{19,}|0[0-9]+"  # digits that may be a name: too long for 64 bits, or with a leading zero
_MANY = 0.5  # of the first numbers differ: no rule will ask for all
_NOTHING = Counts()


@dataclass(frozen=True)
class ColumnProfile:
    """What `ColumnCells` says of a column in memory, of disjoint chunks merged in the order of their rows."""

    name: str
    where: str  # the chunk, or the first of those merged
    dtype: Any
    n_rows: int
    n_missing: int
    typed: bool
    nominal: bool
    number: NumberProfile | None = None
    plain: Counts | None = _NOTHING  # texts that are plain numbers, or numbers by their names; None: not counted
    others: Counts = _NOTHING
    absent: Counts = _NOTHING
    declared: tuple[str, ...] = ()
    dates: Floats | None = None  # different hours, in days

    @classmethod
    def of(cls, source: Source, name: str, where: str, *, levels: bool = False) -> ColumnProfile:
        """Of a column of a chunk; `levels` asks for those of a column of numbers."""
        cells = ColumnCells(source, name)
        known = cls(name, where, cells.dtype, cells.n_rows, cells.n_missing, cells.typed, cells.nominal)
        if cells.n_missing == cells.n_rows:
            return replace(known, dtype=pl.Null(), number=NumberProfile(cells.n_rows, cells.n_rows, True))
        dtype = cells.dtype
        if isinstance(dtype, pl.Enum | pl.Categorical):
            return replace(known, declared=declared_levels(source.columns[name]))
        if dtype in (pl.Date, pl.Datetime):
            days = typed_days(source.columns[name].drop_nulls()).to_numpy()
            return replace(known, dates=_spread_out(np.floor(days * 24 + 1e-9) / 24))
        if dtype == pl.Boolean:
            return replace(known, plain=_values(cells.values()))
        if dtype.is_numeric():
            numbers = cells.numbers()
            kept = _level_counts(numbers) if levels else None
            return replace(known, number=NumberProfile.of(numbers, name), n_missing=numbers.n_missing, plain=kept)
        return known._with_texts(cells.texts()) if dtype == pl.String else known

    def _with_texts(self, found: Distinct) -> ColumnProfile:
        values = read_numbers(found.cells, PLAIN)
        plain = values.is_not_null().to_numpy() & ~found.missing & ~matches(found.cells, _NAME)
        number = _spread_numbers(found, values, plain, self.name)
        counts = Counts.of(found, plain, ~plain & ~found.missing, found.missing)
        return replace(self, number=number, plain=counts[0], others=counts[1], absent=counts[2])

    def merge(self, other: ColumnProfile) -> ColumnProfile:
        """Of both samples together, the rows of `other` behind."""
        dtype = self._common_type(other)
        number = None
        if self.number is not None and other.number is not None:
            number = self.number.merge(other.number)
        known = self.plain is not None and other.plain is not None
        return ColumnProfile(
            self.name,
            self.where,
            dtype,
            self.n_rows + other.n_rows,
            self.n_missing + other.n_missing,
            (self.typed or self._is_empty) and (other.typed or other._is_empty) and (self.typed or other.typed),
            (self.nominal or self._is_empty) and (other.nominal or other._is_empty),
            number,
            self.plain.merge(other.plain.shifted(self.n_rows)) if known else None,  # type: ignore[union-attr]
            self.others.merge(other.others.shifted(self.n_rows)),
            self.absent.merge(other.absent.shifted(self.n_rows)),
            self._common_levels(other),
            _either(self.dates, other.dates),
        )

    @property
    def has_uncounted_numbers(self) -> bool:
        """Whether some chunks hold texts and others numbers, of which nobody asked how often they are met."""
        return self.dtype == pl.String and self.plain is None

    @property
    def _is_empty(self) -> bool:
        return self.dtype == pl.Null

    def _common_type(self, other: ColumnProfile) -> Any:
        mine, theirs = self.dtype, other.dtype
        if mine == theirs or other._is_empty:
            return mine
        if self._is_empty:
            return theirs
        both = {mine, theirs}
        if all(t.is_numeric() for t in both):
            return pl.Int64() if all(t.is_integer() for t in both) else pl.Float64()
        if all(t.is_numeric() or t == pl.String for t in both):
            return pl.String()
        families = [_family(t) for t in (mine, theirs)]
        if families[0] == families[1] != "other":
            return mine
        raise BadColumn(
            f"Column {self.name!r} holds {_said(mine)} in {self.where}, but {_said(theirs)} in {other.where}. Make the "
            "chunks alike, or leave the column out."
        )

    def _common_levels(self, other: ColumnProfile) -> tuple[str, ...]:
        if self.declared == other.declared or not other.declared:
            return self.declared
        if not self.declared:
            return other.declared
        if not (self.nominal and other.nominal) and isinstance(self.dtype, pl.Enum):
            raise BadColumn(
                f"The ordered levels of column {self.name!r} in {other.where} are not those in {self.where}. Declare "
                "the same levels in the same order in every chunk."
            )
        return sort_levels({*self.declared, *other.declared})

    def numbers(self) -> NumberProfile:
        """The cells of a type of numbers."""
        assert self.number is not None
        return self.number

    def written_numbers(self) -> NumberProfile:
        """The numbers of a column of texts in which every known one is a plain number."""
        return self.numbers()

    def values(self) -> pl.Series:
        """The different cells of a column of truth values."""
        assert self.plain is not None
        return pl.Series([cell == "True" for cell in self.plain.met], dtype=pl.Boolean)

    def texts(self) -> CountedTexts:
        """The different cells of a column of texts."""
        if self.plain is None:
            raise BadColumn(
                f"Column {self.name!r} holds numbers in some chunks and texts in others, {self.where} the first of "
                'them. Say what it is: kinds={"' + self.name + '": "numeric"}, "text" or "skip".'
            )
        told = self.n_rows - self.n_missing - sum(n for n, _, _ in self.absent.met.values())
        return CountedTexts(self.plain, self.others, self.absent, self.n_rows, told)

    def n_levels(self) -> float:
        """How many levels a column of texts has."""
        return self.texts().n_levels()

    def levels(self) -> tuple[str, ...]:
        """The levels of a column of any type, sorted; of more than are counted, the most frequent."""
        if self.declared:
            return self.declared
        assert self.plain is not None
        return sort_levels([*self.plain.met, *self.others.met])

    def days(self) -> tuple[Floats, int]:
        """Dates of a type of dates as days, and how many rows have one."""
        assert self.dates is not None
        return self.dates, self.n_rows - self.n_missing


def profile_columns(source: Source, where: str, counted: Container[str]) -> dict[str, ColumnProfile]:
    """The profiles of all columns of a chunk; `counted`: columns of numbers that are counted as levels."""
    return {name: ColumnProfile.of(source, name, where, levels=name in counted) for name in source.columns}


def _spread_numbers(found: Distinct, values: pl.Series, plain: Bools, name: str) -> NumberProfile:
    """The plain numbers of a column of texts, row by row."""
    numbers = np.where(plain, values.fill_null(np.nan).to_numpy(), np.nan)
    rows = pl.Series(found.spread(numbers, np.nan), nan_to_null=True)
    whole = bool(np.all(is_whole(numbers) | ~plain))
    return NumberProfile.of(NumberCells(rows.cast(pl.Int64, strict=False) if whole else rows), name)


def _level_counts(numbers: NumberCells) -> Counts | None:
    """Different numbers by their names; None where nearly all differ, so that they are no levels."""
    known = numbers.cells.drop_nulls()
    head = known.head(2000).to_numpy()
    if len(head) == 2000 and len(np.unique(head)) > _MANY * len(head):
        return None
    values, rows = np.unique(known.to_numpy(), return_counts=True)
    return Counts.of_numbers(number_levels(pl.Series(values)), rows.tolist())


def _values(cells: pl.Series) -> Counts:
    return Counts.of_numbers(number_levels(cells), [1] * len(cells))


def _either(a: Floats | None, b: Floats | None) -> Floats | None:
    if a is None or b is None:
        return a if b is None else b
    return _spread_out(np.append(a, b))


def _spread_out(hours: Floats) -> Floats:
    """Different hours of some days; of too many, those of the smallest hashes, which are a sample of all."""
    hours = np.unique(hours)
    return hours if len(hours) <= MOST else np.sort(hours[np.argsort(number_hashes(hours))[:MOST]])


def _family(dtype: Any) -> str:
    if dtype in (pl.Date, pl.Datetime):
        return "dates"
    if isinstance(dtype, pl.Enum | pl.Categorical):
        return "levels"
    return "times" if dtype in (pl.Duration, pl.Time) else "other"


def _said(dtype: Any) -> str:
    if dtype.is_numeric():
        return "numbers"
    return "texts" if dtype == pl.String else f"cells of type {dtype}"
