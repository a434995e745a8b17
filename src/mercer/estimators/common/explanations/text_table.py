"""Small tables of texts for a terminal and a notebook; the first row is the header."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from mercer.table import Column, Table, shown_number
from mercer.table.formats.notation import TIME

_LONGEST = 30  # characters of a cell


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Lines for a terminal: the first column aligned to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  " + "  ".join(c.ljust(w) if j == 0 else c.rjust(w) for j, (c, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )


def html_table(rows: Sequence[Sequence[str]]) -> str:
    """An HTML table for a notebook; the first row and the first column are headings."""
    head = "".join(f"<th>{escape(c)}</th>" for c in rows[0])
    body = "".join(
        f"<tr><th>{escape(row[0])}</th>{''.join(f'<td>{escape(c)}</td>' for c in row[1:])}</tr>" for row in rows[1:]
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def cell_text(value: Any) -> str:
    """A cell of the data as it is shown: shortened, and '(missing)' for None and NaN."""
    if value is None or value != value:
        return "(missing)"
    text = f"{value:g}" if isinstance(value, float | np.floating) else str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def shown_values(column: Column, cells: Any) -> Any:
    """The cells of a column of dates as dates, of times as times, those of another as they are."""
    if not column.is_date and column.format != TIME:
        return cells
    return [None if v != v else shown_number(column, float(v)) for v in cells]


def shown_cells(table: Table, names: Sequence[str]) -> list[tuple[str, ...]]:
    """The cells of each row as texts; empty for a term that is no column of the table."""
    blank, known = [""] * len(table), set(table.columns)
    # sparse numbers are written out at once: one column of them takes as long as all
    numbers = dict(zip(table.schema.numeric_names, table.numbers().T, strict=True)) if table.is_sparse else {}

    def cells(name: str) -> Any:
        return numbers[name] if name in numbers else shown_values(table.schema[name], table.column(name))

    columns: list[Any] = [[cell_text(v) for v in cells(n)] if n in known else blank for n in names]
    return list(zip(*columns, strict=True))
