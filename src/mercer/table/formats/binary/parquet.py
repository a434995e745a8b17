"""Parquet through polars, after a look at the sizes that the file states.

polars believes these sizes: a page of -1 values is an allocation of 2^61 bytes, which ends the process. The footer and
the page headers are Thrift structures in the compact protocol.
"""

from __future__ import annotations

import io
import mmap
from pathlib import Path
from typing import Any

import polars as pl

from mercer.errors import BadFile

PARQUET = b"PAR1"
_STRUCT, _LISTS, _DEEPEST = 12, (9, 10), 32
_DATA, _DICTIONARY, _DATA_V2 = 5, 7, 8  # fields of a page header


def read_parquet(source: Path | bytes, path: Path, rows: tuple[int, int] | None = None) -> pl.DataFrame:
    """The rows of a file or of its bytes, or those from and to; BadFile if the sizes it states cannot be."""
    if isinstance(source, bytes):
        _check_pages(source, path)
        return pl.read_parquet(io.BytesIO(source))
    if source.stat().st_size:
        with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            _check_pages(data, path)
    if rows is None:
        return pl.read_parquet(source)
    return pl.scan_parquet(source).slice(rows[0], rows[1] - rows[0]).collect()


def _check_pages(data: Any, path: Path) -> None:
    """Refuse a file with a page that lies outside it, or holds fewer values than none or more than its column."""
    if len(data) < 12 or data[-4:] != PARQUET:
        return  # polars says what is wrong
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    try:
        footer = _Thrift(data, start).struct() if start > 0 else {}
        sound = all(_is_sound(data, column[3]) for group in footer.get(4, ()) for column in group.get(1, ()))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise BadFile(f"{path} is a broken Parquet file: its headers cannot be read ({error}).") from None
    if not sound:
        raise BadFile(f"{path} is a broken Parquet file: a page states a size that it cannot have.")


def _is_sound(data: Any, column: dict[int, Any]) -> bool:
    n_values, size = column[5], column[7]
    place = min(offset for offset in (column.get(11), column[9]) if offset)
    end = place + size
    if n_values < 0 or size < 0 or place < 4 or end > len(data):
        return False
    while place < end:
        reader = _Thrift(data, place)
        page = reader.struct()
        place = reader.place + page[3]
        most = page[2] if _DICTIONARY in page else n_values  # a dictionary may hold levels that no row has
        stated = [page[part][1] for part in (_DATA, _DICTIONARY) if part in page]
        stated += [page[_DATA_V2][field] for field in (1, 2, 3)] if _DATA_V2 in page else []
        if page[2] < 0 or page[3] < 0 or place > end or not all(0 <= count <= most for count in stated):
            return False
    return True


class _Thrift:
    """Structures of the compact protocol as dictionaries by field number."""

    def __init__(self, data: Any, place: int) -> None:
        self.data = data
        self.place = place

    def struct(self, depth: int = 0) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("structures or lists nested too deep")
        if kind in (1, 2):  # true and false are types of their own
            return kind == 1
        if kind in (3, 4, 5, 6):
            return self._byte() if kind == 3 else self._integer()
        if kind in (7, 8):
            return self._skip(8 if kind == 7 else self._unsigned())
        if kind in _LISTS:
            return self._list(depth)
        if kind == _STRUCT:
            return self.struct(depth + 1)
        raise ValueError(f"type {kind}")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size = self._unsigned() if head >> 4 == 15 else head >> 4
        if size > len(self.data):
            raise ValueError("a list longer than the file")
        kind = head & 15
        return [self._byte() == 1 if kind in (1, 2) else self._value(kind, depth + 1) for _ in range(size)]

    def _skip(self, size: int) -> None:
        self.place += size
        if self.place > len(self.data):
            raise ValueError("a text longer than the file")

    def _byte(self) -> int:
        self.place += 1
        return int(self.data[self.place - 1])

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("a number longer than 64 bits")

    def _integer(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
