"""A table: a schema, and its cells as homogeneous blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.errors import BadColumn
from mercer.table.blocks import Codes, Numbers, RowIndex, SparseNumbers, Texts, row_index
from mercer.table.display.frames import cell_array, cell_values, missing_cells, pandas_frame, polars_series
from mercer.table.display.preview import HTML_ROWS, LINES, MOST_COLUMNS, Preview
from mercer.table.schema import CATEGORICAL, Kind, Schema, representatives
from mercer.table.select import Selector, names_at, resolve


@dataclass(frozen=True)
class Table:
    """Typed columns side by side; `mercer.read_table` makes one.

    `numbers`, `codes` and `texts` give the cells of numeric, categorical and text columns, without copying when they
    can. `table["age"]` is one column, `table[["age", "job"]]` a Table of some columns, `table[:10]` and `table[mask]`
    Tables of some rows. NumPy and scikit-learn see floats, or objects where there are levels without an order or texts.

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
    >>> table.numbers().ravel()
    array([31., nan, 58., 40.])
    >>> table.codes().ravel(), table.schema["job"].levels
    (array([ 1,  0, -1,  1], dtype=int32), ('clerk', 'sales'))
    >>> table[table["age"] > 35]
    <Table: 2 rows, 1 numeric, 1 binary>
          age  job
      numeric  binary
           58  –
           40  sales
    """

    schema: Schema
    n_rows: int
    number_block: Numbers | SparseNumbers
    code_block: Codes
    text_block: Texts

    def __len__(self) -> int:
        return self.n_rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.schema

    @overload
    def __getitem__(self, key: str) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, key: Any) -> Table: ...

    def __getitem__(self, key: Any) -> NDArray[Any] | Table:
        """A column by its name, a Table of columns by a list of names, of rows by numbers, a mask or a slice.

        table[rows, columns] takes both at once; columns are then also found by position.
        """
        if isinstance(key, tuple):
            rows, columns = key if len(key) == 2 else (key, ...)
            part = self if isinstance(rows, slice) and rows == slice(None) else self[rows]
            return part if columns is Ellipsis else part[names_at(columns, self.columns)]
        if isinstance(key, str):
            return self.column(key)
        if isinstance(key, list | np.ndarray) and len(key) and all(isinstance(name, str) for name in key):
            return self.select([str(name) for name in key])
        return self.take(row_index(key, self.n_rows))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Floats, ordinal and binary levels as their places; objects if there are other levels, or texts."""
        if len(self.schema.numeric_names) == len(self.schema):
            return np.array(self.numbers(), dtype=dtype, copy=copy)
        return cell_array({c: self._cells(c.name) for c in self.schema}, dtype, copy)

    @property
    def shape(self) -> tuple[int, int]:
        """(n_rows, n_columns)."""
        return self.n_rows, len(self.schema)

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns, in order."""
        return self.schema.names

    @property
    def ndim(self) -> int:
        """2: rows and columns."""
        return 2

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.n_rows * len(self.schema)

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

    def csr(self, on: Selector = None) -> Any:
        """Cells of numeric columns of a table that came sparse.

        Parameters
        ----------
        on : str, sequence of str, selector or None, default None
            The columns; None for every numeric one.

        Returns
        -------
        numbers : csr_array of shape (n_rows, n_columns)
            NDArray[Any] that are not stored are 0.

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
        return missing_cells(self.schema[name], self._cells(name))

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
        return replace(
            self,
            n_rows=len(range(self.n_rows)[rows] if isinstance(rows, slice) else np.arange(self.n_rows)[rows]),
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
            The columns to leave away; with a date goes what is made from it, such as its month.

        Returns
        -------
        table : Table
            The others, in order.
        """
        gone = set(resolve(list(names), self.schema))
        gone |= {c.name for c in representatives(self.schema.columns) if c.part and gone.intersection(c.input_names)}
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
        return cell_values(self.schema[name], self._cells(name))

    def _cells(self, name: str) -> NDArray[Any]:
        """Numbers, codes or texts of one column."""
        kind = self.schema[name].kind
        if kind is Kind.NUMERIC:
            return self.numbers(name)[:, 0]
        return self.texts(name)[:, 0] if kind is Kind.TEXT else self.codes(name)[:, 0]

    def head(self, n: int = 5) -> Table:
        """The first rows.

        Parameters
        ----------
        n : int, default 5
            How many; all of them when there are fewer.

        Returns
        -------
        table : Table
            These rows only.

        Examples
        --------
        >>> import mercer
        >>> mercer.load_penguins().head(3).column("Island").tolist()
        ['Torgersen', 'Torgersen', 'Torgersen']
        """
        return self.take(slice(0, max(n, 0)))

    def to_polars(self) -> pl.DataFrame:
        """The typed columns as a polars data frame.

        Returns
        -------
        frame : polars.DataFrame
            Ordinal levels are an Enum, so that their order survives, others are Categorical; dates are dates; missing
            cells are null. A level that is not in the schema is '(unseen)'.

        Examples
        --------
        >>> import mercer
        >>> table = mercer.read_table({"size": ["S", "L", None]}, kinds={"size": ["S", "M", "L"]})
        >>> table.to_polars()["size"].dtype
        Enum(categories=['S', 'M', 'L'])
        """
        return pl.DataFrame([polars_series(c, self._cells(c.name)) for c in self.schema])

    def to_pandas(self, index: Any = None) -> Any:
        """The typed columns as a pandas data frame.

        Parameters
        ----------
        index : array-like of shape (n_rows,) or None, default None
            Labels of the rows; None for 0, 1, ...

        Returns
        -------
        frame : pandas.DataFrame
            Levels are a Categorical in their order, ordered if they are ordinal; dates are datetime64; missing cells
            are NaN, NaT or None. A level that is not in the schema is '(unseen)'.

        Raises
        ------
        MercerError
            Where pandas is not installed.

        Examples
        --------
        >>> import mercer
        >>> table = mercer.read_table({"size": ["S", "L", None]}, kinds={"size": ["S", "M", "L"]})
        >>> table.to_pandas()["size"].max()
        'L'
        """
        return pandas_frame({c: self._cells(c.name) for c in self.schema}, index)

    def _preview(self, rows: int) -> Preview:
        first = self.head(rows)
        return Preview(self.schema, [first._cells(c.name) for c in self.schema.columns[:MOST_COLUMNS]], self.n_rows)

    def __repr__(self) -> str:
        return "\n".join(self._preview(LINES).lines())

    def _repr_html_(self) -> str:
        return self._preview(HTML_ROWS).html()
