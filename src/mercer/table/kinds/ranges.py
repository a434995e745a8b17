"""Ranges of numbers as people write them: 10-19, 1 - 10 %, <18, 65+, under 5 years, $10k-20k, (0, 10]."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import inf

from mercer.table.formats.notation import ascii_number

_SCALE = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9}
_NUMBER = r"[$€£]?\s?(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:[.,]\d+)?|-?\.\d+)\s?([kmb](?![a-z]))?"
_UNIT = r"\s*(%|[$€£]|[a-z°/²³]+(?:\s(?:old|of age))?)?\.?"
_DASH = r"\s*(?:-|\u2010|\u2011|\u2012|\u2013|\u2014|\.\.\.?|…|to|bis|through|until|à|tot)\s*"
_BETWEEN = re.compile(rf"(?:from |between )?{_NUMBER}{_UNIT}(?:{_DASH}| and ){_NUMBER}{_UNIT}", re.IGNORECASE)
_INTERVAL = re.compile(rf"[(\[\]]\s*(-inf|{_NUMBER})\s*[,;]\s*(inf|{_NUMBER})\s*[)\]\[]", re.IGNORECASE)
_LESS = (
    r"(?:<=?|≤|under|below|less than|fewer than|younger than|up to|at most|no more than|max\.?"
    r"|unter|bis|moins de|menos de|meno di|minder dan)"
)
_MORE = (
    r"(?:>=?|≥|over|above|more than|older than|greater than|at least|no less than|min\.?"
    r"|über|ab|plus de|más de|oltre|meer dan)"
)
_BEHIND_LESS = r"\s*(?:(?:and|or|und|et|oder)\s+(?:less|fewer|under|below|younger|lower|jünger|weniger|moins))"
_BEHIND_MORE = (
    r"\s*(?:\+|(?:(?:and|or|und|oder|et|y|e|en)\s+)?"
    r"(?:more|over|above|older|up|plus|higher|greater|älter|mehr|más|più|ouder))"
)
_BELOW = re.compile(rf"{_LESS}\s*{_NUMBER}{_UNIT}|{_NUMBER}{_UNIT}{_BEHIND_LESS}", re.IGNORECASE)
_ABOVE = re.compile(
    rf"{_MORE}\s*{_NUMBER}{_UNIT}|{_NUMBER}{_UNIT}{_BEHIND_MORE}{_UNIT}|{_NUMBER}\+{_UNIT}", re.IGNORECASE
)
_POINT = re.compile(rf"{_NUMBER}{_UNIT}", re.IGNORECASE)
MOST = 60  # ranges of one column: more are something else


def interval(cell: str) -> tuple[float, float] | None:
    """The ends of a range, equal for a single number; None when the cell is neither."""
    text = ascii_number(cell).strip().lower()
    if found := _BELOW.fullmatch(text):
        return -inf, _value(*_numbers(found)[0])
    if found := _ABOVE.fullmatch(text):
        return _value(*_numbers(found)[0]), inf
    if found := _POINT.fullmatch(text):
        value = _value(*_numbers(found)[0])
        return value, value
    if found := _BETWEEN.fullmatch(text):
        (low, low_scale), (high, high_scale) = _numbers(found)
        ends = _value(low, low_scale or high_scale), _value(high, high_scale)  # $10-20k starts at 10k
        return ends if ends[0] < ends[1] else None
    return _bracketed(text)


def _bracketed(text: str) -> tuple[float, float] | None:
    found = _INTERVAL.fullmatch(text)
    if found is None:
        return None
    low, high = (float(found[k]) if found[k].endswith("inf") else float(found[k].replace(",", "")) for k in (1, 4))
    return (low, high) if low < high else None


def _numbers(found: re.Match[str]) -> list[tuple[str, str]]:
    """Digits and scale of each number of a match."""
    groups = found.groups()
    number = re.compile(r"-?\.?\d[\d.,]*")
    pairs = []
    for place, group in enumerate(groups):
        if group is not None and number.fullmatch(group):
            scale = groups[place + 1] if place + 1 < len(groups) else None
            pairs.append((group, scale or ""))
    return pairs


def _value(digits: str, scale: str) -> float:
    grouped = re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", digits)
    return float(digits.replace(",", "" if grouped else ".")) * _SCALE[scale]


def units(cells: Sequence[str]) -> set[str]:
    """The units beside the numbers: years and year are one."""
    found = set()
    for cell in cells:
        rest = re.sub(
            rf"{_LESS}|{_MORE}|{_BEHIND_LESS}|{_BEHIND_MORE}|\b(from|between|and|to|bis|through|until|à|tot)\b",
            " ",
            cell.lower(),
        )
        found |= {
            w.rstrip("s.") for w in re.findall(r"[a-z%°$€£²³]+", re.sub(r"\d\s?[kmb]\b", " ", rest)) if w != "inf"
        }
    return found - {""}


def in_order(cells: Sequence[str]) -> list[str] | None:
    """Ranges from the lowest to the highest; None unless all are ranges of one unit that do not overlap.

    Single numbers may stand among them (2, 3, 4, 5 or more).
    """
    if not 2 <= len(cells) <= MOST:
        return None
    ends = {}
    for cell in cells:
        found = interval(cell)
        if found is None:
            return None
        ends[cell] = found
    if all(low == high for low, high in ends.values()) or len(units(cells)) > 1:
        return None
    ordered = sorted(cells, key=lambda c: (*ends[c], c))
    for before, after in pairwise(ordered):
        if ends[before] != ends[after] and ends[before][1] > ends[after][0]:
            return None
    return ordered
