"""Rows as a caller hands them over: to learn from, and to predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
import scipy.sparse as sp

from mercer.errors import BadTable, MercerWarning
from mercer.evaluation.data.row_columns import read_amounts
from mercer.select.costs import RowAmounts
from mercer.table import Kind, KindSpec, Schema, Source, Table, open_source
from mercer.table.build import new_rows
from mercer.table.formats.frames import moments, unmasked
from mercer.table.kinds.missing import Markers
from mercer.table.read import source_name


def open_rows(
    data: Any,
    *,
    missing: Markers = (),
    separator: str | None = None,
    header: bool | None = None,
    sheet: str | int | None = None,
    query: str | None = None,
    table_name: str | None = None,
    schema: Schema | None = None,
) -> Source:
    """The cells of whatever `mercer.read_table` takes; numbers of an array are numbers, as in a data frame."""
    if sp.issparse(data):
        return Source({}, sparse=sp.csr_array(data, dtype=np.float64))
    if isinstance(data, Table):
        data = Source({}, sparse=data.csr(), attributes=tuple(data.columns)) if data.is_sparse else data.to_polars()
    elif isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype.kind in "biuf":
        numbers = np.asarray(unmasked(data))  # columns of a matrix would have two axes
        numbers = numbers.astype(np.float64) if numbers.dtype == np.longdouble else numbers  # which polars has not
        data = {f"x{j}": numbers[:, j] for j in range(numbers.shape[1])}
    return open_source(
        data,
        missing=missing,
        separator=separator,
        header=header,
        sheet=sheet,
        query=query,
        table_name=table_name,
        schema=schema,
    )


def kinds_of(data: Any) -> dict[str, KindSpec]:
    """The kinds that a Table has already; nothing of anything else. Dates are known by their type."""
    if not isinstance(data, Table) or data.is_sparse:
        return {}
    typed = [c for c in data.schema if not c.is_date]
    return {c.name: list(c.levels) if c.kind is Kind.ORDINAL else str(c.kind) for c in typed}


def with_column(source: Source, values: Any, what: str) -> tuple[Source, str]:
    """The source with an array of one value for each row as a further column, and the name of that."""
    name = str(getattr(values, "name", None) or what)
    while name in source.columns:
        name += "_"
    cells = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    if cells.ndim == 2 and cells.shape[1] == 1:
        cells = cells[:, 0]
    if cells.ndim != 1:
        raise BadTable(f"The {what} has {cells.ndim} dimensions. Give the name of a column, or one value for each row.")
    if len(cells) != source.n_rows:
        raise BadTable(f"The {what} has {len(cells):,} values for {source.n_rows:,} rows.")
    column = open_source({name: cells if moments(name, values) is None else values})
    columns = {**source.columns, name: column.columns[name]}
    return replace(source, columns=columns, typed=source.typed | column.typed), name


def warn_of_other_order(data: Any, values: Any, what: str) -> None:
    """Say that a series of pandas has the labels of a frame in another order, which rows are not matched by."""
    if not all(hasattr(one, "iloc") for one in (data, values)) or data.index.equals(values.index):
        return
    if len(data) == len(values) and data.index.is_unique and set(data.index) == set(values.index):
        warn(
            f"The index of the {what} has the labels of the table in another order: rows are taken by their place. "
            f"Where they belong together by label, give {what}.loc[data.index].",
            MercerWarning,
            stacklevel=6,
        )


def read_rows(data: Any, schema: Schema, target: str, missing: Markers = ()) -> Table:
    """New rows as a fitted model asks for them; the target may be among the columns."""
    if sp.issparse(data):
        raise BadTable("Predict a sparse matrix with `.model.predict`.")
    source = open_rows(data, missing=missing, schema=schema)
    if target not in schema:
        source.columns.pop(target, None)
    return new_rows(source, schema)


def amounts_of(data: Any, names: Sequence[str], missing: Markers = (), schema: Schema | None = None) -> RowAmounts:
    """What errors on each of the new rows cost, from those of the columns that are there."""
    source = open_rows(data, missing=missing, schema=schema)
    return read_amounts(source, tuple(name for name in names if name in source.columns))


def name_of(data: Any) -> str:
    """What the data are called in the report: the name of a file, an address without its password."""
    return source_name(data) if isinstance(data, str | Path) else "table"


def is_column(target: Any) -> bool:
    """Whether the target names a column, rather than being one."""
    return isinstance(target, str | int | np.integer)
