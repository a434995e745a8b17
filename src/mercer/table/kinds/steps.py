"""Numbered steps of a scale: 4 out of 5, 3/10, 2 stars, stage II, grade 3, 2nd, ++."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from mercer.table.formats.notation import ascii_number

Step: TypeAlias = tuple[str, float]  # what all steps of a scale have in common, and the place on it
_NUMBER = r"(\d+(?:[.,]5)?)"
_OF = re.compile(rf"{_NUMBER}\s*(?:/|out of|of|von|sur)\s*(\d+)(?:\s*(?:stars?|points?|★))?")
_STARS = re.compile(rf"{_NUMBER}[\s-]*(?:stars?|sterne?|étoiles?|★)")
_NAMED = re.compile(r"(stage|grade|level|tier|phase|step|rank|stufe|stadium)[\s:#-]+(\d+|[ivx]+)")
_PLACE = re.compile(r"(\d+)(?:st|nd|rd|th)(\s.+)?")
_MARKS = re.compile(r"(\+|\*|★)\1*")
_ROMAN = {name: place for place, name in enumerate(["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"], 1)}


def step(cell: str) -> Step | None:
    """The scale that a cell is a step of, and its place there; None for other cells.

    >>> step("4 out of 5"), step("Stage IV"), step("+++"), step("2nd class"), step("7 out of 5")
    (('of 5', 4.0), ('stage', 4.0), ('+', 3.0), ('th class', 2.0), None)
    """
    text = " ".join(ascii_number(cell).strip().lower().split())
    if found := _OF.fullmatch(text):
        place = _value(found[1])
        return (f"of {found[2]}", place) if place <= float(found[2]) else None
    if found := _STARS.fullmatch(text):
        return "stars", _value(found[1])
    if found := _NAMED.fullmatch(text):
        number = _ROMAN.get(found[2]) or (int(found[2]) if found[2].isdigit() else None)
        return None if number is None else (found[1], float(number))
    if found := _PLACE.fullmatch(text):
        return f"th{found[2] or ''}", float(found[1])
    if found := _MARKS.fullmatch(text):
        return found[1], float(len(text))
    return None


def in_order(cells: Sequence[str]) -> list[str] | None:
    """Steps of one scale from the lowest to the highest; None unless all are, each at a place of its own."""
    found = {cell: step(cell) for cell in cells}
    known = {cell: one for cell, one in found.items() if one is not None}
    scales, places = {scale for scale, _ in known.values()}, {place for _, place in known.values()}
    if len(known) < len(found) or len(scales) != 1 or len(places) < len(known):
        return None
    return sorted(known, key=lambda cell: known[cell][1])


def _value(digits: str) -> float:
    return float(digits.replace(",", "."))
