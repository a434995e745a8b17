"""What texts could be that are read as levels or names, and how to have it told: dates, numbers with words."""

from __future__ import annotations

import re

import polars as pl

from mercer.table.formats.cells import matches
from mercer.table.formats.notation import PLAIN, UNCLEAR_DATE, both_marks, read_numbers
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
    marks = both_marks(known)
    return f"; numbers with {marks}? Write all with one of them to have them read" if marks else ""


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
