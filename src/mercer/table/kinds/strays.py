"""Cells of a column of numbers that are something else, such as 'oops' or a footer's 'Total', or say nothing: '-'."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import polars as pl

from mercer.arrays import Bools
from mercer.errors import ColumnWarning
from mercer.formatting import short
from mercer.table.formats.notation import (
    LIMITS,
    PLAIN,
    limits_beside,
    read_numbers,
    readable,
    recognise,
    recognise_limits,
    without_limit,
)
from mercer.table.formats.source import Source
from mercer.table.formats.written import unit_of
from mercer.table.kinds.order import has_no_answer

MAX_SHARE, MAX_DIFFERENT = 0.01, 20  # of the cells; different ones
_MARKERS, _MARKED_SHARE, _AMOUNTS = 3, 0.05, 50  # words such as 'broken' in many rows, among so many different cells
_ONE_AMONG = 20  # cells: a single stray is a mistake also in a table of fewer than a hundred rows
_SAMPLE = 2000
_SHOWN = 3


class FoundTexts(Protocol):
    """The different cells of a column of texts, in memory (`Distinct`) or counted over chunks (`CountedTexts`)."""

    @property
    def cells(self) -> pl.Series:
        """The different cells."""

    @property
    def missing(self) -> Bools:
        """Which of them stand for a missing value."""

    @property
    def known(self) -> pl.Series:
        """Those that do not, sorted."""

    @property
    def n_rows(self) -> int:
        """Rows of the column."""

    @property
    def n_different(self) -> float:
        """How many cells differ, missing ones included."""

    def n_known(self) -> int:
        """Rows whose cell is not missing."""

    def count(self, cells: Bools) -> int:
        """Rows that hold one of these cells."""

    def met(self, cells: Bools) -> list[tuple[str, int, int, int]]:
        """These cells as they are met: each with its number of rows and its first and last row, from 0."""


def notation_but_for_strays(found: FoundTexts) -> str | None:
    """The notation of a column of numbers that holds a few other cells, or such as say that there is none."""
    known = found.known.filter(pl.Series([not has_no_answer(cell) for cell in found.known], dtype=pl.Boolean))
    if len(known) < 2:
        return None
    if len(known) < len(found.known) and (notation := _notation_of_all(known)) is not None:
        return notation
    if found.n_known() < _ONE_AMONG:
        return None
    strays = unread(found, PLAIN)
    if few_strays(found, strays):
        return LIMITS if unread(found, LIMITS).sum() < strays.sum() else PLAIN
    sample = known.gather_every(max(1, len(known) // 100))
    if sum(not readable(c) for c in sample) > MAX_DIFFERENT:
        return None
    cells = [c for c in known.gather_every(max(1, len(known) // _SAMPLE)) if readable(c)]
    notation = recognise(cells) if cells else None
    notation = recognise_limits(cells) if notation is None else notation
    notation = recognise(_of_one_unit(cells)) if notation is None and cells else notation
    return notation if notation is not None and few_strays(found, unread(found, notation)) else None


def _of_one_unit(cells: Sequence[str]) -> list[str]:
    """The cells in the currency or unit that most of them are in, and those that name none."""
    marks = [unit_of(cell) for cell in cells]
    most = Counter(filter(None, marks)).most_common(1)
    return [cell for cell, mark in zip(cells, marks, strict=True) if mark in ("", most[0][0] if most else "")]


def notation_of(found: FoundTexts) -> str | None:
    """The notation of a column of numbers, with a few other cells or without; None where it is none."""
    notation = _notation_of_all(found.known)
    return notation_but_for_strays(found) if notation is None else notation


def _notation_of_all(known: pl.Series) -> str | None:
    """The notation that reads each of these cells."""
    sample = known.head(_SAMPLE)
    notation = recognise(sample)
    notation = recognise_limits(sample) if notation is None else notation
    return None if notation is None or read_numbers(known, notation).null_count() else notation


def unread(found: FoundTexts, notation: str) -> Bools:
    """Which of the different cells are neither missing nor numbers of this notation."""
    return read_numbers(found.cells, notation).is_null().to_numpy() & ~found.missing


def strays_of(found: FoundTexts, notation: str) -> Bools:
    """Which of the different cells are neither missing nor numbers of this notation, nor limits of such numbers."""
    strays, limits = unread(found, notation), limits_beside(notation)
    if limits is None or not strays.any():
        return strays
    named = np.array([without_limit(cell) != cell for cell in found.cells], dtype=bool)
    return strays & ~(named & ~unread(found, limits))


def without_strays(source: Source, name: str, notation: str) -> None:
    """Empty the cells of a column of a chunk that are no numbers, and say which they are."""
    found = source.distinct(name)
    strays = strays_of(found, notation)
    if strays.any():
        warnings.warn(ColumnWarning(name, told_strays(found, strays)), stacklevel=4)
        source.replace(name, source.columns[name].set(pl.Series(found.spread(strays, False)), None))


def told_strays(found: FoundTexts, strays: Bools) -> str:
    """What is said of cells that are read as missing."""
    return f"numeric; cells that are no numbers are read as missing: {stray_cells(found, strays)}."


def few_strays(found: FoundTexts, strays: Bools) -> bool:
    """Whether these distinct cells are so few that they are mistakes: 1 % of the cells, and 20 different ones.

    One is a mistake also among 20 cells, if they hold more than ten values. Up to three words that come back, in 5 % of
    the cells, say that the number is not known, where the others are fifty different ones. Cells that say so in a way
    that everyone knows, such as a dash, are none, however many they are.
    """
    strays = strays & ~np.array([gone and has_no_answer(c) for c, gone in zip(found.cells, strays, strict=True)], bool)
    return are_few(found.count(strays), int(strays.sum()), found.n_known(), found.n_different)


def are_few(rows: int, different: int, n_known: int, n_different: float) -> bool:
    """Whether so many rows with so many different strays are mistakes, of so many known cells that differ so much."""
    amounts = n_known >= _ONE_AMONG and n_different > _ONE_AMONG // 2  # rather than codes such as 1, 2 and 4b
    markers = different <= _MARKERS and n_different - different >= _AMOUNTS
    share = _MARKED_SHARE if markers else MAX_SHARE
    return different <= MAX_DIFFERENT and rows <= max(share * n_known, float(amounts))


def stray_cells(found: FoundTexts, strays: Bools) -> str:
    """Which cells they are: the first values, each with its first row and how often it is met."""
    return named_cells(found.met(strays))


def named_cells(met: Sequence[tuple[str, int, int, int]]) -> str:
    """Cells by their number of rows, first and last row: the first of them in words."""
    said = [_named(*values) for values in met[:_SHOWN]]
    more = len(met) - len(said)
    return ", ".join(said) + (f" and {more} more" if more else "")


def _named(cell: str, n_rows: int, first: int, last: int) -> str:
    again = "" if n_rows == 1 else f" and {n_rows - 1:,} more rows" if n_rows > 2 else f" and row {last + 1}"
    return f"{short(cell, 40)!r} in row {first + 1}{again}"


def stray_reason(found: FoundTexts, notation: str) -> str:
    """The strays of a column that is read in this notation, in words; "" for none."""
    strays = unread(found, notation)
    if not strays.any():
        return ""
    n = found.count(strays)
    return f"; {n:,} other {'cells' if n > 1 else 'cell'} read as missing: {stray_cells(found, strays)}"
