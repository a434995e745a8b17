"""ARFF: attribute declarations, then rows. Nominal attributes bring their levels."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
import scipy.sparse as sp

from mercer.errors import BadFile
from mercer.table.formats.source import Source
from mercer.table.formats.text import decode

_QUOTED = r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|\S+)\s+(.+)", re.IGNORECASE)
_CELL = re.compile(rf"\s*({_QUOTED}|[^,'\"]*)\s*(,|$)")
_PAIR = re.compile(r"([0-9]{1,9})\s+(.+)")
_MOST_CELLS = 20_000_000  # that are held one by one, at 60 bytes each
_NUMBERS = ("numeric", "real", "integer")
_TYPES = (*_NUMBERS, "string", "date")


def read_arff(data: bytes, path: Path) -> Source:
    """Columns by their declared types; rows in the sparse form ({1 x, 4 y}) are read too, and kept sparse if many."""
    lines = decode(data, path).decode().split("\n")
    attributes, start = _header(lines, path)
    numbered = [(number, line.strip()) for number, line in enumerate(lines[start:], start + 1)]
    numbered = [(number, line) for number, line in numbered if line and not line.startswith("%")]
    if not numbered:
        raise BadFile(f"{path} declares {len(attributes)} attributes but has no rows.")
    if len(numbered) * len(attributes) > _MOST_CELLS and all(line.startswith("{") for _, line in numbered):
        return _sparse_source(numbered, attributes, path)
    cells = [_row(line, attributes, f"{path}, line {number}") for number, line in numbered]
    source = Source({})
    for (name, declared), column in zip(attributes, zip(*cells, strict=True), strict=True):
        _add_column(source, name, declared, column, path)
    return source


def _add_column(source: Source, name: str, declared: str, cells: Sequence[str], path: Path) -> None:
    source.columns[name] = _column(name, declared, cells, path)
    if declared.startswith("{"):
        source.nominal |= {name}


def _sparse_source(rows: list[tuple[int, str]], attributes: list[tuple[str, str]], path: Path) -> Source:
    """Numeric attributes as one sparse matrix, the others as columns; cost grows with the cells that are written."""
    written: list[dict[int, str]] = [{} for _ in attributes]
    for i, (number, line) in enumerate(rows):
        for place, cell in _pairs(line, len(attributes), f"{path}, line {number}"):
            written[place][i] = cell
    numeric = [j for j, (_, declared) in enumerate(attributes) if _is_number(declared)]
    others = [j for j, (_, declared) in enumerate(attributes) if not _is_number(declared)]
    if len(others) * len(rows) > _MOST_CELLS:
        raise BadFile(
            f"{path}: {len(others):,} attributes that are not numeric in {len(rows):,} rows would need "
            f"{len(others) * len(rows) * 60 / 1e9:.1f} GB. Declare them numeric (0 and 1), or split the file."
        )
    source = Source({}, attributes=tuple(attributes[j][0] for j in numeric))
    for j in others:
        name, declared = attributes[j]
        zero = _zero(declared)
        _add_column(source, name, declared, [written[j].get(i, zero) for i in range(len(rows))], path)
    places = [[*written[j]] for j in numeric]
    values = [_column(*attributes[j], [*written[j].values()], path).fill_null(math.nan).to_numpy() for j in numeric]
    starts = np.cumsum([0, *map(len, places)])
    indices = np.fromiter(chain.from_iterable(places), dtype=np.int64, count=int(starts[-1]))
    columns = sp.csc_array((np.concatenate([np.empty(0), *values]), indices, starts), shape=(len(rows), len(numeric)))
    source.sparse = sp.csr_array(columns)
    return source


def _header(lines: list[str], path: Path) -> tuple[list[tuple[str, str]], int]:
    """Names and types of the attributes, and the place of the first line of data."""
    attributes: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if stripped.lower().startswith("@data"):
            if not attributes:
                raise BadFile(f"{path} declares no attribute before @data.")
            return list(attributes.items()), number
        if stripped.lower().startswith("@attribute"):
            name, declared = _attribute(stripped, f"{path}, line {number}")
            if name in attributes:
                raise BadFile(f"{path}, line {number}: attribute {name!r} is declared twice.")
            attributes[name] = declared
    raise BadFile(f"{path} has no @data line: it is not a whole ARFF file.")


def _attribute(line: str, where: str) -> tuple[str, str]:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise BadFile(f"{where}: not an attribute declaration: {line[:60]!r}.")
    declared = match[2].strip()
    if declared.startswith("{"):
        if not declared.endswith("}"):
            raise BadFile(f"{where}: the list of values is not closed by }}.")
    elif declared.split()[0].lower() not in _TYPES:
        raise BadFile(f"{where}: attributes of type {declared!r} are not read. Types: {', '.join(_TYPES)}, {{...}}.")
    return _unquoted(match[1]), declared


def _row(line: str, attributes: list[tuple[str, str]], where: str) -> list[str]:
    if line.startswith("{"):
        return _sparse_row(line, attributes, where)
    found = _cells(line, where)
    if len(found) != len(attributes):
        raise BadFile(f"{where}: {len(found)} cells for {len(attributes)} attributes: {line[:60]!r}.")
    return found


def _sparse_row(line: str, attributes: list[tuple[str, str]], where: str) -> list[str]:
    cells = [_zero(declared) for _, declared in attributes]
    for place, cell in _pairs(line, len(attributes), where):
        cells[place] = cell
    return cells


def _pairs(line: str, n_attributes: int, where: str) -> Iterator[tuple[int, str]]:
    """Place and value of each cell that a sparse row writes."""
    inside = line[1:-1].strip()
    pairs = [_PAIR.fullmatch(p) for p in _cells(inside, where, pairs=True)] if inside else []
    for pair in pairs if line.endswith("}") else [None]:
        if pair is None or int(pair[1]) >= n_attributes:
            raise BadFile(f"{where}: not a sparse row of {n_attributes} attributes (counted from 0): {line[:60]!r}.")
        yield int(pair[1]), _unquoted(pair[2].strip())


def _cells(text: str, where: str, *, pairs: bool = False) -> list[str]:
    """The cells between commas; commas inside quotes belong to the cell."""
    if "'" not in text and '"' not in text:
        return [c.strip() for c in text.split(",")]
    if pairs:  # a place before the quoted value: split at commas that are followed by a place
        return [c.strip() for c in re.split(r",(?=\s*\d+\s)", text)]
    found: list[str] = []
    place = 0
    while True:
        match = _CELL.match(text, place)
        if match is None:
            raise BadFile(f"{where}: a quote is not closed, or stands inside a cell: {text[:60]!r}.")
        found.append(_unquoted(match[1].strip()))
        place = match.end()
        if not match[2]:
            return found


def _unquoted(cell: str) -> str:
    if len(cell) < 2 or cell[0] not in "'\"" or cell[-1] != cell[0]:
        return cell
    return re.sub(r"\\(.)", r"\1", cell[1:-1].replace(cell[0] * 2, cell[0]))


def _zero(declared: str) -> str:
    return _cells(declared.strip("{}"), "")[0] if declared.startswith("{") else "0"


def _is_number(declared: str) -> bool:
    return declared.lower().split()[0] in _NUMBERS


def _column(name: str, declared: str, cells: Sequence[str], path: Path) -> pl.Series:
    values = [None if c == "?" else c for c in cells]
    if _is_number(declared):
        try:
            return pl.Series(name, [None if v is None else float(v) for v in values], dtype=pl.Float64)
        except ValueError as error:
            raise BadFile(f"{path}: attribute {name!r} is declared {declared}, but {error}.") from None
    if not declared.startswith("{"):
        return pl.Series(name, values, dtype=pl.String)
    levels = list(dict.fromkeys(_cells(declared[1:-1].strip(), f"{path}, attribute {name!r}")))
    strange = next((v for v in values if v is not None and v not in levels), None)
    if strange is not None:
        raise BadFile(f"{path}: attribute {name!r} holds {strange!r}, which is not among its declared values.")
    return pl.Series(name, values, dtype=pl.Enum(levels))
