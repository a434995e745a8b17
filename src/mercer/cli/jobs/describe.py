"""The columns of a table, described."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from mercer.cli.console import with_notices
from mercer.cli.jobs.reading import read, read_kinds
from mercer.cli.options import Reading
from mercer.formatting import counted, visible
from mercer.table import Column, Kind, Source, Table, infer, shown_number
from mercer.table.build import build

LEFT_OUT = "left out"
MOST_SHOWN = 200
MOST_LEVELS, MOST_ORDERED = 4, 5
MOST_LETTERS = 16


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """One column as described, or several alike; kind 'left out' for those that learners do not see."""

    name: str
    kind: str
    holds: str
    missing: float
    reason: str
    n_columns: int = 1  # of the input: a part of a date is none


def run(reading: Reading, as_json: bool) -> None:
    """Describe a table."""
    source = read(reading)
    narrow = replace(source, sparse=None) if _sparse_width(source) > MOST_SHOWN else source  # 160 bytes a column
    table = build(narrow, infer(narrow, read_kinds(reading.kinds, source.columns)))
    lines = column_lines(table, source)
    if as_json:
        print(json.dumps(with_notices({"rows": source.n_rows, "columns": [asdict(line) for line in lines]}), indent=2))
    else:
        show_columns(lines, source.n_rows)


def column_lines(table: Table, source: Source, missing: Callable[[str], float] | None = None) -> list[ColumnLine]:
    """Every column: those of the table in order, then those of its source that were left out.

    `missing` says which share of the cells of a column that was left out is missing, where the source does not.

    Sparse columns in their thousands hold the same, numbers that are mostly 0: one line tells of them all.
    """
    width = _sparse_width(source)
    columns = table.schema if width <= MOST_SHOWN else [c for c in table.schema if c.name in source.columns]
    kept = [_line(table, column) for column in columns]
    if width > MOST_SHOWN:
        kept.append(_sparse_line(source, width))
    share = missing or partial(_missing, source)
    gone = [ColumnLine(c.name, LEFT_OUT, "", share(c.name), c.reason) for c in table.schema.left_out]
    return kept + gone


def _sparse_width(source: Source) -> int:
    return 0 if source.sparse is None else int(source.sparse.shape[1])


def _sparse_line(source: Source, width: int) -> ColumnLine:
    first, last = ("x1", f"x{width}") if source.attributes is None else (source.attributes[0], source.attributes[-1])
    holds = f"{width:,} sparse columns, {source.sparse.nnz:,} cells that are not 0"
    return ColumnLine(f"{first} to {last}", str(Kind.NUMERIC), holds, 0.0, "sparse", width)


def _missing(source: Source, name: str) -> float:
    cells = source.columns[name]
    known = source.known(cells) if cells.dtype == pl.String else cells
    return known.null_count() / len(cells)


def _line(table: Table, column: Column) -> ColumnLine:
    missing = 0.0 if table.is_sparse else float(table.missing(column.name).mean())
    return ColumnLine(column.name, str(column.kind), _holds(table, column), missing, column.reason, int(column.is_main))


def _holds(table: Table, column: Column) -> str:
    """The range of numbers, or the first levels."""
    if column.kind is Kind.NUMERIC:
        return "" if table.is_sparse else _range(table, column)
    if column.kind is Kind.TEXT:
        return ""
    order, most = (" < ", MOST_ORDERED) if column.kind is Kind.ORDINAL else (", ", MOST_LEVELS)
    more = len(column.levels) - most
    shown = order.join(_shorten(level) for level in column.levels[:most])
    return shown + (f" and {more:,} more" if more > 0 else "")


def _shorten(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def _range(table: Table, column: Column) -> str:
    values = table.numbers(column.name)
    values = values[~np.isnan(values)]
    if not values.size:
        return ""
    low, high = float(values.min()), float(values.max())
    return f"{shown_number(column, low)} to {shown_number(column, high)}"


def show_columns(lines: list[ColumnLine], n_rows: int) -> None:
    """The schema as a grid."""
    console = Console()
    left_out = sum(line.kind == LEFT_OUT for line in lines)
    console.print(
        f"{counted(n_rows, 'row')}, {counted(sum(line.n_columns for line in lines), 'column')} ({left_out:,} left out)",
        highlight=False,
    )
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for heading in ("Column", "Kind", "Holds"):
        grid.add_column(heading, overflow="fold")
    grid.add_column("Missing", justify="right")
    grid.add_column("Why", style="dim", overflow="fold")
    for line in lines[:MOST_SHOWN]:
        style = "yellow" if line.kind == LEFT_OUT else ""
        words = [Text(visible(cell), style=style) for cell in (line.name, line.kind, line.holds)]
        grid.add_row(*words, f"{line.missing:.1%}" if line.missing else "", Text(visible(line.reason)))
    console.print(grid)
    if len(lines) > MOST_SHOWN:
        console.print(f"and {len(lines) - MOST_SHOWN:,} more columns (describe --json shows all)")
