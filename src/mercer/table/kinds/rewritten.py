"""New rows in another notation than the rows learned from: decimal commas for points, dates the other way round."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.errors import ColumnWarning
from mercer.table.formats.notation import (
    DATES,
    DECIMAL_COMMA,
    FIRST,
    LIMITS,
    MONEY,
    PERCENT,
    PLAIN,
    PLAIN_NUMBER,
    SECOND,
    ascii_number,
    currency_of,
    has_time_of_day,
    in_words,
    read_numbers,
)
from mercer.table.formats.source import Distinct, Source
from mercer.table.formats.written import COMMA, UNITS, may_be_one, number_parts, parts, same_unit
from mercer.table.kinds.doubts import doubt, is_code, largest_unsigned
from mercer.table.kinds.levels import number_levels
from mercer.table.kinds.strays import FoundTexts, few_strays, notation_of, unread
from mercer.table.schema import Column, Kind, Schema

_SAMPLE = 2000  # different cells that tell a notation, as at fitting
_NUMBERS = "numbers"
_SPREADSHEET_DAYS = 10_000, 80_000  # 1927 to 2119
_PERIODS = ("Q", "half", "week")


def rewritten(source: Source, schema: Schema) -> Schema:
    """The schema of a model in the notations of new rows; a warning tells each column that is written otherwise."""
    others = {}
    for name, before in notations_of(schema).items() if source.columns else ():
        if name not in source.columns:
            continue
        here = notation_here(source.distinct(name), before) if source.columns[name].dtype == pl.String else before
        if here == before:
            tell_unsigned(source, name, before)
            continue
        others[name] = here
        tell_rewritten(name, source.distinct(name), before, here)
    return in_notations(schema, others)


def texts_among(source: Source, names: Iterable[str]) -> list[str]:
    """Those of some columns that hold texts."""
    return [name for name in names if name in source.columns and source.columns[name].dtype == pl.String]


def tell_rewritten(name: str, found: FoundTexts, learned: str, here: str) -> None:
    """Say that a column is written otherwise, by a cell that shows it."""
    unfit = found.known.filter(read_numbers(found.known, learned).is_null())
    cell = (unfit if len(unfit) else found.known)[0]
    currencies = currency_of(learned), currency_of(here)
    apart = f", those learned from were {words(learned)}" if currencies[0] != currencies[1] else ""
    said = f"written otherwise than in the rows learned from; cells such as {cell!r} are read as {words(here)}{apart}."
    warnings.warn(ColumnWarning(name, said), stacklevel=6)


def tell_spelling(name: str, names: Mapping[str, str]) -> None:
    """Say that levels are spelt otherwise, by one of them."""
    cell, level = next(iter(names.items()))
    said = f"written otherwise than in the rows learned from; cells such as {cell!r} are read as the level {level!r}."
    warnings.warn(ColumnWarning(name, said), stacklevel=6)


def tell_unknown(column: Column, found: Distinct, codes: NDArray[np.int32]) -> None:
    """Say that no cell of a column is a level of the rows learned from."""
    known = found.known
    if not len(known) or (codes[codes >= 0] < len(column.levels)).any() or max(len(known), found.n_known() / 5) < 2:
        return
    said = (
        f"no cell is a level of the rows learned from, {', '.join(map(repr, column.levels[:3]))}"
        f"{', ...' if len(column.levels) > 3 else ''}: all, such as {known[0]!r}, are read as levels never seen."
    )
    warnings.warn(ColumnWarning(column.name, said), stacklevel=6)


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


def tell_unsigned(source: Source, name: str, learned: str) -> None:
    """Say that numbers have no unit where one was learned, or no per cent sign, so that 12 is read as 1200 %."""
    cells = source.columns[name]
    text = cells.dtype == pl.String
    if text and (unit := currency_of(learned) or _unit(learned)):
        _tell_without_unit(source.distinct(name).known, name, unit)
    if PERCENT not in learned:
        return
    largest = largest_unsigned(source.distinct(name).known, learned) if text else _largest(cells)
    if largest > 1:
        said = (
            f"percentages in the rows learned from, here without a per cent sign: {largest:g} is read as "
            f"{100 * largest:g} %. Write the sign, or shares such as 0.12."
        )
        warnings.warn(ColumnWarning(name, said), stacklevel=6)


def _tell_without_unit(known: pl.Series, name: str, unit: str) -> None:
    if len(known) and all(map(_is_bare, known)):
        said = f"no cell is in {unit}, as in the rows learned from: {known[0]} is read as {unit}. Compare the units."
        warnings.warn(ColumnWarning(name, said), stacklevel=7)


def _is_bare(cell: str) -> bool:
    """Whether a number has nothing beside its digits."""
    found = number_parts(ascii_number(cell))
    return found is not None and not found.currency and not found.after


def _largest(cells: pl.Series) -> float:
    """The largest amount of a column of a type of numbers; 0 for another type, and for no numbers."""
    if not cells.dtype.is_numeric():
        return 0.0
    values = np.abs(cells.drop_nulls().cast(pl.Float64).to_numpy())
    return float(np.max(values, where=np.isfinite(values), initial=0.0))


def unlike(cell: str, learned: str) -> str:
    """Why a number cannot be read as the notation learned has it, in words; "" where it is only written otherwise."""
    found = parts(ascii_number(cell))
    meant = _meaning(learned)
    if meant.startswith("date"):
        return _as_day(cell)
    if found is None:
        return ""
    currency, unit = currency_of(learned), _unit(learned)
    if found.currency and currency and not may_be_one(found.currency, currency):
        return f", in {found.currency} where the rows learned from have {currency}: amounts must be converted"
    if found.after == "%" and meant == _NUMBERS:
        return ", and whether the rows learned from have it as that number or as a hundredth of it is not known"
    if found.after in UNITS and unit and same_unit(found.after) != unit:
        return f", in {found.after} where the rows learned from have {unit}: numbers must be converted"
    if found.after and meant == _NUMBERS:
        return f", and whether the rows learned from have it without {found.after!r} is not known"
    return ""


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
    return learned if unfit and few_strays(found, strays) and read_differently(found.cells, learned, here) else here


def _has_decimal_points(cells: pl.Series, learned: str) -> bool:
    """Whether plain numbers stand where a decimal comma was learned: 1.234 is no 1234 beside 12.5."""
    if not learned.startswith(DECIMAL_COMMA):
        return False
    plain = [ascii_number(cell) for cell in cells]
    marked = [cell.lstrip("+-") for cell in plain if "." in cell]
    return all(map(PLAIN_NUMBER.fullmatch, plain)) and not all(map(COMMA.fullmatch, marked))


def read_differently(cells: pl.Series, *notations: str) -> str:
    """The first cell that two notations read as another number each; "" where there is none."""
    first, second = (read_numbers(cells, n).cast(pl.Float64).to_numpy() for n in notations)
    unlike = np.isfinite(first) & np.isfinite(second) & (first != second)
    return str(cells[int(unlike.argmax())]) if unlike.any() else ""


def mean_the_same(learned: str, here: str) -> bool:
    """Whether a number in one notation is the same quantity as in the other.

    A price may be learned without its currency, and the other way round. Whether plain numbers were percentages,
    thousands or kilograms is not known.
    """
    if _meaning(learned) != _meaning(here):
        return False
    first, second = currency_of(learned), currency_of(here)
    if first is None or second is None:
        return "" in (first, second)
    return not first or not second or may_be_one(first, second)


def _meaning(notation: str) -> str:
    """What the numbers of a notation are, however their decimals are marked; of dates, how long each is."""
    if notation in DATES:
        period = next((word for word in _PERIODS if word in notation), "")
        day = "day" if "%d" in notation else "month"
        return f"date, {'moment' if has_time_of_day(notation) else period or day}"
    held = re.sub(f"(^|, )({DECIMAL_COMMA}|{MONEY}( in .*)?)(?=, |$)", "", notation).removeprefix(", ")
    if held in (PLAIN, LIMITS, "thousands", "signed"):
        return _NUMBERS
    return f"in {same_unit(held.removeprefix('in '))}" if held.startswith("in ") else held


def _unit(notation: str) -> str:
    """The unit that numbers of a notation are in; "" for none."""
    meant = _meaning(notation)
    return meant.removeprefix("in ") if meant.startswith("in ") else ""


def _as_day(cell: str) -> str:
    """The date of a number that may be a day as spreadsheets count them, in words; "" for any other cell."""
    day = float(cell) if PLAIN_NUMBER.fullmatch(cell) else 0.0
    if not _SPREADSHEET_DAYS[0] <= day <= _SPREADSHEET_DAYS[1]:
        return ""
    return f", in a spreadsheet the day {date(1899, 12, 30) + timedelta(days=int(day))}"


def words(notation: str) -> str:
    """What the cells of a column in a notation are called: numbers with a decimal comma, dates DD.MM.YYYY."""
    if notation == PLAIN:
        return "numbers with a decimal point"
    said = in_words(notation)
    return re.sub("^date ", "dates ", said).replace(DECIMAL_COMMA, f"numbers with a {DECIMAL_COMMA}")
