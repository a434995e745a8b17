"""Numbers as people write them: 1,234 and 1.234,5 and € 12 and 12% and 125K and 5 kg and dates.

A notation is settled for a whole column: every cell must fit it, and a cell that fits two (1,234) is read as the other
cells of its column are. Dates become days since 1970-01-01.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from unicodedata import decimal

import polars as pl

from mercer.table.formats.cells import strip
from mercer.table.formats.dates import (
    MONTH_PATTERN,
    TIME_PATTERN,
    UNCLEAR_DATE,
    are_seasons,
    day_or_month_first,
    days,
    layouts,
    seconds,
    time_zone,
    without_zone,
)
from mercer.table.formats.units import CURRENCIES, DOUBTFUL_SCALES, SCALES, UNITS

__all__ = ["UNCLEAR_DATE"]

PLAIN, TIME = "", "time"
PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_SIGNS = {
    "\u066b": ".", "\u066c": ",", "\uff0e": ".", "\uff0c": ",", "\u2212": "-", "\uff0d": "-", "\uff05": "%",
    "\u066a": "%", "\xa0": " ", "\u2007": " ", "\u2009": " ", "\u202f": " ", "\u2019": "'",
}  # fmt: skip
_AFFIX = "|".join(re.escape(c) for c in sorted(CURRENCIES, key=len, reverse=True))
_CELL = re.compile(
    rf"(?P<open>\()?\s?(?P<sign>[+-])?\s?(?P<before>{_AFFIX})?\s?(?P<sign2>[+-])?"
    rf"(?P<body>[.,]?\d(?:[\d.,' ]*\d)?[.,]?)(?P<blank>\s?)"
    rf"(?P<after>%|{_AFFIX}|[^\W\d_°%µΩ][^\s\d(),+-]{{0,8}}|[°µΩ]\w*)?"
    rf"(?:\s?(?P<after2>{_AFFIX}))?(?P<trail>-)?\s?(?P<close>\))?"
)
_POINT = re.compile(
    r"(?:\d+|[1-9]\d{0,2}(?:(?P<group>[,' ])\d{3})(?:(?P=group)\d{3})*|[1-9]\d?(?:,\d\d)+,\d{3})(?:\.\d*)?|\.\d+"
)
_COMMA = re.compile(r"(?:\d+|[1-9]\d{0,2}(?:(?P<group>[.' ])\d{3})(?:(?P=group)\d{3})*)(?:,\d+)?|,\d+")
_THREE_BEHIND_POINT = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_THREE_BEHIND_COMMA = re.compile(r"[1-9]\d{0,2},\d{3}")
_LIMIT = re.compile(r"(?:<=?|>=?|≤|≥)\s?(?P<below>[.,]?\d[\d.,]*)|(?P<above>\d[\d.,]*)\s?\+")
_MOST_LIMITS, _NUMBERS_BESIDE = 10, 20  # different cells of a column
DECIMAL_COMMA = "decimal comma"
FIRST, SECOND = "first number", "second number"  # in a cell
# Beside a slash more digits name a year or a file rather than a quantity.
_TWO_NUMBERS = re.compile(
    r"(?:(\d{1,3}(?:[.,]\d+)?)\s*/\s*(\d{1,3}(?:[.,]\d+)?)|(\d+(?:[.,]\d+)?)\s*[x×*;|]\s*(\d+(?:[.,]\d+)?))"
    r"(?:\s?[^\W\d_]{1,8})?"
)


class Written(NamedTuple):
    """The parts of a number as written."""

    negative: bool
    body: str  # digits, groups and decimal mark
    currency: str
    after: str  # "%", a scale or a unit; "" for none
    accounting: str  # how a sign is written other than in front: "(" or "-" behind
    blank: bool  # between the number and what stands behind it


def _parts(cell: str) -> Written | None:
    match = _CELL.fullmatch(cell)
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    signs = [s for s in (match["sign"], match["sign2"], match["open"], match["trail"]) if s]
    after, more = match["after"] or "", match["after2"]
    currencies = [c for c in (match["before"], more, after if after in CURRENCIES else None) if c]
    if len(signs) > 1 or len(currencies) > 1:
        return None
    after = "" if after in CURRENCIES else after
    accounting = "(" if match["open"] else match["trail"] or ""
    return Written(
        "+" not in signs and bool(signs), match["body"], "".join(currencies), after, accounting, bool(match["blank"])
    )


@dataclass(frozen=True, slots=True)
class Notation:
    """One way to write numbers: what marks the decimals, and what stands beside the digits.

    holds : "money", "percent", "scaled", "signed", "thousands", or a unit
    """

    name: str
    comma: bool
    holds: str

    def number(self, cell: str) -> float | None:
        """The value of a cell in this notation or plain, None when it is neither."""
        if not self.comma and PLAIN_NUMBER.fullmatch(cell):
            return float(cell)
        found = _parts(cell)
        value = None if found is None or not self._fits(found) else self._value(found)
        if value is None and self.comma and PLAIN_NUMBER.fullmatch(cell):
            return float(cell)  # 12.5 has one meaning also among decimal commas
        return value

    def _fits(self, found: Written) -> bool:
        if self.holds == "percent":
            return found.after in ("", "%")
        if self.holds == "scaled":
            return not found.after or found.after.lower() in SCALES
        return found.after in ("", self.holds)

    def _value(self, found: Written) -> float | None:
        if not (_COMMA if self.comma else _POINT).fullmatch(found.body):
            return None
        body = re.sub("[.' ]" if self.comma else "[,' ]", "", found.body).replace(",", ".")
        value = float(body) * (-1 if found.negative else 1)
        if found.after == "%":
            return value / 100
        return value * SCALES[found.after.lower()] if self.holds == "scaled" and found.after else value


@dataclass(frozen=True, slots=True)
class Moments:
    """One way to write dates or times of day: 2021 is no day, and 12 no time of day."""

    name: str
    pattern: re.Pattern[str]
    read: Callable[[str], float]

    def number(self, cell: str) -> float | None:
        """The days or seconds of a cell, None when it is written otherwise or the calendar has no such day."""
        cell = without_zone(cell)
        return self.read(cell) if self.pattern.fullmatch(cell) else None


@dataclass(frozen=True, slots=True)
class Limits:
    """Numbers, and limits of what could be measured, <5 or >60 or 90+, which are read as the number that they name."""

    name: str
    decimals: Notation

    def number(self, cell: str) -> float | None:
        """The value of a cell, None when it is neither."""
        return self.decimals.number(without_limit(cell))


@dataclass(frozen=True, slots=True)
class OfTwo:
    """One of the two numbers in cells such as 135/80 or 2.5 x 4 cm, at this place."""

    name: str
    place: int

    def number(self, cell: str) -> float | None:
        """The value of that number, None where the cell is not two."""
        found = _TWO_NUMBERS.fullmatch(ascii_number(cell))
        return None if found is None else float([n for n in found.groups() if n][self.place].replace(",", "."))


def without_limit(cell: str) -> str:
    """The number of a limit; any other cell as it is."""
    found = _LIMIT.fullmatch(ascii_number(cell))
    return cell if found is None else found["below"] or found["above"]


def _name(comma: bool, holds: str) -> str:
    if holds in UNITS:
        holds = f"in {holds}"
    if not comma:
        return holds
    return DECIMAL_COMMA if holds in ("thousands", "signed") else f"{DECIMAL_COMMA}, {holds}"


_HOLDS = ("thousands", "signed", "money", "percent", "scaled", *sorted(UNITS))
MONTHS = "date %Y-%m"
_DATE_NOTATIONS = {f"date {layout}": Moments(f"date {layout}", p, days(layout)) for layout, p in layouts().items()}
_DATE_NOTATIONS[MONTHS] = Moments(MONTHS, MONTH_PATTERN, days("%Y-%m"))
_NUMBERS = {name: Notation(name, comma, h) for comma in (False, True) for h in _HOLDS if (name := _name(comma, h))}
LIMITS = "limits"
NOTATIONS: dict[str, Notation | Moments | Limits | OfTwo] = {
    **_NUMBERS,
    LIMITS: Limits(LIMITS, _NUMBERS["signed"]),
    f"{DECIMAL_COMMA}, {LIMITS}": Limits(f"{DECIMAL_COMMA}, {LIMITS}", _NUMBERS[DECIMAL_COMMA]),
    TIME: Moments(TIME, TIME_PATTERN, seconds),
    FIRST: OfTwo(FIRST, 0),
    SECOND: OfTwo(SECOND, 1),
    **_DATE_NOTATIONS,
}
DATES = frozenset(_DATE_NOTATIONS)
ISO_DATE, ISO_TIME = "date %Y-%m-%d", "date %Y-%m-%d %H:%M:%S"
_LAYOUT_WORDS = {
    "%Y": "YYYY", "%m": "MM", "%d": "DD", "%b": "Mon", "%B": "Month", "%H": "hh", "%M": "mm", "%S": "ss",
}  # fmt: skip
_IN_WORDS = {
    LIMITS: "with limits as the number that each names",
    "scaled": "with k, M or bn",
    "signed": "with a sign or brackets for minus",
    "thousands": "with thousands set apart",
}
ISO = (ISO_DATE, ISO_TIME, "date %Y-%m-%d %H:%M")


def in_words(notation: str) -> str:
    """What a notation is called: numbers in kg, date DD/MM/YYYY."""
    if notation not in DATES:
        words = ", ".join(_IN_WORDS.get(part, part) for part in notation.split(", "))
        return f"numbers {words}" if words.startswith(("in ", "with ")) else words
    for code, word in _LAYOUT_WORDS.items():
        notation = notation.replace(code, word)
    return notation


def has_time_of_day(notation: str) -> bool:
    """Whether dates in this notation are moments of a day."""
    return "%H" in notation


def recognise(cells: Iterable[str]) -> str | None:
    """The notation that reads every cell (PLAIN first), or None. At least one cell must need it."""
    cells = [ascii_number(c) for c in cells]
    if all(PLAIN_NUMBER.fullmatch(c) for c in cells):
        return PLAIN
    if (moments := _moments(cells)) is not None:
        return moments
    found = [_parts(c) or _plain_parts(c) for c in cells]
    written = [f for f in found if f is not None]
    return _settled(written) if len(written) == len(cells) else None


def limits_beside(notation: str) -> str | None:
    """The notation of the same numbers with limits among them; None where there is none."""
    found = LIMITS if notation == PLAIN else f"{notation}, {LIMITS}"
    return found if found in NOTATIONS else None


def recognise_limits(cells: Iterable[str]) -> str | None:
    """The notation of many different numbers beside a few limits, or None: of few numbers these are ranges."""
    cells = list(cells)
    limits = [c for c in cells if without_limit(c) != c]
    if not 0 < len(limits) <= _MOST_LIMITS or len(cells) - len(limits) < _NUMBERS_BESIDE:
        return None
    notation = recognise(without_limit(c) for c in cells)
    return None if notation is None else limits_beside(notation)


def readable(cell: str) -> bool:
    """Whether a cell may be a number, date or time in some notation, whatever the other cells of its column are."""
    cell = without_limit(ascii_number(cell))
    if PLAIN_NUMBER.fullmatch(cell) or _moments([cell], first=True) is not None:
        return True
    found = _parts(cell)
    return found is not None and _settled([found, Written(False, "1", "", "", "", False)]) is not None


def _moments(cells: Sequence[str], *, first: bool = False) -> str | None:
    """The layout of dates or times that every cell fits; None for two readings of the day, unless `first` will do."""
    fitting = [
        n for n in NOTATIONS.values() if isinstance(n, Moments) and all(_attempt(n, c) is not None for c in cells)
    ]
    if fitting and fitting[0].name == MONTHS and are_seasons(cells):
        return None
    either = [n for n in fitting if day_or_month_first(n.name.removeprefix("date "))]
    return None if not fitting or (len(either) > 1 and not first) else fitting[0].name


def _plain_parts(cell: str) -> Written | None:
    """A number with an exponent."""
    return Written(False, "1", "", "", "", False) if PLAIN_NUMBER.fullmatch(cell) else None


def _settled(cells: list[Written]) -> str | None:
    """The one notation of these cells; None where they differ, or may be names."""
    holds = _held(cells)
    if holds is None or not _signs_are_clear(cells):
        return None
    comma = _decimal_comma([c.body for c in cells], holds)
    return None if comma is None else _name(comma, holds)


def _held(cells: list[Written]) -> str | None:
    """What stands beside the digits, the same in all cells: a currency, per cent, a scale, a unit, or nothing."""
    behind = {c.after for c in cells} - {""}
    currencies = {c.currency for c in cells} - {""}
    n_behind = sum(bool(c.after) for c in cells)
    if len(currencies) > 1 or (behind and 2 * n_behind < len(cells)):  # one 4b among flat numbers is no billion
        return None
    if not behind:
        grouped = any(set(c.body) & set(",' ") for c in cells)
        return "money" if currencies else "thousands" if grouped else "signed"
    if behind == {"%"}:
        return None if currencies else "percent"
    unit = next(iter(behind))
    if len(behind) == 1 and not currencies and unit in UNITS and (len(unit) > 1 or _spaced(cells)):
        return unit
    if not {b.lower() for b in behind} <= SCALES.keys():
        return None
    doubtful = not DOUBTFUL_SCALES.isdisjoint(b.lower() for b in behind)
    sure = bool(currencies) or any("." in c.body or "," in c.body for c in cells)
    return None if doubtful and not sure else "scaled"


def _spaced(cells: list[Written]) -> bool:
    return all(c.blank for c in cells if c.after)


def _signs_are_clear(cells: list[Written]) -> bool:
    """(5.2) and 5.2- are negative beside numbers without such signs; 2- alone is a mark at school."""
    signed = [c for c in cells if c.accounting]
    long = all(len(c.body) > 2 for c in signed if c.accounting == "-")
    return not signed or (len(signed) < len(cells) and long)


def _decimal_comma(bodies: list[str], holds: str) -> bool | None:
    """Whether the comma marks the decimals; None when neither mark reads every cell."""
    point = all(_POINT.fullmatch(b) for b in bodies)
    rest = [b for b in bodies if not _COMMA.fullmatch(b)]
    if point:
        # € 1.234 is no amount of three decimals: every cell but those without a mark has a group of thousands.
        marked = [b for b in bodies if "." in b]
        return holds == "money" and bool(marked) and not rest and all(_THREE_BEHIND_POINT.fullmatch(b) for b in marked)
    if not rest:
        return True
    # 12.5 among decimal commas has one meaning, but then 1.234 has two.
    clear = all(PLAIN_NUMBER.fullmatch(b) for b in rest) and not any(_THREE_BEHIND_POINT.fullmatch(b) for b in bodies)
    return True if clear and any("," in b for b in bodies) else None


def doubt(cells: Iterable[str], notation: str) -> str:
    """What makes a notation uncertain, in words; "" when its cells leave no doubt."""
    cells = [ascii_number(c) for c in cells]
    if has_time_of_day(notation):
        zones = {time_zone(c) for c in cells if ":" in c}
        return "" if len(zones) == 1 else "; time zones differ, and each is read as its clock showed"
    marks = [c for c in cells if "," in c or "." in c]
    if not marks or notation in (TIME, *DATES):
        return ""
    found = [part.body for c in marks if (part := _parts(c)) is not None]
    if found and notation == "thousands" and all(_THREE_BEHIND_COMMA.fullmatch(b) for b in found):
        return f"; {marks[0]!r} could also be a decimal comma: every comma stands before three digits"
    if found and notation != PLAIN and all(_THREE_BEHIND_POINT.fullmatch(b) for b in found):
        return f"; {marks[0]!r} could also have a decimal point: every point stands before three digits"
    return ""


def both_marks(cells: Iterable[str]) -> str:
    """The decimal commas and decimal points of a column of numbers that has both, in words; "" for any other."""
    comma = point = ""
    for cell in map(ascii_number, cells):
        found = _parts(cell) or _plain_parts(cell)
        if found is None:
            return ""
        by_point, by_comma = (pattern.fullmatch(found.body) is not None for pattern in (_POINT, _COMMA))
        if not (by_point or by_comma):
            return ""
        comma = comma or ("" if by_point else cell)
        point = point or ("" if by_comma else cell)
    return f"decimal commas ({comma!r}) beside decimal points ({point!r})" if comma and point else ""


def ascii_number(cell: str) -> str:
    """A number in the digits, signs and blanks of another script (Arabic-Indic, full-width), in those of ASCII."""
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
    tried = [NOTATIONS[n] for n in ((notation, *ISO) if notation in DATES else (notation,))]
    distinct = plain.drop_nulls().unique()
    values = {cell: next((v for n in tried if (v := _attempt(n, cell)) is not None), None) for cell in distinct}
    return pl.Series(cells.name, [values.get(cell) for cell in plain], dtype=pl.Float64)


def _attempt(notation: Notation | Moments | Limits | OfTwo, cell: str) -> float | None:
    try:
        return notation.number(cell)
    except ValueError:
        return None
