"""Tables out of blocks and of other tables: what encoders return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.errors import BadColumn, BadTable
from mercer.table.blocks import MISSING, Codes, Numbers, SparseNumbers, Texts
from mercer.table.schema import CATEGORICAL, Column, Kind, LeftOut, Schema, representatives
from mercer.table.table import Table


def number_table(columns: Sequence[Column], values: Any) -> Table:
    """Numeric columns from floats (n_rows, n_columns), dense or CSR."""
    n_rows = values.shape[0]
    return Table(Schema(tuple(columns)), n_rows, number_block(values), _no_codes(n_rows), _no_texts(n_rows))


def number_block(values: Any) -> Numbers | SparseNumbers:
    """A block of floats, dense or CSR as they came."""
    held_sparse: bool = sp.issparse(values)
    return SparseNumbers(sp.csr_array(values)) if held_sparse else Numbers(values)


def code_table(columns: Sequence[Column], codes: NDArray[np.int32]) -> Table:
    """Categorical columns from int32 codes (n_rows, n_columns)."""
    n_rows = codes.shape[0]
    block = Codes(np.asfortranarray(codes, dtype=np.int32))
    return Table(Schema(tuple(columns)), n_rows, Numbers(np.empty((n_rows, 0))), block, _no_texts(n_rows))


def _no_codes(n_rows: int) -> Codes:
    return Codes(np.empty((n_rows, 0), dtype=np.int32))


def _no_texts(n_rows: int) -> Texts:
    return Texts(np.empty((n_rows, 0), dtype=object))


def hstack(tables: Sequence[Table], schema: Schema) -> Table:
    """Columns of several tables of the same rows, arranged as in `schema`; sparse numbers make all sparse."""
    n_rows = tables[0].n_rows
    numbers = _stack_numbers([t for t in tables if t.schema.numeric_names], n_rows)
    codes = np.hstack([t.code_block.values for t in tables])
    texts = np.hstack([t.text_block.values for t in tables])
    return Table(
        schema,
        n_rows,
        numbers.select(_order(tables, schema, (Kind.NUMERIC,))),
        Codes(np.asfortranarray(codes)).select(_order(tables, schema, CATEGORICAL)),
        Texts(texts).select(_order(tables, schema, (Kind.TEXT,))),
    )


def vstack(*tables: Table) -> Table:
    """Rows of tables of the same schema, one below the other."""
    full = [t for t in tables if len(t)]
    if len(full) < 2:
        return full[0] if full else tables[0]
    values = [t.number_block.values for t in full]
    return Table(
        full[0].schema,
        sum(map(len, full)),
        number_block(sp.vstack(values, format="csr") if full[0].is_sparse else np.vstack(values)),
        Codes(np.asfortranarray(np.vstack([t.code_block.values for t in full]))),
        Texts(np.vstack([t.text_block.values for t in full])),
    )


def _stack_numbers(tables: Sequence[Table], n_rows: int) -> Numbers | SparseNumbers:
    blocks = [t.number_block for t in tables]
    if not blocks:
        return Numbers(np.empty((n_rows, 0)))
    if len(blocks) == 1:
        return blocks[0]
    if any(isinstance(b, SparseNumbers) for b in blocks):
        return SparseNumbers(sp.csr_array(sp.hstack([sp.csr_array(b.values) for b in blocks], format="csr")))
    return Numbers(np.hstack([b.dense() for b in blocks]))


def _order(tables: Sequence[Table], schema: Schema, kinds: tuple[Kind, ...]) -> list[int]:
    found = [name for t in tables for name in t.schema.of_kind(*kinds)]
    place = {name: i for i, name in enumerate(found)}
    return [place[name] for name in schema.of_kind(*kinds)]


def all_but(table: Table, names: Sequence[str]) -> Table:
    """The table without these columns; what is made from dates among them stays, unlike in `Table.drop`."""
    gone = set(names)
    return table.select([n for n in table.columns if n not in gone])


def with_numbers(table: Table, names: Sequence[str], values: Any) -> Table:
    """The same table with other numbers in these numeric columns."""
    if tuple(names) == table.schema.numeric_names:
        return replace(table, number_block=number_block(values))
    rest = all_but(table, names)
    changed = number_table([table.schema[n] for n in names], values)
    return hstack([rest, changed], table.schema)


def with_names(schema: Schema, new: Mapping[str, str]) -> Schema:
    """The schema with columns renamed."""

    def renamed(c: Column) -> Column:
        return replace(c, name=new[c.name], origin=new.get(c.origin, c.origin), since=new.get(c.since, c.since))

    return replace(schema, columns=tuple(map(renamed, schema)))


def without_formats(schema: Schema, names: Sequence[str]) -> Schema:
    """The schema whose numbers in these columns are no longer the days or amounts that were written."""
    if not any(c.format for c in representatives(schema.columns)):
        return schema
    plain = set(names)
    return replace(schema, columns=tuple(replace(c, format="") if c.name in plain else c for c in schema))


def with_left_out(schema: Schema, left_out: Sequence[LeftOut]) -> Schema:
    """The schema without these columns, which are listed as left out with their reasons."""
    gone = {c.name for c in left_out}
    return replace(
        schema,
        columns=tuple(c for c in schema if c.name not in gone),
        left_out=(*schema.left_out, *left_out),
    )


def matrix(table: Table) -> Any:
    """Every column as floats, in order: numbers as they are, codes as their place among the levels.

    CSR when the numbers are held sparse. Text has no such form.
    """
    if table.schema.of_kind(Kind.TEXT):
        name = table.schema.of_kind(Kind.TEXT)[0]
        raise BadColumn(f"Column {name!r} is text, not numbers. Encode it first, e.g. with BagOfWords.")
    categorical = table.schema.of_kind(*CATEGORICAL)
    if not categorical:
        return table.csr() if table.is_sparse else table.numbers()
    codes = table.codes().astype(np.float64)
    codes[codes == MISSING] = np.nan
    columns = [Column(c.name, Kind.NUMERIC) for c in table.schema]
    by_name = {c.name: c for c in columns}
    numbers = table.select(table.schema.numeric_names)
    parts = [numbers, number_table([by_name[n] for n in categorical], codes)]
    whole = hstack(parts, Schema(tuple(columns)))
    return whole.csr() if whole.is_sparse else whole.numbers()


def cells(table: Table) -> NDArray[Any]:
    """Every column as values in an object array: floats, level names and texts, None where missing."""
    if not len(table.schema):
        raise BadTable("The table has no columns.")
    found = np.empty(table.shape, dtype=object)
    for j, name in enumerate(table.columns):
        found[:, j] = table.column(name)
    return found
