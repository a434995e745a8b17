"""What each column is, and why: from its dtype when that says it, from its cells otherwise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from mercer.errors import BadColumn, BadTable, did_you_mean
from mercer.table.date_columns import SampledDates, differences
from mercer.table.formats.cells import unique
from mercer.table.formats.notation import (
    FIRST,
    ISO_DATE,
    ISO_TIME,
    OF_YEARS,
    PLAIN,
    PLAIN_NUMBER,
    SECOND,
    TIME,
    ascii_number,
    in_words,
    read_numbers,
    readable,
    recognise,
    recognise_limits,
)
from mercer.table.formats.source import Source
from mercer.table.kinds.doubts import doubt, is_code, unclear
from mercer.table.kinds.identifiers import NEARLY, looks_like_names, names_rows
from mercer.table.kinds.levels import number_levels, sort_levels
from mercer.table.kinds.order import NONE, Order, find_order
from mercer.table.kinds.strays import (
    FoundTexts,
    few_strays,
    notation_but_for_strays,
    notation_of,
    stray_reason,
    unread,
)
from mercer.table.kinds.words import text_reason
from mercer.table.profile.cells import ColumnCells, NumberCells
from mercer.table.profile.column import ColumnProfile
from mercer.table.profile.numbers import NumberProfile
from mercer.table.schema import Cause, Column, Kind, LeftOut, Schema, part_of

KindSpec: TypeAlias = str | Sequence[str]
Cells: TypeAlias = ColumnCells | ColumnProfile
Numbers: TypeAlias = NumberCells | NumberProfile
SKIP = "skip"
_FEW_ROWS = 20  # below it, distinct values say nothing about identifiers
_FEW_PAIRS = 10  # names such as 3/4 of an inch rather than amounts such as 135/80
_FEW_PERIODS = 12  # such as 2024-05 or 2024Q1: levels in their order rather than dates
_SAMPLE = 2000
_MOST_ORDERED = 60  # levels that may have an order
BLANK = "(blank)"  # the level of missing cells in a column of one value and blanks
MAX_EMPTY_COLUMNS = 1 << 20  # as many as scikit-learn's HashingVectorizer makes


def infer(source: Source, kinds: Mapping[str, KindSpec] | None = None) -> Schema:
    """What each column is, and why: from its type where that says it, from its cells otherwise.

    Parameters
    ----------
    source : Source
        The cells as they were found.
    kinds : mapping of str to str or sequence of str, or None, default None
        The kind of a column by its name, in place of what is inferred: "numeric", "binary", "category", "ordinal",
        "text", "skip" (left out), or the levels of an ordinal column in their order. A part of a date, such as
        "signup (month)", can be left out too.

    Returns
    -------
    schema : Schema
        The columns and those left out, each with its reason.

    Raises
    ------
    BadColumn
        If `kinds` names a column that is not there, or a kind that its cells do not fit.

    Examples
    --------
    >>> from mercer.table import infer, open_source
    >>> schema = infer(open_source({"pay": ["10K", "20K", "25K"], "job": ["clerk", "sales", "clerk"]}))
    >>> [(column.name, str(column.kind), column.reason) for column in schema]
    [('pay', 'numeric', "text such as '10K', read as numbers with k, M or bn"), ('job', 'binary', '2 levels')]
    """
    found = infer_columns({name: ColumnCells(source, name) for name in source.columns}, kinds)
    if source.sparse is not None:
        _refuse_wide(source.sparse)
        found += [Column(name, Kind.NUMERIC, reason="sparse") for name in source.sparse_names]
    return _schema(found)


def infer_profiles(profiles: Mapping[str, ColumnProfile], kinds: Mapping[str, KindSpec] | None = None) -> Schema:
    """What each column is, and why, from profiles of its cells: `infer` of rows that came in chunks."""
    return _schema(infer_columns(profiles, kinds))


def infer_columns(columns: Mapping[str, Cells], kinds: Mapping[str, KindSpec] | None) -> list[Column | LeftOut]:
    """Every column with its kind, or the reason to leave it out, and what is made from dates and pairs of numbers."""
    kinds = dict(kinds or {})
    of_parts = {name: spec for name, spec in kinds.items() if name not in columns}
    found: list[Column | LeftOut] = []
    dates = []
    for name, cells in columns.items():
        column = _given(name, cells, kinds[name]) if name in kinds else _column(name, cells)
        if name in kinds or not isinstance(column, Column) or not column.is_date:
            found += _in_two(column) if isinstance(column, Column) and column.format == FIRST else [column]
            continue
        dates.append(SampledDates.of(column, cells))
        found.append(replace(column, reason=column.reason + dates[-1].stand_in()))
        found += [part for part in dates[-1].parts() if part.name not in columns]
    found += [between for between in differences(dates) if between.name not in columns]
    return _without_parts(found, of_parts, list(columns)) if of_parts else found


def _in_two(column: Column) -> list[Column | LeftOut]:
    """A column for each of the two numbers in the cells of one."""
    parts = [part_of(column.name, part, part) for part in (FIRST, SECOND)]
    return [replace(part, reason=f"{part.reason}, {column.reason}") for part in parts]


def _schema(found: list[Column | LeftOut]) -> Schema:
    columns = tuple(c for c in found if isinstance(c, Column))
    return Schema(columns, tuple(c for c in found if isinstance(c, LeftOut)))


def _without_parts(
    found: list[Column | LeftOut], asked: Mapping[str, KindSpec], names: list[str]
) -> list[Column | LeftOut]:
    """The columns without the parts of dates that are not wanted."""
    parts = [c.name for c in found if isinstance(c, Column) and c.part]
    for name, spec in asked.items():
        if name not in parts:
            raise BadColumn(f"kinds: there is no column {name!r}. {did_you_mean(name, [*names, *parts])}")
        if spec != SKIP:
            raise BadColumn(f"kinds[{name!r}] = {spec!r}: the kind of a part of a date is known; it can be {SKIP!r}.")
    return [c for c in found if c.name not in asked]


def _refuse_wide(sparse: Any) -> None:
    """A few cells cannot ask for millions of columns: each costs 160 bytes and 4 microseconds."""
    n_columns = sparse.shape[1]
    if n_columns > max(MAX_EMPTY_COLUMNS, sparse.nnz):
        row = int(np.searchsorted(sparse.indptr, int(sparse.indices.argmax()), side="right"))
        raise BadTable(
            f"Row {row} has a cell in column {n_columns:,}, though the table holds only {sparse.nnz:,} cells: so many "
            f"columns would need {n_columns * 160 / 1e9:.1f} GB. Number the columns that have cells from 1 on."
        )


def _given(name: str, cells: Cells, spec: KindSpec) -> Column | LeftOut:
    if not isinstance(spec, str):
        levels = tuple(str(s) for s in spec)
        if not levels or len(set(levels)) < len(levels):
            raise BadColumn(f"kinds[{name!r}]: levels must be distinct, and at least one; found {levels}.")
        return Column(name, Kind.ORDINAL, levels, "levels given in order")
    if spec == SKIP:
        return LeftOut(name, Cause.REQUESTED, "left out on request")
    if spec not in list(Kind):
        options = ", ".join(Kind) + f", {SKIP}"
        raise BadColumn(f"kinds[{name!r}] = {spec!r} is not a kind. Kinds: {options}, or a list of levels in order.")
    kind = Kind(spec)
    if kind is Kind.NUMERIC:
        return _as_numeric(name, cells)
    levels = cells.levels() if kind.categorical else ()
    if kind is Kind.ORDINAL and (order := find_order(levels)) is not None and not order.no_answer:
        return Column(name, kind, order.levels, f"kind given; {order.reason}", order.scale)
    if kind is Kind.BINARY and len(levels) > 2:
        raise BadColumn(f"kinds[{name!r}] = 'binary', but it has {len(levels)} levels: {', '.join(levels[:4])}, ...")
    return Column(name, kind, levels, "kind given")


def _as_numeric(name: str, cells: Cells) -> Column:
    if cells.dtype != pl.String:
        return Column(name, Kind.NUMERIC, reason="kind given", format=_typed_notation(cells))
    found = cells.texts()
    known = found.known
    notation = recognise(known)
    if notation is None:
        notation = recognise_limits(known)
    if notation is None:
        notation = notation_but_for_strays(found)
    if notation is None:
        strange = next((c for c in known if not readable(c)), known[0])
        raise BadColumn(
            f"kinds[{name!r}] = 'numeric', but it holds {strange!r}. Name it as missing, or use 'category'."
        )
    return Column(name, Kind.NUMERIC, reason="kind given", format=notation)


def _column(name: str, cells: Cells) -> Column | LeftOut:
    if cells.typed:
        return _typed_numbers(name, cells.numbers())
    if cells.n_missing == cells.n_rows:
        return LeftOut(name, Cause.EMPTY, "every cell is missing")
    dtype = cells.dtype
    if isinstance(dtype, pl.Enum | pl.Categorical):
        return _declared(name, cells)
    if dtype == pl.Boolean:
        return _two_levels(name, cells.values(), "true or false", blanks=cells.n_missing > 0)
    if dtype in (pl.Date, pl.Datetime):
        return Column(name, Kind.NUMERIC, reason="dates", format=_typed_notation(cells))
    if dtype in (pl.Duration, pl.Time):
        reason = f"{dtype.base_type().__name__.lower()}s, in seconds"
        return Column(name, Kind.NUMERIC, reason=reason, format=_typed_notation(cells))
    if dtype.is_numeric():
        return _numbers(name, cells.numbers())
    if dtype == pl.String:
        return _text(name, cells)
    kind = "lists" if isinstance(dtype, pl.List | pl.Array) else f"cells of type {dtype}"
    advice = "join each to a text, or make a column of each item, to have them read"
    return LeftOut(name, Cause.UNREADABLE, f"{kind}, neither numbers nor text; {advice}")


def _typed_notation(cells: Cells) -> str:
    """How numbers of a type would be written; moments that are all midnight are dates."""
    if cells.dtype in (pl.Duration, pl.Time):
        return TIME
    if cells.dtype not in (pl.Date, pl.Datetime):
        return PLAIN
    hours = np.floor(cells.days()[0] * 24 + 1e-9)  # chunks are known by the hour
    return ISO_TIME if (hours % 24).any() else ISO_DATE


def _declared(name: str, cells: Cells) -> Column | LeftOut:
    levels = cells.levels()
    if not levels:
        return LeftOut(name, Cause.EMPTY, "no level")
    if len(levels) == 1 and cells.n_missing:
        return _or_blank(name, levels[0])
    if len(levels) == 1:
        return LeftOut(name, Cause.CONSTANT, f"constant: one level ({levels[0]!r})")
    if cells.nominal or isinstance(cells.dtype, pl.Categorical):
        order = find_order(levels)
        if order is not None:
            return _ordered(name, order)
        kind = Kind.BINARY if len(levels) == 2 else Kind.CATEGORY
        return Column(name, kind, levels, f"declared with {len(levels)} levels")
    return Column(name, Kind.ORDINAL, levels, f"declared with {len(levels)} ordered levels")


def _ordered(name: str, order: Order) -> Column:
    """Levels in an order that everyone knows; two of them are binary."""
    kind = Kind.BINARY if len(order.levels) == 2 else Kind.ORDINAL
    return Column(name, kind, order.levels, order.reason, order.scale)


def _or_blank(name: str, level: str) -> Column | LeftOut:
    """A column of one value and blanks, as a box that is ticked or not: blank is its other level."""
    if level == BLANK:
        return LeftOut(name, Cause.CONSTANT, f"constant: every cell is {level!r}")
    return Column(name, Kind.BINARY, (BLANK, level), f"{level!r} or blank")


def _two_levels(name: str, values: pl.Series, reason: str, *, blanks: bool = False) -> Column | LeftOut:
    """A column that holds these one or two values."""
    levels = sort_levels(number_levels(unique(values.drop_nulls())))
    if len(levels) < 2 and blanks:
        return _or_blank(name, levels[0])
    if len(levels) < 2:
        return LeftOut(name, Cause.CONSTANT, f"constant: every cell is {levels[0]!r}")
    return Column(name, Kind.BINARY, levels, reason)


def _typed_numbers(name: str, cells: Numbers) -> Column | LeftOut:
    """Numbers of a data frame stay numbers, constant and counting ones too: as the columns of an array."""
    if cells.low is None or cells.low != cells.low:
        return LeftOut(name, Cause.EMPTY, "every cell is missing")
    return Column(name, Kind.NUMERIC, reason=_from_to(name, cells))


def _from_to(name: str, cells: Numbers) -> str:
    word, digits = ("whole numbers", ".15g") if cells.whole else ("numbers", "g")
    found = f"{word} from {float(cells.low):{digits}} to {float(cells.high):{digits}}"
    marker = cells.missing_marker()
    return found if marker is None else f"{found}; {marker.statement(name, cells.n_rows - cells.n_missing)}"


def _numbers(name: str, cells: Numbers) -> Column | LeftOut:
    low, high = cells.low, cells.high
    if low is None:
        return LeftOut(name, Cause.EMPTY, "every cell is missing")
    if low == high and cells.n_missing:
        return _or_blank(name, str(number_levels(pl.Series([low], dtype=cells.dtype))[0]))
    if low == high:
        return LeftOut(name, Cause.CONSTANT, f"constant: every number is {low!s}")
    if _has_two_values(cells):
        values = pl.Series([low, high], dtype=cells.dtype)
        return _two_levels(name, values, f"two numbers, {low!s} and {high!s}")
    if _counts_rows(name, cells):
        return LeftOut(name, Cause.IDENTIFIER, "identifier: whole numbers that count or name the rows")
    n_known = cells.n_rows - cells.n_missing
    doubts = looks_like_names(name, n_known, cells.nearly_all_differ) if cells.whole else ""
    return Column(name, Kind.NUMERIC, reason=f"{_from_to(name, cells)}; {doubts}" if doubts else _from_to(name, cells))


def _has_two_values(cells: Numbers) -> bool:
    """0 and 1, or two other numbers that are both met again and again."""
    low, high = cells.low, cells.high
    if (low, high) != (0, 1) and cells.n_rows - cells.n_missing <= 4:
        return False
    if not (math.isfinite(low) and math.isfinite(high)):  # to be refused as a number
        return False
    if cells.whole and high - low == 1:  # nothing fits between them: no need to look
        return True
    return cells.has_only_ends()


def _counts_rows(name: str, cells: Numbers) -> bool:
    n = cells.n_rows
    if not cells.whole or n < _FEW_ROWS or cells.n_missing:
        return False
    counting = cells.low in (0, 1) and cells.high - cells.low == n - 1 and cells.in_order()
    return counting or (names_rows(name) and cells.n_different() >= NEARLY * n)


def _text(name: str, cells: Cells) -> Column | LeftOut:
    found = cells.texts()
    known = found.known
    n_known = found.n_known()
    if len(known) == 0:
        return LeftOut(name, Cause.EMPTY, "every cell is missing")
    if len(known) == 1 and n_known < found.n_rows:
        return _or_blank(name, known[0])
    if len(known) == 1:
        return LeftOut(name, Cause.CONSTANT, f"constant: every cell is {known[0]!r}")
    numeric = _written_numbers(name, cells, found)
    if numeric is not None:
        return numeric
    order = find_order(list(known), none=_none(found)) if len(known) <= _MOST_ORDERED else None
    if order is not None:
        return _ordered(name, order)
    if pairs := _pairs(found):
        return Column(name, Kind.NUMERIC, (), pairs, FIRST)
    doubts = unclear(name, known.head(_SAMPLE))
    n_levels = cells.n_levels()
    if reason := text_reason(known.head(_SAMPLE).to_list(), n_levels, n_known):
        return Column(name, Kind.TEXT, reason=reason)
    share = n_levels / n_known
    if n_known >= _FEW_ROWS and share > 0.95:
        return LeftOut(name, Cause.IDENTIFIER, f"identifier: {share:.0%} of the cells differ{doubts}")
    kind = Kind.BINARY if len(known) == 2 else Kind.CATEGORY
    levels = cells.levels()
    kept = "" if len(levels) == n_levels else f", of which the {len(levels):,} most frequent are kept"
    return Column(name, kind, levels, f"{n_levels:,.0f} levels{kept}{doubts}")


def _pairs(found: FoundTexts) -> str:
    """An example of cells of two numbers, and those that are not; "" for other texts, and for few names such as 3/4."""
    head = found.known.head(_SAMPLE)
    pairs = head.filter(read_numbers(head, FIRST).is_not_null())
    if len(head) <= _FEW_PAIRS or 2 * len(pairs) < len(head) or not few_strays(found, unread(found, FIRST)):
        return ""
    return f"such as {pairs[0]!r}{stray_reason(found, FIRST)}"


def _none(found: FoundTexts) -> str | None:
    """How "none" is written in a column: a marker of missing cells, but the first level of some scales."""
    return next((c for c, gone in zip(found.cells, found.missing, strict=True) if gone and c.lower() == NONE), None)


def _written_numbers(name: str, cells: Cells, found: FoundTexts) -> Column | LeftOut | None:
    """The column as numbers, when every cell but a few strays is one in some notation and none is a code as 007."""
    known = found.known
    if is_code(known):
        return None
    notation = notation_of(found)
    if notation is None or (notation in OF_YEARS and len(known) <= _FEW_PERIODS):
        return None
    strays = stray_reason(found, notation)
    if notation != PLAIN:
        read = known.filter(read_numbers(known, notation).is_not_null())
        example = next((c for c in read if not PLAIN_NUMBER.fullmatch(ascii_number(c))), read[0])
        said = f"text such as {example!r}, read as {in_words(notation)}{doubt(known.head(_SAMPLE), notation)}{strays}"
        return Column(name, Kind.NUMERIC, (), said, notation)
    if strays:
        return Column(name, Kind.NUMERIC, (), f"numbers{strays}")
    return _numbers(name, cells.written_numbers())
