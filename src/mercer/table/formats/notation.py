"""Numbers as people write them: 1,234 and 1.234,5 and € 12 and 12% and 125K and 5 kg and dates.

A notation is settled for a whole column: every cell must fit it, and a cell that fits two (1,234) is read as the other
cells of its column are. Dates become days since 1970-01-01.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from mercer.table.formats.cells import strip
from mercer.table.formats.dates import (
    COMPACT,
    PERIODS,
    TIME_PATTERN,
    UNCLEAR_DATE,
    are_seasons,
    day_or_month_first,
    days,
    layouts,
    seconds,
    without_zone,
)
from mercer.table.formats.written import (
    COMMA,
    DOUBTFUL_SCALES,
    ONE_NAME,
    PLAIN_NUMBER,
    POINT,
    SCALES,
    UNITS,
    Written,
    ascii_number,
    is_sign_of,
    number_parts,
    one_currency,
    parts,
    same_unit,
)

__all__ = ["PLAIN_NUMBER", "UNCLEAR_DATE", "ascii_number"]

PLAIN, TIME = "", "time"
THREE_BEHIND_POINT = re.compile(r"[1-9]\d{0,2}\.\d{3}")
THREE_BEHIND_COMMA = re.compile(r"[1-9]\d{0,2},\d{3}")
_LIMIT = re.compile(r"(?:<=?|>=?|≤|≥)\s?(?P<below>[.,]?\d[\d.,]*)|(?P<above>\d[\d.,]*)\s?\+")
_MOST_LIMITS, _NUMBERS_BESIDE = 10, 20  # different cells of a column
DECIMAL_COMMA = "decimal comma"
FIRST, SECOND = "first number", "second number"  # in a cell
# Beside a slash more digits name a year or a file rather than a quantity.
_TWO_NUMBERS = re.compile(
    r"(?:(\d{1,3}(?:[.,]\d+)?)\s*/\s*(\d{1,3}(?:[.,]\d+)?)|(\d+(?:[.,]\d+)?)\s*[x×*;|]\s*(\d+(?:[.,]\d+)?))"
    r"(?:\s?[^\W\d_]{1,8})?"
)


@dataclass(frozen=True, slots=True)
class Notation:
    """One way to write numbers: what marks the decimals, and what stands beside the digits.

    holds : "money", "percent", "scaled", "signed", "thousands", or a unit
    currency : that of some cells or all, "" for none; None for any, in models that do not tell
    """

    name: str
    comma: bool
    holds: str
    currency: str | None = ""

    def number(self, cell: str) -> float | None:
        """The value of a cell in this notation or plain, None when it is neither."""
        if not self.comma and PLAIN_NUMBER.fullmatch(cell):
            return float(cell)
        found = parts(cell)
        value = None if found is None or not self._fits(found) else self._value(found)
        if value is None and self.comma and PLAIN_NUMBER.fullmatch(cell):
            return float(cell)  # 12.5 has one meaning also among decimal commas
        return value

    def _fits(self, found: Written) -> bool:
        if self.currency is not None and found.currency and not is_sign_of(found.currency, self.currency):
            return False
        if self.holds == PERCENT:
            return found.after in ("", "%")
        if self.holds == "scaled":
            return not found.after or found.after.lower() in SCALES
        return not found.after or same_unit(found.after) == same_unit(self.holds)

    def _value(self, found: Written) -> float | None:
        if not (COMMA if self.comma else POINT).fullmatch(found.body):
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


def _name(comma: bool, holds: str, currency: str | None) -> str:
    if holds in UNITS:
        holds = f"in {holds}"
    if currency:
        holds = f"{'scaled, ' if holds == 'scaled' else ''}{MONEY} in {currency}"
    if not comma:
        return holds
    return DECIMAL_COMMA if holds in ("thousands", "signed") else f"{DECIMAL_COMMA}, {holds}"


MONEY, PERCENT = "money", "percent"
_HELD: list[tuple[str, str | None]] = [
    *((holds, "") for holds in ("thousands", "signed", PERCENT, "scaled", *sorted(UNITS))),
    *((holds, currency) for holds in (MONEY, "scaled") for currency in ONE_NAME),
    (MONEY, None),
]
MONTHS = "date %Y-%m"
OF_YEARS = frozenset(f"date {layout}" for layout in PERIODS)
_DIGIT = re.compile(r"\d")
_COMPACT = frozenset(f"date {layout}" for layout in COMPACT)
_FEWEST_MARKED = 5  # different numbers with a point
_FEWEST_COMPACT = 20  # different whole numbers, which all happen to be dates
_DATE_NOTATIONS = {f"date {layout}": Moments(f"date {layout}", p, days(layout)) for layout, p in layouts().items()}
_NUMBERS = {
    name: Notation(name, comma, *held) for comma in (False, True) for held in _HELD if (name := _name(comma, *held))
}
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
_LAYOUTS = [found for found in NOTATIONS.values() if isinstance(found, Moments) and found.name not in _COMPACT]
DATES = frozenset(_DATE_NOTATIONS)
ISO_DATE, ISO_TIME = "date %Y-%m-%d", "date %Y-%m-%d %H:%M:%S"
_LAYOUT_WORDS = {
    "%Y": "YYYY", "%m": "MM", "%d": "DD", "%b": "Mon", "%B": "Month", "%H": "hh", "%M": "mm", "%S": "ss",
    "%p": "AM/PM", "%y": "YY (1930 to 2029)",
}  # fmt: skip
_IN_WORDS = {
    LIMITS: "with limits as the number that each names",
    "scaled": "with k, M or bn",
    "signed": "with a sign, brackets for minus or ,- for no cents",
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


def currency_of(notation: str) -> str | None:
    """The currency of the numbers of a notation; "" for none, None where it is not known."""
    found = _NUMBERS.get(notation)
    return "" if found is None else found.currency


def has_time_of_day(notation: str) -> bool:
    """Whether dates in this notation are moments of a day."""
    return "%H" in notation


def recognise(cells: Iterable[str]) -> str | None:
    """The notation that reads every cell (PLAIN first), or None. At least one cell must need it."""
    cells = [ascii_number(c) for c in cells]
    if all(PLAIN_NUMBER.fullmatch(c) for c in cells):
        return _compact(cells) or (DECIMAL_COMMA if _are_thousands(cells) else PLAIN)
    if (moments := _moments(cells)) is not None:
        return moments
    found = [number_parts(c) for c in cells]
    written = [f for f in found if f is not None]
    return _settled(written) if len(written) == len(cells) else None


def _compact(cells: Sequence[str]) -> str:
    """The layout of whole numbers that are all days or months, such as 20240131 or 202401; "" for other numbers."""
    if len(set(cells)) < _FEWEST_COMPACT:
        return ""
    return next((n for n in sorted(_COMPACT) if all(_attempt(NOTATIONS[n], c) is not None for c in cells)), "")


def _are_thousands(cells: Sequence[str]) -> bool:
    """Whether points set thousands apart in 932 and 1.130, which decimals are not written so.

    Of numbers with three decimals each has a point, and of those without final zeros none ends in one.
    """
    marked = {c.lstrip("+-") for c in cells if "." in c}
    others = [c for c in cells if "." not in c]
    if len(marked) < _FEWEST_MARKED or not others or not any(c.endswith("0") for c in marked):
        return False
    return all(map(THREE_BEHIND_POINT.fullmatch, marked)) and all(len(c.lstrip("+-")) <= 3 for c in others)


def may_be_thousands(values: pl.Series) -> bool:
    """Whether numbers that were read as decimals may have been whole numbers with thousands set apart by points."""
    floats = values.drop_nulls().to_numpy()
    if not len(floats) or not np.abs(floats).max() < 1000:
        return False
    whole = floats == np.round(floats)
    return bool(whole.any() and not whole.all() and np.isclose(floats * 1000, np.round(floats * 1000), atol=1e-6).all())


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
    found = parts(cell)
    return found is not None and _settled([found, Written(False, "1", "", "", "", False)]) is not None


def _moments(cells: Sequence[str], *, first: bool = False) -> str | None:
    """The layout of dates or times that every cell fits; None for two readings of the day, unless `first` will do."""
    head = without_zone(cells[0]) if cells else ""
    written = [n for n in _LAYOUTS if n.pattern.fullmatch(head)] if _DIGIT.search(head) else []
    fitting = [n for n in written if all(_attempt(n, c) is not None for c in cells)]
    if not fitting and not first and any(c[4:5] == "-" for c in cells):
        others = [c for c in cells if not any(_attempt(NOTATIONS[n], c) is not None for n in ISO)]
        found = _moments(others) if 0 < len(others) < len(cells) else None  # ISO dates can be told from all others
        return found if found in DATES - OF_YEARS else None
    if fitting and fitting[0].name == MONTHS and are_seasons(cells):
        return None
    either = [n for n in fitting if day_or_month_first(n.name.removeprefix("date "))]
    return None if not fitting or (len(either) > 1 and not first) else fitting[0].name


def _settled(cells: list[Written]) -> str | None:
    """The one notation of these cells; None where they differ, or may be names."""
    holds = _held(cells)
    if holds is None or not _signs_are_clear(cells):
        return None
    comma = _decimal_comma([c.body for c in cells], holds)
    return None if comma is None else _name(comma, holds, "".join(one_currency(c.currency for c in cells)))


def _held(cells: list[Written]) -> str | None:
    """What stands beside the digits, the same in all cells: a currency, per cent, a scale, a unit, or nothing."""
    behind = {c.after for c in cells} - {""}
    behind = behind if len(behind) < 2 else set(map(same_unit, behind))  # 1 year beside 2 years
    currencies = one_currency(c.currency for c in cells)
    n_behind = sum(bool(c.after) for c in cells)
    if len(currencies) > 1 or (behind and 2 * n_behind < len(cells)):  # one 4b among flat numbers is no billion
        return None
    if not behind:
        grouped = any(set(c.body) & set(",' ") for c in cells)
        return MONEY if currencies else "thousands" if grouped else "signed"
    if behind == {"%"}:
        return None if currencies else PERCENT
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
    point = all(POINT.fullmatch(b) for b in bodies)
    rest = [b for b in bodies if not COMMA.fullmatch(b)]
    if point:
        # € 1.234 is no amount of three decimals: every cell but those without a mark has a group of thousands.
        marked = [b for b in bodies if "." in b]
        return holds == MONEY and bool(marked) and not rest and all(THREE_BEHIND_POINT.fullmatch(b) for b in marked)
    if not rest:
        return True
    # 12.5 among decimal commas has one meaning, but then 1.234 has two.
    clear = all(PLAIN_NUMBER.fullmatch(b) for b in rest) and not any(THREE_BEHIND_POINT.fullmatch(b) for b in bodies)
    return True if clear and any("," in b for b in bodies) else None


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
