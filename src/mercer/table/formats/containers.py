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
from mercer.table.assemble import number_block, vstack
from mercer.table.blocks import Codes, Numbers, SparseNumbers, Texts
from mercer.table.formats.frames import (
    collected,
    from_records,
    is_frame,
    is_records,
    missing_as_none,
    moments,
    single_cell,
    unmasked,
)
from mercer.table.schema import CATEGORICAL, Kind
from mercer.table.table import Table

Order = NDArray[np.int64]


def as_container(X: Any) -> Any:
    """X if it is a Table, a data frame or a mapping; a list of dicts as a mapping, all else as an array (2 axes)."""
    if sp.issparse(X):  # of which one kind is a mapping of places, and some have no rows to take
        return X if X.format in ("csr", "csc") else X.tocsr()
    if isinstance(X, Table | Mapping):
        return X
    if is_frame(X):
        return collected(X)
    if is_records(X):
        return from_records(X).columns
    cells = np.asarray(unmasked(X))
    if cells.ndim != 2:
        raise BadTable(f"A table has rows and columns; found an array of {cells.ndim} dimensions.")
    return cells


def as_rows(X: Any) -> Any:
    """The same for a model that is asked for whole rows alone: texts and a list of dicts stay what they are.

    Pipelines of scikit-learn that begin with a TfidfVectorizer read the ones, those with a DictVectorizer the others.
    """
    if isinstance(X, list | tuple) and is_records(X):
        return X
    if getattr(X, "ndim", 1) == 1 and not isinstance(X, Mapping | str) and not is_frame(X) and not is_records(X):
        cells = np.asarray(X, dtype=object)
        if cells.ndim == 1 and len(cells) and all(isinstance(cell, str) for cell in cells):
            return cells
    return as_container(X)


def column_names(X: Any) -> list[str]:
    """Names of the columns; x0, x1, ... where there are none."""
    if isinstance(X, Table):
        return list(X.columns)
    if isinstance(X, Mapping):
        return [str(name) for name in X]
    if is_frame(X):
        return list(_frame(X).columns)
    return [f"x{j}" for j in range(X.shape[1])]


def column_cells(X: Any, place: int) -> Any:
    """The cells of one column: floats, level names, texts, or whatever the container holds."""
    if isinstance(X, Table):
        return X.column(X.columns[place])
    if isinstance(X, Mapping):
        cells = X[list(X)[place]]
        return np.asarray(cells) if hasattr(cells, "to_numpy") else cells  # by place, which labels of pandas are not
    if is_frame(X):
        frame = _frame(X)
        return missing_as_none(frame[frame.columns[place]].to_list())
    return X[:, [place]].toarray()[:, 0] if sp.issparse(X) else X[:, place]


def row_count(X: Any) -> int:
    """How many rows there are."""
    if isinstance(X, Mapping):
        name, cells = next(iter(X.items()), ("", ()))
        if not hasattr(cells, "__len__"):
            raise single_cell(name, cells)
        return len(cells)
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


def split_column(X: Any, name: str) -> tuple[Any, Any]:
    """The cells of a column by its name, as an array or as a series of moments, and the container without it."""
    if isinstance(X, Table):
        return X.column(name), X.drop([name])
    if isinstance(X, Mapping):
        return _as_array(name, X[name]), {key: cells for key, cells in X.items() if key != name}
    if not is_frame(X):
        place = column_names(X).index(name)
        cells = X[:, [place]].toarray().ravel() if sp.issparse(X) else X[:, place]
        others = [j for j in range(X.shape[1]) if j != place]
        return cells, X[:, others]
    frame = _frame(X)
    return _as_array(name, frame[name].to_native()), frame.drop(name).to_native()


def _as_array(name: str, cells: Any) -> Any:
    """An array; moments stay a series, which knows their time zone."""
    found = moments(name, cells)
    return found if found is not None else cells.to_numpy() if hasattr(cells, "to_numpy") else np.asarray(cells)


def stack_rows(X: Any, Y: Any) -> Any:
    """The rows of X, then those of Y, which is a container of the same type and columns."""
    if isinstance(X, Table):
        return vstack(X, Y)
    if isinstance(X, Mapping):
        return {name: [*X[name], *Y[name]] for name in X}
    if is_frame(X):
        first = _frame(X)
        return nw.concat([first, _frame(Y).select(first.columns)], how="vertical").to_native()
    return sp.vstack([X, Y], format="csr") if sp.issparse(X) else np.concatenate([X, Y])


def mix_rows(X: Any, index: NDArray[np.int64]) -> Any:
    """Rows whose cell in column j is that of row index[:, j] of X; `index` is (n_rows, n_columns)."""
    if isinstance(X, Table):
        return _mixed_table(X, index)
    if isinstance(X, Mapping):
        return {name: _gathered(cells, index[:, j]) for j, (name, cells) in enumerate(X.items())}
    if is_frame(X):
        frame = _frame(X)
        parts = [frame[name][index[:, j].tolist()] for j, name in enumerate(frame.columns)]
        return _side_by_side(parts)
    if sp.issparse(X):
        return type(X)(mix_rows(X.toarray(), index))
    return np.take_along_axis(X, index, axis=0)


def set_numbers(X: Any, place: int, values: NDArray[np.float64]) -> Any:
    """A copy with these numbers in one column, whole ones as whole numbers where the column holds such."""
    if isinstance(X, Table):
        cells = np.array(X.numbers(), dtype=np.float64)
        cells[:, X.schema.block_place(X.columns[place])] = values
        return replace(X, number_block=number_block(cells))
    if isinstance(X, Mapping):
        return {**X, list(X)[place]: values}
    if not is_frame(X):
        changed = np.array(X.toarray() if sp.issparse(X) else X, dtype=object if X.dtype.kind == "O" else np.float64)
        changed[:, place] = values
        return type(X)(changed) if sp.issparse(X) else changed
    frame = _frame(X)
    name = frame.columns[place]
    whole = frame[name].dtype.is_integer() and bool((values == np.round(values)).all())
    column = nw.new_series(name, values, backend=frame.implementation)
    return frame.with_columns(column.cast(frame[name].dtype) if whole else column).to_native()


def _side_by_side(columns: Sequence[nw.Series[Any]]) -> Any:
    """Columns of different rows as a frame: the labels that pandas keeps of them are let go."""
    plain = [c.to_native() for c in columns]
    if hasattr(plain[0], "reset_index"):
        columns = [nw.from_native(c.reset_index(drop=True), series_only=True) for c in plain]
    return columns[0].to_frame().with_columns(*columns[1:]).to_native()


def _mixed_table(table: Table, index: NDArray[np.int64]) -> Table:
    schema = table.schema

    def block(cells: NDArray[Any], *kinds: Kind) -> NDArray[Any]:
        places = [schema.position(name) for name in schema.of_kind(*kinds)]
        return np.take_along_axis(cells, index[:, places], axis=0)

    return Table(
        schema,
        len(index),
        number_block(block(table.numbers(), Kind.NUMERIC)),
        Codes(np.asfortranarray(block(table.codes(), *CATEGORICAL))),
        Texts(block(table.texts(), Kind.TEXT)),
    )


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


def with_numbers(X: Any, place: int, numbers: NDArray[np.float64]) -> Any:
    """A copy whose numeric column at `place` holds these numbers; the other columns are as they were."""
    if isinstance(X, Table):
        if isinstance(X.number_block, SparseNumbers):
            return replace(X, number_block=SparseNumbers(with_numbers(X.number_block.values, place, numbers)))
        cells = X.number_block.values.astype(np.float64)
        cells[:, X.schema.block_place(X.columns[place])] = numbers
        return replace(X, number_block=Numbers(cells))
    if isinstance(X, Mapping):
        return {**X, list(X)[place]: numbers}
    if is_frame(X):
        frame = _frame(X)
        name = frame.columns[place]
        return frame.with_columns(nw.new_series(name, numbers, backend=frame.implementation)).to_native()
    if sp.issparse(X):
        columns = sp.csc_array(X)
        parts = [columns[:, :place], sp.csc_array(numbers[:, None]), columns[:, place + 1 :]]
        return type(X)(sp.hstack(parts, format=X.format))
    changed = X.astype(X.dtype if X.dtype.kind in "fO" else np.float64)
    changed[:, place] = numbers
    return changed


def _frame(X: Any) -> nw.DataFrame[Any]:
    try:
        return nw.from_native(X, eager_only=True)
    except (TypeError, ValueError) as error:
        raise BadTable(f"{type(X).__name__} is not a table whose columns can be told apart: {error}") from None


def _gathered(cells: Any, order: Order) -> Any:
    """Cells by their places; those of a series of pandas by place too, not by label."""
    if isinstance(cells, pl.Series):
        return cells[order]
    return cells.take(order) if hasattr(cells, "take") else [cells[i] for i in order]


def moved_rows(table: Table, place: int, order: Order) -> Order:
    """Rows of a dense table whose cell at `place` is another one after `permute_column`; NaN is never the same."""
    name = table.columns[place]
    kind = table.schema[name].kind
    block = table.numbers() if kind is Kind.NUMERIC else table.texts() if kind is Kind.TEXT else table.codes()
    cells = block[:, table.schema.block_place(name)]
    return np.flatnonzero(cells != cells[order])


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
