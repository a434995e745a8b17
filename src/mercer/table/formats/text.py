"""Bytes of a file as UTF-8 text: decoded, refused when they are not text."""

from __future__ import annotations

from pathlib import Path

from mercer.errors import BadFile

_LONGEST_LINE = 1 << 26  # bytes: a table has ended its first line by then, /dev/zero never does
_FIRST, _MOSTLY_NUL = 2000, 0.9
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


def refuse_markup(data: bytes, path: Path) -> None:
    """Refuse a web page or other XML, which programs also give the names of tables and workbooks."""
    start = data[:_FIRST].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml", b"<table")):
        kind = "XML" if start.startswith(b"<?xml") else "a web page (HTML)"
        raise BadFile(f"{path} holds {kind}, not a table. Open it in a spreadsheet and save it as .xlsx or .csv.")


def is_text(data: bytes) -> bool:
    """Whether bytes are text, in UTF-16 too, rather than those of a workbook."""
    return data.startswith(tuple(_MARKS)) or b"\0" not in data[:_FIRST] or _without_mark(data) is not None


def decode(data: bytes, path: Path) -> bytes:
    """The same text as UTF-8 without a mark, lines ended by \\n; Latin-1 (as Windows writes it) if it is not UTF-8."""
    return end_lines(_decode(data, path))


def end_lines(data: bytes) -> bytes:
    """Lines that end in a carriage return alone, as old spreadsheets write them, end in a newline."""
    data = data.removesuffix(b"\x1a")  # what ends a file of DOS
    return data.replace(b"\r", b"\n") if b"\n" not in data else data


def _decode(data: bytes, path: Path) -> bytes:
    encoding = next((e for mark, e in _MARKS.items() if data.startswith(mark)), None)
    if encoding is not None:
        try:
            return data.decode(encoding).encode()
        except UnicodeError as error:
            raise BadFile(f"{path} starts as {encoding.upper()} text, but is not: {error}.") from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    if (encoding := _without_mark(data)) is not None:
        return data.decode(encoding, errors="replace").encode()
    _refuse_nul(data, path)
    if data.isascii():
        return data
    try:
        data.decode("utf-8")
        return data
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace").encode()


def _without_mark(data: bytes) -> str | None:
    """UTF-16 without a mark: of the first characters of Western text every other byte is NUL, and none beside it."""
    start = data[: _FIRST - _FIRST % 2]
    even, odd = start[::2], start[1::2]
    if b"\0" not in start or len(data) % 2:
        return None
    for encoding, text, high in (("utf-16-le", even, odd), ("utf-16-be", odd, even)):
        if b"\0" not in text and high.count(b"\0") > _MOSTLY_NUL * len(high):
            return encoding
    return None
