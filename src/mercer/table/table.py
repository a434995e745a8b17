"""A table: a schema, and its cells as homogeneous blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.errors import BadColumn
from mercer.table.blocks import MISSING, Codes, Numbers, RowIndex, SparseNumbers, Texts
from mercer.table.schema import CATEGORICAL, Column, Kind, Schema
from mercer.table.select import Selector, resolve

UNSEEN = "(unseen)"


@dataclass(frozen=True)
class Table:
    """Typed columns side by side; `mercer.read_table` makes one.

    `numbers`, `codes` and `texts` give the cells of numeric, categorical and text columns, without copying when they
    can.

    Parameters
    ----------
    schema : Schema
        What the columns are, in order.
    n_rows : int
        Number of rows.
    number_block : Numbers or SparseNumbers
        Cells of the numeric columns.
    code_block : Codes
        Cells of the categorical columns.
    text_block : Texts
        Cells of the text columns.

    Examples
    --------
    >>> import mercer
    >>> table = mercer.read_table({"age": [31, None, 58, 40], "job": ["sales", "clerk", None, "sales"]})
    >>> table.numbers()
    array([[31.],
           [nan],
           [58.],
           [40.]])
    >>> table.codes(), table.schema["job"].levels
    (array([[ 1],
           [ 0],
           [-1],
           [ 1]], dtype=int32), ('clerk', 'sales'))
    """

    schema: Schema
    n_rows: int
    number_block: Numbers | SparseNumbers
    code_block: Codes
    text_block: Texts

    def __len__(self) -> int:
        return self.n_rows

    @property
    def shape(self) -> tuple[int, int]:
        """(n_rows, n_columns)."""
        return self.n_rows, len(self.schema)

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns, in order."""
        return self.schema.names

    @property
    def is_sparse(self) -> bool:
        """Whether the numeric columns are held sparse."""
        return isinstance(self.number_block, SparseNumbers)

    def numbers(self, on: Selector = None) -> NDArray[np.floating]:
        """Cells of numeric columns.

        Parameters
        ----------
        on : str, sequence of str, selector or None, default None
            The columns; None for every numeric one.

        Returns
        -------
        numbers : ndarray of shape (n_rows, n_columns)
            Floats, NaN where missing.
        """
        return self._numbers(on).dense()

    def sparse(self, on: Selector = None) -> Any:
        """Cells of numeric columns of a table that came sparse.

        Parameters
        ----------
        on : str, sequence of str, selector or None, default None
            The columns; None for every numeric one.

        Returns
        -------
        numbers : csr_array of shape (n_rows, n_columns)
            Cells that are not stored are 0.

        Raises
        ------
        BadColumn
            If the table is dense.
        """
        block = self._numbers(on)
        if not isinstance(block, SparseNumbers):
            raise BadColumn("The table is dense: use numbers().")
        return block.values

    def _numbers(self, on: Selector) -> Numbers | SparseNumbers:
        if on is None or on == self.schema.numeric_names:
            return self.number_block
        return self.number_block.select(self._places(on, (Kind.NUMERIC,), "numbers"))

    def codes(self, on: Selector = None) -> NDArray[np.int32]:
        """Cells of categorical columns (binary, category and ordinal) as codes of their levels.

        Parameters
        ----------
        on : str, sequence of str, selector or None, default None
            The columns; None for every categorical one.

        Returns
        -------
        codes : ndarray of shape (n_rows, n_columns)
            Place of the level in the column's `levels`, int32; -1 where missing, the number of levels for one that
            was not there when the schema was made.
        """
        if on is None:
            return self.code_block.values
        return self.code_block.select(self._places(on, CATEGORICAL, "levels")).values

    def texts(self, on: Selector = None) -> NDArray[np.object_]:
        """Cells of text columns.

        Parameters
        ----------
        on : str, sequence of str, selector or None, default None
            The columns; None for every text column.

        Returns
        -------
        texts : ndarray of shape (n_rows, n_columns)
            str, or None where missing.
        """
        if on is None:
            return self.text_block.values
        return self.text_block.select(self._places(on, (Kind.TEXT,), "text")).values

    def _places(self, on: Selector, kinds: tuple[Kind, ...], what: str) -> list[int]:
        """Positions inside the block of these kinds."""
        names = resolve(on, self.schema)
        for name in names:
            if self.schema[name].kind not in kinds:
                raise BadColumn(f"Column {name!r} is {self.schema[name].kind}; {what} were asked for.")
        return [self.schema.block_place(n) for n in names]

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Which cells of one column are missing.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        missing : ndarray of shape (n_rows,)
            True where missing.
        """
        kind = self.schema[name].kind
        if kind is Kind.NUMERIC:
            return np.isnan(self.numbers(name)[:, 0])
        if kind is Kind.TEXT:
            return self.text_block.select(self._places(name, (Kind.TEXT,), "text")).missing()[:, 0]
        return self.codes(name)[:, 0] == MISSING

    def take(self, rows: RowIndex) -> Table:
        """Some of the rows.

        Parameters
        ----------
        rows : ndarray or slice
            Row numbers in the order wanted, a mask, or a slice.

        Returns
        -------
        table : Table
            These rows; the schema is the same, also where a level has no row left.
        """
        n_rows = len(range(*rows.indices(self.n_rows))) if isinstance(rows, slice) else _count(rows)
        return replace(
            self,
            n_rows=n_rows,
            number_block=self.number_block.take(rows),
            code_block=self.code_block.take(rows),
            text_block=self.text_block.take(rows),
        )

    def select(self, on: Selector) -> Table:
        """Some of the columns.

        Parameters
        ----------
        on : str, sequence of str, selector or None
            The columns in the order wanted; None for all.

        Returns
        -------
        table : Table
            These columns only.
        """
        names = resolve(on, self.schema)
        schema = self.schema.select(names)
        return replace(
            self,
            schema=schema,
            number_block=self._numbers(schema.of_kind(Kind.NUMERIC)),
            code_block=self.code_block.select(self._places(schema.of_kind(*CATEGORICAL), CATEGORICAL, "levels")),
            text_block=self.text_block.select(self._places(schema.of_kind(Kind.TEXT), (Kind.TEXT,), "text")),
        )

    def drop(self, names: Sequence[str]) -> Table:
        """Every column but some.

        Parameters
        ----------
        names : sequence of str
            The columns to leave away.

        Returns
        -------
        table : Table
            The others, in order.
        """
        gone = set(resolve(list(names), self.schema))
        return self.select([n for n in self.columns if n not in gone])

    def chunks(self, size: int) -> Iterator[Table]:
        """Consecutive rows, some at a time.

        Parameters
        ----------
        size : int
            Most rows of a chunk.

        Yields
        ------
        chunk : Table
            The next rows.
        """
        for start in range(0, self.n_rows, size):
            yield self.take(slice(start, start + size))

    def column(self, name: str) -> NDArray[Any]:
        """One column as values.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        values : ndarray of shape (n_rows,)
            Floats with NaN where missing, or level names and texts with None where missing.
        """
        column = self.schema[name]
        if column.kind is Kind.NUMERIC:
            return self.numbers(name)[:, 0]
        if column.kind is Kind.TEXT:
            return self.texts(name)[:, 0]
        names = np.array([*column.levels, UNSEEN, None], dtype=object)  # code -1 lands on the last
        return names[self.codes(name)[:, 0]]

    def to_polars(self) -> pl.DataFrame:
        """The typed columns as a polars data frame.

        Returns
        -------
        frame : polars.DataFrame
            Levels are an Enum, so that their order survives.
        """
        return pl.DataFrame([_series(c, self.column(c.name)) for c in self.schema])

    def __repr__(self) -> str:
        kinds = [f"{len(names)} {kind}" for kind in Kind if (names := self.schema.of_kind(kind))]
        left = f"; {len(self.schema.left_out)} left out" if self.schema.left_out else ""
        return f"<Table: {self.n_rows:,} rows, {', '.join(kinds) or 'no columns'}{left}>"

    def _repr_html_(self) -> str:
        return str(self.take(slice(0, 10)).to_polars()._repr_html_())


def _count(rows: NDArray[Any]) -> int:
    rows = np.asarray(rows)
    return int(rows.sum()) if rows.dtype == bool else len(rows)


def _series(column: Column, values: NDArray[Any]) -> pl.Series:
    if column.kind is Kind.NUMERIC:
        return pl.Series(column.name, np.ascontiguousarray(values), nan_to_null=True)
    if column.kind is Kind.TEXT or UNSEEN in values:
        return pl.Series(column.name, values.tolist(), dtype=pl.String)
    return pl.Series(column.name, values.tolist(), dtype=pl.Enum(list(column.levels)))
