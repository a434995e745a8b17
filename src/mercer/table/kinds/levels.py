"""The names of a column's levels, their order where nothing better is known, and which of them each cell is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.table.blocks import MISSING
from mercer.table.formats.cells import nan_to_null, unique
from mercer.table.formats.notation import PLAIN_NUMBER, ascii_number
from mercer.table.formats.source import Distinct, Source
from mercer.table.kinds.order import code_by_word, has_no_answer

_EXACT = 2**53  # below it, every whole number is a float of its own
_TRUTH = {"false": 0.0, "true": 1.0}
_TWO_VALUES = ({"false", "true"}, {"0", "1"})
_YES = "1 true t wahr vrai vero verdadero verdadeiro waar yes y ja j oui si sí sì sim tak ano да on"
_NO = "0 false f falsch faux falso onwaar no n nein non não nao nej nei nee nie ne нет off"
_ANSWERS = {**dict.fromkeys(_YES.split(), True), **dict.fromkeys(_NO.split(), False)}


def declared_levels(cells: pl.Series) -> tuple[str, ...]:
    """The levels that a dtype brings: all of an Enum's in order, those present of a Categorical sorted."""
    if isinstance(cells.dtype, pl.Enum):
        return tuple(cells.dtype.categories)
    return sort_levels(unique(cells.cast(pl.String)))


def level_names(source: Source, name: str) -> tuple[str, ...]:
    """The levels of a column of any dtype, sorted; declared ones in their order."""
    cells = source.columns[name]
    if isinstance(cells.dtype, pl.Enum | pl.Categorical):
        return declared_levels(cells)
    if cells.dtype == pl.String:
        return sort_levels(source.distinct(name).known)
    if cells.dtype.is_float():
        cells = nan_to_null(cells)
    return sort_levels(number_levels(unique(cells)))


def number_levels(values: pl.Series) -> pl.Series:
    """Numbers and truth values as level names, each by itself: 3.0 and 3 are both '3', whatever else is there."""
    names = values.cast(pl.String)
    if values.dtype.is_float():
        whole = (values == values.round()) & (values.abs() < _EXACT)
        return values.cast(pl.Int64, strict=False).cast(pl.String).zip_with(whole.fill_null(False), names)
    return names.str.to_titlecase() if values.dtype == pl.Boolean else names


def sort_levels(names: Iterable[str]) -> tuple[str, ...]:
    """By value when all are numbers, by name otherwise: the same order whatever order the rows came in."""
    names = list(names)
    try:
        return tuple(sorted(names, key=lambda n: (float(n), n)))
    except ValueError:
        return tuple(sorted(names))


def spelt_alike(levels: Iterable[str]) -> list[list[str]]:
    """Levels that differ in capitals and blanks alone, each group in the order given.

    >>> spelt_alike(["NO", "No", "Yes", "New York", "new  york"])
    [['NO', 'No'], ['New York', 'new  york']]
    """
    found: dict[str, list[str]] = {}
    for level in levels:
        found.setdefault(_folded(level), []).append(level)
    return [group for group in found.values() if len(group) > 1]


def level_codes(
    found: Distinct, levels: Sequence[str], *, leading_zeros: bool = False, scale: str = ""
) -> NDArray[np.int32]:
    """The code of each cell: -1 for a missing marker, the number of levels for one never seen.

    A cell is the level that is written like it, or else the only one of the same value: 1.0 and +1 are the level "1",
    TRUE is "true", and "true" is "1" if the levels are 0 and 1. The code 02134 is a name, unless `leading_zeros`: then
    the number 2134 is the level "02134". On a scale of words, case and blanks do not matter, and "unknown" is missing.
    """
    known = {level: code for code, level in enumerate(levels)}
    alike = _by_value(levels, leading_zeros)
    truth = are_two_values(levels)
    by_word = code_by_word(levels, scale)
    codes = []
    for cell, gone in zip(found.cells, found.missing, strict=True):
        code = known.get(cell)  # first: a declared level may look like a marker ("None")
        if code is None and scale:
            code = MISSING if has_no_answer(cell) else by_word(cell)
        if code is None and not gone:
            code = alike.get(_value(cell, truth, False), len(known))
        codes.append(MISSING if code is None else code)
    return found.spread(np.array(codes, dtype=np.int32), MISSING)


def are_two_values(levels: Iterable[str]) -> bool:
    """Whether the levels are true and false, or 1 and 0, either of which stands for the other."""
    return {level.lower() for level in levels} in _TWO_VALUES


def other_spelling(found: Distinct, levels: Sequence[str]) -> dict[str, str]:
    """The level of each cell that is none as it is written: "Yes" is "yes" where no other level is spelt so.

    Where the levels are a yes and a no, an answer in another language is the level of its meaning.
    """
    spelt: dict[str, list[str]] = {}
    for level in levels:
        spelt.setdefault(_folded(level), []).append(level)
    answers = {_answer(level): [level] for level in levels} if len(levels) == 2 else {}
    meant = answers if answers.keys() == {True, False} else {}
    known, alike = set(levels), {}
    for cell in found.known:
        same = spelt.get(_folded(cell)) or (meant.get(_answer(cell)) if meant else None)
        if same is not None and len(same) == 1 and cell not in known:
            alike[cell] = same[0]
    return alike


def _answer(cell: str) -> bool | None:
    number = number_of_level(cell, leading_zeros=False)
    return _ANSWERS.get(cell.casefold() if number is None else f"{number:g}")


def _folded(level: str) -> str:
    return " ".join(level.casefold().split())


def respelt(found: Distinct, names: Mapping[str, str]) -> Distinct:
    """The cells with the names of levels for those that are spelt otherwise."""
    return replace(found, cells=pl.Series([names.get(cell, cell) for cell in found.cells], dtype=pl.String))


def _by_value(levels: Sequence[str], leading_zeros: bool) -> dict[float | str | None, int]:
    """The code of each value that one level alone has."""
    truth = are_two_values(levels)
    codes: dict[float | str | None, int] = {}
    twice: set[float | str | None] = {None}
    for code, level in enumerate(levels):
        value = _value(level, truth, leading_zeros)
        twice |= {value} & codes.keys()
        codes[value] = code
    return {value: code for value, code in codes.items() if value not in twice}


def _value(cell: str, truth: bool, leading_zeros: bool) -> float | str | None:
    word = cell.lower()
    if word in _TRUTH:
        return _TRUTH[word] if truth else word
    return number_of_level(cell, leading_zeros=leading_zeros)


def number_of_level(cell: str, *, leading_zeros: bool) -> float | None:
    """The value of a level that is a number, None otherwise."""
    cell = ascii_number(cell)
    if not PLAIN_NUMBER.fullmatch(cell):
        return None
    digits = cell.lstrip("+-")
    coded = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    return None if coded and not leading_zeros else float(cell)
