"""The first rows of a table as lines for a terminal and as HTML for a notebook, the kinds under the names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.formatting import NOTHING, counted, short, visible
from mercer.table.display.frames import UNSEEN, date_cells, holds_dates
from mercer.table.schema import Column, Kind, Schema

LINES, HTML_ROWS = 5, 10  # rows shown
MOST_COLUMNS = 30
_WIDTH = 100  # characters of a line
_HALF_A_SECOND = np.timedelta64(500_000, "us")
_CELL, _HTML_CELL = 24, 60  # characters of a cell


@dataclass(frozen=True)
class Preview:
    """The first cells of the first columns of a table: numbers, codes or texts."""

    schema: Schema
    cells: Sequence[NDArray[Any]]  # of each column that is shown, (n_shown,)
    n_rows: int

    @property
    def _n_shown(self) -> int:
        return len(self.cells[0]) if self.cells else 0

    def lines(self) -> Iterator[str]:
        """How many rows and columns, then names, kinds and rows, aligned; as many columns as a line has room for."""
        kinds = [f"{len(names)} {kind}" for kind in Kind if (names := self.schema.of_kind(kind))]
        left = f"; {len(self.schema.left_out)} left out" if self.schema.left_out else ""
        yield f"<Table: {self.n_rows:,} rows, {', '.join(kinds) or 'no columns'}{left}>"
        texts = [_aligned(column, cells) for column, cells in zip(self.schema, self.cells, strict=False)]
        room = np.cumsum([2 + len(column[0]) for column in texts]) <= _WIDTH
        fitting = max(1, int(room.sum()))
        for row in zip(*texts[:fitting], strict=True):
            yield ("  " + "  ".join(row)).rstrip()
        hidden = ((self.n_rows - self._n_shown, "row"), (len(self.schema) - min(fitting, len(texts)), "column"))
        if rest := [counted(n, noun) for n, noun in hidden if n]:
            yield f"  … {' and '.join(rest)} more"

    def html(self) -> str:
        """A table element; each name has its kind under it and its reason as a tooltip."""
        columns = self.schema.columns[: len(self.cells)]
        texts = [_html_cells(column, cells) for column, cells in zip(columns, self.cells, strict=False)]
        head = "".join(_heading(column) for column in columns)
        body = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*texts, strict=True))
        size = f"{_of(self._n_shown, self.n_rows, 'row')}, {_of(len(columns), len(self.schema), 'column')}"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{size}</p>"


def _aligned(column: Column, cells: NDArray[Any]) -> list[str]:
    texts = [visible(short(t, _CELL)) for t in (column.name, column.kind, *cell_texts(column, cells))]
    width = max(map(len, texts))
    return [t.rjust(width) if column.kind is Kind.NUMERIC else t.ljust(width) for t in texts]


def _heading(column: Column) -> str:
    name, kind = escape(short(column.name, _HTML_CELL)), f'<small style="font-weight: normal">{column.kind}</small>'
    return f'<th title="{escape(column.reason, quote=True)}" style="{_style(column)}">{name}<br>{kind}</th>'


def _html_cells(column: Column, cells: NDArray[Any]) -> list[str]:
    style = _style(column) + ("; white-space: nowrap" if column.kind is Kind.NUMERIC else "")  # 2021-03-04 in one line
    return [f'<td style="{style}">{escape(short(text, _HTML_CELL))}</td>' for text in cell_texts(column, cells)]


def _style(column: Column) -> str:
    return f"padding: 0.1em 0.6em; text-align: {'right' if column.kind is Kind.NUMERIC else 'left'}"


def _of(shown: int, n: int, noun: str) -> str:
    return counted(n, noun) if shown == n else f"{shown:,} of {counted(n, noun)}"


def cell_texts(column: Column, cells: NDArray[Any]) -> list[str]:
    """Cells as they are shown: level names, dates, six digits of a number; a dash where missing."""
    if holds_dates(column, cells):
        moments = date_cells(column, cells)
        days = moments.astype("datetime64[D]")
        shown = (
            days if ((days == moments) | np.isnat(days)).all() else (moments + _HALF_A_SECOND).astype("datetime64[s]")
        )
        return [NOTHING if np.isnat(d) else str(d).replace("T", " ") for d in shown]
    if column.kind is Kind.NUMERIC:
        return [NOTHING if np.isnan(x) else _number(float(x)) for x in cells]
    if column.kind is Kind.TEXT:
        return [NOTHING if t is None else str(t) for t in cells]
    return [(*column.levels, UNSEEN, NOTHING)[code] for code in cells]


def _number(x: float) -> str:
    return f"{x:.0f}" if x == np.floor(x) and abs(x) < 1e12 else f"{x:.6g}"
