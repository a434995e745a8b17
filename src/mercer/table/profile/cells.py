"""A column in memory, as inference asks about it: what costs a pass over the rows is answered when asked."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from mercer.arrays import Bools, Floats
from mercer.table.formats.cells import nan_to_null, unique
from mercer.table.formats.notation import PLAIN, read_numbers
from mercer.table.formats.source import Distinct, Source
from mercer.table.kinds.identifiers import nearly_all_differ
from mercer.table.kinds.levels import level_names
from mercer.table.kinds.markers import Ends, Marker, may_hold_codes
from mercer.table.kinds.parts import typed_days

SAMPLE = 2000
_EXACT = 2**53  # below it, every whole number is a float of its own


def is_whole(values: Floats) -> Bools:
    """Which numbers are whole, and so small that a float tells them from their neighbours."""
    return (values == np.round(values)) & (np.abs(values) < _EXACT)


class NumberCells:
    """Numbers of a column, null where one is missing."""

    def __init__(self, cells: pl.Series) -> None:
        self.cells = cells
        self.dtype = cells.dtype
        self.n_rows = len(cells)
        self.n_missing = cells.null_count()

    @property
    def whole(self) -> bool:
        """Whether the type is one of whole numbers."""
        return self.dtype.is_integer()

    @cached_property
    def low(self) -> Any:
        """The smallest number; None of none."""
        return self.cells.min()

    @cached_property
    def high(self) -> Any:
        """The largest number."""
        return self.cells.max()

    def outermost(self) -> Ends:
        """The smallest and the largest different numbers."""
        numbers = self.cells.drop_nulls().cast(pl.Float64).to_numpy()
        return Ends.of(numbers[~np.isnan(numbers)])  # which a type of numbers may hold beside null

    def missing_marker(self) -> Marker | None:
        """The number that may stand for a missing value."""
        return self.outermost().marker() if may_hold_codes(float(self.low), float(self.high)) else None

    def has_only_ends(self) -> bool:
        """Whether every number is the smallest or the largest."""
        # Comparing costs less than counting different values; most columns are told by their first rows.
        for part in (self.cells.head(SAMPLE), self.cells):
            values = part.to_numpy()  # nulls become NaN, the only value that differs from itself
            if not ((values == self.low) | (values == self.high) | (values != values)).all():
                return False
        return True

    def in_order(self) -> bool:
        """Whether no number is below the one before."""
        return self.cells.is_sorted()

    def n_different(self) -> float:
        """How many different numbers there are."""
        return len(unique(self.cells))

    def nearly_all_differ(self, share: float) -> bool:
        """Whether more than this share of the numbers differ, of the first 2,000 and of all."""
        return nearly_all_differ(self.cells.drop_nulls().to_numpy(), share)


class ColumnCells:
    """A column of a source."""

    def __init__(self, source: Source, name: str) -> None:
        self._source, self._cells, self._name = source, source.columns[name], name
        self.dtype = self._cells.dtype
        self.typed, self.nominal = name in source.typed, name in source.nominal
        self.n_rows, self.n_missing = len(self._cells), self._cells.null_count()

    def numbers(self) -> NumberCells:
        """The cells of a type of numbers."""
        floats = self.dtype.is_float() and not self.typed
        return NumberCells(nan_to_null(self._cells) if floats else self._cells)

    def values(self) -> pl.Series:
        """The different cells, without null."""
        return unique(self._cells)

    def texts(self) -> Distinct:
        """The different cells of a column of texts."""
        return self._source.distinct(self._name)

    def written_numbers(self) -> NumberCells:
        """The numbers of a column of texts in which every known one is a plain number."""
        found = self.texts()
        values = np.where(found.missing, np.nan, read_numbers(found.cells, PLAIN).to_numpy())
        rows = pl.Series(found.spread(values, np.nan), nan_to_null=True)
        whole = bool(np.all(is_whole(values) | np.isnan(values)))
        return NumberCells(rows.cast(pl.Int64, strict=False) if whole else rows)

    def levels(self) -> tuple[str, ...]:
        """The levels of a column of any type, sorted; declared ones in their order."""
        return level_names(self._source, self._name)

    def n_levels(self) -> float:
        """How many levels a column of texts has."""
        return len(self.texts().known)

    def days(self) -> tuple[Floats, int]:
        """Dates of a type of dates as days, and how many rows have one."""
        return typed_days(self._cells.drop_nulls()).to_numpy(), self.n_rows - self.n_missing
