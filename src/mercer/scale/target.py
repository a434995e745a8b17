"""The target of a table in chunks: its classes, or that it is numbers; the rows that have none are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.arrays import Bools, Longs
from mercer.errors import BadFile, BadTarget
from mercer.table import Source
from mercer.table.formats.notation import ISO, ISO_DATE, LIMITS, PLAIN, in_words, read_numbers
from mercer.table.kinds.parts import typed_days
from mercer.table.kinds.strays import named_cells
from mercer.table.profile.counts import Counts
from mercer.table.target import label_codes
from mercer.table.target_column import written_dates

MOST_CLASSES = 1 << 16
_DATE_TYPES = (pl.Date, pl.Datetime)


class TooManyClasses(BadTarget):
    """More classes than are counted."""


@dataclass(frozen=True)
class Classes:
    """The classes of some rows, and how many rows each has."""

    labels: NDArray[Any]  # in increasing order
    counts: Longs
    n_missing: int
    where: str

    @property
    def n_known(self) -> int:
        """Rows that have a class."""
        return int(self.counts.sum())

    def merge(self, other: Classes) -> Classes:
        """Of both samples together."""
        if not len(self.labels) or not len(other.labels):
            kept = self if len(self.labels) else other
            return Classes(kept.labels, kept.counts, self.n_missing + other.n_missing, kept.where)
        if (self.labels.dtype.kind == "U") != (other.labels.dtype.kind == "U"):
            raise BadTarget(
                f"The target is {_said(self.labels)} in {self.where}, but {_said(other.labels)} in {other.where}. "
                "Make the chunks alike."
            )
        labels = np.unique(np.concatenate([self.labels, other.labels]))
        if len(labels) > MOST_CLASSES:
            raise TooManyClasses(
                f"The target has more than {MOST_CLASSES:,} classes. Name another column as the target."
            )
        counts = np.zeros(len(labels), dtype=np.int64)
        for part in (self, other):
            counts[np.searchsorted(labels, part.labels)] += part.counts
        return Classes(labels, counts, self.n_missing + other.n_missing, self.where)


@dataclass(frozen=True)
class Amounts:
    """How many rows have a number as their target, how many have none, and the ends of the numbers."""

    n_known: int
    n_missing: int
    low: float = np.inf
    high: float = -np.inf

    def merge(self, other: Amounts) -> Amounts:
        """Of both samples together."""
        counts = self.n_known + other.n_known, self.n_missing + other.n_missing
        return Amounts(*counts, min(self.low, other.low), max(self.high, other.high))


@dataclass(frozen=True)
class ButForStrays:
    """What a target is without the cells that are no numbers: amounts or few of them, and these cells."""

    amounts: Amounts
    classes: Classes | None
    whole: bool
    strays: Counts
    n_rows: int

    def merge(self, other: ButForStrays) -> ButForStrays:
        """Of both samples together, the rows of `other` behind."""
        try:
            classes = self.classes and other.classes and self.classes.merge(other.classes)
        except TooManyClasses:
            classes = None
        strays = self.strays.merge(other.strays.shifted(self.n_rows))
        amounts, whole = self.amounts.merge(other.amounts), self.whole and other.whole
        return ButForStrays(amounts, classes, whole, strays, self.n_rows + other.n_rows)

    @property
    def n_values(self) -> float:
        """How many numbers differ; infinity for more than are counted."""
        return np.inf if self.classes is None else len(self.classes.labels)

    @property
    def n_strays(self) -> int:
        """Rows that hold a cell that is no number."""
        return sum(n for n, _, _ in self.strays.met.values())

    def statement(self) -> str:
        """The cells that are no numbers, in words."""
        met = sorted(((cell, *seen) for cell, seen in self.strays.met.items()), key=lambda seen: seen[2])
        cells = "cells" if self.n_strays > 1 else "cell"
        return f"; {self.n_strays:,} other {cells} read as missing: {named_cells(met)}"


@dataclass(frozen=True)
class Either:
    """A target of which it is not said whether it is classes or numbers: what it is as far as it can be either."""

    classes: Classes | None  # None for too many
    amounts: Amounts | None  # None where a cell is no number
    whole: bool  # every number is
    dates: str = ""  # the notation of dates, which are numbers of days; '' of others
    where: str = ""
    doubt: str = ""  # why it cannot be said whether these are dates
    numbers: ButForStrays | None = None  # None for dates, and where most cells are no numbers
    unlike: str = ""  # why the classes of chunks cannot be counted together

    @property
    def n_known(self) -> int:
        """Rows that have a target."""
        found = self.amounts or self.classes or (None if self.numbers is None else self.numbers.amounts)
        return 0 if found is None else found.n_known

    def merge(self, other: Either) -> Either:
        """Of both samples together."""
        amounts = self.amounts and other.amounts and self.amounts.merge(other.amounts)
        numbers = self.numbers and other.numbers and self.numbers.merge(other.numbers)
        unlike = self.unlike or other.unlike
        try:
            classes = self.classes and other.classes and self.classes.merge(other.classes)
        except BadTarget as error:
            if amounts is None and numbers is None:
                raise
            classes = None
            unlike = "" if isinstance(error, TooManyClasses) else str(error)
        if unlike and numbers is None:
            raise BadTarget(unlike)
        first, whole = self if self.n_known else other, self.whole and other.whole
        doubt = self._doubt_with(other)
        return Either(classes, amounts, whole, first.dates, first.where, doubt, numbers, unlike)

    def _doubt_with(self, other: Either) -> str:
        if self.dates == other.dates or not self.n_known or not other.n_known:
            return self.doubt or other.doubt
        first, second = (in_words(one.dates) if one.dates else "other cells" for one in (self, other))
        return self.doubt or other.doubt or f"{first} in {self.where}, but {second} in {other.where}"


def count_target(
    cells: pl.Series, source: Source, where: str, *, classes: bool | None, as_given: bool = False
) -> Classes | Amounts | Either:
    """What is to be known of the target before the rows can be learned from.

    classes : as in `survey`; as_given : as in `target_labels`
    """
    if classes is None:
        return _count_either(cells, source, where)
    return _count_classes(cells, source, where, as_given) if classes else _count_amounts(cells, source)


def _count_either(cells: pl.Series, source: Source, where: str) -> Either:
    dates = _dates(cells, source)
    try:
        numbers = None if cells.dtype == pl.Boolean else target_numbers(cells, source, dates)[0]
    except BadTarget:
        numbers = None
    if numbers is None:
        without = _but_for_strays(cells, source, where) if cells.dtype == pl.String and not dates else None
        return Either(_count_classes(cells, source, where), None, False, where=where, numbers=without)
    few = len(np.unique(numbers)) <= MOST_CLASSES and cells.dtype not in _DATE_TYPES
    whole = bool((numbers == np.round(numbers)).all())
    classes = _count_classes(cells, source, where) if few else None
    amounts = _count_amounts(cells, source, dates)
    without = None if dates else ButForStrays(amounts, classes, whole, Counts(), len(cells))
    return Either(classes, amounts, whole, dates, where, numbers=without)


def _but_for_strays(cells: pl.Series, source: Source, where: str) -> ButForStrays | None:
    """What is to be known of texts of which most are numbers; None of other texts."""
    numbers = read_amounts(source.known(cells))
    values = numbers.drop_nulls().to_numpy()
    found = source.distinct_of(cells)
    strays = read_amounts(found.cells).is_null().to_numpy() & ~found.missing
    if found.count(strays) > len(values):
        return None
    labels, codes = label_codes(values)
    n_missing = len(cells) - len(values)
    classes = Classes(labels, np.bincount(codes, minlength=len(labels)), n_missing, where)
    ends = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
    counted = classes if len(labels) <= MOST_CLASSES else None
    whole = bool((values == np.round(values)).all())
    return ButForStrays(Amounts(len(values), n_missing, *ends), counted, whole, Counts.of(found, strays)[0], len(cells))


def read_amounts(cells: pl.Series) -> pl.Series:
    """Plain numbers, and limits such as <5 as the number that each names; null for any other text."""
    values = read_numbers(cells, PLAIN)
    return values if values.null_count() == cells.null_count() else read_numbers(cells, LIMITS)


def _dates(cells: pl.Series, source: Source) -> str:
    """The notation of dates, one name for all that begin with the year; '' where the cells are none."""
    if cells.dtype in _DATE_TYPES:
        return ISO_DATE
    found = written_dates(source.known(cells).drop_nulls()) if cells.dtype == pl.String else ""
    return ISO_DATE if found in ISO else found


def _count_amounts(cells: pl.Series, source: Source, dates: str = "") -> Amounts:
    values, known = target_numbers(cells, source, dates)
    ends = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
    return Amounts(len(values), int((~known).sum()), *ends)


def _count_classes(cells: pl.Series, source: Source, where: str, as_given: bool = False) -> Classes:
    labels, codes, known = target_labels(cells, source, as_given)
    n_missing = int((~known).sum())
    if not len(codes):
        return Classes(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), n_missing, where)
    return Classes(labels, np.bincount(codes, minlength=len(labels)), n_missing, where)


def target_numbers(cells: pl.Series, source: Source, dates: str = "") -> tuple[NDArray[np.float64], Bools]:
    """The numbers of the rows that have one, and which rows these are; of dates in a notation, their days.

    With "limits" for a notation, other cells than numbers and limits count as missing.
    """
    if dates and cells.dtype in _DATE_TYPES:
        cells = typed_days(cells)
    if _is_text(cells):
        cells = source.known(cells.cast(pl.String))
    cells = _null_where_missing(cells)
    if dates == LIMITS:
        cells = read_amounts(cells) if cells.dtype == pl.String else cells
        return _numbers(cells.drop_nulls(), PLAIN), cells.is_not_null().to_numpy()
    return _numbers(cells.drop_nulls(), dates or PLAIN), cells.is_not_null().to_numpy()


def target_labels(
    cells: pl.Series, source: Source, as_given: bool = False
) -> tuple[NDArray[Any], NDArray[np.int32], Bools]:
    """The different labels in increasing order, the place of each row that has one among them, and which rows do.

    Texts are compared once for each that differs, not once a row; without surrounding blanks and those that mean
    "missing", unless they are classes `as_given`.
    """
    if not _is_text(cells):
        cells = _null_where_missing(cells)
        return *label_codes(cells.drop_nulls().to_numpy()), cells.is_not_null().to_numpy()
    if as_given:
        known = cells.cast(pl.String).drop_nulls()
        different = known.unique().sort()
        codes = known.cast(pl.Enum(different)).to_physical().cast(pl.Int32).to_numpy()
        return different.to_numpy().astype(np.str_), codes, cells.is_not_null().to_numpy()
    found = source.distinct_of(cells.cast(pl.String))
    missing = found.missing if cells.dtype == pl.String else np.zeros(len(found.cells), dtype=bool)
    labels, places = np.unique(found.cells.to_numpy().astype(np.str_)[~missing], return_inverse=True)
    lookup = np.full(len(found.cells) + 1, -1, dtype=np.int32)  # the last: no cell at all
    lookup[np.flatnonzero(~missing)] = places
    codes = lookup[found.places]
    return labels, codes[codes >= 0], codes >= 0


def _is_text(cells: pl.Series) -> bool:
    return cells.dtype == pl.String or isinstance(cells.dtype, pl.Enum | pl.Categorical)


def _null_where_missing(cells: pl.Series) -> pl.Series:
    if cells.dtype.is_float():
        return pl.Series(cells.name, cells.to_numpy(), nan_to_null=True)
    if not (cells.dtype.is_integer() or cells.dtype in (pl.Boolean, pl.Null, pl.String)):
        raise BadTarget(f"The target {cells.name!r} holds {cells.dtype}, neither numbers nor text.")
    return cells


def codes_among(values: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.int32]:
    """The class of each label."""
    if labels.dtype.kind == "b" and values.dtype.kind == "U":  # as a text file is read by a schema
        values = np.char.lower(values) == "true"
    places = np.searchsorted(labels, values)
    wrong = labels[np.minimum(places, len(labels) - 1)] != values
    if wrong.any():
        odd, known = values[int(wrong.argmax())].item(), ", ".join(repr(c) for c in labels[:5].tolist())
        raise BadFile(f"the class {odd!r} is none of those known before ({known}{', ...' if len(labels) > 5 else ''}).")
    return places.astype(np.int32)


def _numbers(cells: pl.Series, notation: str) -> NDArray[np.float64]:
    values = read_numbers(cells, notation) if cells.dtype == pl.String else cells.cast(pl.Float64)
    if values.null_count():
        example = cells[int(values.is_null().arg_max() or 0)]
        raise BadTarget(f"A regression target must be numbers; found {example!r}. Use a classifier.")
    numbers = values.to_numpy()
    if np.isinf(numbers).any():
        raise BadTarget(f"The target {cells.name!r} holds infinity. Correct or remove the row.")
    return numbers.astype(np.float64)


def _said(labels: NDArray[Any]) -> str:
    return "text" if labels.dtype.kind == "U" else "numbers"
