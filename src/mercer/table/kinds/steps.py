"""Numbered steps of a scale: 4 out of 5, 3/10, 2 stars, stage II, grade 3, 2nd, ++, 1 - low."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from mercer.table.formats.notation import ascii_number
from mercer.table.kinds.scales import SCALES, places

Step: TypeAlias = tuple[str, float]  # what all steps of a scale have in common, and the place on it
_NUMBER = r"(\d+(?:[.,]5)?)"
_OF = re.compile(rf"{_NUMBER}\s*(?:/|out of|of|von|sur)\s*(\d+)(?:\s*(?:stars?|points?|★))?")
_STARS = re.compile(rf"{_NUMBER}[\s-]*(?:stars?|sterne?|étoiles?|★)")
_NAMED = re.compile(r"(stage|grade|level|tier|phase|step|rank|stufe|stadium)[\s:#-]+(\d+|[ivx]+)([abc])?")
_PLACE = re.compile(r"(\d+)(?:st|nd|rd|th)(\s.+)?")
_MARKS = re.compile(r"(\+|\*|★)\1*")
_COUNTED = re.compile(r"([1-5])\s?\+|\+\s?([1-5])")
# What a laboratory writes below + and ++.
_BELOW_PLUS = {
    "-": 0.0, "0": 0.0, "neg": 0.0, "negative": 0.0, "negativ": 0.0, "trace": 0.5, "tr": 0.5, "+/-": 0.5, "±": 0.5,
    "(+)": 0.5,
}  # fmt: skip
_ROMAN_ALONE = "roman numeral"
_LABELLED = re.compile(r"(\d{1,2})(?:\s*[-\u2013:.)=]\s*|\s+)?(.*)")
_ROMAN = {name: place for place, name in enumerate(["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"], 1)}


def step(cell: str) -> Step | None:
    """The scale that a cell is a step of, and its place there; None for other cells.

    >>> step("4 out of 5"), step("Stage IV"), step("+++"), step("2nd class"), step("7 out of 5")
    (('of 5', 4.0), ('stage', 4.0), ('+', 3.0), ('th class', 2.0), None)
    >>> step("negative"), step("trace"), step("1+"), step("Stage IIb"), step("III")
    (('+', 0.0), ('+', 0.5), ('+', 1.0), ('stage', 2.2), ('roman numeral', 3.0))
    """
    text = " ".join(ascii_number(cell).strip().lower().split())
    if found := _OF.fullmatch(text):
        place = _value(found[1])
        return (f"of {found[2]}", place) if place <= float(found[2]) else None
    if found := _STARS.fullmatch(text):
        return "stars", _value(found[1])
    if found := _NAMED.fullmatch(text):
        number = _ROMAN.get(found[2]) or (int(found[2]) if found[2].isdigit() else None)
        return None if number is None else (found[1], number + " abc".index(found[3] or " ") / 10)
    if found := _PLACE.fullmatch(text):
        return f"th{found[2] or ''}", float(found[1])
    if found := _MARKS.fullmatch(text):
        return found[1], float(len(text))
    if found := _COUNTED.fullmatch(text):
        return "+", float(found[1] or found[2])
    if text in _ROMAN:
        return _ROMAN_ALONE, float(_ROMAN[text])
    return ("+", _BELOW_PLUS[text]) if text in _BELOW_PLUS else None


def in_order(cells: Sequence[str]) -> list[str] | None:
    """Steps of one scale from the lowest to the highest; None unless all are, each at a place of its own."""
    found = {cell: step(cell) for cell in cells}
    known = {cell: one for cell, one in found.items() if one is not None}
    scales, taken = {scale for scale, _ in known.values()}, {place for _, place in known.values()}
    if len(known) < len(found) or len(scales) != 1 or len(taken) < len(known):
        return None
    # Positive and negative alone are no steps, and I, V and X are letters too.
    several = sum(len(cell.strip()) > 1 for cell in known)
    if (scales == {"+"} and max(taken) < 2) or (scales == {_ROMAN_ALONE} and (several < 2 or len(known) < 3)):
        return None
    return sorted(known, key=lambda cell: known[cell][1])


def labelled(cells: Sequence[str]) -> list[str] | None:
    """Numbers with a label, in the order of the numbers: 1 - disagree, 2 - neutral, 3 - agree, or 1 (low), 2, 3 (high).

    None where the labels have no order of their own, or another one, as codes of departments have.
    """
    found = {cell: match for cell in cells if (match := _LABELLED.fullmatch(ascii_number(cell).strip()))}
    numbers = {cell: int(match[1]) for cell, match in found.items()}
    if len(found) < len(cells) or len(set(numbers.values())) < len(cells) or len(cells) < 3:
        return None
    ordered = sorted(numbers, key=lambda cell: numbers[cell])
    labels = [found[cell][2] for cell in ordered]
    if all(labels):
        ranks = [rank for scale in SCALES if (rank := places(labels, scale)) is not None]
        rising = [rank for rank in ranks if rank in (sorted(set(rank)), sorted(set(rank), reverse=True))]
        return ordered if rising else None
    bracketed = all(label.startswith("(") and label.endswith(")") for label in labels if label)
    return ordered if any(labels) and bracketed else None


def _value(digits: str) -> float:
    return float(digits.replace(",", "."))
