"""Numbers as people write them: 1,234 and 12,5 and 12% and 125K and dates, each named and read only when plain.

A notation is settled for a whole column: every cell must fit it. Dates become days since 1970-01-01.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from unicodedata import decimal

import polars as pl

from mercer.table.formats.cells import strip

PLAIN = ""
_NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
_SCALES = {"k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12}
_DATES = {
    "%Y-%m-%d": r"\d{4}-\d{1,2}-\d{1,2}",
    "%Y/%m/%d": r"\d{4}/\d{1,2}/\d{1,2}",
    "%d.%m.%Y": r"\d{1,2}\.\d{1,2}\.\d{4}",
    "%Y-%m-%d %H:%M:%S": r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d",
    "%Y-%m-%dT%H:%M:%S": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
    "%d %b %Y": r"\d{1,2} [A-Za-z]{3} \d{4}",
}
# Day first or month first: read only when a column fits one of them and not the other.
_EITHER = {"%d/%m/%Y": r"\d{1,2}/\d{1,2}/\d{4}", "%m/%d/%Y": r"\d{1,2}/\d{1,2}/\d{4}"}
UNCLEAR_DATE = re.compile(r"\d{1,2}([/-])\d{1,2}\1(\d\d|\d{4})")
_SIGNS = {
    "\u066b": ".",
    "\u066c": ",",
    "\uff0e": ".",
    "\uff0c": ",",
    "\u2212": "-",
    "\uff0d": "-",
    "\uff05": "%",
    "\u066a": "%",
}
_SCALED, _PERCENT, TIME = "scaled", "percent", "time"
EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, slots=True)
class Notation:
    """One way to write numbers: a pattern that marks it, and how a cell is read."""

    name: str
    pattern: re.Pattern[str]
    read: Callable[[str], float]

    def number(self, cell: str) -> float | None:
        """The value of a cell in this notation or plain, None when it is neither."""
        if self.pattern.fullmatch(cell):
            return self.read(cell)
        if self.name in DATES or self.name == TIME:  # 2021 is no day, and 12 no time of day
            return None
        return float(cell) if PLAIN_NUMBER.fullmatch(cell) else None


def _scaled(cell: str) -> float:
    match = re.fullmatch(r"(.*?)\s*([A-Za-z]+)", cell)
    assert match is not None
    return float(match[1].lstrip("$€£ ").replace(",", "")) * _SCALES[match[2].lower()]


def _seconds(cell: str) -> float:
    """Seconds since midnight, or of a duration: 12:30 or 12:30:15."""
    hours, minutes, *seconds = cell.lstrip("-").split(":")
    value = int(hours) * 3600 + int(minutes) * 60 + (float(seconds[0]) if seconds else 0.0)
    return -value if cell.startswith("-") else value


def _days(layout: str) -> Callable[[str], float]:
    def read(cell: str) -> float:
        moment = datetime.strptime(cell, layout)
        return moment.toordinal() - EPOCH + (moment.hour * 3600 + moment.minute * 60 + moment.second) / 86400

    return read


PLAIN_NUMBER = re.compile(_NUMBER, re.ASCII)
_THOUSANDS = r"[+-]?[$€£]?\s?\d{1,3}(,\d{3})+(\.\d+)?"
NOTATIONS = {
    n.name: n
    for n in (
        Notation("thousands", re.compile(_THOUSANDS), lambda c: float(re.sub(r"[$€£,\s]", "", c))),
        Notation(
            "money", re.compile(rf"[+-]?[$€£]\s?({_NUMBER}|\d{{1,3}}(,\d{{3}})+(\.\d+)?)"),
            lambda c: float(re.sub(r"[$€£,\s]", "", c)),
        ),
        Notation(_PERCENT, re.compile(rf"{_NUMBER}\s?%"), lambda c: float(c.rstrip("% ")) / 100),
        Notation(_SCALED, re.compile(r"[$€£]?\s?[+-]?\d[\d,]*\.?\d*\s?(?i:k|m|b|bn|t)"), _scaled),
        Notation("decimal comma", re.compile(r"[+-]?\d+,\d+"), lambda c: float(c.replace(",", "."))),
        Notation(TIME, re.compile(r"-?\d{1,4}:[0-5]\d(:[0-5]\d(\.\d+)?)?", re.ASCII), _seconds),
        *(Notation(f"date {layout}", re.compile(p), _days(layout)) for layout, p in (_DATES | _EITHER).items()),
    )
}  # fmt: skip


DATES = frozenset(f"date {layout}" for layout in _DATES | _EITHER)
ISO_DATE, ISO_TIME = "date %Y-%m-%d", "date %Y-%m-%d %H:%M:%S"
_ISO = (ISO_DATE, ISO_TIME, "date %Y-%m-%dT%H:%M:%S")
_EITHER_NAMES = tuple(f"date {layout}" for layout in _EITHER)


def has_time_of_day(notation: str) -> bool:
    """Whether dates in this notation are moments of a day."""
    return "%H" in notation


def recognise(cells: Iterable[str]) -> str | None:
    """The notation that reads every cell (PLAIN first), or None. At least one cell must need it."""
    cells = [ascii_number(c) for c in cells]
    if all(PLAIN_NUMBER.fullmatch(c) for c in cells):
        return PLAIN
    fitting = [n for n in NOTATIONS.values() if all(_attempt(n, c) is not None for c in cells)]
    fitting = [n for n in fitting if n.name not in (_SCALED, _PERCENT) or _mostly(n, cells)]
    either = [n for n in fitting if n.name in _EITHER_NAMES]
    return None if not fitting or len(either) == 2 else fitting[0].name


def _mostly(notation: Notation, cells: list[str]) -> bool:
    """Whether at least half of the cells need the notation: one 4b among flat numbers is no billion."""
    return 2 * sum(bool(notation.pattern.fullmatch(c)) for c in cells) >= len(cells)


def ascii_number(cell: str) -> str:
    """A number in the digits and signs of another script (Arabic-Indic, full-width), in those of ASCII."""
    if cell.isascii():
        return cell
    return "".join(_SIGNS.get(c, c) if (digit := decimal(c, None)) is None else str(digit) for c in cell)


def read_numbers(cells: pl.Series, notation: str) -> pl.Series:
    """Float64 values of a text column; a cell that does not fit becomes null, so that the caller can name it."""
    plain = strip(cells)
    if not (plain.str.len_bytes() == plain.str.len_chars()).all():
        plain = pl.Series(plain.name, [None if c is None else ascii_number(c) for c in plain], dtype=pl.String)
    if notation == PLAIN:
        return plain.cast(pl.Float64, strict=False)
    # ISO dates can be told from all others, with a time of day or without.
    tried = [NOTATIONS[n] for n in ((notation, *_ISO) if notation in DATES else (notation,))]
    distinct = plain.drop_nulls().unique()
    values = {cell: next((v for n in tried if (v := _attempt(n, cell)) is not None), None) for cell in distinct}
    return pl.Series(cells.name, [values.get(cell) for cell in plain], dtype=pl.Float64)


def _attempt(notation: Notation, cell: str) -> float | None:
    try:
        return notation.number(cell)
    except ValueError:
        return None
