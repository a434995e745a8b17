"""What stands around a table: a title, comments, Excel's line sep=;, lines with nothing, and a source below it.

A line above the header has no more than half as many cells as the table below it, which must then begin with a header;
or it starts with # and is none of the table's lines. A line below the table has no more than half as many cells, too,
and says something: words with a blank between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from mercer.formatting import short

COMMENT = "#"
_MOST_LINES = 50
_MOST_BELOW = 10
_TAIL = 1 << 14  # bytes in which lines below a table are looked for
_SAYS = re.compile(r"[^\W\d_][^|]*[ :]|[(*#].*[^\W\d_]")  # a sentence or a note, rather than a line that was cut off
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


def rows_below(lines: list[str], width: int, cells: Callable[[str], list[str]]) -> int:
    """How many of the last lines of a text, lines with nothing among them, stand below its table of this width."""
    below = n = 0
    for n, line in enumerate(reversed(lines[1:]), 1):
        row = cells(line)
        filled = [cell for cell in row if cell.strip()]
        if not filled and len(row) < width:
            continue
        if line.count('"') % 2 or len(row) >= width or 2 * len(filled) > width or not _SAYS.match(" ".join(filled)):
            break
        below = n
    return below if below <= _MOST_BELOW else 0


def tail_lines(data: bytes) -> list[str]:
    """The last lines of a text, whole ones."""
    text = data[-_TAIL:].decode("utf-8", errors="replace")
    lines = text.split("\n")
    return lines if len(data) <= _TAIL else lines[1:]


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
    return _notice(rows[0], where, lines, "first", "above the header")


def notice_below(rows: list[list[str]], where: str) -> str:
    """What was left out below a table, in words."""
    return _notice(rows[0], where, len(rows), "last", "below the table")


def notice_between(rows: list[list[str]], names: list[str], where: str) -> str:
    """What was made of lines of words between line 1 of a table and its numbers, in words."""
    shown = short(" ".join(cell.strip() for cell in rows[1] if cell.strip()), 60)
    if names != rows[0]:
        return f"{where}: line 1 has headings over columns; they stand before the names of line 2 ({names[0]!r}, ...)."
    return _BETWEEN[len(rows) > 2].format(where=where, shown=shown)


_BETWEEN = {
    False: "{where}: the line below the header ({shown!r}) has words above numbers, and was left out.",
    True: "{where}: the lines below the header ({shown!r}, ...) have words above numbers, and were left out.",
}


def notice_again(lines: int, where: str) -> str:
    """That the header stands again among the rows, in words."""
    again = "once more" if lines == 1 else f"{lines} times more"
    return f"{where}: the header stands {again} among the rows, as where files were put together; left out there."


def _notice(row: list[str], where: str, lines: int, which: str, place: str) -> str:
    shown = short(" ".join(cell.strip() for cell in row if cell.strip()), 60)
    what = "line" if lines == 1 else f"{lines} lines"
    return f"{where}: the {which} {what} {place} ({shown!r}{', ...' if lines > 1 else ''}) {_BE[lines > 1]}."


_BE = {False: "is no part of the table and was left out", True: "are no part of the table and were left out"}
