"""What stands above the header of a table: a title, comments, Excel's line sep=; and lines with nothing.

Such a line has no more than half as many cells as the table below it, which must then begin with a header; or it
starts with # and is none of the table's lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

COMMENT = "#"
_MOST_LINES = 50
_SEPARATOR_LINE = re.compile(rb'"?sep=([^\r\n"])"?[,;\t]*(\r?\n|$)', re.IGNORECASE)


class _IsHeader(Protocol):
    def __call__(self, rows: list[list[str]], /) -> bool: ...


def take_separator_line(data: bytes) -> tuple[bytes, str | None]:
    """Text without the line `sep=;` that Excel writes and obeys, and the separator that it names."""
    match = _SEPARATOR_LINE.match(data)
    if match is None or not match[1].isascii():
        return data, None
    return data[match.end() :], match[1].decode()


def rows_above(rows: list[list[str]], is_header: _IsHeader, given: bool | None = None) -> int:
    """How many of the first rows stand above the table; `given` is what the caller says of a header.

    Rows are lists of cells, without rows that hold nothing. Where the caller says that there is a header, a row as wide
    as the table may be it, however few of its names are written.
    """
    width = commonest_width(rows)
    if width < 2 or given is False:
        return 0
    above = 0
    while above < min(len(rows) - 1, _MOST_LINES) and _is_above(rows, above, width, is_header, given):
        above += 1
    table = [row for row in rows[above:] if len(row) == width or not is_comment(row)]
    return above if above and (given or is_header(table)) else 0


def _is_above(rows: list[list[str]], place: int, width: int, is_header: _IsHeader, given: bool | None) -> bool:
    row = rows[place]
    if is_comment(row):
        below = rows[place + 1 :]
        return len(row) != width or is_comment(below[0]) or is_header(below)
    filled = sum(bool(cell.strip()) for cell in row)
    return 2 * filled <= width and (given is None or len(row) < width)


def is_comment(row: Sequence[str]) -> bool:
    """Whether a row starts with #."""
    return row[0].lstrip().startswith(COMMENT)


def commonest_width(rows: list[list[str]]) -> int:
    """The number of cells that most rows have; the larger one of two."""
    counts: dict[int, int] = {}
    for row in rows:
        counts[len(row)] = counts.get(len(row), 0) + 1
    return max(counts, key=lambda width: (counts[width], width), default=0)


def notice_above(rows: list[list[str]], where: str, lines: int) -> str:
    """What was left out above a table, in words."""
    first = " ".join(cell.strip() for cell in rows[0] if cell.strip())
    shown = first if len(first) <= 60 else first[:59] + "…"
    what = "line" if lines == 1 else f"{lines} lines"
    return f"{where}: the first {what} above the header ({shown!r}{', ...' if lines > 1 else ''}) {_BE[lines > 1]}."


_BE = {False: "is no part of the table and was left out", True: "are no part of the table and were left out"}
