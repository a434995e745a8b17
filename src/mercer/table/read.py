"""Anything tabular into a Table: files, data frames, mappings, arrays, sparse matrices."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.errors import BadColumn, BadTable, MercerWarning
from mercer.table.blocks import Codes, Numbers, SparseNumbers, Texts
from mercer.table.build import build, new_rows
from mercer.table.formats.binary.database import is_address, without_password
from mercer.table.formats.dialect import Options
from mercer.table.formats.files import read_file
from mercer.table.formats.frames import (
    from_frame,
    from_mapping,
    from_objects,
    from_records,
    is_frame,
    is_records,
    unmasked,
)
from mercer.table.formats.notation import PLAIN
from mercer.table.formats.source import Source
from mercer.table.infer import KindSpec, infer
from mercer.table.kinds.missing import Markers, as_markers, expect_columns, mark_missing
from mercer.table.schema import Kind, Schema, matrix_schema
from mercer.table.table import Table


def read_table(
    source: Any,
    *,
    kinds: Mapping[str, KindSpec] | None = None,
    missing: Markers = (),
    separator: str | None = None,
    header: bool | None = None,
    sheet: str | int | None = None,
    query: str | None = None,
    table_name: str | None = None,
) -> Table:
    """Read a file, data frame, mapping, array or sparse matrix as a typed table.

    Numbers of data frames, mappings and arrays are numeric, whatever they are. The kinds of everything else are
    inferred: of every column of a file, and of text, categorical, boolean and object columns of a data frame.

    Words and ranges of a known order (Low/Medium/High, months, "18-64" and "65+") are ordinal. Numbers are read in the
    notation that the whole column is written in (1.234,50, $1,200, 12 %, 5 kg); cells of two numbers such as 135/80
    become "<name> (first number)" and "(second number)". Dates stay on a time axis, and
    "<name> (month)", "(weekday)", "(day of month)" and "(hour)" stand beside them where they vary and come back; the
    kind "numeric" asks for the dates alone.

    Parameters
    ----------
    source : str, Path, data frame, mapping, list of dicts, ndarray, sparse matrix, Source or Table
        A file (CSV, TSV, JSON, ARFF, libsvm, each also packed by gzip, zip, bzip2 or xz; Excel and OpenDocument
        workbooks, Parquet, Arrow, SQLite), the address of a database ("postgresql://user@host/name"), a pandas, polars
        or pyarrow frame, columns by name, rows as dicts of cells by name, or an array of two dimensions.
    kinds : mapping of str to str or sequence of str, or None, default None
        The kind of a column by its name, in place of what is inferred: "numeric", "binary", "category", "ordinal",
        "text", "skip" (left out), or the levels of an ordinal column in their order.
    missing : str, sequence or mapping, default ()
        Further cells that mean "missing", beside empty, NA, NaN, None, null, ?, #N/A and #DIV/0!: ["unknown", -9] in
        every column, {"income": [99, -1]} or "income=99" in one.
    separator : str or None, default None
        Of a text file; None finds it from the text.
    header : bool or None, default None
        Whether line 1 of a text file names the columns; None finds it from the text.
    sheet : str, int or None, default None
        Which sheet of a workbook, by name or by number from 1; None for the first that holds a table.
    query : str or None, default None
        What to read from a database: a query that only reads, such as "select * from customers".
    table_name : str or None, default None
        Which table of a database, in place of a query; None if it has but one.

    Returns
    -------
    table : Table
        The rows; `table.schema` says what each column is and why.

    Raises
    ------
    BadFile
        If the file cannot be read.
    BadTable
        If there is no table, or it has no rows.
    BadColumn
        If a column does not fit its kind in `kinds`, or holds infinity.

    Examples
    --------
    >>> import mercer
    >>> columns = {"size": ["S", "L", "M"], "pay": ["10K", "20K", "25K"]}
    >>> table = mercer.read_table(columns, kinds={"size": ["S", "M", "L"]})
    >>> table.numbers("pay").ravel(), table.codes("size").ravel()
    (array([10000., 20000., 25000.]), array([0, 2, 1], dtype=int32))
    """
    if isinstance(source, Table):
        return source
    if sp.issparse(source) or (_is_numbers(source) and not kinds and not missing):
        return _finite(from_array(source))
    cells = open_source(
        source,
        missing=missing,
        separator=separator,
        header=header,
        sheet=sheet,
        query=query,
        table_name=table_name,
    )
    return build(cells, infer(cells, kinds))


def open_source(
    source: Any,
    *,
    missing: Markers = (),
    separator: str | None = None,
    header: bool | None = None,
    sheet: str | int | None = None,
    query: str | None = None,
    table_name: str | None = None,
    schema: Schema | None = None,
) -> Source:
    """The cells of a source, before kinds are decided.

    Parameters
    ----------
    source : str, Path, data frame, mapping, list of dicts, ndarray or Source
        What `read_table` takes, but a sparse matrix or a Table.
    missing : str, sequence or mapping, default ()
        Further cells that mean "missing", as in `read_table`.
    separator : str or None, default None
        Of a text file; None finds it from the text.
    header : bool or None, default None
        Whether line 1 of a text file names the columns; None finds it from the text.
    sheet : str, int or None, default None
        Which sheet of a workbook, by name or by number from 1; None for the first that holds a table.
    query : str or None, default None
        What to read from a database: a query that only reads, such as "select * from customers".
    table_name : str or None, default None
        Which table of a database, in place of a query; None if it has but one.
    schema : Schema or None, default None
        That of a fitted model, if the source is to be read for it: cells of a text file are then read as numbers in
        its numeric columns alone, and kept as they are written in all others.

    Returns
    -------
    source : Source
        The columns as they were found; `infer` says what they are, and `build` makes a Table of both.

    Examples
    --------
    >>> from mercer.table import infer, open_source
    >>> infer(open_source({"age": [31, 45, 58]}))["age"].reason
    'whole numbers from 31 to 58'
    """
    if isinstance(source, Source):
        cells = source
    elif isinstance(source, str | Path):
        cells = read_file(
            source, schema_options(Options(separator, header, sheet=sheet, query=query, table_name=table_name), schema)
        )
    elif isinstance(source, Mapping):
        cells = from_mapping(source)
    elif is_records(source):
        cells = from_records(source)
    elif is_frame(source):
        cells = from_frame(source)
    elif isinstance(source, np.ndarray) and source.dtype.kind == "c":
        raise BadTable("An array of complex numbers is not a table: give real and imaginary parts as columns.")
    elif isinstance(source, np.ndarray) and source.ndim == 2:
        cells = from_objects(unmasked(source))
    else:
        raise BadTable(
            f"A {type(source).__name__} is not a table. Give a path, a data frame, a dict of columns, a list of dicts "
            "or an array."
        )
    _refuse_nul(cells)
    markers = as_markers(missing)
    unmet = mark_missing(cells, markers)
    if schema is None:  # new rows need not have the target, nor each marker
        expect_columns(cells, markers)
        cells.notices += [] if cells.judged else [f"missing {one!r}: no cell of that column is so." for one in unmet]
    for notice in cells.notices:
        warnings.warn(notice, MercerWarning, stacklevel=3)
    if cells.n_rows == 0:
        raise BadTable("The table has no rows.")
    return cells


def source_name(source: str | Path) -> str:
    """The name of a file, or the address of a database without its password: what a report may show."""
    return without_password(str(source)) if is_address(source) else Path(source).name


def _refuse_nul(cells: Source) -> None:
    """A name with a NUL character cannot be handed on: Arrow and the files of most libraries end it there."""
    for name in cells.columns:
        if "\0" in name:
            raise BadColumn(f"The name of column {name[:60]!r} holds a NUL character. Rename the column.")


def schema_options(options: Options, schema: Schema | None) -> Options:
    """The same options, for a file that is read for a model of this schema."""
    if schema is None:
        return options
    numbers = [c.name for c in schema if c.kind is Kind.NUMERIC and c.format == PLAIN]
    return replace(options, names=frozenset(schema.input_names), numbers=frozenset(numbers))


def _is_numbers(source: Any) -> bool:
    return isinstance(source, np.ndarray) and source.ndim == 2 and source.dtype.kind in "biuf"


def _finite(table: Table) -> Table:
    cells: NDArray[Any] = table.csr().data if table.is_sparse else table.numbers()
    if len(table) == 0:
        raise BadTable("The table has no rows.")
    if not np.isfinite(cells).all() and np.isinf(cells).any():
        row, column = np.argwhere(np.isinf(table.numbers()))[0]
        raise BadColumn(f"Column 'x{column}', row {row + 1}: infinity; numbers must be finite or missing.")
    return table


def from_array(values: Any) -> Table:
    """Numbers as a table of numeric columns x0, x1, ..., without copying where they are floats.

    Parameters
    ----------
    values : ndarray or sparse matrix of shape (n_rows, n_columns)
        The numbers; NaN is a missing cell of an array.

    Returns
    -------
    table : Table
        Sparse if the values are.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.table import from_array
    >>> from_array(np.eye(3)).columns
    ('x0', 'x1', 'x2')
    """
    values = unmasked(values)
    n_rows, n_columns = values.shape
    nothing = Codes(np.empty((n_rows, 0), dtype=np.int32)), Texts(np.empty((n_rows, 0), dtype=object))
    block: Numbers | SparseNumbers
    held_sparse: bool = sp.issparse(values)
    if held_sparse:
        block = SparseNumbers(sp.csr_array(values, dtype=np.float64))
    else:
        block = Numbers(values if values.dtype in (np.float32, np.float64) else values.astype(np.float64))
    return Table(matrix_schema(n_columns), n_rows, block, *nothing)


def conform_table(source: Any, schema: Schema, missing: Markers = ()) -> Table:
    """A source as a table of exactly this schema: what a fitted model asks for at prediction.

    Parameters
    ----------
    source : str, Path, data frame, mapping, ndarray, sparse matrix, Source or Table
        What `read_table` takes; columns are found by name, in any order.
    schema : Schema
        The columns expected.
    missing : str, sequence or mapping, default ()
        Further cells that mean "missing", as in `read_table`.

    Returns
    -------
    table : Table
        The rows; a level that the schema does not know gets the number of levels as its code.

    Raises
    ------
    BadColumn
        If a column is missing or does not fit its kind.

    Examples
    --------
    >>> import mercer
    >>> from mercer.table import conform_table
    >>> schema = mercer.read_table({"job": ["clerk", "sales", "clerk"], "age": [31, 45, 58]}).schema
    >>> conform_table({"age": [40, 20], "job": ["sales", "pilot"]}, schema).codes().ravel()
    array([1, 2], dtype=int32)
    """
    if isinstance(source, Table):
        if source.schema.columns == schema.columns:
            return source
        _expect_no_column_left_out(source, schema)
        source = source.to_polars()
    if sp.issparse(source) or (isinstance(source, np.ndarray) and source.dtype != object and not is_records(source)):
        table = from_array(source)
        return replace(table, schema=schema)
    cells = open_source(source, missing=missing, schema=schema)
    return new_rows(cells, schema)


def _expect_no_column_left_out(table: Table, schema: Schema) -> None:
    """A table that was read on its own may lack a column for its own reasons: a constant one, in a few rows."""
    for column in table.schema.left_out:
        if column.name in schema:
            raise BadColumn(
                f"Column {column.name!r} was left out when the table was read ({column.reason}). "
                "Hand over the file or data frame itself, so that it is read as the model needs it."
            )
