"""What the cells of a row may be changed to: values within the ranges of the training rows."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Longs
from mercer.errors import MercerError
from mercer.estimators.common.explanations.text_table import cell_text, shown_values
from mercer.table import Kind, Table
from mercer.table.build import with_date_parts
from mercer.table.date_columns import parts_among
from mercer.table.formats.containers import column_cells, column_names, mix_rows, row_count, set_numbers, stack_rows

MOST_VALUES = 32  # of a column that are tried: quantiles of numbers, the most frequent levels
FEW_VALUES = 10  # numbers of a column up to which it is changed to one of these alone
_SPREAD = 1.349  # interquartile range of a standard normal variable


@dataclass(frozen=True)
class Candidates:
    """The values that one column may be changed to.

    Attributes
    ----------
    name : str
        The column.
    places : ndarray of shape (n_values,)
        Rows of the pool that hold the values.
    numbers : ndarray of shape (n_values,) or None
        The values of a number, rising; None for levels.
    distance : ndarray of shape (n_values,)
        From the cell of the row: in standard deviations (by quartiles) of a number, 1 for another level.
    scale : float
        Of a number.
    own : float
        The number of the row, NaN where it is missing or no number.
    whole : bool
        Whether all numbers are whole.
    continuous : bool
        Whether numbers between the values may be taken.
    """

    name: str
    places: Longs
    numbers: Floats | None
    distance: Floats
    scale: float = 1.0
    own: float = np.nan
    whole: bool = False
    continuous: bool = False


class ChangedRows:
    """Rows that differ from one row in some cells, which come from a pool of rows or are numbers between theirs."""

    def __init__(self, row: Any, others: Any, fixed: set[str]) -> None:
        names = column_names(row)
        unknown = sorted(fixed - set(names))
        if unknown:
            raise MercerError(f"fixed: there is no column {unknown[0]!r}. Columns: {', '.join(names[:8])}.")
        self.names, self.pool = names, stack_rows(row, others)
        self.columns = [_candidates(self.pool, j, name) for j, name in enumerate(names)]
        bound = fixed | _date_columns(self.pool, fixed)
        self.free = [j for j, c in enumerate(self.columns) if c.name not in bound and len(c.places)]

    def build(self, index: Longs, numbers: Floats) -> Any:
        """The rows: cells of rows `index` of the pool, (n, n_columns); `numbers` instead, where they are not NaN."""
        rows = mix_rows(self.pool, index)
        for j in np.flatnonzero(~np.isnan(numbers).all(axis=0)):
            held = np.asarray(column_cells(rows, int(j)), dtype=np.float64)
            rows = set_numbers(rows, int(j), np.where(np.isnan(numbers[:, j]), held, numbers[:, j]))
        return with_date_parts(rows) if isinstance(rows, Table) else rows

    def cell(self, j: int, rows: Any, i: int) -> str:
        """One cell of such rows as a text."""
        cells = column_cells(rows, j)
        if isinstance(rows, Table):
            cells = shown_values(rows.schema[self.names[j]], cells)
        return cell_text(cells[i])


def _date_columns(pool: Any, fixed: set[str]) -> set[str]:
    """Parts of dates, which change with their date alone, and dates of which a part is fixed."""
    if not isinstance(pool, Table):
        return set()
    parts = parts_among(pool.schema)
    return {c.name for c in parts} | {name for c in parts if c.name in fixed for name in c.input_names}


def _candidates(pool: Any, j: int, name: str) -> Candidates:
    nothing = Candidates(name, np.empty(0, dtype=np.int64), None, np.empty(0))
    if isinstance(pool, Table):
        if pool.schema[name].kind is Kind.TEXT:
            return nothing
        if pool.schema[name].kind is not Kind.NUMERIC:
            return _levels(name, np.asarray(pool.codes(name)[:, 0], dtype=object), pool.codes(name)[1:, 0] >= 0)
    held = column_cells(pool, j)
    if not isinstance(held, np.ndarray) and any(
        isinstance(cell, Sized) and not isinstance(cell, str | bytes) for cell in held
    ):
        return nothing  # lists, which have no order and no levels
    cells = _with_gaps(np.asarray(held))
    if cells.dtype.kind in "iuf":
        return _numbers(name, cells.astype(np.float64))
    if isinstance(pool, Table):
        return _numbers(name, np.asarray(pool.numbers(name)[:, 0], dtype=np.float64))
    cells = cells.astype(object)
    known = np.array([c is not None and c == c for c in cells[1:]], dtype=bool)
    texts = len({str(c) for c in cells[1:][known]}) > row_count(pool) / 2 > FEW_VALUES
    return nothing if texts else _levels(name, cells, known)


def _with_gaps(cells: NDArray[Any]) -> NDArray[Any]:
    """Numbers beside missing cells, which are objects together, as floats; other cells as they are."""
    known = [cell for cell in cells if cell is not None] if cells.dtype == object else []
    if not known or any(isinstance(cell, bool) or not isinstance(cell, int | float | np.number) for cell in known):
        return cells
    return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)


def _levels(name: str, cells: NDArray[Any], known: NDArray[np.bool_]) -> Candidates:
    """The most frequent levels other than that of the row."""
    count: dict[Any, int] = {}
    first: dict[Any, int] = {}
    for place in np.flatnonzero(known) + 1:
        count[cells[place]] = count.get(cells[place], 0) + 1
        first.setdefault(cells[place], int(place))
    chosen = [v for v in sorted(count, key=lambda v: -count[v]) if v != cells[0]][:MOST_VALUES]
    return Candidates(name, np.array([first[v] for v in chosen], dtype=np.int64), None, np.ones(len(chosen)))


def _numbers(name: str, cells: Floats) -> Candidates:
    """Quantiles that occur, from the least to the largest."""
    own, places = float(cells[0]), np.flatnonzero(~np.isnan(cells[1:])) + 1
    values, first = np.unique(cells[places], return_index=True)
    if not len(values):
        return Candidates(name, np.empty(0, dtype=np.int64), None, np.empty(0))
    whole = bool((values == np.round(values)).all()) and (np.isnan(own) or own == round(own))
    low, high = np.quantile(cells[places], [0.25, 0.75])
    scale = float((high - low) / _SPREAD or np.std(cells[places]) or 1.0)
    if len(values) > MOST_VALUES:
        chosen = np.unique(
            np.searchsorted(values, np.quantile(cells[places], np.linspace(0, 1, MOST_VALUES), method="nearest"))
        )
    else:
        chosen = np.arange(len(values))
    chosen = chosen[values[chosen] != own]
    numbers = values[chosen]
    distance = np.full(len(numbers), 1.0) if np.isnan(own) else np.abs(numbers - own) / scale
    continuous = len(values) > FEW_VALUES
    return Candidates(name, places[first[chosen]], numbers, distance, scale, own, whole, continuous)
