"""The zip archive of a workbook: how large its sheets are, and which of their cells are merged.

Compiled readers make a cell for every place of a sheet up to its last one: a cell in the last row and one in the last
column would take 400 GB. So the places are looked at before.
"""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mercer.errors import BadFile

_FREE_CELLS = 50_000_000  # of 24 bytes
_MOST_COLUMNS = 1 << 14  # of a sheet, in Excel and LibreOffice: readers take minutes over a name far beyond the last
_CHUNK = 1 << 22
# Letters, digits, and one more digit than any row has: a reader overflows on those that have thirty.
_PLACE = re.compile(rb'\sr="([A-Za-z]{0,8})[A-Za-z]*([0-9]{1,7})([0-9]?)')
_FAR = 10**12
_SHEET = re.compile(r'<(?:\w+:)?sheet\s[^>]*?name="([^"]*)"[^>]*?\br:id="([^"]*)"')
_RELATION = re.compile(r"<(?:\w+:)?Relationship\s[^>]*>")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s+ref="([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})"')
_FILLED = re.compile(rb'<(?:\w+:)?c\s(?:[^>]*?\s)?r="([A-Z]{1,3})[0-9]+"[^>]*(?<!/)>')
_REPEATED = re.compile(rb'number-(rows|columns)-repeated="([0-9]+)"')
_EMPTY_CELL = re.compile(rb"<table:(?:covered-)?table-cell[^>]*/>")


@dataclass(frozen=True)
class Merged:
    """A rectangle of merged cells: rows and columns from 0, both ends within."""

    top: int
    left: int
    bottom: int
    right: int


def refuse_far_cells(data: bytes, path: Path) -> None:
    """Refuse a workbook with a sheet whose last places are far beyond its cells."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                rows, columns, cells = _extent(archive.read(name))
            elif name.startswith("xl/worksheets/") and name.endswith(".bin"):
                rows, columns, cells = _binary_extent(archive.read(name))
            elif name == "content.xml":
                rows, columns, cells = _repeated_extent(archive.read(name))
            else:
                continue
            if columns > _MOST_COLUMNS:
                raise BadFile(
                    f"{path}: a cell of a sheet is in column {columns:,}, and sheets end at {_MOST_COLUMNS:,}. "
                    "The file is damaged: save it anew, or the sheet as CSV."
                )
            if rows * columns > max(_FREE_CELLS, 20 * cells):
                raise BadFile(
                    f"{path}: the last cell of a sheet is in row {rows:,}, column {columns:,}, though it holds only "
                    f"{cells:,}: so large a sheet would need {rows * columns * 24 / 1e9:.1f} GB. Delete the cells "
                    "far from the table, or save the sheet as CSV."
                )


def _extent(xml: bytes) -> tuple[int, int, int]:
    """Last row, last column and number of cells of a sheet in XML."""
    rows, columns, cells = 1, 1, 0
    for start in range(0, len(xml), _CHUNK):
        found = _PLACE.findall(xml, max(0, start - 64), start + _CHUNK)
        cells += len(found)
        rows = max([rows, *{_FAR if more else int(row) for _, row, more in found}])
        columns = max([columns, *map(_column, {column.upper() for column, _, _ in found if column})])
    return rows, columns, cells


def _binary_extent(data: bytes) -> tuple[int, int, int]:
    """The same of a sheet in the records of .xlsb: a row's header is of type 0, cells are of types 1 to 11."""
    rows, columns, cells = 1, 1, 0
    for kind, place in _records(data):
        if kind == 0:
            rows = max(rows, place + 1)
        elif kind <= 11:
            columns, cells = max(columns, place + 1), cells + 1
    return rows, columns, cells


def _records(data: bytes) -> Iterator[tuple[int, int]]:
    """Type and first number of each record."""
    at = 0
    while at < len(data):
        kind, at = _varying(data, at, 2)
        size, at = _varying(data, at, 4)
        yield kind, int.from_bytes(data[at : at + min(size, 4)], "little")
        at += size


def _varying(data: bytes, at: int, longest: int) -> tuple[int, int]:
    value = 0
    for place in range(longest):
        byte = data[at] if at < len(data) else 0
        at += 1
        value |= (byte & 127) << 7 * place
        if byte < 128:
            break
    return value, at


def _repeated_extent(xml: bytes) -> tuple[int, int, int]:
    """Of an OpenDocument sheet, which repeats rows and columns: empty ones do not count, LibreOffice ends with them."""
    filled = _EMPTY_CELL.sub(b"", xml)
    repeats = {b"rows": [1], b"columns": [1]}
    for what, count in _REPEATED.findall(filled):
        repeats[what].append(int(count))
    cells = filled.count(b"<table:table-cell")
    rows = filled.count(b"<table:table-row") + sum(n for n in repeats[b"rows"] if n < 1_000_000)
    return rows, max(repeats[b"columns"]) * max(1, cells // max(1, rows)), cells


def merged_cells(data: bytes, sheet: str) -> tuple[list[Merged], int]:
    """The merged cells of a sheet of an .xlsx file, and its first column with a cell; none of any other file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        part = _part_of(archive, sheet)
        xml = archive.read(part) if part in archive.namelist() else b""
    found = [
        Merged(int(top) - 1, _column(left) - 1, int(bottom) - 1, _column(right) - 1)
        for left, top, right, bottom in _MERGED.findall(xml)
    ]
    if not found:
        return [], 0
    return found, min(map(_column, set(_FILLED.findall(xml))), default=1) - 1


def _part_of(archive: zipfile.ZipFile, sheet: str) -> str:
    """The name of the file inside that holds a sheet."""
    names = archive.namelist()
    if "xl/workbook.xml" not in names or "xl/_rels/workbook.xml.rels" not in names:
        return ""
    workbook = archive.read("xl/workbook.xml").decode("utf-8", errors="replace")
    wanted = next((key for name, key in _SHEET.findall(workbook) if html.unescape(name) == sheet), None)
    relations = archive.read("xl/_rels/workbook.xml.rels").decode("utf-8", errors="replace")
    for relation in _RELATION.findall(relations):
        fields = dict(re.findall(r'(\w+)="([^"]*)"', relation))
        if fields.get("Id") == wanted:
            target = fields.get("Target", "")
            return target[1:] if target.startswith("/") else f"xl/{target}"
    return ""


def _column(letters: bytes) -> int:
    """The number of a column, from 1: A is 1, AA is 27."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
