"""Arrow's own files (.feather, .arrow, .ipc) through polars, after a look at the sizes that the file states.

polars believes these sizes: a packed buffer that states to hold 2^55 bytes ends the process. The footer and the headers
of batches are FlatBuffers: a table begins with the distance back to a list of places, one for each of its fields.
"""

from __future__ import annotations

import io
import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from mercer.errors import BadFile
from mercer.table.formats.binary.packed import most_unpacked

ARROW = b"ARROW1"
_DICTIONARY, _ROWS = 2, 3  # kinds of messages
_CONTINUATION = b"\xff\xff\xff\xff"
_FREE_ROWS = 1 << 20  # of columns without any bytes


def read_arrow(source: Path | bytes, path: Path) -> pl.DataFrame:
    """The rows of a file or of its bytes; BadFile if the sizes it states cannot be."""
    if isinstance(source, bytes):
        _check_batches(source, path)
        return pl.read_ipc(io.BytesIO(source))
    if source.stat().st_size:
        with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            _check_batches(data, path)
    return pl.read_ipc(source)


def _check_batches(data: Any, path: Path) -> None:
    """Refuse a file with a buffer outside it, or one that states more bytes or rows than it can hold."""
    if len(data) < 22 or data[-6:] != ARROW or data[:6] != ARROW:
        return  # polars says what is wrong
    end = len(data) - 10
    start = end - int.from_bytes(data[end : end + 4], "little", signed=True)
    left = most_unpacked(len(data))
    try:
        footer = _Table.root(data, start)
        for field in (2, 3):  # dictionaries, then rows
            for offset, header, _, body in footer.structs(field, "<qiiq"):
                left -= _unpacked_bytes(data, offset, header, body)
                if left < 0:
                    raise ValueError("its buffers state more bytes than a file of its size may unpack to")
    except (ValueError, struct.error) as error:
        raise BadFile(f"{path} is a broken Arrow file: {error}.") from None


def _unpacked_bytes(data: Any, offset: int, header: int, body: int) -> int:
    """How many bytes the buffers of a batch state to hold; ValueError where one cannot."""
    begin = offset + header
    if offset < 8 or header < 8 or body < 0 or begin + body > len(data):
        raise ValueError("a batch lies outside the file")
    message = _Table.root(data, offset + (8 if data[offset : offset + 4] == _CONTINUATION else 4))
    batch = message.table(2)
    if message.number(1, "<B") == _DICTIONARY and batch is not None:
        batch = batch.table(1)
    elif message.number(1, "<B") != _ROWS:
        raise ValueError("a batch is neither of rows nor of levels")
    if batch is None:
        raise ValueError("a batch without a header")
    packed, total, n_buffers = batch.table(3) is not None, 0, 0
    for place, size in batch.structs(2, "<qq"):
        if place < 0 or size < 0 or place + size > body or 0 < size < 8 * packed:
            raise ValueError("a buffer lies outside its batch")
        stated = _number(data, begin + place, "<q") if packed and size else -1
        if stated < -1:
            raise ValueError("a buffer states fewer bytes than none")
        total += size if stated == -1 else stated
        n_buffers += 1
    most_rows = 8 * total + _FREE_ROWS  # a bit of a buffer is the least that a row takes
    nodes = [(batch.number(0, "<q"), 0), *batch.structs(1, "<qq")]
    if not all(0 <= missing <= rows <= most_rows for rows, missing in nodes):
        raise ValueError("a batch states more rows than its buffers can hold")
    counts = [count for (count,) in batch.structs(4, "<q")]
    if not all(0 <= count <= n_buffers for count in counts):
        raise ValueError("a column states more buffers than its batch has")
    return total


def _number(data: Any, place: int, kind: str) -> int:
    if place < 0:
        raise ValueError("its headers point outside it")
    return int(struct.unpack_from(kind, data, place)[0])


class _Table:
    """A table of a FlatBuffer: fields by number, absent ones 0 or None."""

    def __init__(self, data: Any, place: int) -> None:
        self.data, self.place = data, place
        self.fields = place - _number(data, place, "<i")
        self.size = _number(data, self.fields, "<H")

    @classmethod
    def root(cls, data: Any, start: int) -> _Table:
        """The table that a message begins with."""
        return cls(data, start + _number(data, start, "<I"))

    def _where(self, field: int) -> int | None:
        entry = 4 + 2 * field
        offset = _number(self.data, self.fields + entry, "<H") if entry + 2 <= self.size else 0
        return self.place + offset if offset else None

    def number(self, field: int, kind: str) -> int:
        """A number, as `struct` names its type."""
        where = self._where(field)
        return 0 if where is None else _number(self.data, where, kind)

    def table(self, field: int) -> _Table | None:
        """A table inside."""
        where = self._where(field)
        return None if where is None else _Table(self.data, where + _number(self.data, where, "<I"))

    def structs(self, field: int, kind: str) -> Iterator[tuple[int, ...]]:
        """The structures or numbers of a list."""
        where = self._where(field)
        if where is None:
            return
        where += _number(self.data, where, "<I")
        size, width = _number(self.data, where, "<I"), struct.calcsize(kind)
        if where + 4 + size * width > len(self.data):
            raise ValueError("a list is longer than the file")
        yield from struct.iter_unpack(kind, self.data[where + 4 : where + 4 + size * width])
