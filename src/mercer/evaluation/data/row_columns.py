"""Columns that say something of the rows rather than being learned from: weights, groups, times, costs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.errors import BadTable, MercerError, did_you_mean
from mercer.evaluation.options import ComparisonOptions
from mercer.formatting import counted
from mercer.select.copies import Copies, is_empty, read_groups
from mercer.select.costs import CostMatrix, RowAmounts
from mercer.table import Schema, Source, infer
from mercer.table.build import build
from mercer.table.target_column import Target


@dataclass(frozen=True)
class RowColumns:
    """What is known of each row beside what learners see.

    Attributes
    ----------
    weight : ndarray of shape (n_rows,) or None
        In fits and scores.
    groups : Copies or None
        Rows that are kept together in folds and held-out rows.
    times : ndarray of shape (n_rows,) or None
        When each row was.
    notices : tuple of str
        What a reader should know of these columns.
    """

    weight: Floats | None = None
    groups: Copies | None = None
    times: Floats | None = None
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class KnownCosts:
    """What errors on a target cost, row by row where a column says it.

    Attributes
    ----------
    matrix : CostMatrix
        Over the classes; a column's cells hold its mean.
    by_row : mapping of str to ndarray of shape (n_rows,)
        The columns with a cost for each row.
    """

    matrix: CostMatrix
    by_row: RowAmounts = field(default_factory=dict)

    def of(self, rows: Longs) -> RowAmounts:
        """The costs of some of the rows."""
        return {name: amounts[rows] for name, amounts in self.by_row.items()}


def dropped_parts(source: Source, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names that are no columns, but would be parts of one with dates, such as "signup (month)"."""
    return tuple(
        n for n in names if n not in source.columns and any(n.startswith(f"{column} (") for column in source.columns)
    )


def without_parts(schema: Schema, names: tuple[str, ...]) -> Schema:
    """The schema without some parts of dates."""
    parts = [column.name for column in schema if column.part]
    for name in names:
        if name not in parts:
            hint = did_you_mean(name, [*schema.input_names, *parts])
            raise MercerError(f"drop = {name!r}: there is no such column, nor part of a date. {hint}")
    return replace(schema, columns=tuple(column for column in schema if column.name not in names))


def without(source: Source, names: tuple[str, ...], target: str) -> Source:
    """The source without the columns to drop."""
    columns, parts = dict(source.columns), dropped_parts(source, names)
    for name in (n for n in names if n not in parts):
        found = source.find(name)
        if found == source.find(target):
            raise MercerError(f"drop = {found!r}: that is the target. Name another column.")
        columns.pop(found, None)
    return replace(source, columns=columns)


def take_row_columns(rest: Source, options: ComparisonOptions) -> RowColumns:
    """Weight, group and time of each row, from columns that are taken out of the source."""
    weight = None
    if options.weight is not None:
        weight = read_weight(rest, options.weight)
        rest.pop(options.weight)
    times = None if options.time is None else _taken(rest, options.time, "time")
    if options.group is None:
        return RowColumns(weight, None, times)
    name = rest.find(options.group)
    cells = rest.pop(name)
    groups = read_groups(cells, name)
    if times is not None:
        raise MercerError("group and time: rows are split by groups or by time, not by both. Give one of them.")
    said = _apart(sum(map(is_empty, cells)), groups, name)
    return RowColumns(weight, groups, times, (said,) if said else ())


def _apart(n_empty: int, groups: Copies, name: str) -> str:
    """That rows which may belong together are kept apart by their cells; '' where none are."""
    if not groups.n_copies:
        return f"group = {name!r}: no two rows have the same cell, so that the column keeps none of them together."
    if not n_empty:
        return ""
    rows = counted(n_empty, "row")
    return f"group = {name!r}: {rows} without a cell there {'is' if n_empty == 1 else 'are'} taken as unlike any other."


def read_weight(source: Source, name: str) -> Floats:
    """The weight of each row in a column, which stays in the source; none is negative, not all are 0."""
    weight = _not_negative(source, name, "weight")
    if not weight.any():
        raise BadTable(f"weight = {name!r}: every row weighs 0. Name another column.")
    return weight


def check_weight(name: str | None, weight: Floats | None, target: Target) -> None:
    """Refuse weights that leave fewer than two classes to tell apart."""
    weighed = np.unique(target.codes[weight > 0]) if weight is not None and target.classes else None
    if weighed is not None and len(weighed) < 2:
        raise BadTable(
            f"weight = {name!r}: only rows of {target.classes[weighed[0]]!r} weigh more than 0: there is nothing to "
            "tell apart. Name another column."
        )


def read_amounts(source: Source, names: tuple[str, ...]) -> RowAmounts:
    """The cost of each row in the columns of these names, which stay in the source.

    Parameters
    ----------
    source : Source
        Cells as they were read.
    names : tuple of str
        Columns.

    Returns
    -------
    dict of str to ndarray of shape (n_rows,)
        By the names given.

    Raises
    ------
    MercerError
        A column is not there, holds no numbers, or has a missing or negative cell.
    """
    return {name: _not_negative(source, name, "cost") for name in names}


def _not_negative(source: Source, name: str, role: str) -> Floats:
    """A column of numbers, none of them missing or below 0; no dates, which have no zero."""
    numbers = row_numbers(source, name, role, dates=False)
    if (numbers < 0).any():
        place = int((numbers < 0).argmax())
        row = source.row_number(place)
        raise BadTable(f"{role} = {name!r}, row {row}: {numbers[place]:g} is below 0. A {role} is 0 or more.")
    return numbers


def _taken(rest: Source, name: str, role: str) -> Floats:
    numbers = row_numbers(rest, name, role)
    rest.pop(name)
    return numbers


def row_numbers(source: Source, name: str, role: str, *, dates: bool = True) -> Floats:
    """A column of numbers, or of dates where these will do; no cell may be missing."""
    name = source.find(name)
    cells = source.columns[name]
    alone = Source({name: cells}, markers=source.markers)
    example = next((str(c) for c in cells if c is not None), "nothing")
    try:
        table = build(alone, infer(alone, {name: "numeric"}))
    except MercerError:
        found = "neither a number nor a date" if dates else "which is not a number"
        raise BadTable(f"{role} = {name!r} holds {example!r}, {found}. Name another column.") from None
    if not dates and any(column.is_date for column in table.schema):
        raise BadTable(f"{role} = {name!r} holds {example!r}, a date and no number. Name another column.")
    if not len(table.schema):
        raise BadTable(f"{role} = {name!r} is the same in every row, or has no number or date in it ({example!r}).")
    numbers = table.numbers()[:, 0].astype(np.float64)
    if np.isnan(numbers).any():
        row = source.row_number(int(np.isnan(numbers).argmax()))
        raise BadTable(f"{role} = {name!r}, row {row}: the cell is missing or cannot be read. Fill it.")
    return numbers
