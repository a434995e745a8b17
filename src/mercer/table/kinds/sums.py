"""Rows that sum up the others, as sheets have them at their end."""

from __future__ import annotations

import polars as pl

from mercer.table.formats.source import Source

_LAST = 3  # rows: there may be a source or a date below a sum
_SUMS = {"total", "totals", "grand total", "sum", "gesamt", "summe", "gesamtsumme", "somme", "totale", "suma"}


def sums(source: Source) -> list[tuple[str, str]]:
    """The columns with a word such as Total in one of the last rows and nowhere else, and the word."""
    return [
        (name, cell)
        for name, cells in source.columns.items()
        if cells.dtype == pl.String
        for cell in cells.tail(_LAST).drop_nulls().to_list()
        if cell.strip(" :").lower() in _SUMS and (cells == cell).sum() == 1
    ]
