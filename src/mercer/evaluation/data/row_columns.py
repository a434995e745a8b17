"""Columns that say something of the rows rather than being learned from: weights, groups, times, costs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.errors import BadTable, MercerError, did_you_mean
from mercer.evaluation.options import ComparisonOptions
from mercer.select.copies import Copies, read_groups
from mercer.select.costs import CostMatrix, RowAmounts
from mercer.table import Schema, Source, infer
from mercer.table.build import build


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
    """

    weight: Floats | None = None
    groups: Copies | None = None
    times: Floats | None = None


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
    groups = None
    if options.group is not None:
        name = rest.find(options.group)
        groups = read_groups(rest.pop(name), name)
        if times is not None:
            raise MercerError("group and time: rows are split by groups or by time, not by both. Give one of them.")
    return RowColumns(weight, groups, times)


def read_weight(source: Source, name: str) -> Floats:
    """The weight of each row in a column, which stays in the source; none is negative, not all are 0."""
    weight = row_numbers(source, name, "weight")
    if (weight < 0).any() or not weight.any():
        raise BadTable(f"weight = {name!r}: weights are 0 or more, and not all of them 0.")
    return weight


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
    found = {}
    for name in names:
        amounts = row_numbers(source, name, "cost")
        if (amounts < 0).any():
            row = int((amounts < 0).argmax())
            raise BadTable(f"cost = {name!r}, row {row + 1}: {amounts[row]:g} is below 0. A cost is 0 or more.")
        found[name] = amounts
    return found


def _taken(rest: Source, name: str, role: str) -> Floats:
    numbers = row_numbers(rest, name, role)
    rest.pop(name)
    return numbers


def row_numbers(source: Source, name: str, role: str) -> Floats:
    """A column of numbers or dates; no cell may be missing."""
    name = source.find(name)
    cells = source.columns[name]
    alone = Source({name: cells}, markers=source.markers)
    example = next((str(c) for c in cells if c is not None), "nothing")
    try:
        table = build(alone, infer(alone, {name: "numeric"}))
    except MercerError:
        raise BadTable(
            f"{role} = {name!r} holds {example!r}, neither a number nor a date. Name another column."
        ) from None
    if not len(table.schema):
        raise BadTable(f"{role} = {name!r} is the same in every row, or has no number or date in it ({example!r}).")
    numbers = table.numbers()[:, 0].astype(np.float64)
    if np.isnan(numbers).any():
        row = int(np.isnan(numbers).argmax()) + 1
        raise BadTable(f"{role} = {name!r}, row {row}: the cell is missing or cannot be read. Fill it.")
    return numbers
