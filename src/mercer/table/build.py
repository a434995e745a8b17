"""Cells into blocks, as a schema says: at fitting the schema just inferred, at prediction that of the model."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.arrays import Bools
from mercer.errors import BadColumn, ColumnWarning, MercerWarning, did_you_mean
from mercer.table.blocks import MISSING, Codes, Numbers, SparseNumbers, Texts
from mercer.table.date_columns import parts_among
from mercer.table.formats.cells import nan_to_null
from mercer.table.formats.notation import (
    DATES,
    FIRST,
    PLAIN,
    SECOND,
    TIME,
    limits_beside,
    read_numbers,
    readable,
    without_limit,
)
from mercer.table.formats.source import Distinct, Source
from mercer.table.infer import BLANK
from mercer.table.kinds.levels import (
    are_two_values,
    level_codes,
    level_names,
    number_levels,
    number_of_level,
    other_spelling,
    respelt,
)
from mercer.table.kinds.parts import SINCE, part_values, seconds, typed_days
from mercer.table.kinds.rewritten import (
    rewritten,
    rewritten_levels,
    tell_rewritten,
    tell_spelling,
    tell_unknown,
    unlike,
    words,
)
from mercer.table.kinds.strays import few_strays, stray_cells, told_strays
from mercer.table.schema import Column, Kind, Schema
from mercer.table.table import Table

_IN_FLOAT32 = {pl.Float32, pl.Int8, pl.Int16, pl.UInt8, pl.UInt16}  # what NumPy stacks with float32 as float32


def build(source: Source, schema: Schema) -> Table:
    """The table of a source under a schema; columns are found by name, in any order.

    Parameters
    ----------
    source : Source
        The cells as they were found.
    schema : Schema
        What the columns are: from `infer`, or of a fitted model.

    Returns
    -------
    table : Table
        The columns of the schema.

    Raises
    ------
    BadColumn
        If a column is not there, or a cell does not fit the kind of its column.
    """
    n = source.n_rows
    numeric = [c for c in schema if c.kind is Kind.NUMERIC]
    categorical = [c for c in schema if c.kind.categorical]
    texts = [c for c in schema if c.kind is Kind.TEXT]
    codes = np.empty((n, len(categorical)), dtype=np.int32, order="F")
    for j, column in enumerate(categorical):
        made = _is_derived(source, column)
        codes[:, j] = part_values(column.part, *_dates(source, column)) if made else _codes(source, column)
        if BLANK in column.levels:
            codes[codes[:, j] == MISSING, j] = column.levels.index(BLANK)
    words = np.empty((n, len(texts)), dtype=object)
    for j, column in enumerate(texts):
        words[:, j] = _texts(source, column)
    dtype = _float_type(source, numeric) if len(numeric) == len(schema) else np.float64
    return Table(schema, n, _numbers(source, numeric, n, dtype), Codes(codes), Texts(words))


def _numbers(source: Source, columns: list[Column], n: int, dtype: Any) -> Numbers | SparseNumbers:
    if source.sparse is not None:
        return SparseNumbers(_sparse_numbers(source, columns))
    values = np.empty((n, len(columns)), dtype=dtype, order="F")
    for j, column in enumerate(columns):
        values[:, j] = _floats(source, column)
    return Numbers(values)


def _float_type(source: Source, columns: list[Column]) -> Any:
    """float32 where the array of a data frame's numbers is float32, float64 otherwise."""
    if not source.typed.issuperset(c.name for c in columns):
        return np.float64
    types = {source.columns[c.name].dtype for c in columns}
    return np.float32 if pl.Float32 in types and types <= _IN_FLOAT32 else np.float64


def _sparse_numbers(source: Source, columns: list[Column]) -> Any:
    """Sparse columns behind those that came dense, or all by their names if these are known.

    A libsvm file does not say how wide it is, so zeros fill it up.
    """
    dense = [c for c in columns if source.columns.keys() >= set(c.input_names)]
    width = len(columns) - len(dense)
    if source.attributes is not None:
        place = {name: j for j, name in enumerate((*(c.name for c in dense), *source.attributes))}
        values = np.column_stack([np.empty((source.n_rows, 0)), *(_floats(source, c) for c in dense)])
        return sp.csr_array(
            sp.hstack([sp.csr_array(values), source.sparse], format="csc")[:, [place[c.name] for c in columns]]
        )
    if source.sparse.shape[1] > width:
        notice = f"The sparse table has {source.sparse.shape[1]} columns; those after the first {width} are ignored."
        warnings.warn(notice, MercerWarning, stacklevel=5)
    sparse: Any = sp.csr_array(source.sparse[:, :width])
    sparse.resize((sparse.shape[0], width))
    if not dense:
        return sparse
    values = np.column_stack([_floats(source, c) for c in dense])
    return sp.csr_array(sp.hstack([sp.csr_array(values), sparse], format="csr"))


def new_rows(source: Source, schema: Schema) -> Table:
    """The table of new rows under the schema of a fitted model, also where they are written in other notations."""
    return replace(build(conform(source, schema), rewritten(source, schema)), schema=schema)


def conform(source: Source, schema: Schema) -> Source:
    """Check that every column of the schema is there; say which extra columns are ignored."""
    held = {*source.columns, *(source.attributes or ())}
    asked = (name for c in schema if c.name not in held for name in c.input_names)
    missing = list(dict.fromkeys(name for name in asked if name not in held))
    if (source.sparse is None or source.attributes is not None) and missing:
        known = [n for n in source.columns if n not in schema.input_names]
        hint = did_you_mean(missing[0], known) if known else "Every other column is there."
        raise BadColumn(f"Column {missing[0]!r} is missing ({len(missing)} of {len(schema.input_names)} are). {hint}")
    expected = {*schema.names, *schema.input_names, *(c.name for c in schema.left_out)}
    extra = [n for n in source.columns if n not in expected]
    if extra:
        shown = ", ".join(repr(n) for n in extra[:5]) + (f" and {len(extra) - 5} more" if len(extra) > 5 else "")
        warnings.warn(f"Columns the model does not know are ignored: {shown}.", MercerWarning, stacklevel=4)
    return source


def with_date_parts(table: Table, *, but: Collection[str] = ()) -> Table:
    """The table with the parts of its dates made anew, after dates were changed; those named are left as they are."""
    schema = table.schema
    parts = [column for column in parts_among(schema) if column.name not in but]
    if not parts:
        return table
    numbers, codes = np.array(table.numbers(), dtype=np.float64), np.array(table.codes())
    for column in parts:
        days = [numbers[:, schema.block_place(name)] for name in column.input_names]
        if column.kind is Kind.NUMERIC:
            numbers[:, schema.block_place(column.name)] = _number_part(column, *days)
        else:
            codes[:, schema.block_place(column.name)] = part_values(column.part, *days)
    return replace(table, number_block=Numbers(numbers), code_block=Codes(np.asfortranarray(codes)))


def _is_derived(source: Source, column: Column) -> bool:
    """Whether a column is made from dates that the source has; parts without their dates are read as they are."""
    return bool(column.part) and source.columns.keys() >= set(column.input_names)


def _number_part(column: Column, days: NDArray[np.float64], *since: NDArray[np.float64]) -> NDArray[np.float64]:
    """A part of dates that is a number, NaN where it is missing."""
    if column.part == SINCE:
        return days - since[0]
    values = part_values(column.part, days)
    return np.where(values < 0, np.nan, values)


def _dates(source: Source, column: Column) -> list[NDArray[np.float64]]:
    """The dates that a column is made from."""
    formats = (column.format, column.since_format)
    return [_days(source, name, notation) for name, notation in zip(column.input_names, formats, strict=False)]


def _days(source: Source, name: str, notation: str) -> NDArray[np.float64]:
    """The dates of a column, which are read once."""
    if (name, notation) not in source.days:
        source.days[name, notation] = _read_floats(source, Column(name, Kind.NUMERIC, format=notation))
    return source.days[name, notation]


def _floats(source: Source, column: Column) -> NDArray[np.float64]:
    if column.part in (FIRST, SECOND) and column.origin in source.columns:
        found = _texts_of(source, column.origin)
        return _written_floats(found, replace(column, name=column.origin), judged=source.judged)
    if _is_derived(source, column):
        return _number_part(column, *_dates(source, column))
    if column.is_date:
        return _days(source, column.name, column.format)
    return _read_floats(source, replace(column, format="") if column.part else column)


def _texts_of(source: Source, name: str) -> Distinct:
    """The distinct cells of a column as texts, whatever its type."""
    cells = source.columns[name]
    return source.distinct(name) if cells.dtype == pl.String else source.distinct_of(cells.cast(pl.String))


def _read_floats(source: Source, column: Column) -> NDArray[np.float64]:
    cells = source.columns[column.name]
    if cells.dtype == pl.String:
        return _written_floats(source.distinct(column.name), column, judged=source.judged)
    if cells.dtype.is_numeric() and column.format in DATES and (known := _known(cells)).null_count() < len(cells):
        # 20240131 may be a date, and 12 is none, whatever type it has.
        return _written_floats(source.distinct_of(number_levels(known)), column, judged=source.judged)
    if cells.dtype.is_temporal():
        values = _moments(cells, column)
    elif isinstance(cells.dtype, pl.Enum | pl.Categorical):  # levels that are numbers, e.g. of a table read on its own
        return _written_floats(source.distinct_of(cells.cast(pl.String)), column, judged=source.judged)
    elif cells.dtype.is_numeric() or cells.dtype in (pl.Boolean, pl.Null):
        values = cells
    else:
        raise BadColumn(f"Column {column.name!r} is numeric, but came as {cells.dtype}.")
    array: NDArray[Any] = values.cast(pl.Float64).to_numpy() if values.null_count() else values.to_numpy()
    if array.dtype.kind == "f" and np.isinf(array).any():
        row = source.row_number(int(np.isinf(array).argmax()))
        raise BadColumn(
            f"Column {column.name!r}, row {row}: infinity; numbers must be finite or missing. Empty the cell; in a "
            "text file, --missing inf (missing=['inf'] in Python) reads it as missing."
        )
    return array


def _known(cells: pl.Series) -> pl.Series:
    """Numbers without NaN, which means missing as null does."""
    return nan_to_null(cells) if cells.dtype.is_float() else cells


def _moments(cells: pl.Series, column: Column) -> pl.Series:
    """Dates as days and durations as seconds; BadColumn for the numbers of a column that held something else."""
    dates = cells.dtype in (pl.Date, pl.Datetime)
    if cells.null_count() < len(cells) and not (column.format in DATES if dates else column.format == TIME):
        raise BadColumn(
            f"Column {column.name!r} came as {'dates' if dates else 'durations or times of day'}, but was learned as "
            f"others. Hand over {words(column.format)}."
        )
    return typed_days(cells) if dates else seconds(cells)


def _written_floats(found: Distinct, column: Column, *, judged: bool) -> NDArray[np.float64]:
    """Numbers written as text: each different cell is read once."""
    values = found.numbers(column.format)
    strays = ~np.isfinite(values) & ~found.missing
    if strays.any() and not judged:
        values, strays = _with_limits(values, strays, found, column)
    if strays.any():
        if not (judged or few_strays(found, strays)) or np.isinf(values[strays]).any():
            raise _unfit(found, strays, column)
        if not judged:
            warnings.warn(ColumnWarning(column.name, told_strays(found, strays)), stacklevel=6)
    return found.spread(np.where(found.missing | strays, np.nan, values), np.nan)


def _unfit(found: Distinct, strays: Bools, column: Column) -> BadColumn:
    """The error of cells that are not what the column was learned as: the first of them, why, and what to do."""
    holds = "holds dates" if column.format in DATES else "is numeric"
    holds = "has two numbers in a cell" if column.format in (FIRST, SECOND) else holds
    cell, _, first, _ = found.met(strays)[0]
    why = unlike(cell, column.format)
    advice = f"Write the column as {words(column.format)}" if readable(cell) else "Correct the cell"
    return BadColumn(
        f"Column {column.name!r} {holds}, but row {first + 1} holds {cell!r}{why}. {advice}, or name it as a missing "
        "value."
    )


def _with_limits(
    values: NDArray[np.float64], strays: Bools, found: Distinct, column: Column
) -> tuple[NDArray[np.float64], Bools]:
    """Limits such as >60, of which the rows learned from had none, as the number that they name; what is left over."""
    notation = limits_beside(column.format)
    if notation is None:
        return values, strays
    limits = read_numbers(found.cells, notation).cast(pl.Float64).to_numpy()
    # That notation reads more than limits, also 1,234 as a thousand.
    read = strays & np.isfinite(limits) & np.array([without_limit(cell) != cell for cell in found.cells], dtype=bool)
    if read.any():
        said = f"numeric; limits are read as the number that each names: {stray_cells(found, read)}."
        warnings.warn(ColumnWarning(column.name, said), stacklevel=7)
    return np.where(read, limits, values), strays & ~read


def _codes(source: Source, column: Column) -> NDArray[np.int32]:
    cells = source.columns[column.name]
    if cells.dtype == pl.String:
        return _written_codes(source.distinct(column.name), column, judged=source.judged)
    if isinstance(cells.dtype, pl.Enum | pl.Categorical | pl.Null):
        return _written_codes(source.distinct_of(cells.cast(pl.String)), column, judged=source.judged)
    quick = _small_integers(cells, column.levels)
    if quick is not None:
        return quick
    names = number_levels(_known(cells))
    found = source.distinct_of(names)
    _expect_numbers_as_levels(column, cells, found)
    # A type of numbers cannot hold the zero that a code such as 02134 starts with.
    return _written_codes(found, column, judged=source.judged, leading_zeros=True)


def _written_codes(found: Distinct, column: Column, *, judged: bool, leading_zeros: bool = False) -> NDArray[np.int32]:
    """The codes of texts, also where all are written otherwise than the levels and have one meaning, which is told."""
    levels = column.levels
    codes = level_codes(found, levels, scale=column.format, leading_zeros=leading_zeros)
    if judged or not (codes == len(levels)).any():
        return codes
    if not column.format and (other := rewritten_levels(found, levels)) is not None:
        read = level_codes(other, levels)
        if not (read == len(levels)).any():
            tell_rewritten(column.name, found, PLAIN, other.cells.name)
            return read
    names = other_spelling(found, levels)
    if names:
        tell_spelling(column.name, names)
        codes = level_codes(respelt(found, names), levels, scale=column.format, leading_zeros=leading_zeros)
    tell_unknown(column, found, codes)
    return codes


def _small_integers(cells: pl.Series, levels: tuple[str, ...]) -> NDArray[np.int32] | None:
    """Whole numbers 0, 1, ... that are their own codes: the usual binary column, without a detour through text."""
    if not cells.dtype.is_integer() or cells.null_count() or levels != tuple(map(str, range(len(levels)))):
        return None
    values = cells.to_numpy()
    # Seen as unsigned, negative numbers are large: one comparison tells both ends.
    return values if bool((values.view(f"u{values.itemsize}") < len(levels)).all()) else None


def _expect_numbers_as_levels(column: Column, cells: pl.Series, found: Distinct) -> None:
    if cells.dtype == pl.Boolean or not column.levels or are_two_values(column.levels):
        return
    if len(other_spelling(found, column.levels)) == len(found.known):
        return
    if all(number_of_level(level, leading_zeros=True) is None for level in column.levels):
        raise BadColumn(
            f"Column {column.name!r} is {column.kind} (levels such as {column.levels[0]!r}), but came as numbers."
        )


def _texts(source: Source, column: Column) -> NDArray[np.object_]:
    return source.known(source.columns[column.name].cast(pl.String)).to_numpy()


def grown(source: Source, column: Column) -> Column:
    """A category with the levels that this source adds; a binary column may turn out to have a third."""
    cells = pl.Series(level_names(source, column.name), dtype=pl.String)
    typed = source.columns[column.name].dtype.is_numeric()
    codes = level_codes(source.distinct_of(cells), column.levels, leading_zeros=typed, scale=column.format)
    new = cells.filter(pl.Series(codes == len(column.levels)))
    return replace(column, kind=Kind.CATEGORY, levels=(*column.levels, *new))
