"""Columns made from dates: the parts that come back, and the days between two dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import polars as pl

from mercer.arrays import Floats
from mercer.table.array_columns import ArrayNames
from mercer.table.formats.notation import read_numbers
from mercer.table.kinds.parts import SINCE, date_text, days_of, in_the_same_time, parts_that_vary
from mercer.table.profile.cells import ColumnCells
from mercer.table.profile.column import ColumnProfile
from mercer.table.schema import Column, Schema, part_of

_SAMPLE = 2000
_MOST_COMPARED = 4  # columns of dates: each with each of the others
# What programs write for "none" and "for ever".
_STAND_INS = frozenset(
    days_of(day)
    for day in (
        "0001-01-01", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1901-01-01", "1970-01-01",
        "2099-12-31", "2199-12-31", "2999-12-31", "4712-12-31", "9999-12-31",
    )
)  # fmt: skip
_FEW_ROWS = 20  # with fewer, days between dates are not worth a column


@dataclass(frozen=True)
class SampledDates:
    """A column of dates. days : its different dates, or many of them; n_known : rows that have one.

    cells : how the first and the last of them are written, where they are texts
    """

    column: Column
    days: Floats
    n_known: int
    cells: Mapping[float, str] = field(default_factory=dict)

    @classmethod
    def of(cls, column: Column, cells: ColumnCells | ColumnProfile) -> SampledDates:
        if cells.dtype != pl.String:
            return cls(column, *cells.days())
        found = cells.texts()
        known = found.known
        if len(known) > _SAMPLE:  # at random, since every seventh day would be a Monday
            known = known.gather(np.random.default_rng(0).choice(len(known), _SAMPLE, replace=False))
        read = read_numbers(known, column.format)
        days = read.drop_nulls().to_numpy()
        ends = [int(place) for place in (read.arg_min(), read.arg_max()) if place is not None]
        return cls(column, days, found.n_known(), {read[place]: known[place] for place in ends})

    def stand_in(self) -> str:
        """The first or last date, one that programs write where there is none, far from all others; "" for none."""
        days = np.unique(self.days)
        if len(days) < 3:
            return ""
        for value, nearest, far in ((days[-1], days[-2], days[0]), (days[0], days[1], days[-1])):
            if value in _STAND_INS and abs(value - nearest) > abs(nearest - far):
                written = self.cells.get(value, date_text(value, "D"))
                return (
                    f"; {date_text(value, 'D')} is far from all others (the nearest is {date_text(nearest, 'D')}): "
                    f"where it means that there is none, say --missing {f'{self.column.name}={written}'!r}"
                )
        return ""

    def parts(self) -> list[Column]:
        """The parts that vary and come back."""
        return [
            part_of(self.column.name, part, self.column.format) for part in parts_that_vary(self.days, self.n_known)
        ]


def differences(dates: Sequence[SampledDates]) -> list[Column]:
    """The days between each two of the first columns of dates, from the one that is earlier in the mean."""
    found = []
    for pair in combinations(dates[:_MOST_COMPARED], 2):
        if min(d.n_known for d in pair) < _FEW_ROWS or not in_the_same_time(pair[0].days, pair[1].days):
            continue
        first, last = (d.column for d in sorted(pair, key=lambda d: float(d.days.mean())))
        found.append(part_of(last.name, SINCE, last.format, first.name, first.format))
    return found


def parts_among(schema: Schema) -> list[Column]:
    """The columns made from dates that are columns of the schema too."""
    if isinstance(schema.names, ArrayNames):
        return []
    made = (column for column in schema if column.part)
    return [c for c in made if all(name in schema and schema[name].is_date for name in c.input_names)]
