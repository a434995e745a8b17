"""Bytes of a file as UTF-8 text: decoded, refused when they are not text."""

from __future__ import annotations

from pathlib import Path

from mercer.errors import BadFile

_LONGEST_LINE = 1 << 26  # bytes: a table has ended its first line by then, /dev/zero never does
_MARKS = {  # UTF-32 first: its little-endian mark starts with that of UTF-16
    b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16",
}  # fmt: skip


def read_bytes(path: Path, binary: tuple[bytes, ...] = (), one_line: tuple[bytes, ...] = ()) -> bytes:
    """The bytes of a file or pipe, read once; refused early by `refuse_endless`.

    What starts as one of `binary` is not, and what starts as one of `one_line`, which is text, need not end a line.
    """
    with path.open("rb") as file:
        start = file.read(_LONGEST_LINE)
        if not start.startswith(binary):
            refuse_endless(start, path, in_lines=not start.startswith(one_line))
        return start + file.read()


def refuse_endless(data: bytes, path: Path, *, in_lines: bool = True) -> None:
    """Refuse what has no end of a line in its first 64 MB, where it is to be in lines, or no text."""
    start = data[:_LONGEST_LINE]
    if len(start) == _LONGEST_LINE:
        _refuse_nul(start, path)
        if in_lines and b"\n" not in start and b"\r" not in start:
            raise BadFile(f"{path} has no end of a line in its first {_LONGEST_LINE >> 20} MB: it is not a table.")


def _refuse_nul(data: bytes, path: Path) -> None:
    if not data.startswith(tuple(_MARKS)) and (place := data.find(b"\0")) >= 0:
        raise BadFile(
            f"{path} holds a NUL byte (byte {place:,}): it is not a text table. Export it again as UTF-8 text."
        )


def decode(data: bytes, path: Path) -> bytes:
    """The same text as UTF-8 without a mark, lines ended by \\n; Latin-1 (as Windows writes it) if it is not UTF-8."""
    return end_lines(_decode(data, path))


def end_lines(data: bytes) -> bytes:
    """Lines that end in a carriage return alone, as old spreadsheets write them, end in a newline."""
    return data.replace(b"\r", b"\n") if b"\n" not in data else data


def _decode(data: bytes, path: Path) -> bytes:
    encoding = next((e for mark, e in _MARKS.items() if data.startswith(mark)), None)
    if encoding is not None:
        try:
            return data.decode(encoding).encode()
        except UnicodeError as error:
            raise BadFile(f"{path} starts as {encoding.upper()} text, but is not: {error}.") from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    _refuse_nul(data, path)
    if data.isascii():
        return data
    try:
        data.decode("utf-8")
        return data
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace").encode()
