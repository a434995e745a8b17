"""What a kernel is: a similarity of rows that can be added and multiplied.

`fit` learns from a table what the formula needs (frequencies, widths, which columns), `gram` compares every row of one
table with every row of another, `diag` each row with itself. Kernels are scikit-learn objects: `clone`, `get_params`
and `set_params(k1__gamma=...)` work, and `fit` leaves the parameters as they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from mercer._core.gram import KernelSpec, kernel_product
from mercer._core.threads import at_most
from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.errors import BadColumn, BadTable, TooLarge
from mercer.kernels.registry import KERNELS
from mercer.parameters import Parameters, Part, check_parameters, parameters_state, read_parameters
from mercer.state import Reader, State
from mercer.table import Column, Columns, Schema, Selector, Table, conform_table, from_array, read_table, resolve
from mercer.table.schema import representatives

_CELLS = 1 << 22  # entries of a Gram matrix held at a time when only its product with something is wanted
_MOST_BYTES = 1 << 39  # half a terabyte


@shares_docs()
class Kernel(BaseEstimator, ABC):
    """k(a, b): how alike two rows are.

    A new kernel says what its parameters may be (`parameters`), whether Mercer's condition holds for all of them
    (`positive`), and the formula; see docs/add-a-kernel.md.

    Attributes
    ----------
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import RBF, Kernel, Linear
    >>> kernel = 2 * RBF(gamma=0.5) + Linear() ** 2
    >>> isinstance(kernel, Kernel), kernel.positive
    (True, True)
    """

    parameters: ClassVar[Parameters] = {"on": Columns()}
    on: Selector  # the columns that are compared; a kernel made of kernels leaves that to them
    schema_: Schema

    @property
    def positive(self) -> bool:
        """Whether Mercer's condition is a theorem: every Gram matrix is positive semi-definite."""
        return True

    @property
    def supervised(self) -> bool:
        """Whether fit learns from the target: rows whose target is to be predicted may not be in it."""
        return False

    @property
    def local(self) -> bool:
        """Whether k(a, b) falls to 0 as rows grow apart: then a machine needs no offset."""
        return False

    def fit(self, table: Any, unlabelled: Any = None, weight: Any = None, y: Any = None) -> Self:
        """Learn what the formula needs: which columns, frequencies of levels, widths, weights of kernels.

        Parameters
        ----------
        table : array-like, sparse matrix, data frame, dict of columns or Table, of shape (n_rows, n_columns)
            The training rows.
        unlabelled : as `table`, or None, default None
            Further rows without labels, from which frequencies and widths are learned too.
        weight : array-like of shape (n_rows,) or None, default None
            How many rows each row of `table` stands for, at least 0; None counts each once. Unlabelled rows count once.
        y : array-like of shape (n_rows,) or (n_rows, n_targets), or None, default None
            The targets of the rows of `table`: floats are numbers to predict, others are classes. Only a kernel that is
            `supervised` looks at them.

        Returns
        -------
        self : Kernel
            The same object, fitted.
        """
        check_parameters(self)
        first = _read(table)
        if not len(first):
            raise BadTable(f"{type(self).__name__}: the table has no rows.")
        more = [] if unlabelled is None else [conform_table(unlabelled, first.schema)]
        tables = [first, *more]
        self._fit_target(tables, _weights(weight, tables), y)
        return self

    @shares_docs()
    def gram(self, a: Any, b: Any = None, *, dtype: DTypeLike | None = None, n_jobs: int | None = None) -> Array:
        """The Gram matrix: k of every row of `a` with every row of `b`.

        Parameters
        ----------
        {rows_a}
        b : as `a`, of shape (n_b, n_columns), or None, default None
            The second rows; None compares the rows of `a` with each other.
        {gram_dtype}
        {n_jobs}

        Returns
        -------
        gram : ndarray of shape (n_a, n_b)
            gram[i, j] = k(a_i, b_j).
        """
        left = self._conform(a)
        right = left if b is None or b is a else self._conform(b)
        kind = _dtype(left, dtype)
        _refuse_terabytes(len(left), len(right), kind)
        with at_most(n_jobs):
            found = self._gram(left, right, kind)
        refuse_overflow(self, found)
        return found

    @shares_docs()
    def diag(self, a: Any, *, dtype: DTypeLike | None = None) -> Array:
        """k of every row of `a` with itself: the diagonal of gram(a, a) without the rest of it.

        Parameters
        ----------
        {rows_a}
        {gram_dtype}

        Returns
        -------
        diagonal : ndarray of shape (n_a,)
            diagonal[i] = k(a_i, a_i).
        """
        left = self._conform(a)
        return self._diag(left, _dtype(left, dtype))

    @shares_docs()
    def product(
        self,
        a: Any,
        b: Any,
        coef: NDArray[np.float64],
        *,
        dtype: DTypeLike | None = None,
        n_jobs: int | None = None,
    ) -> NDArray[np.float64]:
        """sum_j k(a_i, b_j) coef_jc, without ever holding the Gram matrix: how kernel machines predict.

        Parameters
        ----------
        {rows_a}
        {rows_b}
        coef : ndarray of shape (n_b, n_coef)
            Coefficients of the rows of `b`.
        {gram_dtype}
        {n_jobs}

        Returns
        -------
        product : ndarray of shape (n_a, n_coef)
            gram(a, b) @ coef.
        """
        left, right = self._conform(a), self._conform(b)
        kind = _dtype(left, dtype)
        with at_most(n_jobs):
            mine, theirs = self.formula(left, kind), self.formula(right, kind)
            if mine is not None and theirs is not None:
                return kernel_product(mine[0], theirs[0], coef, mine[1])
            step = max(1, _CELLS // max(len(right), 1))
            blocks = [self._gram(chunk, right, kind).astype(np.float64) @ coef for chunk in left.chunks(step)]
        return np.vstack(blocks) if blocks else np.empty((0, coef.shape[1]))

    def formula(self, a: Table, dtype: np.dtype[Any]) -> tuple[Any, KernelSpec] | None:
        """Rows of numbers and a formula that compiled code knows, when the kernel is no more than that.

        Parameters
        ----------
        a : Table
            Rows in the schema of fit.
        dtype : numpy.dtype
            float32 or float64.

        Returns
        -------
        formula : tuple of (matrix, KernelSpec), or None
            The numbers that the formula compares, and the formula; None when compiled code does not know it.
        """
        return None

    def _fit_target(self, tables: Sequence[Table], weight: Array, y: Any) -> None:
        """`_fit` with the targets of the first table, or None: kernels made of kernels pass them on."""
        self._fit(tables, weight)

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        """Set `schema_`, the columns that `on` names, and what else the formula needs; `weight` is of the rows of all
        tables, one after the other."""
        schema = tables[0].schema
        names = resolve(self.on, schema)
        if not names:
            raise BadColumn(f"{self!r}: the table has no such column. Its columns: {_shown(schema)}.")
        self.schema_ = Schema(schema.select(names).columns, named=schema.named)
        self._check_columns()

    def _check_columns(self) -> None:
        for column in representatives(self.schema_.columns):
            if problem := self._refuse(column):
                raise problem

    def _refuse(self, column: Column) -> BadColumn | None:
        """The error for a column that this kernel cannot compare, or None."""
        return None

    @abstractmethod
    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array: ...

    @abstractmethod
    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array: ...

    def _conform(self, source: Any) -> Table:
        """The source as a table whose columns mean what they meant in fit."""
        check_is_fitted(self)
        if isinstance(source, list | tuple):
            source = np.asarray(source)
        plain = sp.issparse(source) or (isinstance(source, np.ndarray) and source.dtype != object)
        table = from_array(source) if plain else source
        if isinstance(table, Table) and _holds(table.schema, self.schema_):
            return table
        return conform_table(table, self.schema_)

    def __add__(self, other: Any) -> Kernel:
        if isinstance(other, Kernel):
            return _make("Sum", self, other)
        if _is_number(other):
            return self if other == 0 else _make("PolynomialOf", self, (other, 1.0))
        return NotImplemented

    __radd__ = __add__

    def __mul__(self, other: Any) -> Kernel:
        if isinstance(other, Kernel):
            return _make("Product", self, other)
        return _make("Scale", self, other) if _is_number(other) else NotImplemented

    __rmul__ = __mul__

    def __pow__(self, degree: Any) -> Kernel:
        return _make("Power", self, degree) if _is_number(degree) else NotImplemented

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """The kernel as the expression that makes it, without the parameters that are as by default."""
        declared = signature(type(self)).parameters
        values = self.get_params(deep=False)
        changed = [n for n in declared if repr(values[n]) != repr(declared[n].default)]
        return f"{type(self).__name__}({', '.join(f'{n}={values[n]!r}' for n in changed)})"

    def to_state(self) -> State:
        """A fitted kernel as plain data."""
        check_is_fitted(self)
        return kernel_parameters_state(self) | {"learned": self._learned()}

    @classmethod
    def from_state(cls, state: Reader) -> Kernel:
        """The fitted kernel of checked values; called on Kernel, it makes the kernel that the state names."""
        known = tuple(KERNELS) if cls.__name__ not in KERNELS else (cls.__name__,)
        made = _from_parameters(state, known)
        made._restore(state.child("learned"))
        state.finish()
        return made

    def _learned(self) -> State:
        """What fit found, as plain data."""
        return {"schema": self.schema_.to_state()}

    def _restore(self, state: Reader) -> None:
        """Set what `_learned` gave, checked."""
        self.schema_ = Schema.from_state(state.child("schema"))
        self._check_columns()


def kernel_parameters_state(kernel: Kernel) -> State:
    """The name and the parameters of a kernel, fitted or not, as plain data; the kernels inside it included."""
    return {"kernel": type(kernel).__name__, "parameters": parameters_state(kernel)}


def kernel_from_parameters(state: Reader) -> Kernel:
    """The kernel, not fitted, that `kernel_parameters_state` wrote."""
    made = _from_parameters(state, tuple(KERNELS))
    state.finish()
    return made


def _from_parameters(state: Reader, known: Sequence[str]) -> Kernel:
    kind = KERNELS[state.text("kernel", known)]
    made: Kernel = kind(**read_parameters(state.child("parameters"), kind.parameters))
    return made


KERNEL_OBJECT = Part("a kernel", Kernel, kernel_parameters_state, kernel_from_parameters)


def _weights(weight: Any, tables: Sequence[Table]) -> Array:
    n = len(tables[0])
    own = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
    if own.shape != (n,) or not np.isfinite(own).all() or (own < 0).any() or not own.any():
        raise BadTable(f"weight: expected {n} numbers of at least 0, one of them positive.")
    return np.concatenate([own, *(np.ones(len(t)) for t in tables[1:])])


def _read(source: Any) -> Table:
    return read_table(np.asarray(source) if isinstance(source, list | tuple) else source)


def _holds(schema: Schema, columns: Schema) -> bool:
    """Whether these columns are in the schema, with the same meaning."""
    return schema.columns == columns.columns or all(_same(schema, column) for column in columns)


def _same(schema: Schema, column: Column) -> bool:
    if column.name not in schema:
        return False
    found = schema[column.name]
    return found is column or (found.kind == column.kind and found.levels == column.levels)


def _dtype(table: Table, dtype: DTypeLike | None) -> np.dtype[Any]:
    chosen = np.dtype(table.number_block.values.dtype if dtype is None else dtype)
    if chosen not in (np.float32, np.float64):
        raise ValueError(f"dtype={chosen}: a Gram matrix is float32 or float64.")
    return chosen


def _refuse_terabytes(n_a: int, n_b: int, dtype: np.dtype[Any]) -> None:
    needed = n_a * n_b * dtype.itemsize
    if needed > _MOST_BYTES:
        raise BadTable(
            f"A Gram matrix of {n_a:,} x {n_b:,} {dtype} needs {needed / 1e12:.3g} TB. SVC and SVR keep only the rows "
            "of it that fit in cache_size; LinearSVC and LinearSVR need none of it."
        )


def refuse_overflow(kernel: Kernel, *values: NDArray[Any]) -> None:
    """TooLarge when kernel values are beyond what a number can hold."""
    with np.errstate(over="ignore", invalid="ignore"):
        # One pass mostly finds nothing to refuse; where the sum overflows, cells are looked at one by one.
        finite = all(np.isfinite(v.sum()) or np.isfinite(v).all() for v in values)
    if not finite:
        raise TooLarge(
            f"{kernel!r} gives values beyond what a number can hold: the columns are too large for it. "
            "Scale them, for instance Encoded(kernel, scaling='standard')."
        )


def _shown(schema: Schema) -> str:
    names = [f"{c.name} ({c.kind})" for c in schema]
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _make(name: str, *arguments: Any) -> Kernel:
    made: Kernel = KERNELS[name](*arguments)
    return made
