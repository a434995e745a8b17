"""Anything tabular into a Table: files, data frames, mappings, arrays, sparse matrices."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from mercer.errors import BadFile, BadTable, MercerWarning
from mercer.table.arff import read_arff
from mercer.table.blocks import Codes, Numbers, SparseNumbers, Texts
from mercer.table.build import build, conform
from mercer.table.delimited import read_delimited
from mercer.table.frames import from_frame, from_mapping, from_objects, is_frame
from mercer.table.infer import KindSpec, infer
from mercer.table.libsvm import looks_like_libsvm, read_libsvm
from mercer.table.schema import Schema, matrix_schema
from mercer.table.source import Source
from mercer.table.table import Table


def read_table(
    source: Any,
    *,
    kinds: Mapping[str, KindSpec] | None = None,
    missing: Sequence[str] = (),
    separator: str | None = None,
    header: bool | None = None,
) -> Table:
    """Read a file, data frame, mapping, array or sparse matrix as a typed table.

    Parameters
    ----------
    source : path to CSV/TSV (also .gz), Parquet, ARFF or libsvm; pandas, polars or pyarrow frame; dict; array
    kinds : column -> "numeric", "binary", "category", "ordinal", "text", "skip", or the list of its levels in order
    missing : further cells that mean "missing", beside empty, NA, N/A, NaN, None, null and ?
    separator : of a text file; found from the text when None
    header : whether line 1 of a text file names the columns; found from the text when None

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
    if isinstance(source, np.ndarray) and source.dtype != object and source.ndim == 2 and not kinds:
        return from_array(source)
    if sp.issparse(source):
        return from_array(source)
    cells = open_source(source, missing=missing, separator=separator, header=header)
    return build(cells, infer(cells, kinds))


def open_source(
    source: Any, *, missing: Sequence[str] = (), separator: str | None = None, header: bool | None = None
) -> Source:
    """The cells of a source, before kinds are decided."""
    if isinstance(source, Source):
        cells = source
    elif isinstance(source, str | Path):
        cells = _open_file(Path(source), separator, header)
    elif isinstance(source, Mapping):
        cells = from_mapping(source)
    elif is_frame(source):
        cells = from_frame(source)
    elif isinstance(source, np.ndarray) and source.ndim == 2:
        cells = from_objects(source)
    else:
        raise BadTable(
            f"A {type(source).__name__} is not a table. Give a path, a data frame, a dict of columns or an array."
        )
    cells.markers = cells.markers | {m.strip().lower() for m in missing}
    for notice in cells.notices:
        warnings.warn(notice, MercerWarning, stacklevel=3)
    if cells.n_rows == 0:
        raise BadTable("The table has no rows.")
    return cells


def _open_file(path: Path, separator: str | None, header: bool | None) -> Source:
    try:
        if path.is_dir():
            raise BadFile(f"{path} is a directory. Name a file inside it.")
        suffix = path.name.lower().removesuffix(".gz").rpartition(".")[2]
        if suffix in ("parquet", "pq"):
            return from_frame(pl.read_parquet(path))
        if suffix == "arff":
            return read_arff(path)
        if suffix not in ("csv", "tsv") and looks_like_libsvm(path):
            return read_libsvm(path)
        return read_delimited(path, separator, header)
    except FileNotFoundError:
        near = sorted(p.name for p in path.parent.glob("[!.]*")) if path.parent.is_dir() else []
        raise BadFile(f"There is no file {path}." + (f" Beside it: {', '.join(near[:6])}." if near else "")) from None
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror or error}.") from None
    except pl.exceptions.PolarsError as error:
        raise BadFile(f"{path} cannot be read: {error}.") from None


def from_array(values: Any) -> Table:
    """A float array or sparse matrix, without copying when it is one already."""
    n_rows, n_columns = values.shape
    nothing = Codes(np.empty((n_rows, 0), dtype=np.int32)), Texts(np.empty((n_rows, 0), dtype=object))
    block: Numbers | SparseNumbers
    if sp.issparse(values):
        block = SparseNumbers(sp.csr_array(values, dtype=np.float64))
    else:
        block = Numbers(values if values.dtype in (np.float32, np.float64) else values.astype(np.float64))
    return Table(matrix_schema(n_columns), n_rows, block, *nothing)


def conform_table(source: Any, schema: Schema, missing: Sequence[str] = ()) -> Table:
    """A source as a table of exactly this schema: what a fitted model asks for at prediction."""
    if isinstance(source, Table):
        if source.schema.columns == schema.columns:
            return source
        source = source.to_polars()
    if sp.issparse(source) or (isinstance(source, np.ndarray) and source.dtype != object):
        table = from_array(source)
        return replace(table, schema=schema)
    cells = open_source(source, missing=missing)
    return build(conform(cells, schema), schema)
