"""Columns of a table as columns of a data frame: levels as categories in order, dates as dates, missing as missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.errors import MercerError
from mercer.table.blocks import MISSING
from mercer.table.formats.notation import has_time_of_day
from mercer.table.schema import Column, Kind

UNSEEN = "(unseen)"
_MICROSECONDS = 86_400_000_000  # of a day
_MAX_DAYS = 1e8  # 270,000 years: the microseconds of more do not fit 64 bits


def polars_series(column: Column, cells: NDArray[Any]) -> pl.Series:
    """Numbers, codes or texts (n_rows,) as a polars Series.

    Ordinal levels are an Enum; others are Categorical, since the levels of an Enum are in an order when it is read.
    """
    if holds_dates(column, cells):
        return pl.Series(column.name, date_cells(column, cells))
    if column.kind is Kind.NUMERIC:
        return pl.Series(column.name, np.ascontiguousarray(cells), nan_to_null=True)
    if column.kind is Kind.TEXT:
        return pl.Series(column.name, cells.tolist(), dtype=pl.String)
    levels = shown_levels(column, cells)
    names = np.array([*levels, None], dtype=object)[cells]  # a missing cell has code -1: the last of them
    dtype = pl.Enum(list(levels)) if column.kind is Kind.ORDINAL else pl.Categorical()
    return pl.Series(column.name, names.tolist(), dtype=dtype)


def pandas_frame(columns: dict[Column, NDArray[Any]], index: Any) -> Any:
    """A pandas DataFrame of numbers, codes and texts; levels are a Categorical."""
    try:
        import pandas as pd  # noqa: PLC0415
    except ImportError:
        raise MercerError("to_pandas needs pandas: pip install pandas. to_polars needs nothing more.") from None
    frame = {}
    for column, cells in columns.items():
        if holds_dates(column, cells):
            frame[column.name] = date_cells(column, cells).astype("datetime64[us]")
        elif column.kind.categorical:
            ordered = column.kind is Kind.ORDINAL
            frame[column.name] = pd.Categorical.from_codes(cells, list(shown_levels(column, cells)), ordered)
        else:
            frame[column.name] = cells
    return pd.DataFrame(frame, index=index)


def cell_values(column: Column, cells: NDArray[Any]) -> NDArray[Any]:
    """Numbers and texts as they are, codes as the names of their levels; None where missing."""
    if not column.kind.categorical:
        return cells
    return np.array([*column.levels, UNSEEN, None], dtype=object)[cells]  # code -1 lands on the last


def missing_cells(column: Column, cells: NDArray[Any]) -> NDArray[np.bool_]:
    """Which numbers, codes or texts are missing."""
    if column.kind is Kind.NUMERIC:
        return np.isnan(cells)
    nothing = None if column.kind is Kind.TEXT else MISSING
    return np.asarray(cells == nothing, dtype=np.bool_)


def cell_array(columns: Mapping[Column, NDArray[Any]], dtype: Any, copy: bool | None) -> NDArray[Any]:
    """Columns with levels or texts as one array, (n_rows, n_columns), as `numpy.asarray` asks for it.

    Floats where every level has a place among the others, in ordinal and binary columns; otherwise objects.
    """
    if copy is False:
        raise ValueError("A Table with levels or texts cannot become an array without a copy.")
    ordered = all(c.kind in (Kind.NUMERIC, Kind.BINARY, Kind.ORDINAL) for c in columns)
    values = [_level_places(*item) if ordered else cell_values(*item) for item in columns.items()]
    found: NDArray[Any] = np.array(values, dtype=np.float64 if ordered else object).T
    return found if dtype is None else found.astype(dtype)


def _level_places(column: Column, cells: NDArray[Any]) -> NDArray[np.floating]:
    """Numbers as they are, levels as their places among the levels; NaN where missing, or not among them."""
    if column.kind is Kind.NUMERIC:
        return cells
    return np.where((cells >= 0) & (cells < len(column.levels)), cells, np.nan)


def shown_levels(column: Column, codes: NDArray[np.int32]) -> tuple[str, ...]:
    """The levels in order, and '(unseen)' behind them where a cell holds a level that the schema does not have."""
    return (*column.levels, UNSEEN) if (codes == len(column.levels)).any() else column.levels


def holds_dates(column: Column, days: NDArray[np.floating]) -> bool:
    """Whether these numbers are days that a calendar has."""
    return column.is_date and not bool((np.abs(days) > _MAX_DAYS).any())


def date_cells(column: Column, days: NDArray[np.floating]) -> NDArray[np.datetime64]:
    """Days since 1970-01-01 as dates, or as moments where the column has times of day; NaT where missing."""
    known = ~np.isnan(days)
    moments = np.full(len(days), np.datetime64("NaT", "us"))
    moments[known] = np.round(days[known].astype(np.float64) * _MICROSECONDS).astype(np.int64).astype("datetime64[us]")
    timed = has_time_of_day(column.format) or bool((days[known] != np.floor(days[known])).any())
    return moments if timed else moments.astype("datetime64[D]")
