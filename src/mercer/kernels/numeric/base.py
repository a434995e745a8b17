"""What kernels on numbers share: they compare numbers as they are, and refuse missing ones.

Nothing is scaled or filled in silently. `Encoded` does both, learned from the training rows.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._core.gram import KernelSpec, Matrix, gram
from mercer.arrays import Array
from mercer.errors import BadColumn, BadTable, NotNumeric
from mercer.kernels.base import Kernel
from mercer.kernels.numeric.pairwise import is_sparse
from mercer.parameters import Number
from mercer.table import Column, Kind, Table

WIDTH = Number(1e-150, 1e150)  # its square and the inverse of that are numbers
_FEW_COLUMNS = 64  # up to here sparse rows are compared as dense ones: faster, and equal to the last digit


class NumericKernel(Kernel):
    """A formula on rows of numbers; subclasses write `compare` and `compare_self`.

    Examples
    --------
    >>> from mercer.kernels import NumericKernel
    >>> from mercer.table import numeric
    >>> class Lengths(NumericKernel):  # k(a, b) = |a| |b|
    ...     def __init__(self, *, on=numeric()):
    ...         self.on = on
    ...     def compare(self, x, y):
    ...         return self.compare_self(x)[:, None] ** 0.5 * self.compare_self(y) ** 0.5
    ...     def compare_self(self, x):
    ...         return (x**2).sum(axis=1)
    >>> Lengths().fit([[3.0, 4.0]]).gram([[3.0, 4.0]], [[1.0, 0.0]])
    array([[5.]])
    """

    @property
    def spec(self) -> KernelSpec | None:
        """The formula as compiled code knows it, or None; a fitted kernel then needs no `compare`."""
        return None

    def compare(self, x: Matrix, y: Matrix) -> Array:
        """k of every row of x with every row of y.

        Parameters
        ----------
        x : ndarray or CSR array of shape (n_x, n_columns)
            The first rows, as `rows` gives them.
        y : ndarray or CSR array of shape (n_y, n_columns)
            The second rows.

        Returns
        -------
        gram : ndarray of shape (n_x, n_y)
            The Gram matrix.
        """
        assert self.spec is not None, f"{type(self).__name__} says neither spec nor compare"
        return gram(x, None if y is x else y, self.spec)

    @abstractmethod
    def compare_self(self, x: Matrix) -> Array:
        """k of every row of x with itself.

        Parameters
        ----------
        x : ndarray or CSR array of shape (n_x, n_columns)
            The rows.

        Returns
        -------
        diagonal : ndarray of shape (n_x,)
            The diagonal of the Gram matrix.
        """

    def _learn(self, x: Matrix, weight: Array) -> None:
        """What the formula needs from the training rows."""

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        super()._fit(tables, weight)
        parts = [self._finite(t, np.dtype(np.float64)) for t in tables]
        stack = sp.vstack if is_sparse(parts[0]) else np.vstack
        self._learn(stack(parts) if len(parts) > 1 else parts[0], weight)

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        x = self.rows(a, dtype)
        return self.compare(x, x if b is a else self.rows(b, dtype))

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        return self.compare_self(self.rows(a, dtype)).astype(dtype, copy=False)

    def formula(self, a: Table, dtype: np.dtype[Any]) -> tuple[Matrix, KernelSpec] | None:
        return None if self.spec is None else (self.rows(a, dtype), self.spec)

    def rows(self, table: Table, dtype: np.dtype[Any]) -> Matrix:
        """The numbers of a table as the formula takes them.

        Parameters
        ----------
        table : Table
            Rows in the schema of fit.
        dtype : numpy.dtype
            float32 or float64.

        Returns
        -------
        rows : ndarray or CSR array of shape (n_rows, n_columns)
            Finite numbers.
        """
        return self._finite(table, dtype)

    def _finite(self, table: Table, dtype: np.dtype[Any] | None = None) -> Matrix:
        names = self.schema_.names
        x: Matrix = table.csr(names) if table.is_sparse else table.numbers(names)
        if table.is_sparse and len(names) <= _FEW_COLUMNS:
            x = x.toarray()
        self._refuse_cells(x)
        return x if dtype is None else x.astype(dtype, copy=False)

    def _refuse_cells(self, x: Matrix) -> None:
        cells = x.data if is_sparse(x) else x
        if np.isfinite(cells.sum()):  # one pass; a sum that overflows is looked at cell by cell
            return
        wrong = ~np.isfinite(cells)
        if wrong.any():
            raise self._not_finite(x, wrong)

    def _not_finite(self, x: Matrix, wrong: Array) -> BadTable:
        if is_sparse(x):
            entries = x.tocoo()
            first = int(wrong.argmax())
            row, place, value = int(entries.row[first]), int(entries.col[first]), entries.data[first]
        else:
            row, place = (int(i) for i in np.argwhere(wrong)[0])
            value = x[row, place]
        name, who = self.schema_.names[place], type(self).__name__
        more = f" ({int(wrong.sum())} such cells in all)" if wrong.sum() > 1 else ""
        where = f"column {name!r}, row {row + 1}{more}"
        if np.isnan(value):
            return BadTable(
                f"{who} cannot compare missing numbers (NaN): {where}. "
                f"Encoded({self!r}) fills them with the mean of the column."
            )
        return BadTable(f"{who} cannot compare infinity: {where}. Correct the cell, or make it missing.")

    def _refuse(self, column: Column) -> BadColumn | None:
        if column.kind is Kind.NUMERIC:
            return None
        who, name = type(self).__name__, column.name
        if column.kind is Kind.TEXT:
            return NotNumeric(f"{who} compares numbers, but column {name!r} is text. Leave it out of on=.")
        kind = f"a {column.kind}" if column.kind is Kind.CATEGORY else f"{column.kind}"
        levels = f"{len(column.levels)} levels, e.g. {column.levels[0]!r}"
        return NotNumeric(
            f"{who} compares numbers, but column {name!r} is {kind} ({levels}). Use Overlap(on={name!r})."
        )
