"""Rows and columns of tables in any container (data frame, mapping, array, sparse matrix, Table), its type kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from mercer.errors import BadTable
from mercer.table.blocks import Codes, Numbers, SparseNumbers, Texts
from mercer.table.formats.frames import is_frame
from mercer.table.schema import Kind
from mercer.table.table import Table

Order = NDArray[np.int64]


def as_container(X: Any) -> Any:
    """X if it is a Table, a data frame or a mapping, an array or sparse matrix of two dimensions otherwise."""
    if isinstance(X, Table | Mapping) or is_frame(X):
        return X
    cells = X if sp.issparse(X) else np.asarray(X)
    if cells.ndim != 2:
        raise BadTable(f"A table has rows and columns; found an array of {cells.ndim} dimensions.")
    return cells


def column_names(X: Any) -> list[str]:
    """Names of the columns; x0, x1, ... where there are none."""
    if isinstance(X, Table):
        return list(X.columns)
    if isinstance(X, Mapping):
        return [str(name) for name in X]
    if is_frame(X):
        return list(_frame(X).columns)
    return [f"x{j}" for j in range(X.shape[1])]


def row_count(X: Any) -> int:
    """How many rows there are."""
    if isinstance(X, Mapping):
        return len(next(iter(X.values()), ()))
    return len(X) if isinstance(X, Table) else int(_num_samples(X))


def take_rows(X: Any, rows: Order) -> Any:
    """These rows, in this order."""
    if isinstance(X, Table):
        return X.take(rows)
    if isinstance(X, Mapping):
        return {name: _gathered(cells, rows) for name, cells in X.items()}
    if isinstance(X, pl.DataFrame):  # a column at a time: the whole frame at once takes threads (see table.cells)
        return pl.DataFrame([column[rows] for column in X.get_columns()])
    return _safe_indexing(X, rows)


def split_column(X: Any, name: str) -> tuple[NDArray[Any], Any]:
    """The cells of a column by its name, and the container without it."""
    if isinstance(X, Table):
        return X.column(name), X.drop([name])
    if isinstance(X, Mapping):
        return np.asarray(X[name]), {key: cells for key, cells in X.items() if key != name}
    if not is_frame(X):
        place = column_names(X).index(name)
        cells = X[:, [place]].toarray().ravel() if sp.issparse(X) else X[:, place]
        others = [j for j in range(X.shape[1]) if j != place]
        return cells, X[:, others]
    frame = _frame(X)
    return frame[name].to_numpy(), frame.drop(name).to_native()


def with_columns_of(frame: Any, X: Any, names: Sequence[str]) -> Any:
    """A data frame with these columns as X holds them, with the types they have there, if both are of one library."""
    if not names or type(frame) is not type(X):
        return frame
    given = _frame(X)
    return _frame(frame).with_columns(*(given[name] for name in names)).to_native()


def permute_column(X: Any, place: int, order: Order) -> Any:
    """A copy whose column at `place` holds the cells of rows `order`; the other columns are as they were."""
    if isinstance(X, Table):
        return _table(X, X.columns[place], order)
    if isinstance(X, Mapping):
        name = list(X)[place]
        return {**X, name: _gathered(X[name], order)}
    if is_frame(X):
        frame = _frame(X)
        return frame.with_columns(frame[frame.columns[place]][order.tolist()]).to_native()
    if sp.issparse(X):
        columns = sp.csc_array(X)
        parts = [columns[:, :place], columns[:, [place]][order], columns[:, place + 1 :]]
        return type(X)(sp.hstack(parts, format=X.format))
    return _moved(X, place, order)


def _frame(X: Any) -> nw.DataFrame[Any]:
    try:
        return nw.from_native(X, eager_only=True)
    except (TypeError, ValueError) as error:
        raise BadTable(f"{type(X).__name__} is not a table whose columns can be told apart: {error}") from None


def _gathered(cells: Sequence[Any], order: Order) -> Any:
    return cells[order] if isinstance(cells, np.ndarray) else [cells[i] for i in order]


def _table(table: Table, name: str, order: Order) -> Table:
    place = table.schema.block_place(name)
    kind = table.schema[name].kind
    if kind is Kind.NUMERIC:
        numbers = table.number_block
        if isinstance(numbers, SparseNumbers):
            return replace(table, number_block=SparseNumbers(permute_column(numbers.values, place, order)))
        return replace(table, number_block=Numbers(_moved(numbers.values, place, order)))
    if kind is Kind.TEXT:
        return replace(table, text_block=Texts(_moved(table.texts(), place, order)))
    return replace(table, code_block=Codes(_moved(table.codes(), place, order)))


def _moved(cells: NDArray[Any], place: int, order: Order) -> NDArray[Any]:
    changed = cells.copy(order="K")
    changed[:, place] = cells[order, place]
    return changed
