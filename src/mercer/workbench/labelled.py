"""Rows of a table that was read, with the target that a stored model predicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.errors import BadColumn, BadTarget, MercerError, did_you_mean
from mercer.evaluation.data.row_columns import read_weight
from mercer.formatting import counted
from mercer.select.copies import Copies
from mercer.select.costs import RowAmounts
from mercer.store import StoredModel
from mercer.table import Schema, Source, Table
from mercer.table.build import new_rows
from mercer.workbench.prediction.answers import row_amounts
from mercer.workbench.prediction.truth import class_places, known_numbers
from mercer.workbench.row_groups import group_column


@dataclass(frozen=True)
class LabelledRows:
    """The rows whose target is known, as the model asks for them, their target, and what to know about them.

    `amounts` are what errors on each row cost, where the model file says that columns hold it; `groups` those that a
    column names, and `weight` that of each row where a column holds it.
    """

    table: Table
    target: NDArray[Any]
    notes: tuple[str, ...]
    amounts: RowAmounts = field(default_factory=dict)
    groups: Copies | None = None
    weight: Floats | None = None


def labelled_rows(
    stored: StoredModel,
    source: Source,
    target: str | None = None,
    group: str | None = None,
    weight: str | None = None,
) -> LabelledRows:
    """Take the target out of a source, and build the table that the model asks for.

    Parameters
    ----------
    stored : StoredModel
        The model and its card.
    source : Source
        Cells as they were read.
    target : str, optional
        The column with the target, where it is not called as in training.
    group : str, optional
        A column that says which rows are not independent of each other.
    weight : str, optional
        A column with the weight of each row.

    Returns
    -------
    LabelledRows
        Rows without a target are left out, which the notes say.

    Raises
    ------
    BadColumn
        There is no such column.
    BadTarget
        No cell of it is known, numbers are asked for and not found, or no class is known to the model.
    """
    if stored.card.task not in ("classification", "regression"):
        raise MercerError("The model tells unlike rows from others: it predicts no target to compare with.")
    name = target or stored.card.target
    if not name:
        raise BadColumn("The model does not say which column it predicts. Name it: --target COLUMN.")
    if name not in source.columns:
        hint = did_you_mean(name, source.columns)
        raise BadColumn(
            f"The table has no column {name!r}, the target to compare with. {hint} Name it: --target COLUMN."
        )
    cells = source.columns.pop(name)
    alone = Source({name: cells}, markers=source.markers)
    read = _classes if stored.card.task == "classification" else _numbers
    values, known, notes = read(stored, alone, name)
    if not known.any():
        raise BadTarget(f"Every cell of the target {name!r} is missing: there is nothing to compare with.")
    together = group_column(source, group)
    mass = None if weight is None else read_weight(source, weight)
    schema: Schema = stored.model.schema_
    table = new_rows(source, schema)
    said: list[str] = []
    amounts = {} if stored.card.decision is None else row_amounts(source, stored.card.decision, said)
    if known.all():
        return LabelledRows(table, values, (*notes, *said), amounts, together, mass)
    left, rows = f"{counted(int((~known).sum()), 'row')} without a value of {name!r} left out.", np.flatnonzero(known)
    amounts = {column: cells[rows] for column, cells in amounts.items()}
    together = None if together is None else together.take(rows)
    mass = None if mass is None else mass[rows]
    return LabelledRows(table.take(rows), values[known], (left, *notes, *said), amounts, together, mass)


def _numbers(stored: StoredModel, alone: Source, name: str) -> tuple[NDArray[Any], NDArray[np.bool_], tuple[str, ...]]:
    try:
        values = known_numbers(stored, alone, name)
    except MercerError as error:
        raise BadTarget(f"The model predicts numbers, but the target {name!r} holds something else. {error}") from None
    return values, ~np.isnan(values), ()


def _classes(stored: StoredModel, alone: Source, name: str) -> tuple[NDArray[Any], NDArray[np.bool_], tuple[str, ...]]:
    """Classes by the names that the model has; others as they are written, which counts as predicted wrong."""
    classes = tuple(str(label) for label in stored.model.classes_)
    codes = class_places(classes, alone, name)
    known, foreign = codes >= 0, codes == len(classes)
    values = np.array([*classes, ""], dtype=object)[codes]
    cells = alone.columns[name]
    for row in np.flatnonzero(foreign).tolist():
        values[row] = str(cells[row]).strip()
    if known.any() and foreign[known].all():
        found, asked = sorted(set(values[foreign].tolist())), ", ".join(map(repr, classes[:4]))
        raise BadTarget(
            f"The target {name!r} holds {', '.join(map(repr, found[:4]))}, the model knows {asked}: another target?"
        )
    if not foreign.any():
        return values, known, ()
    rows, shown = counted(int(foreign.sum()), "row"), ", ".join(map(repr, sorted(set(values[foreign].tolist()))[:4]))
    note = f"{rows} of a class unknown to the model ({shown}) count as predicted wrong: compare the spelling."
    return values, known, (note,)
