"""JSON: a record a line (.jsonl, .ndjson), an array of records, or one object of columns.

The columns are all names met, in the order of their first record; a record without a name has a missing cell there.
Objects inside a record become columns of their own (address.city); lists are no cells, and `infer` leaves them out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mercer.errors import BadFile, BadTable
from mercer.table.formats.frames import python_cells
from mercer.table.formats.source import Source
from mercer.table.formats.text import decode

_DEEPEST = 20  # objects inside objects
_MOST_CELLS = 50_000_000  # records × columns, of which each takes 8 bytes though it be missing


def read_json(data: bytes, path: Path, *, lines: bool) -> Source:
    """Every record of a file; `lines` says that each stands on a line."""
    text = decode(data, path).decode()
    if not text.strip():
        raise BadFile(f"{path} is empty: there is no record to read.")
    if lines:
        return _source(_records(text, path), path)
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and text.lstrip().startswith("{"):  # records line by line, named .json
            return _source(_records(text, path), path)
        raise BadFile(f"{path}, line {error.lineno}: not JSON ({error.msg}).") from None
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{path} cannot be read as JSON: {error}.") from None
    return _whole(found, path)


def looks_like_json(data: bytes) -> bool:
    """Whether a text starts as a record, or as an array of records."""
    start = data[:200].removeprefix(b"\xef\xbb\xbf").split()
    return b"".join(start).startswith((b'{"', b'[{"'))


def _whole(found: Any, path: Path) -> Source:
    """An array of records, or an object whose values are columns of one length."""
    if isinstance(found, dict) and found and all(isinstance(cells, list) for cells in found.values()):
        lengths = {name: len(cells) for name, cells in found.items()}
        if len(set(lengths.values())) > 1:
            raise BadTable(f"{path}: columns differ in length: {lengths}.")
        return Source({name: python_cells(name, cells) for name, cells in found.items()})
    if not isinstance(found, list):
        raise BadFile(
            f"{path} holds {_article(found)}, not a table. "
            "Write an array of records, [{...}, {...}], or a record a line."
        )
    for place, record in enumerate(found, 1):
        if not isinstance(record, dict):
            raise BadFile(f"{path}, record {place}: {_article(record)} where an object with named cells is expected.")
    return _source(found, path)


def _records(text: str, path: Path) -> list[dict[str, Any]]:
    records = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadFile(f"{path}, line {number}: not JSON ({error}).") from None
        if not isinstance(record, dict):
            raise BadFile(f"{path}, line {number}: {_article(record)} where an object with named cells is expected.")
        records.append(record)
    return records


def _article(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _source(records: list[dict[str, Any]], path: Path) -> Source:
    if any(isinstance(cell, dict) for record in records for cell in record.values()):
        records = [_flat(record, path, number) for number, record in enumerate(records, 1)]
    names = list(dict.fromkeys(name for record in records for name in record))
    if len(names) * len(records) > _MOST_CELLS:
        raise BadFile(
            f"{path}: {len(records):,} records with {len(names):,} different names would make "
            f"{len(names) * len(records):,} cells, of which {_MOST_CELLS:,} are read. Are names used as values?"
        )
    return Source({name: python_cells(name, [record.get(name) for record in records]) for name in names})


def _flat(record: dict[str, Any], path: Path, number: int, prefix: str = "", depth: int = 0) -> dict[str, Any]:
    if depth > _DEEPEST:
        raise BadFile(f"{path}, record {number}: objects nested deeper than {_DEEPEST} levels.")
    flat: dict[str, Any] = {}
    for name, cell in record.items():
        parts = (
            _flat(cell, path, number, f"{prefix}{name}.", depth + 1)
            if isinstance(cell, dict)
            else {prefix + name: cell}
        )
        for full, value in parts.items():
            if flat.setdefault(full, value) is not value:
                raise BadFile(f"{path}, record {number}: the name {full!r} is met twice, once inside an object.")
    return flat
