"""ARFF: attribute declarations, then rows. Nominal attributes bring their levels."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import polars as pl

from mercer.errors import BadFile
from mercer.table.delimited import decode, read_bytes
from mercer.table.source import Source

_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"[^"]*"|\S+)\s+(.+)""", re.IGNORECASE)
_NUMBERS = ("numeric", "real", "integer")


def read_arff(path: Path) -> Source:
    """Columns by their declared types; rows in the sparse form ({1 x, 4 y}) are read too."""
    text = decode(read_bytes(path), path).decode()
    lines = text.splitlines()
    attributes, start = _header(lines, path)
    rows = [line for line in lines[start:] if line.strip() and not line.lstrip().startswith("%")]
    if not rows:
        raise BadFile(f"{path} declares {len(attributes)} attributes but has no rows.")
    cells = [_row(line, attributes, path) for line in rows]
    source = Source({})
    for j, (name, declared) in enumerate(attributes):
        column = [row[j] for row in cells]
        source.columns[name] = _column(name, declared, column, path)
        if declared.startswith("{"):
            source.nominal |= {name}
    return source


def _header(lines: list[str], path: Path) -> tuple[list[tuple[str, str]], int]:
    attributes: list[tuple[str, str]] = []
    for number, line in enumerate(lines):
        stripped = line.strip()
        if stripped.lower().startswith("@data"):
            return attributes, number + 1
        if stripped.lower().startswith("@attribute"):
            match = _ATTRIBUTE.fullmatch(stripped)
            if match is None:
                raise BadFile(f"{path}, line {number + 1}: not an attribute declaration: {stripped[:60]!r}.")
            attributes.append((match[1].strip("'\""), match[2].strip()))
    raise BadFile(f"{path} has no @data line: it is not a whole ARFF file.")


def _row(line: str, attributes: list[tuple[str, str]], path: Path) -> list[str]:
    stripped = line.strip()
    if stripped.startswith("{"):
        cells = [_zero(declared) for _, declared in attributes]
        for pair in _cells(stripped[1:-1]):
            place, _, value = pair.strip().partition(" ")
            cells[int(place)] = value.strip("'\" ")
        return cells
    found = _cells(stripped)
    if len(found) != len(attributes):
        raise BadFile(f"{path}: a row has {len(found)} cells for {len(attributes)} attributes: {stripped[:60]!r}.")
    return [c.strip() for c in found]


def _cells(text: str) -> list[str]:
    quote = "'" if "'" in text else '"'
    return next(csv.reader(io.StringIO(text), quotechar=quote, escapechar="\\", skipinitialspace=True), [])


def _zero(declared: str) -> str:
    return _cells(declared.strip("{}"))[0].strip() if declared.startswith("{") else "0"


def _column(name: str, declared: str, cells: list[str], path: Path) -> pl.Series:
    values = [None if c == "?" else c for c in cells]
    if declared.lower().split()[0] in _NUMBERS:
        try:
            return pl.Series(name, [None if v is None else float(v) for v in values], dtype=pl.Float64)
        except ValueError as error:
            raise BadFile(f"{path}: attribute {name!r} is declared {declared}, but {error}.") from None
    if declared.startswith("{"):
        levels = [c.strip().strip("'\"") for c in _cells(declared.strip().strip("{}"))]
        strange = next((v for v in values if v is not None and v not in levels), None)
        if strange is not None:
            raise BadFile(f"{path}: attribute {name!r} holds {strange!r}, which is not among its declared values.")
        return pl.Series(name, values, dtype=pl.Enum(list(dict.fromkeys(levels))))
    return pl.Series(name, values, dtype=pl.String)
