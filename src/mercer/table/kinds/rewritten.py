"""New rows in another notation than the rows learned from: decimal commas for points, dates the other way round."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from mercer.errors import ColumnWarning
from mercer.table.formats.notation import (
    DATES,
    DECIMAL_COMMA,
    FIRST,
    LIMITS,
    PLAIN,
    PLAIN_NUMBER,
    SECOND,
    ascii_number,
    doubt,
    has_time_of_day,
    in_words,
    read_numbers,
)
from mercer.table.formats.source import Distinct, Source
from mercer.table.formats.written import COMMA, same_unit
from mercer.table.kinds.doubts import is_code
from mercer.table.kinds.levels import number_levels
from mercer.table.kinds.strays import FoundTexts, few_strays, notation_of, unread
from mercer.table.schema import Column, Kind, Schema

_SAMPLE = 2000  # different cells that tell a notation, as at fitting
_NUMBERS = "numbers"
_PERIODS = ("Q", "half", "week")
# A price learned without its currency, and the other way round. Of two currencies nothing is known, nor whether plain
# numbers were percentages, thousands or kilograms.
_ALSO_ALIKE = {(_NUMBERS, "money"), ("money", _NUMBERS)}


def rewritten(source: Source, schema: Schema) -> Schema:
    """The schema of a model in the notations of new rows; a warning tells each column that is written otherwise."""
    texts = [name for name, cells in source.columns.items() if cells.dtype == pl.String]
    learned = notations_of(schema) if texts else {}
    others = {}
    for name in texts:
        found, before = source.distinct(name), learned.get(name)
        if before is None:
            continue
        if (here := notation_here(found, before)) == before:
            _tell_shares(name, found, before)
            continue
        others[name] = here
        tell_rewritten(name, found, before, here)
    return in_notations(schema, others)


def tell_rewritten(name: str, found: FoundTexts, learned: str, here: str) -> None:
    """Say that a column is written otherwise, by a cell that shows it."""
    unfit = found.known.filter(read_numbers(found.known, learned).is_null())
    cell = (unfit if len(unfit) else found.known)[0]
    said = f"written otherwise than in the rows learned from; cells such as {cell!r} are read as {words(here)}."
    warnings.warn(ColumnWarning(name, said), stacklevel=6)


def rewritten_levels(found: Distinct, levels: Sequence[str]) -> Distinct | None:
    """Cells with the names of numbers, which the levels are, in another notation, by which the series is called."""
    if not all(map(PLAIN_NUMBER.fullmatch, levels)) or not len(found.known):
        return None
    here = notation_here(found, PLAIN)
    if here == PLAIN:
        return None
    names = number_levels(read_numbers(found.cells, here))
    cells = [cell if name is None else name for cell, name in zip(found.cells, names, strict=True)]
    return replace(found, cells=pl.Series(here, cells, dtype=pl.String))


def _tell_shares(name: str, found: FoundTexts, learned: str) -> None:
    """Say that numbers beyond 1 are read as shares where percentages were learned, since no cell has its sign."""
    if _meaning(learned) != "percent" or any("%" in ascii_number(cell) for cell in found.known):
        return
    values = read_numbers(found.known, learned).cast(pl.Float64).to_numpy()
    largest = np.nanmax(np.abs(values), initial=0.0)
    if largest > 1:
        said = (
            f"percentages in the rows learned from, here without a per cent sign: {largest:g} is read as "
            f"{100 * largest:g} %. Write the sign, or shares such as 0.12."
        )
        warnings.warn(ColumnWarning(name, said), stacklevel=6)


def notations_of(schema: Schema) -> dict[str, str]:
    """The notation of each column of the input that is read as numbers or dates."""
    found: dict[str, str] = {}
    for column in schema:
        if _has_notation(column):
            found |= zip(column.input_names, (column.format, column.since_format), strict=False)
    return found


def _has_notation(column: Column) -> bool:
    """Whether it is numbers or made from dates; one of two numbers in a cell has both marks of decimals."""
    return column.part not in (FIRST, SECOND) and bool(column.part or column.kind is Kind.NUMERIC)


def in_notations(schema: Schema, notations: Mapping[str, str]) -> Schema:
    """The same columns, some of them written in other notations."""
    if not notations:
        return schema
    return replace(schema, columns=tuple(_in_notation(column, notations) for column in schema))


def _in_notation(column: Column, notations: Mapping[str, str]) -> Column:
    if not _has_notation(column):
        return column
    written = notations.get(column.input_names[0], column.format)
    return replace(column, format=written, since_format=notations.get(column.since, column.since_format))


def notation_here(found: FoundTexts, learned: str) -> str:
    """The notation of the cells of a column of new rows: another than that learned where it alone reads them.

    It must read every cell in one way, and mean what the one learned means. Cells that could be read in two ways, such
    as 1,234 or 01/02/2021, stay to be read by that learned, or to be refused.
    """
    cells = found.known
    sample = cells.gather_every(max(1, len(cells) // _SAMPLE))
    unfit = read_numbers(cells if learned == PLAIN else sample, learned).null_count() > 0
    if not unfit and not _has_decimal_points(sample, learned):
        return learned
    here = None if is_code(cells) else notation_of(found)
    if here is None or not mean_the_same(learned, here) or doubt(sample, here):
        return learned
    strays = unread(found, learned)
    return learned if unfit and few_strays(found, strays) and _differ(found.cells, learned, here) else here


def _has_decimal_points(cells: pl.Series, learned: str) -> bool:
    """Whether plain numbers stand where a decimal comma was learned: 1.234 is no 1234 beside 12.5."""
    if not learned.startswith(DECIMAL_COMMA):
        return False
    plain = [ascii_number(cell) for cell in cells]
    marked = [cell.lstrip("+-") for cell in plain if "." in cell]
    return all(map(PLAIN_NUMBER.fullmatch, plain)) and not all(map(COMMA.fullmatch, marked))


def _differ(cells: pl.Series, *notations: str) -> bool:
    """Whether a cell that two notations read is another number in each."""
    first, second = (read_numbers(cells, n).cast(pl.Float64).to_numpy() for n in notations)
    return bool((np.isfinite(first) & np.isfinite(second) & (first != second)).any())


def mean_the_same(learned: str, here: str) -> bool:
    """Whether a number in one notation is the same quantity as in the other."""
    meant = _meaning(learned), _meaning(here)
    return meant in _ALSO_ALIKE or (meant[0] == meant[1] != "money")


def _meaning(notation: str) -> str:
    """What the numbers of a notation are, however their decimals are marked; of dates, how long each is."""
    if notation in DATES:
        period = next((word for word in _PERIODS if word in notation), "")
        day = "day" if "%d" in notation else "month"
        return f"date, {'moment' if has_time_of_day(notation) else period or day}"
    held = re.sub(f"^{DECIMAL_COMMA}(, )?", "", notation)
    if held in (PLAIN, LIMITS, "thousands", "signed"):
        return _NUMBERS
    return f"in {same_unit(held.removeprefix('in '))}" if held.startswith("in ") else held


def words(notation: str) -> str:
    """What the cells of a column in a notation are called: numbers with a decimal comma, dates DD.MM.YYYY."""
    if notation == PLAIN:
        return "numbers with a decimal point"
    said = in_words(notation)
    return re.sub("^date ", "dates ", said).replace(DECIMAL_COMMA, f"numbers with a {DECIMAL_COMMA}")
