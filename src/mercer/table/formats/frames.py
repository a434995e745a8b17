"""Data frames of any library, and mappings of columns, as a Source. narwhals is used here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.errors import BadColumn, BadTable, MercerError
from mercer.table.formats.binary.panics import Panic, panics_held
from mercer.table.formats.cells import LONG, expect_threads
from mercer.table.formats.source import Source, unique_names

_NOT_KNOWN = ("NoneType", "NAType", "NaTType", "float")  # what stands for a missing cell among objects


def is_frame(data: Any) -> bool:
    """Whether narwhals knows this object as a data frame (pandas, polars, pyarrow, ...)."""
    if isinstance(data, pl.LazyFrame):  # asking for its columns would already run it
        return True
    return hasattr(data, "columns") or hasattr(data, "column_names") or hasattr(data, "__narwhals_dataframe__")


def booleans_as_numbers(cells: Source) -> Source:
    """Booleans as 0 and 1 where every other column is a number, such as dummies made by pandas."""
    others = [name for name in cells.columns if name not in cells.typed]
    if any(cells.columns[name].dtype != pl.Boolean for name in others):
        return cells
    numbers = {name: cells.columns[name].cast(pl.UInt8) for name in others}
    return replace(cells, columns={**cells.columns, **numbers}, typed=frozenset(cells.columns))


def column_values(data: Any) -> list[Any]:
    """The columns of a data frame as arrays, each of its own type."""
    frame = nw.from_native(_string_names(collected(data), []), eager_only=True)
    return [frame[name].to_numpy() for name in frame.columns]


def collected(data: Any) -> Any:
    """The rows of a LazyFrame; anything else as it is."""
    if not isinstance(data, pl.LazyFrame):
        return data
    expect_threads("A LazyFrame")
    try:
        with panics_held():
            return data.collect()
    except (pl.exceptions.PolarsError, Panic) as error:
        raise BadTable(f"The LazyFrame cannot be collected: {error}") from None


def unmasked(data: Any) -> Any:
    """NumPy's masked cells as missing ones; anything else as it is."""
    if not np.ma.is_masked(data):
        return data
    numbers = data.dtype.kind in "biuf"
    return data.astype(np.float64 if numbers else object).filled(np.nan if numbers else None)


def from_frame(data: Any) -> Source:
    """Every column of a data frame."""
    source = Source({})
    data = _string_names(collected(data), source.notices)
    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError as error:
        raise BadTable(f"{type(data).__name__} is not a table that can be read: {error}") from None
    if isinstance(data, pl.DataFrame) and any(dtype == pl.Struct for dtype in data.dtypes):
        frame = nw.from_native(_fields_apart(data), eager_only=True)
    for name in frame.columns:
        column = frame[name]
        if isinstance(column.dtype, nw.Categorical | nw.Enum):
            source.columns[name] = _levels(column)
            if not _ordered(column):
                source.nominal |= {name}
        else:
            source.columns[name] = _converted(column)
            if column.dtype.is_numeric() and source.columns[name].dtype.is_numeric():  # 128 bits become text
                source.typed |= {name}
    return source


def _fields_apart(data: pl.DataFrame) -> pl.DataFrame:
    """A column for each field of a struct, called struct.field, as those of JSON objects are."""
    columns = []
    for cells in data:
        if cells.dtype == pl.Struct and cells.struct.fields:
            inner = [cells.struct.field(field).alias(f"{cells.name}.{field}") for field in cells.struct.fields]
            columns += _fields_apart(pl.DataFrame(inner)).get_columns()
        else:
            columns.append(cells)
    names = unique_names([cells.name for cells in columns], [])
    return pl.DataFrame([cells.alias(name) for cells, name in zip(columns, names, strict=True)])


def from_mapping(data: Mapping[str, Any]) -> Source:
    """Columns given by name, e.g. {"age": [31, None], "job": ["sales", None]}."""
    for name, values in data.items():
        if not isinstance(values, Iterable):
            raise single_cell(name, values)
    columns = {str(k): _mapped(str(k), v) for k, v in data.items()}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise BadTable(f"Columns differ in length: {lengths}.")
    objects = {str(k) for k, v in data.items() if str(getattr(v, "dtype", "")) == "object"}
    numbers = {name for name, cells in columns.items() if cells.dtype.is_numeric()}
    return Source(columns, typed=frozenset(numbers - objects))


def is_records(data: Any) -> bool:
    """Whether this is a list of rows that are dicts of cells by name, or NumPy's array of named cells."""
    if isinstance(data, np.ndarray):
        return data.ndim == 1 and data.dtype.names is not None
    return isinstance(data, list | tuple) and len(data) > 0 and isinstance(data[0], Mapping)


def from_records(data: Sequence[Mapping[str, Any]] | NDArray[Any]) -> Source:
    """Rows given as dicts, e.g. [{"age": 31, "job": "sales"}, {"age": 45}]; a cell that a row lacks is missing."""
    if isinstance(data, np.ndarray):
        return from_mapping({name: data[name] for name in data.dtype.names or ()})
    for place, row in enumerate(data):
        if not isinstance(row, Mapping):
            raise BadTable(f"Row {place} is a {type(row).__name__}; the rows before it are dicts of cells by name.")
    names = dict.fromkeys(name for row in data for name in row)
    return from_mapping({name: [row.get(name) for row in data] for name in names})


def single_cell(name: str, value: Any) -> BadTable:
    """What is wrong with a column that is no list."""
    return BadTable(f"Column {name!r} is a single {type(value).__name__}. Give a list with one cell for each row.")


def moments(name: str, values: Any) -> pl.Series | None:
    """Dates, times or durations, in a series of any library, an array or a list, as a column; None of anything else."""
    if hasattr(values, "to_series") and getattr(values, "ndim", 0) == 1:  # an index of pandas
        values = values.to_series()
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        if series.dtype.is_temporal():
            return _converted(series).rename(name)
        values = series.to_list() if series.dtype in (nw.Object, nw.Unknown) else ()
    elif isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "mM":
        return pl.Series(name, values.astype(f"{values.dtype.kind}8[us]"))
    elif isinstance(values, np.ndarray) and (values.ndim != 1 or values.dtype.kind != "O"):
        return None
    if isinstance(values, Iterator):  # which can be read only once
        return None
    first = next((v for v in values if type(v).__name__ not in _NOT_KNOWN), None)
    known = isinstance(first, date | time | timedelta) or type(first).__name__ == "Period"
    cells = python_column(name, missing_as_none(values)) if known else None
    return cells if cells is not None and cells.dtype.is_temporal() else None


def _mapped(name: str, values: Any) -> pl.Series:
    found = moments(name, values)
    if found is not None:
        return found
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iuf":
        return pl.Series(name, values)  # keeps the type; a list of its cells would lose it
    if isinstance(values, np.ndarray) and values.dtype.kind in "Ub":
        return python_column(name, values.tolist())  # Python's own cells, read three times as fast as NumPy's
    return python_column(name, list(values))


def from_objects(data: np.ndarray[Any, Any]) -> Source:
    """A two-dimensional array of Python objects: strings and numbers side by side, known by position."""
    return Source({f"x{j}": python_column(f"x{j}", missing_as_none(data[:, j])) for j in range(data.shape[1])})


def python_cells(name: str, cells: Sequence[Any]) -> pl.Series:
    """Cells of a record or of a row of a database as a column: of several types, they are texts.

    Lists, objects and bytes are no cells; `infer` leaves such a column out by its type.
    """
    cells = [
        float(cell) if isinstance(cell, Decimal) else str(cell) if isinstance(cell, UUID) else cell for cell in cells
    ]
    types = {type(cell) for cell in cells} - {type(None)}
    if types & {list, dict, tuple}:
        return pl.Series(name, [None if cell is None else [] for cell in cells], dtype=pl.List(pl.String))
    if types & {bytes, memoryview}:
        return pl.Series(name, [None if cell is None else b"" for cell in cells], dtype=pl.Binary)
    if len(types) > 1 and not types <= {int, float}:  # 1 and "1" and true side by side
        cells = [_written(cell) for cell in cells]
    return python_column(name, list(cells))


def _written(cell: Any) -> str | None:
    return cell if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)


def python_column(name: str, values: list[Any]) -> pl.Series:
    """Python objects as a column; whole numbers beyond 64 bits are names such as hashes, and become text."""
    values = _pandas_cells(values)
    cells = pl.Series(name, values, strict=False)
    lost = cells.null_count() > sum(v is None for v in values) if cells.null_count() else False
    if lost or cells.dtype in LONG:
        return pl.Series(name, [None if v is None else str(v) for v in values], dtype=pl.String)
    return cells


def _pandas_cells(values: list[Any]) -> list[Any]:
    """Periods of pandas as the moments at which they begin, its intervals as texts, as files have them."""
    kind = type(next((v for v in values if v is not None and type(v).__name__ != "NaTType"), None)).__name__
    if kind == "Period":
        return [v.to_timestamp().to_pydatetime() if type(v).__name__ == kind else None for v in values]
    return [str(v) if type(v).__name__ == kind else None for v in values] if kind == "Interval" else values


def distinct_names(data: Any) -> Any:
    """A data frame whose names repeat, with those that `from_frame` gives; any other as it is."""
    names = _names(data)
    return data if len(set(names)) == len(names) else _string_names(data, [])


def _names(data: Any) -> list[Any]:
    names = getattr(data, "column_names", None)
    return list(getattr(data, "columns", ()) if names is None else names)


def _string_names(data: Any, notices: list[str]) -> Any:
    """pandas allows numbers and repeats as names; every other library asks for unique strings."""
    names = _names(data)
    if not names or isinstance(data, pl.DataFrame):
        return data
    wanted = unique_names([str(n) for n in names], notices)
    if names == wanted:
        return data
    return data.set_axis(wanted, axis=1) if hasattr(data, "set_axis") else data.rename_columns(wanted)


def _converted(column: nw.Series[Any]) -> pl.Series:
    """The column in polars; cells that another library cannot hand over, such as dates of the year 300000, are told."""
    try:
        return _plain(column)
    except (MercerError, MemoryError):
        raise
    except (Exception, pl.exceptions.PanicException) as error:  # each library has its own
        raise BadColumn(
            f"Column {column.name!r} of type {column.dtype} cannot be read: {error}. Correct it, or leave it out."
        ) from None


def _plain(column: nw.Series[Any]) -> pl.Series:
    native = nw.to_native(column)
    if isinstance(native, pl.Series):
        return native.cast(pl.String) if native.dtype in LONG else native
    dtype = column.dtype
    if dtype.is_float() or (dtype.is_integer() and column.null_count() == 0) or dtype == nw.Boolean:
        values = column.to_numpy()
        if values.dtype != object:
            return pl.Series(column.name, values)
    if isinstance(dtype, nw.Datetime):
        naive = (column if dtype.time_zone is None else column.dt.replace_time_zone(None)).to_numpy()
        moments = naive.astype("datetime64[us]")
        coarse = np.datetime_data(naive.dtype)[0] != "ns"
        if coarse and not (moments.astype(naive.dtype) == naive)[~np.isnat(naive)].all():  # NumPy wraps around
            raise BadColumn(f"Column {column.name!r} holds moments beyond 290,000 years. Correct it, or leave it out.")
        return pl.Series(column.name, moments)
    if dtype.is_numeric():
        return pl.Series(column.name, column.cast(nw.Float64).to_numpy(), nan_to_null=True)
    return python_column(column.name, missing_as_none(column.to_list()))


def missing_as_none(values: Any) -> list[Any]:
    """Python objects with every way of saying 'missing' (None, NaN, pandas.NA, NaT) as None."""
    return [None if v is None or v != v or type(v).__name__ == "NAType" else v for v in _comparable(values)]


def _comparable(values: Any) -> list[Any]:
    # pandas.NA != pandas.NA is NA, whose truth value is an error: hand such cells over as None.
    return [None if type(v).__name__ in ("NAType", "NaTType") else v for v in values]


def _levels(column: nw.Series[Any]) -> pl.Series:
    levels = [str(c) for c in _categories(column)]
    values = [None if v is None or v != v else str(v) for v in _comparable(column.to_list())]
    return pl.Series(column.name, values, dtype=pl.Enum(levels))


def _categories(column: nw.Series[Any]) -> list[Any]:
    """The declared levels in their order; those present when the dtype declares none."""
    if isinstance(column.dtype, nw.Enum):
        return list(column.dtype.categories)
    native = nw.to_native(column)
    if hasattr(getattr(native, "cat", None), "categories"):
        return list(native.cat.categories)
    return sorted(
        {level for level in column.to_list() if level is not None}
    )  # pyarrow before 19 cannot sort dictionaries


def _ordered(column: nw.Series[Any]) -> bool:
    native = nw.to_native(column)
    dtype = native.type if hasattr(native, "type") else native.dtype  # pyarrow says type
    return bool(getattr(dtype, "ordered", isinstance(column.dtype, nw.Enum)))
