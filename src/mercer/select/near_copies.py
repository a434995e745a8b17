"""Rows that are copies of another but for what numbers or dates each row: its code, the moment it was written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Longs
from mercer.table import Column, Kind, Table
from mercer.table.kinds.identifiers import NEARLY

_SAMPLE = 2000  # rows that tell for most columns that their numbers come again
_FEWEST_OTHERS = 2  # columns, beside those that differ


def row_marks(table: Table) -> tuple[str, ...]:
    """Columns that may number or date the rows: dates, and whole numbers of which nearly all differ.

    Whether they do is told by the rows: where these are alike in every other column, see `is_witnessed`.
    """
    if table.is_sparse or not table.schema.named:
        return ()
    return tuple(c.name for c in table.schema if c.kind is Kind.NUMERIC and not c.part and _marks_rows(table, c))


def _marks_rows(table: Table, column: Column) -> bool:
    if column.is_date:
        return True
    values = table.numbers(column.name)[:, 0]
    return _nearly_all_differ(values[:: max(1, len(values) // _SAMPLE)]) and _nearly_all_differ(values)


def _nearly_all_differ(values: NDArray[np.floating]) -> bool:
    """Whether these are whole numbers that name the rows; a missing one names none."""
    known = values[~np.isnan(values)]
    return len(known) > 0 and bool((known == np.round(known)).all()) and len(np.unique(known)) >= NEARLY * len(values)


def without_marks(table: Table, marks: tuple[str, ...]) -> Table | None:
    """The table without these columns and the parts of their dates; None where less than two columns are left."""
    kept = [c.name for c in table.schema if not {c.name, c.origin, c.since} & set(marks)]
    return table.select(kept) if len(kept) >= _FEWEST_OTHERS else None


def is_witnessed(table: Table, first: Longs) -> bool:
    """Whether a column of numbers has another value in nearly every distinct row: alike in it by chance are few.

    Without one, rows of a few levels are alike although nobody copied them.
    """
    return any(len(np.unique(values[first])) >= NEARLY * len(first) for values in table.numbers().T)
