"""Bytes of a file as UTF-8 text: unpacked, decoded, refused when they are not text."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from mercer.errors import BadFile

GZIP = b"\x1f\x8b"
_MARKS = {  # UTF-32 first: its little-endian mark starts with that of UTF-16
    b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16",
}  # fmt: skip


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, unpacked when they are gzip."""
    data = path.read_bytes()
    if data[:2] != GZIP:
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise BadFile(f"{path} is not a whole gzip file: {error}.") from None


def decode(data: bytes, path: Path) -> bytes:
    """The same text as UTF-8 without a mark; Latin-1 (as Windows writes it) when it is not UTF-8."""
    encoding = next((e for mark, e in _MARKS.items() if data.startswith(mark)), None)
    if encoding is not None:
        try:
            return data.decode(encoding).encode()
        except UnicodeError as error:
            raise BadFile(f"{path} starts as {encoding.upper()} text, but is not: {error}.") from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    if (place := data.find(b"\0")) >= 0:
        raise BadFile(
            f"{path} holds a NUL byte (byte {place:,}): it is not a text table. Export it again as UTF-8 text."
        )
    if data.isascii():
        return data
    try:
        data.decode("utf-8")
        return data
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace").encode()
