"""Cells to codes of the levels that a schema knows, however the same level is written in another file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.table.blocks import MISSING
from mercer.table.formats.notation import PLAIN_NUMBER
from mercer.table.formats.source import Distinct, Source
from mercer.table.infer import level_names
from mercer.table.schema import Column, Kind

_TRUTH = {"false": 0.0, "true": 1.0}
_TWO_VALUES = ({"false", "true"}, {"0", "1"})


def level_codes(found: Distinct, levels: Sequence[str], *, leading_zeros: bool = False) -> NDArray[np.int32]:
    """The code of each cell: -1 for a missing marker, the number of levels for one never seen.

    A cell is the level that is written like it, or else the only one of the same value: 1.0 and +1 are the level "1",
    TRUE is "true", and "true" is "1" if the levels are 0 and 1. The code 02134 is a name, unless `leading_zeros`: then
    the number 2134 is the level "02134".
    """
    known = {level: code for code, level in enumerate(levels)}
    alike = _by_value(levels, leading_zeros)
    truth = {level.lower() for level in levels} in _TWO_VALUES
    codes = []
    for cell, gone in zip(found.cells, found.missing, strict=True):
        code = known.get(cell)  # first: a declared level may look like a marker ("None")
        if code is None and not gone:
            code = alike.get(_value(cell, truth, False), len(known))
        codes.append(MISSING if code is None else code)
    return found.spread(np.array(codes, dtype=np.int32), MISSING)


def grown(source: Source, column: Column) -> Column:
    """A category with the levels that this source adds; a binary column may turn out to have a third."""
    cells = pl.Series(level_names(source, column.name), dtype=pl.String)
    typed = source.columns[column.name].dtype.is_numeric()
    codes = level_codes(source.distinct_of(cells), column.levels, leading_zeros=typed)
    new = cells.filter(pl.Series(codes == len(column.levels)))
    return replace(column, kind=Kind.CATEGORY, levels=(*column.levels, *new))


def _by_value(levels: Sequence[str], leading_zeros: bool) -> dict[float | str | None, int]:
    """The code of each value that one level alone has."""
    truth = {level.lower() for level in levels} in _TWO_VALUES
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
    if not PLAIN_NUMBER.fullmatch(cell):
        return None
    digits = cell.lstrip("+-")
    coded = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    return None if coded and not leading_zeros else float(cell)
