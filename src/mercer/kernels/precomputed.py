"""Kernels computed elsewhere: a Gram matrix, or a Python function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike

from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.errors import BadColumn, BadTable, MercerError
from mercer.kernels.base import Kernel
from mercer.kernels.registry import register
from mercer.parameters import Parameters, Unstored
from mercer.table import Column, Columns, Kind, Selector, Table, numeric
from mercer.table.schema import representatives

KernelFunction = Callable[[Array, Array], Array]


class _Function(Unstored):
    """A function, which no file holds: a kernel made of it is not stored either."""

    def write(self, value: Any) -> Any:
        name = getattr(value, "__name__", value)
        raise MercerError(
            f"The kernel function {name!s} is code, and a model file holds none. Write it as a Kernel to store it."
        )


class _Unknown(Kernel):
    """A kernel of which nothing is known but its values."""

    @property
    def positive(self) -> bool:
        return False


@register
@shares_docs()
class Precomputed(_Unknown):
    """k(a, b) is in the table: column j of a row is its similarity with training row j

    fit takes the square Gram matrix of the training rows; gram(a, b) gives the rows `a` as they are, with `b`
    the training table (or None when `a` is).

    Parameters
    ----------
    on : selector or None, default None
        The columns that hold the similarities, in the order of the training rows; None is every column.

    Attributes
    ----------
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Precomputed
    >>> gram = [[2.0, 1.0], [1.0, 2.0]]
    >>> Precomputed().fit(gram).gram([[0.5, 0.25]], gram)
    array([[0.5 , 0.25]])
    """

    parameters: ClassVar[Parameters] = {"on": Columns()}

    def __init__(self, *, on: Selector = None) -> None:
        self.on = on

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        super()._fit(tables, weight)
        gram = self.values(tables[0])
        if gram.shape[0] != gram.shape[1]:
            raise BadTable(
                "Precomputed matrix must be a square matrix: a row and a column per training row. "
                f"Found {gram.shape[0]} x {gram.shape[1]}."
            )
        refuse_asymmetric(gram)

    def _refuse(self, column: Column) -> BadColumn | None:
        if column.kind is Kind.NUMERIC:
            return None
        return BadColumn(f"Column {column.name!r} of a precomputed kernel is {column.kind}, not numbers.")

    def values(self, table: Table, dtype: DTypeLike = np.float64) -> Array:
        """The similarities of the rows of `table` with the training rows.

        Parameters
        ----------
        table : Table
            Rows in the schema of fit.
        dtype : numpy.float32 or numpy.float64, default numpy.float64
            Precision.

        Returns
        -------
        similarities : ndarray of shape (n_rows, n_training_rows)
            Finite numbers.
        """
        gram = table.numbers(self.schema_.names)
        if not np.isfinite(gram).all():
            row, place = (int(i) for i in np.argwhere(~np.isfinite(gram))[0])
            raise BadTable(
                f"The precomputed kernel holds NaN or infinity: {gram[row, place]}, row {row + 1}, column {place + 1}."
            )
        return gram.astype(dtype, copy=False)

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        if len(b) != len(self.schema_):
            raise BadTable(
                f"A precomputed kernel compares with its {len(self.schema_)} training rows; {len(b)} were given."
            )
        return self.values(a, dtype).copy()

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        if len(a) != len(self.schema_):
            raise BadTable("Only training rows have their similarity with themselves in a precomputed kernel.")
        return self.values(a, dtype).diagonal().copy()


@register
@shares_docs()
class FromCallable(_Unknown):
    """k(a, b) = function(a, b)[i, j], for any Python function of two arrays of rows

    Parameters
    ----------
    function : callable
        Takes arrays of shape (n_a, n_columns) and (n_b, n_columns), gives (n_a, n_b) numbers. Numeric columns come as
        floats with NaN where missing, categories as codes (-1 where missing), text as str or None.
    on : selector, default numeric()
        Columns of one kind, by name or by kind.

    Attributes
    ----------
    {compared_schema_}

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import FromCallable
    >>> smaller = FromCallable(lambda a, b: np.minimum(a, b.T))
    >>> smaller.fit([[1.0]]).gram([[1.0], [2.0]])
    array([[1., 1.],
           [1., 2.]])
    """

    parameters: ClassVar[Parameters] = {
        "function": _Function("a function of two arrays", callable),
        "on": Columns(),
    }

    def __init__(self, function: KernelFunction, *, on: Selector = numeric()) -> None:
        self.function = function
        self.on = on

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        super()._fit(tables, weight)
        if len({_family(c) for c in representatives(self.schema_.columns)}) > 1:
            raise BadColumn("FromCallable: on= names columns of different kinds; add up one kernel per kind.")

    def _cells(self, table: Table) -> Array:
        names, family = self.schema_.names, _family(self.schema_.columns[0])
        if family == "codes":
            return table.codes(names)
        return table.texts(names) if family == "texts" else table.numbers(names)

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        x = self._cells(a)
        found = np.asarray(self.function(x, x if b is a else self._cells(b)))
        if found.shape != (len(a), len(b)):
            raise BadTable(
                f"{self._name} gave an array of shape {found.shape}; {len(a)} and {len(b)} rows want "
                f"({len(a)}, {len(b)})."
            )
        if found.dtype.kind not in "fiub":
            raise BadTable(f"{self._name} gave values of type {found.dtype}, not numbers.")
        if not np.isfinite(found).all():
            row, column = (int(i) for i in np.argwhere(~np.isfinite(found))[0])
            raise BadTable(f"{self._name} gave {found[row, column]} for row {row + 1} and row {column + 1}.")
        return found.astype(dtype)

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        rows = [a.take(slice(i, i + 1)) for i in range(len(a))]
        return np.array([self._gram(row, row, dtype)[0, 0] for row in rows], dtype=dtype)

    @property
    def _name(self) -> str:
        return f"The kernel function {getattr(self.function, '__name__', self.function)!s}"


def refuse_asymmetric(gram: Array) -> None:
    """BadTable when a square matrix is not symmetric beyond rounding."""
    if not gram.size:
        return
    gap = np.abs(gram - gram.T)
    if gap.max() > 1e-4 * max(float(np.abs(gram).max()), 1e-300):  # what float32 arithmetic may leave
        row, column = (int(i) for i in np.unravel_index(int(gap.argmax()), gap.shape))
        raise BadTable(
            f"The kernel matrix is not symmetric: entry ({row + 1}, {column + 1}) is {gram[row, column]:g}, its "
            f"mirror {gram[column, row]:g}. Use (K + K.T) / 2 if that is what you mean."
        )


def _family(column: Column) -> str:
    if column.kind.categorical:
        return "codes"
    return "texts" if column.kind is Kind.TEXT else "numbers"
