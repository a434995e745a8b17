"""What texts could be that are read as levels or names, and how to have it told: dates, numbers with words."""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

from mercer.table.formats.cells import matches
from mercer.table.formats.dates import time_zone
from mercer.table.formats.notation import (
    DATES,
    PERCENT,
    PLAIN,
    THREE_BEHIND_COMMA,
    THREE_BEHIND_POINT,
    TIME,
    UNCLEAR_DATE,
    has_time_of_day,
    read_numbers,
)
from mercer.table.formats.written import COMMA, ONE_NAME, POINT, UNITS, ascii_number, number_parts, parts, unit_of
from mercer.table.kinds.strays import MAX_SHARE

_LEADING_ZERO = "0[0-9]+"
_LONG = "[+-]?[0-9]{19,}"
_FEW_WORDS = 3  # beside numbers, which may say that one is not known
_FEWEST = 20  # different numbers beside them
_MARKED = re.compile(r"[+-]?\d+(?:[.,]\d+)?\s?(?:\*{1,3}|HH?|LL?|[†‡↑↓]|\[\w\]|\(\w\))")


def unclear(name: str, known: pl.Series) -> str:
    """How dates or numbers that are read in two ways, or not at all, could be told clearly; "" for other texts."""
    if all(UNCLEAR_DATE.fullmatch(c) for c in known):
        return "; dates with the day or month first? Write them as 2021-04-03 to have them read"
    if marked := _marks_behind(known):
        return (
            f"; numbers with marks behind, such as {marked!r}? Write these in a column of their own to have them read"
        )
    words = known.filter(read_numbers(known, PLAIN).is_null()).to_list()
    if 0 < len(words) <= _FEW_WORDS and len(known) - len(words) >= _FEWEST and not is_code(known):
        named = " ".join(f"--missing {f'{name}={word}'!r}" for word in words)
        return f"; numbers beside {', '.join(map(repr, words))}? To have the numbers read, say {named}"
    if marks := both_marks(known):
        return f"; numbers with {marks}? Write all with one of them to have them read"
    units = _units(known)
    return f"; numbers in {', '.join(units)}? Convert them to one unit to have them read" if units else ""


def _units(known: pl.Series) -> list[str]:
    """The currencies or units of a column of numbers in several; none for any other column."""
    if any(number_parts(ascii_number(cell)) is None for cell in known):
        return []
    found = set(map(unit_of, known)) - {""}
    return sorted(found) if len(found) > 1 and found <= UNITS.union(ONE_NAME) else []


def largest_unsigned(cells: pl.Series, notation: str) -> float:
    """The largest number without a per cent sign in a column of percentages; 0 for any other column.

    It is read as a share, so that beyond 1 it was likely meant otherwise.
    """
    if PERCENT not in notation:
        return 0.0
    bare = cells.filter(pl.Series(["%" not in ascii_number(cell) for cell in cells], dtype=pl.Boolean))
    return max(map(abs, read_numbers(bare, notation).drop_nulls()), default=0.0)


def _marks_behind(known: pl.Series) -> str:
    """The first of the marks behind numbers, as a laboratory writes 7.2 H and a table of statistics 0.31*; "" for none.

    >>> _marks_behind(pl.Series([*map(str, range(30)), "7.2 H", "0.3 L"]))
    '7.2 H'
    """
    marked = [cell for cell in known if _MARKED.fullmatch(cell)]
    others = pl.Series([cell for cell in known if not _MARKED.fullmatch(cell)], dtype=pl.String)
    enough = len(others) >= _FEWEST and read_numbers(others, PLAIN).null_count() == 0
    return marked[0] if marked and enough else ""


def is_code(known: pl.Series) -> bool:
    """Whether digits are a name: a whole number starts with a zero, or more than a few are too long for 64 bits."""
    long = int(matches(known, _LONG).sum())
    return bool(matches(known, _LEADING_ZERO).any()) or long > max(MAX_SHARE * len(known), 1)


def doubt(cells: Iterable[str], notation: str) -> str:
    """What makes a notation uncertain, in words; "" when its cells leave no doubt."""
    cells = [ascii_number(c) for c in cells]
    if (largest := largest_unsigned(pl.Series(cells, dtype=pl.String), notation)) > 1:
        return f"; {largest:g} without a per cent sign is read as {100 * largest:g} %"
    if has_time_of_day(notation):
        zones = {time_zone(c) for c in cells if ":" in c}
        return "" if len(zones) == 1 else "; time zones differ, and each is read as its clock showed"
    marks = [c for c in cells if "," in c or "." in c]
    if not marks or notation in (TIME, *DATES):
        return ""
    found = [part.body for c in marks if (part := parts(c)) is not None]
    commas = [b for b in found if "," in b]
    told = any("," not in b and len(b.partition(".")[2]) != 3 for b in found)  # 3.142 beside 7,025 tells nothing
    if commas and not told and notation == "thousands" and all(THREE_BEHIND_COMMA.fullmatch(b) for b in commas):
        comma = next(c for c in marks if "," in c)
        return f"; {comma!r} could also be a decimal comma: every comma stands before three digits"
    if found and notation != PLAIN and all(THREE_BEHIND_POINT.fullmatch(b) for b in found):
        return f"; {marks[0]!r} could also have a decimal point: every point stands before three digits"
    return ""


def both_marks(cells: Iterable[str]) -> str:
    """The decimal commas and decimal points of a column of numbers that has both, in words; "" for any other."""
    comma = point = ""
    for cell in map(ascii_number, cells):
        found = number_parts(cell)
        if found is None:
            return ""
        by_point, by_comma = (pattern.fullmatch(found.body) is not None for pattern in (POINT, COMMA))
        if not (by_point or by_comma):
            return ""
        comma = comma or ("" if by_point else cell)
        point = point or ("" if by_comma else cell)
    return f"decimal commas ({comma!r}) beside decimal points ({point!r})" if comma and point else ""
