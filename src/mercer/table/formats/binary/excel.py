"""Workbooks of Excel and LibreOffice through fastexcel: one sheet, below its title, merged cells spread out."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import date, time
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from mercer.errors import BadFile, did_you_mean
from mercer.table.formats.binary.packed import is_workbook, refuse_large_members
from mercer.table.formats.binary.workbook import Merged, merged_cells, refuse_far_cells
from mercer.table.formats.dialect import Options, holds_names, looks_like_header
from mercer.table.formats.preamble import notice_above, rows_above
from mercer.table.formats.source import Source, unique_names

SUFFIXES = ("xlsx", "xlsm", "xls", "xlsb", "ods")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_SAMPLE = 200
_SMALL = 1 << 20  # bytes of a workbook whose other sheets are looked at too
_EXACT = 2.0**53
_FIRST_DAY = (date(1900, 1, 2) - date(1970, 1, 1)).days * 86_400_000_000  # times of day are moments before it


def read_excel(data: bytes, path: Path, options: Options) -> Source:
    """The table of one sheet: that of `options.sheet`, or the first that holds one."""
    if data.startswith(OLE) and _ENCRYPTED in data:
        raise BadFile(f"{path} is protected by a password. Save a copy without one, or the sheet as CSV.")
    if is_workbook(data):
        refuse_large_members(data, path)
        refuse_far_cells(data, path)
    fastexcel = _fastexcel(path)
    try:
        book = fastexcel.read_excel(data)
        sheet = _chosen(book, data, path, options)
        source = sheet.table(options)
    except fastexcel.FastExcelError as error:
        raise BadFile(f"{path} cannot be read as a workbook: {str(error).splitlines()[0]}.") from None
    others = [name for name in book.sheet_names if name != sheet.name]
    if len(data) < _SMALL:
        others = [name for name in others if _Sheet(book, data, path, name).filled]
    if others and options.sheet is None:
        shown = ", ".join(map(repr, others[:8])) + (f" and {len(others) - 8} more" if len(others) > 8 else "")
        source.notices.append(
            f"{path}: sheet {sheet.name!r} was read. It also has {shown}: choose with --sheet NAME (sheet= in Python)."
        )
    return source


def _fastexcel(path: Path) -> Any:
    for name in ("fastexcel", "calamine"):  # they log what they meet, and Python prints it where nobody listens
        logging.getLogger(name).addHandler(logging.NullHandler())
    try:
        return import_module("fastexcel")
    except ImportError:
        raise BadFile(
            f"{path} is a workbook, which needs the package fastexcel: pip install mercer[excel]. "
            "Or save the sheet as CSV."
        ) from None


@dataclass
class _Sheet:
    """One sheet: its cells as texts, to find where the table begins, and then by their types."""

    book: Any
    data: bytes
    path: Path
    name: str

    @cached_property
    def cells(self) -> pl.DataFrame:
        """Every cell as text, from the first row of the sheet on; null where there is none, or blanks."""
        frame: pl.DataFrame = self._texts.to_polars()
        return frame.select(pl.all().str.strip_chars().replace("", None)) if frame.width else frame

    @cached_property
    def _texts(self) -> Any:
        return self.book.load_sheet(self.name, header_row=None, skip_rows=0, schema_sample_rows=None, dtypes="string")

    @property
    def is_hidden(self) -> bool:
        return str(self._texts.visible) != "visible"

    @property
    def is_wide(self) -> bool:
        """Whether a row has two cells or more: lines of text below each other are notes, where there is a table too."""
        if self.cells.width < 2:
            return False
        return bool(self.cells.select(pl.sum_horizontal(pl.all().is_not_null()).max()).item() > 1)

    @cached_property
    def filled(self) -> list[int]:
        """The rows with a cell."""
        if not self.cells.width:
            return []
        return np.flatnonzero(self.cells.select(pl.any_horizontal(pl.all().is_not_null())).to_series()).tolist()

    @cached_property
    def _merged(self) -> list[Merged]:
        """Merged cells, by their columns in `cells`."""
        if not is_workbook(self.data):
            return []
        found, first = merged_cells(self.data, self.name)
        return [Merged(m.top, m.left - first, m.bottom, m.right - first) for m in found if m.left >= first]

    def start(self, options: Options) -> tuple[int, bool]:
        """The row of the table's first line, and whether it is a header."""
        used = [name for name in self.cells.columns if self.cells[name].null_count() < self.cells.height]
        rows = [["" if c is None else c for c in self.cells.select(used).row(i)] for i in self.filled[:_SAMPLE]]

        def is_header(rows: list[list[str]]) -> bool:
            return holds_names(rows[0], options.names) or looks_like_header(rows)

        above = 0 if holds_names(rows[0], options.names) else rows_above(rows, is_header, options.header)
        header = is_header(rows[above:]) if options.header is None else options.header
        return self.filled[above], header

    def table(self, options: Options) -> Source:
        """The columns below the header."""
        if not self.filled:
            raise BadFile(f"{self.path}, sheet {self.name!r}: there is no cell in it.")
        source = Source({})
        first, header = self.start(options)
        names, first, body = self._names(first) if header else ([""] * self.cells.width, first, first)
        rows = [i for i in self.filled if i >= body]
        if not rows:
            raise BadFile(f"{self.path}, sheet {self.name!r} has a header ({len(names)} columns) but no rows.")
        above = [i for i in self.filled if i < first]
        if above:
            texts = [[c for c in self.cells.row(i) if c is not None] for i in above]
            source.notices.append(notice_above(texts, f"{self.path}, sheet {self.name!r}", len(above)))
        below = self.cells[rows[0] : rows[-1] + 1]
        kept = [j for j, name in enumerate(names) if name or below.to_series(j).null_count() < below.height]
        titles = [names[j] or f"column_{place + 1}" for place, j in enumerate(kept)]
        typed = self.book.load_sheet(self.name, header_row=None, skip_rows=body, schema_sample_rows=None).to_polars()
        order = self._spread(source, body, rows)
        for name, j in zip(unique_names(titles, source.notices), kept, strict=True):
            source.columns[name] = _column(typed.to_series(j).gather(order[j]).alias(name))
        return source

    def _names(self, first: int) -> tuple[list[str], int, int]:
        """Names of the columns, their first row and the one below: headings over several columns go before names."""
        groups = {top: [m for m in self._merged if m.top == top and m.right > m.left] for top in (first - 1, first)}
        top = first if groups[first] else first - 1
        found = groups[top]
        if not found or (top < first and len(found) == 1 and found[0].left <= 0):  # a title over the table
            names = [c or "" for c in self.cells.row(first)]
            return names, first, first + 1
        heads, names = list(self.cells.row(top)), [c or "" for c in self.cells.row(top + 1)]
        for m in found:
            heads[m.left : m.right + 1] = [heads[m.left]] * (min(m.right + 1, len(heads)) - m.left)
        return [f"{head or ''} {name}".strip() for head, name in zip(heads, names, strict=True)], top, top + 2

    def _spread(self, source: Source, body: int, rows: list[int]) -> list[np.ndarray[Any, Any]]:
        """For each column, which typed cell each row of the table takes: merged ones all take the first of theirs."""
        order = [np.arange(self.cells.height) for _ in range(self.cells.width)]
        down = [m for m in self._merged if m.bottom > m.top >= body and m.left < self.cells.width]
        for m in down:
            order[m.left][m.top : m.bottom + 1] = m.top
        if down:
            source.notices.append(
                f"{self.path}, sheet {self.name!r}: merged cells (such as rows {down[0].top + 1} to "
                f"{down[0].bottom + 1}) give their value to each of their rows."
            )
        return [places[rows] - body for places in order]


def _chosen(book: Any, data: bytes, path: Path, options: Options) -> _Sheet:
    names: list[str] = book.sheet_names
    if options.sheet is not None:
        return _Sheet(book, data, path, _named(names, options.sheet, path))
    sheets = [_Sheet(book, data, path, name) for name in names]
    rows = [sheet for sheet in sheets if len(sheet.filled) > 1 and not sheet.is_hidden]
    found = [sheet for sheet in rows if sheet.is_wide] + rows + [sheet for sheet in sheets if sheet.filled]
    for sheet in rows if options.names else ():
        if holds_names(list(map(str, sheet.cells.row(sheet.start(options)[0]))), options.names):
            return sheet
    if not found:
        raise BadFile(f"{path} is empty: no sheet holds a cell ({', '.join(map(repr, names[:8]))}).")
    return found[0]


def _named(names: list[str], sheet: str | int, path: Path) -> str:
    if isinstance(sheet, str) and sheet in names:
        return sheet
    if isinstance(sheet, int) or (sheet.isascii() and sheet.isdigit() and len(sheet) < 9):
        if 1 <= int(sheet) <= len(names):
            return names[int(sheet) - 1]
        raise BadFile(f"{path} has no sheet number {sheet}: it has {len(names)}, counted from 1.")
    raise BadFile(f"{path} has no sheet {sheet!r}. {did_you_mean(sheet, names)}")


def _column(cells: pl.Series) -> pl.Series:
    """Excel knows no whole numbers, days or times of day: floats and moments that are such become such."""
    if cells.null_count() == len(cells):
        return cells
    if cells.dtype == pl.Float64:
        values = cells.drop_nulls().to_numpy()
        whole = bool((np.abs(values) < _EXACT).all()) and bool((values == np.floor(values)).all())
        return cells.cast(pl.Int64) if whole else cells
    if not isinstance(cells.dtype, pl.Datetime):
        return cells
    if cells.cast(pl.Datetime("us")).to_physical().max() < _FIRST_DAY:  # type: ignore[operator]
        return cells.dt.time()
    return cells.cast(pl.Date) if (cells.dt.time().drop_nulls() == time()).all() else cells
