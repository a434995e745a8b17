"""Rows between the rows: columns that go through their ranges, while others stay at a median or most frequent level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats, Longs
from mercer.errors import BadColumn, MercerError
from mercer.evaluation.effects import column_cells
from mercer.formatting import counted, short
from mercer.plot.style.labels import date_ticks, level_ticks
from mercer.plot.style.marks import spread_points
from mercer.table import Column, Table, read_table
from mercer.table.build import with_date_parts
from mercer.table.date_columns import parts_among
from mercer.table.estimator import TableEstimator, prediction_table
from mercer.table.formats.containers import (
    as_container,
    column_names,
    permute_column,
    row_count,
    take_rows,
    with_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARGIN = 0.06  # of the range, beyond the outermost rows
_MOST_NAMES = 8  # of columns, in a message
_STEPS = 0.6180339887, 0.7548776662  # of points that share a level, across and up: two of one step would be a line


@dataclass(frozen=True)
class Axis:
    """One column as an axis: numbers, or levels at 0, 1, ...; NaN where a cell is missing.

    `steps` are where the model is asked, `donors` the rows that hold each level; or the dates nearest to the steps, as
    the container writes dates. None for numbers, which are set.
    """

    column: Column
    place: int
    cells: Floats
    steps: Floats
    donors: Longs

    @classmethod
    def of(cls, X: Any, name: str | int, n_steps: int) -> Axis:
        """The axis of one column, reaching a little beyond its rows."""
        place, column, cells = column_cells(X, name)
        if not column.kind.categorical:
            low, high = float(np.nanmin(cells)), float(np.nanmax(cells))
            beyond = _MARGIN * (high - low) if high > low else 0.5
            steps = np.linspace(low - beyond, high + beyond, n_steps)
            cells, others = cells.astype(float), column.is_date and not isinstance(X, Table)
            return cls(column, place, cells, steps, _nearest(cells, steps) if others else np.empty(0, dtype=np.int64))
        known = (cells >= 0) & (cells < len(column.levels))
        levels, first = np.unique(np.where(known, cells, -1), return_index=True)
        levels, first = levels[levels >= 0], first[levels >= 0]
        position = np.full(len(column.levels) + 2, np.nan)
        position[levels] = np.arange(len(levels))
        steps = np.arange(len(levels), dtype=float)
        named = Column(column.name, column.kind, tuple(column.levels[c] for c in levels))
        return cls(named, place, position[np.where(known, cells, len(column.levels))], steps, first)

    @property
    def categorical(self) -> bool:
        """Whether it has levels."""
        return self.column.kind.categorical

    def spots(self, step: float = _STEPS[0]) -> Floats:
        """Where the rows are drawn: rows of one level beside each other, by `spread_points` with this step."""
        return self.cells + spread_points(len(self.cells), step=step) if self.categorical else self.cells

    def edges(self) -> Floats:
        """The steps as coordinates of an area: a level reaches halfway to the next."""
        if not self.categorical:
            return self.steps
        return np.repeat(self.steps, 2) + np.tile([-0.5, 0.5 - 1e-9], len(self.steps))

    def stretched(self, values: Any, axis: int) -> Any:
        """Values at the steps as values at the edges."""
        return np.repeat(values, 2, axis=axis) if self.categorical else values

    def label(self, ax: Axes, which: str) -> None:
        """Ticks of levels and dates, and limits."""
        if self.categorical:
            level_ticks(ax, which, self.steps, self.column.levels)
        elif self.column.is_date:
            date_ticks(ax, which, self.steps[0], self.steps[-1])
        edges = self.edges()
        getattr(ax, f"set_{which}lim")(edges[0], edges[-1])


@dataclass(frozen=True)
class Grid:
    """Rows of a model's input, with one or two of the columns as axes."""

    rows: Any
    axes: tuple[Axis, ...]
    fixed: str  # what the other columns are set to, in words; "" where there are none

    @classmethod
    def of(cls, model: Any, X: Any, columns: Sequence[str | int] | None, n_axes: int, n_steps: int) -> Grid:
        """The rows and axes of a fitted model.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        MercerError
            If it is not said which columns are meant.
        """
        check_is_fitted(model)
        rows = prediction_table(model, X) if isinstance(model, TableEstimator) else as_container(X)
        names = column_names(rows)
        own = _own_places(rows)
        wanted = _wanted([names[j] for j in own], columns, n_axes)
        axes = tuple(Axis.of(rows, name, n_steps) for name in wanted)
        if len({axis.place for axis in axes}) < n_axes:
            raise BadColumn(f"columns={list(wanted)!r} names one column twice.")
        others = len(set(own) - {axis.place for axis in axes})
        fixed = f"{counted(others, 'other column')} at median or most frequent level" if others else ""
        return cls(rows, axes, fixed)

    def spots(self) -> list[Floats]:
        """Where the rows are drawn, on each axis."""
        return [axis.spots(step) for axis, step in zip(self.axes, _STEPS, strict=False)]

    def points(self) -> Any:
        """A row for each combination of steps, the last axis running fastest, as the model takes them."""
        base, donors = self._base()
        sizes = [len(axis.steps) for axis in self.axes]
        n = int(np.prod(sizes))
        at = np.unravel_index(np.arange(n), sizes)
        # behind the grid stand the rows that hold the levels
        grid = take_rows(base, np.concatenate([np.zeros(n, dtype=np.int64), donors]))
        for k, axis in enumerate(self.axes):
            if len(axis.donors):
                first = n + sum(len(a.donors) for a in self.axes[:k])
                order = np.concatenate([first + at[k], np.arange(n, n + len(donors))])
                grid = permute_column(grid, axis.place, order.astype(np.int64))
            else:
                numbers = np.concatenate([axis.steps[at[k]], np.full(len(donors), axis.steps[0])])
                grid = with_numbers(grid, axis.place, numbers)
        return take_rows(self._with_parts(grid), np.arange(n))

    def _with_parts(self, rows: Any) -> Any:
        """The rows with the parts of their dates made anew, which are columns of a Table alone, but axes."""
        own = [axis.column.name for axis in self.axes]
        return with_date_parts(rows, but=own) if isinstance(rows, Table) else rows

    def _base(self) -> tuple[Any, Longs]:
        """A table whose rows are alike but in the axes, and where in it the levels of the axes are held."""
        moving = [axis.place for axis in self.axes]
        others = [j for j in range(len(column_names(self.rows))) if j not in moving]
        held = np.concatenate([axis.donors for axis in self.axes])
        typical = typical_rows(self.rows, others)
        base = take_rows(self.rows, np.concatenate([[0], typical, held]).astype(np.int64))
        for k, place in enumerate(others):
            base = permute_column(base, place, np.full(row_count(base), 1 + k, dtype=np.int64))
        return base, 1 + len(others) + np.arange(len(held))


def _own_places(X: Any) -> list[int]:
    """Places of the columns but for parts of dates, which move with their date."""
    parts = {c.name for c in parts_among(X.schema)} if isinstance(X, Table) else set()
    return [j for j, name in enumerate(column_names(X)) if name not in parts]


def _nearest(cells: Floats, steps: Floats) -> Longs:
    """For each step the row whose cell is nearest to it."""
    known = np.flatnonzero(~np.isnan(cells))
    rows = known[np.argsort(cells[known], kind="stable")]
    return rows[np.searchsorted((cells[rows][1:] + cells[rows][:-1]) / 2, steps)]


def typical_rows(X: Any, places: Sequence[int]) -> list[int]:
    """For each column a row that holds its median (of two in the middle, the lower) or its most frequent level."""
    table = X if isinstance(X, Table) else read_table(X)
    names, found = column_names(X), []
    for place in places:
        if names[place] not in table.schema or table.missing(names[place]).all():  # constant, or nothing known
            found.append(0)
            continue
        known = np.flatnonzero(~table.missing(names[place]))
        cells = table.column(names[place])[known]
        if table.schema[names[place]].kind == "numeric":
            found.append(int(known[np.argsort(cells, kind="stable")[(len(known) - 1) // 2]]))
        else:
            _, first, counts = np.unique(cells.astype(str), return_index=True, return_counts=True)
            found.append(int(known[first[np.argmax(counts)]]))
    return found


def _wanted(names: Sequence[str], columns: Any, n_axes: int) -> list[str | int]:
    """The columns of the axes: those named, or all that there are."""
    if columns is None and len(names) == n_axes:
        return list(names)
    many, parameter = ("one column", "column") if n_axes == 1 else ("two columns", "columns")
    if columns is None:
        alone = " A model of one column is shown by plot.logistic_curve." if len(names) == 1 < n_axes else ""
        listed = ", ".join(repr(short(name, 28)) for name in names[:_MOST_NAMES]) + (
            ", ..." if len(names) > _MOST_NAMES else ""
        )
        raise MercerError(
            f"The model has {counted(len(names), 'column')}, {listed}; name {many} to draw: {parameter}=...{alone}"
        )
    wanted = [columns] if isinstance(columns, str | int) else list(columns)
    if len(wanted) != n_axes:
        raise MercerError(f"{parameter}={wanted!r}: expected {many}.")
    return wanted


def last_step(model: Any) -> Any:
    """What a pipeline ends in; any other model itself."""
    return model.steps[-1][1] if hasattr(model, "steps") else model
