"""Rows as numbers on one scale, with a dummy for each level: what kernels and linear SVMs compute with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from mercer.arrays import Floats
from mercer.encode.blocks import LevelBlock, Missing, NumberBlock, Scaling, dummies
from mercer.errors import BadTable
from mercer.state import Reader, State
from mercer.table import CATEGORICAL, Column, Kind, Schema, Table
from mercer.table.assemble import number_block, number_table
from mercer.table.schema import column_size


@dataclass(frozen=True)
class NumericEncoding:
    """E(x) = (numbers of x filled and scaled, then 1 for each level that x has and 0 for the others).

    Learned from training rows and applied to any: what `kernels.Encoded` compares, and what a linear SVM multiplies.
    A missing or unseen level is 0 in every dummy of its column; texts are left out. An estimator uses it so:

        encoding = NumericEncoding.learn(table, weight, scaling="standard")
        rows = encoding.matrix(table)                   # (n_rows, n_names) float64, dense or CSR
        encoding.names                                  # of the coefficients
        state["encoding"] = encoding.to_state()         # and back, by the estimator's schema:
        encoding = NumericEncoding.from_state(state.child("encoding"), schema)

    Attributes
    ----------
    schema : Schema
        Columns of the table.
    numbers : NumberBlock
        The numeric columns.
    levels : tuple of LevelBlock
        The categorical columns, one each.
    """

    schema: Schema
    numbers: NumberBlock
    levels: tuple[LevelBlock, ...]

    @classmethod
    def learn(
        cls, table: Table | Sequence[Table], weight: Floats | None = None, *,
        scaling: Scaling = "standard", missing: Missing = "mean",
    ) -> NumericEncoding:  # fmt: skip
        """What to fill, shift and multiply each number with.

        Parameters
        ----------
        table : Table or sequence of Table
            The training rows; of several tables, those of the first and then those of the others.
        weight : ndarray of shape (n_rows,) or None, default None
            Weight of each row, of all tables; None weighs all alike.
        scaling : {"standard", "robust", "minmax", "none"}, default "standard"
            (x - mean) / standard deviation, the same robustly (`mercer.encode.blocks.robust_scale`),
            (x - min) / (max - min), or x. Sparse numbers are divided by the deviation or the largest size and not
            shifted. A constant column becomes 0, unless "none".
        missing : {"mean", "median"}, default "mean"
            What stands for a missing number of a column; always the mean in a sparse table.

        Returns
        -------
        encoding : NumericEncoding
            Of these columns.

        Raises
        ------
        BadTable
            A number is infinite, or its square is.
        """
        tables = [table] if isinstance(table, Table) else list(table)
        weight = np.ones(sum(map(len, tables))) if weight is None else weight
        schema = Schema(tables[0].schema.columns, named=tables[0].schema.named)
        numbers = NumberBlock.scaled(tables, schema.numeric_names, weight, scaling, missing)
        return cls.of_numbers(schema, numbers)

    @classmethod
    def of_numbers(cls, schema: Schema, numbers: NumberBlock) -> NumericEncoding:
        """The encoding of these columns whose numbers are encoded so."""
        return cls(schema, numbers, _level_blocks(schema))

    @property
    def names(self) -> Sequence[str]:
        """Names of the encoded columns: the numeric ones, then '<column>=<level>'."""
        if not self.levels:
            return self.numbers.columns
        return (*self.numbers.columns, *(name for block in self.levels for name in block.names))

    @property
    def owners(self) -> Sequence[str]:
        """The column of the table that each encoded column comes from."""
        if not self.levels:
            return self.numbers.columns
        return (*self.numbers.columns, *(owner for block in self.levels for owner in block.owners))

    def matrix(self, table: Table, dtype: DTypeLike = np.float64, *, sparse: bool = False) -> Any:
        """The rows as numbers.

        Parameters
        ----------
        table : Table
            Rows with the columns of `schema`.
        dtype : dtype, default float64
            Of the numbers.
        sparse : bool, default False
            Whether the rows of a dense table are CSR too.

        Returns
        -------
        rows : ndarray or csr_array of shape (n_rows, n_names)
            CSR when the numbers of the table are sparse, or if asked for. The table's own array when nothing changes.

        Raises
        ------
        BadTable
            A number is infinite.
        """
        rows = self._values(table, sparse or table.is_sparse).astype(dtype, copy=False)
        if not np.isfinite(rows.sum()):
            self._refuse_infinite(rows)
        return rows

    def table(self, table: Table) -> Table:
        """The encoded rows as a table of numeric columns called `names`."""
        return replace(
            number_table(self._schema_out.columns, self._values(table, table.is_sparse)), schema=self._schema_out
        )

    def numbers_scaled(self, table: Table) -> Table:
        """The rows with their numbers filled and scaled, the other columns as they are."""
        return replace(table.select(self.schema.names), number_block=number_block(self._numbers(table)))

    def _values(self, table: Table, sparse: bool) -> Any:
        values = self._numbers(table)
        if not self.levels:
            return sp.csr_array(values) if sparse else values
        ones = dummies(self.levels, table, sparse=sparse, dtype=values.dtype)
        return sp.hstack([sp.csr_array(values), ones], format="csr") if sparse else np.hstack([values, ones])

    def _numbers(self, table: Table) -> Any:
        values = self.numbers.matrix(table)
        return values if table.is_sparse else values.astype(table.number_block.values.dtype, copy=False)

    def _refuse_infinite(self, rows: Any) -> None:
        cells = sp.coo_array(rows)
        wrong = np.flatnonzero(~np.isfinite(cells.data))
        if len(wrong):
            name, row = self.names[cells.col[wrong[0]]], cells.row[wrong[0]] + 1
            raise BadTable(f"Column {name!r}, row {row}, is infinite. Correct the cell, or make it missing.")

    @cached_property
    def _schema_out(self) -> Schema:
        numbers = self.schema.select(self.schema.numeric_names).columns
        if not self.levels:
            return Schema(numbers, named=self.schema.named)
        ones = tuple(Column(name, Kind.NUMERIC) for block in self.levels for name in block.names)
        return Schema((*numbers, *ones), named=self.schema.named)

    def to_state(self) -> State:
        """The fitted values as plain data."""
        return {"numbers": self.numbers.to_state()}

    @classmethod
    def from_state(cls, state: Reader, schema: Schema) -> NumericEncoding:
        """The encoding of these columns that `to_state` wrote."""
        numbers = NumberBlock.from_state(state.child("numbers"), schema.numeric_names)
        state.derive("numbers", sum(len(c.levels) * column_size(c.name) for c in schema))
        state.finish()
        return cls(schema, numbers, _level_blocks(schema))


def _level_blocks(schema: Schema) -> tuple[LevelBlock, ...]:
    return tuple(LevelBlock.every_level(schema[name]) for name in schema.of_kind(*CATEGORICAL))
