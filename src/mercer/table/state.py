"""A table as plain data, for models that keep some of their rows (support vectors, neighbours)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.errors import BadFile
from mercer.state import Reader, State
from mercer.table.blocks import MISSING, Codes, Numbers, SparseNumbers, Texts
from mercer.table.schema import Kind, Schema
from mercer.table.table import Table


def cell_blocks(table: Table) -> list[NDArray[Any]]:
    """The cells of numbers and levels as arrays: equal for tables of the same columns and cells, texts apart."""
    if table.is_sparse:
        cells = table.csr()
        return [cells.data, cells.indices, cells.indptr, table.codes()]
    return [table.numbers(), table.codes()]


def table_state(table: Table) -> State:
    """Schema and blocks of a table as plain data; `table_from_state` is the inverse.

    Parameters
    ----------
    table : Table
        The rows that a model keeps.

    Returns
    -------
    state : dict
        Arrays, texts and numbers, for a model file.

    Examples
    --------
    >>> import mercer
    >>> from mercer.state import Reader
    >>> from mercer.table import table_from_state, table_state
    >>> table_from_state(Reader(table_state(mercer.read_table({"age": [31, 45, 58]})))).columns
    ('age',)
    """
    texts = table.text_block.values
    return {
        "schema": table.schema.to_state(),
        "n_rows": len(table),
        "numbers": numbers_state(table.number_block),
        "codes": np.ascontiguousarray(table.code_block.values),
        "texts": ["" if t is None else t for t in texts.ravel()],
        "no_text": np.array([t is None for t in texts.ravel()], dtype=np.uint8),
    }


def table_from_state(state: Reader) -> Table:
    """The table that `table_state` wrote, every value checked.

    Parameters
    ----------
    state : Reader
        The stored table.

    Returns
    -------
    table : Table
        The same rows.

    Raises
    ------
    BadFile
        If a value is absent, or is not what a table may hold.

    Examples
    --------
    >>> import mercer
    >>> from mercer.state import Reader
    >>> from mercer.table import table_from_state, table_state
    >>> len(table_from_state(Reader(table_state(mercer.read_table({"age": [31, 45, 58]})))))
    3
    """
    schema, n = Schema.from_state(state.child("schema")), state.integer("n_rows")
    categorical = [c for c in schema if c.kind.categorical]
    codes = state.array("codes", "int32", (n, len(categorical)), low=MISSING)
    if any(codes[:, j].max(initial=0) > len(c.levels) for j, c in enumerate(categorical)):
        raise BadFile(f"{state.where}.codes go beyond the levels of their column.")
    numbers = numbers_from_state(state.child("numbers"), n, len(schema.of_kind(Kind.NUMERIC)))
    shape = (n, len(schema.of_kind(Kind.TEXT)))
    texts = np.array([*state.texts("texts"), None], dtype=object)[:-1]
    gone = state.array("no_text", "uint8", (shape[0] * shape[1],), high=1)
    if len(texts) != len(gone):
        raise BadFile(f"{state.where}.texts: expected {len(gone)} texts.")
    texts[gone == 1] = None
    state.finish()
    return Table(schema, n, numbers, Codes(np.asfortranarray(codes)), Texts(texts.reshape(shape)))


def numbers_state(block: Numbers | SparseNumbers) -> State:
    """A block of numbers as plain data, sparse ones by the cells they store."""
    if isinstance(block, Numbers):
        return {
            "dense": np.ascontiguousarray(block.values, dtype=np.float64),
            "single": block.values.dtype == np.float32,
        }
    x = block.values
    return {"data": x.data, "indices": x.indices.astype(np.int64), "starts": x.indptr.astype(np.int64)}


def numbers_from_state(state: Reader, n: int, p: int) -> Numbers | SparseNumbers:
    """The block (n, p) that `numbers_state` wrote, checked."""
    if state.has("dense"):
        values = state.cells("dense", (n, p))
        single = state.flag("single")
        state.finish()
        return Numbers(values.astype(np.float32) if single else values)
    data = state.cells("data", (None,))
    indices = state.array("indices", "int64", (len(data),), low=0, high=max(p - 1, 0))
    starts = state.array("starts", "int64", (n + 1,), low=0, high=len(data))
    state.finish()
    if starts[0] != 0 or starts[-1] != len(data) or (np.diff(starts) < 0).any():
        raise BadFile(f"{state.where}.starts do not divide the cells into {n} rows.")
    return SparseNumbers(sp.csr_array((data, indices, starts), shape=(n, p)))
