"""Columns made from dates: the parts that come back, and the days between two dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from mercer.arrays import Floats
from mercer.table.formats.notation import read_numbers
from mercer.table.kinds.parts import SINCE, in_the_same_time, parts_that_vary
from mercer.table.profile.cells import ColumnCells
from mercer.table.profile.column import ColumnProfile
from mercer.table.schema import Column, part_of

_SAMPLE = 2000
_MOST_COMPARED = 4  # columns of dates: each with each of the others
_FEW_ROWS = 20  # with fewer, days between dates are not worth a column


@dataclass(frozen=True)
class SampledDates:
    """A column of dates. days : its different dates, or many of them; n_known : rows that have one."""

    column: Column
    days: Floats
    n_known: int

    @classmethod
    def of(cls, column: Column, cells: ColumnCells | ColumnProfile) -> SampledDates:
        if cells.dtype != pl.String:
            return cls(column, *cells.days())
        found = cells.texts()
        known = found.known
        if len(known) > _SAMPLE:  # at random, since every seventh day would be a Monday
            known = known.gather(np.random.default_rng(0).choice(len(known), _SAMPLE, replace=False))
        return cls(column, read_numbers(known, column.format).drop_nulls().to_numpy(), found.n_known())

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
