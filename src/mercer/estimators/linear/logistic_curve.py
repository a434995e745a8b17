"""How the probability of a class follows one column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.errors import BadColumn
from mercer.estimators.common.text_table import cell_text, html_table, text_table
from mercer.table import Kind, Table
from mercer.table.assemble import beside, code_table, with_numbers


@dataclass(frozen=True)
class Curve:
    """P(class | column = v), averaged over the other columns as they are in some rows."""

    column: str
    values: NDArray[Any]  # numbers, or level names
    classes: list[str]
    probability: Floats  # (n_values, n_classes)

    def __len__(self) -> int:
        return len(self.values)

    def _grid(self) -> list[list[str]]:
        places = np.unique(np.linspace(0, len(self) - 1, min(len(self), 12)).astype(int))
        rows = [[cell_text(self.values[i]), *(f"{p:.4f}" for p in self.probability[i])] for i in places]
        return [[self.column, *self.classes], *rows]

    def __repr__(self) -> str:
        return text_table(self._grid())

    def _repr_html_(self) -> str:
        return html_table(self._grid())


def candidates(table: Table, name: str, points: int) -> NDArray[Any]:
    """The values to try in one column: numbers from the least to the largest, or every level."""
    column = table.schema[name]
    if column.kind is Kind.TEXT:
        raise BadColumn(f"Column {name!r} is text: there is no line of values to follow.")
    if column.kind.categorical:
        return np.array(column.levels, dtype=object)
    cells = table.numbers(name)[:, 0].astype(np.float64)
    known = cells[~np.isnan(cells)]
    if not len(known):
        raise BadColumn(f"Column {name!r} has no known number in these rows.")
    return np.linspace(known.min(), known.max(), points)


def with_value(table: Table, name: str, value: Any) -> Table:
    """The same rows with one value in this column."""
    column = table.schema[name]
    if not column.kind.categorical:
        return with_numbers(table, (name,), np.full((len(table), 1), float(value)))
    codes = np.full((len(table), 1), column.levels.index(value), dtype=np.int32)
    return beside([table.drop([name]), code_table([column], codes)], table.schema)
