"""A kernel column by column: sums over columns and over sets of columns, each column with a weight."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from mercer.arrays import Array, Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadColumn, BadFile, BadParameter, BadTable
from mercer.kernels.base import KERNEL_OBJECT, Kernel
from mercer.kernels.registry import register
from mercer.parameters import Number, Numbers, Parameters, check_parameters
from mercer.state import Reader, State
from mercer.table import Schema, Table, read_table

_WEIGHTS = Numbers(0, any_positive=True, optional=True)


class _OverColumns(Kernel):
    """A copy of one kernel for each column that it compares, fitted to that column alone."""

    part_names: ClassVar[tuple[str, ...]] = ("kernel",)  # where searches over widths look for a gamma
    kernel: Kernel
    kernel_: Kernel
    weights: Sequence[float] | None
    columns_: list[Kernel]

    @property
    def positive(self) -> bool:
        return self.kernel.positive

    @property
    def _degree(self) -> int:
        return 1

    @property
    def supervised(self) -> bool:
        return self.kernel.supervised

    def _fit_target(self, tables: Sequence[Table], weight: Array, y: Any) -> None:
        whole = clone(self.kernel)
        check_parameters(whole)
        whole._fit_target(tables, weight, y)
        fitted: dict[str, Kernel] = {}
        for name in whole.schema_.names:
            part = clone(self.kernel)
            with suppress(BadColumn):  # a column that the kernel sees but does not compare, as text in Encoded(RBF())
                part._fit_target([t.select([name]) for t in tables], weight, y)
                fitted[name] = part
        if not fitted:
            raise BadTable(f"{self!r}: the kernel compares no column by itself.")
        self.kernel_, self.columns_ = whole, list(fitted.values())
        self.schema_ = Schema(whole.schema_.select(list(fitted)).columns, named=whole.schema_.named)
        self._check_weights()

    def _check_weights(self) -> None:
        names = self.schema_.names
        if self.weights is not None and len(self.weights) != len(names):
            raise BadParameter(
                f"{type(self).__name__}: {len(self.weights)} weights for {len(names)} columns ({', '.join(names[:6])})."
            )
        if np.count_nonzero(self._weights()) < self._degree:
            raise BadParameter(
                f"{type(self).__name__}: sets of {self._degree} columns, but only "
                f"{np.count_nonzero(self._weights())} have a weight above 0."
            )

    def _weights(self) -> Floats:
        n = len(self.schema_)
        return np.ones(n) if self.weights is None else np.asarray(self.weights, dtype=np.float64)

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        def entries(part: Kernel, name: str) -> Array:
            left = a.select([name])
            return part._gram(left, left if b is a else b.select([name]), np.dtype(np.float64))

        return self._sum([lambda p=p, n=n: entries(p, n) for p, n in self._parts()], (len(a), len(b)), dtype)

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        own = [lambda p=p, n=n: p._diag(a.select([n]), np.dtype(np.float64)) for p, n in self._parts()]
        return self._sum(own, (len(a),), dtype)

    def _parts(self) -> list[tuple[Kernel, str]]:
        return list(zip(self.columns_, self.schema_.names, strict=True))

    def _sum(self, columns: Sequence[Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """e_D(w_1 k_1, ..., w_d k_d) / e_D(w_1, ..., w_d), by e_D <- e_D + w_k k_k e_(D-1) column after column."""
        sums = [np.zeros(shape) for _ in range(self._degree)]
        total = np.zeros(self._degree + 1)
        total[0] = 1
        for weight, column in zip(self._weights(), columns, strict=True):
            if weight == 0:
                continue
            values = weight * column()
            for j in range(self._degree - 1, 0, -1):
                sums[j] += values * sums[j - 1]
            sums[0] += values
            total[1:] += weight * total[:-1]
        return np.asarray((sums[-1] / total[-1]).astype(dtype, copy=False))

    def _learned(self) -> State:
        return super()._learned() | {"columns": [part.to_state() for part in self.columns_]}

    def _restore(self, state: Reader) -> None:
        self.schema_ = Schema.from_state(state.child("schema"))
        self.columns_ = [Kernel.from_state(reader) for reader in state.children("columns")]
        names = [part.schema_.names for part in self.columns_]
        if names != [(name,) for name in self.schema_.names]:
            raise BadFile(f"{state.where}.columns: expected a kernel for each column.")
        self._check_weights()


@register
@shares_docs()
class Additive(_OverColumns):
    """k(a, b) = sum_k w_k kernel(a_k, b_k) / sum_k w_k, the kernel of each column by itself

    Models become sums of one function per column, as in additive models; weights say which columns matter.

    Parameters
    ----------
    {kernel_part}
    weights : sequence of float or None, default None
        Of each column that the kernel compares, at least 0; None weighs all alike. `aligned` learns them.

    Attributes
    ----------
    columns_ : list of Kernel
        The kernel fitted to each column.
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import RBF, Additive
    >>> Additive(RBF(gamma=0.5), weights=[3, 1]).fit([[0.0, 0.0]]).gram([[0.0, 0.0]], [[0.0, 9.0], [9.0, 0.0]]).round(4)
    array([[0.75, 0.25]])
    """

    parameters: ClassVar[Parameters] = {"kernel": KERNEL_OBJECT, "weights": _WEIGHTS}

    def __init__(self, kernel: Kernel, weights: Sequence[float] | None = None) -> None:
        self.kernel = kernel
        self.weights = weights


@register
@shares_docs()
class ANOVA(_OverColumns):
    """k(a, b) = mean over all sets of `degree` columns of the product of kernel(a_k, b_k) over the set

    Models become sums of functions of `degree` columns at a time: interactions of that order. With weights, each
    column's values are multiplied by its weight, and each set counts by the product of its weights.

    Parameters
    ----------
    {kernel_part}
    degree : int, default 2
        Columns in a set, at least 1; 1 is `Additive`.
    weights : sequence of float or None, default None
        Of each column that the kernel compares, at least 0; None weighs all alike.

    Attributes
    ----------
    columns_ : list of Kernel
        The kernel fitted to each column.
    {compared_schema_}

    References
    ----------
    Stitson et al. (1999), Support vector regression with ANOVA decomposition kernels.

    Examples
    --------
    >>> from mercer.kernels import ANOVA, Linear
    >>> ANOVA(Linear(), degree=2).fit([[1.0, 2.0, 3.0]]).gram([[1.0, 2.0, 3.0]])  # (1 * 4 + 1 * 9 + 4 * 9) / 3
    array([[16.33333333]])
    """

    parameters: ClassVar[Parameters] = {
        "kernel": KERNEL_OBJECT,
        "degree": Number(1, 100, whole=True),
        "weights": _WEIGHTS,
    }

    def __init__(self, kernel: Kernel, degree: int = 2, weights: Sequence[float] | None = None) -> None:
        self.kernel = kernel
        self.degree = degree
        self.weights = weights

    @property
    def _degree(self) -> int:
        return int(self.degree)


def aligned(kernel: Kernel, table: Any, y: Any) -> Additive:
    """Additive(kernel, weights) with w_k = max(0, <K_k, Y> / (|K_k| |Y|)), K_k the centred Gram matrix of column k.

    Y is the centred Gram matrix of the targets: the product of two numbers, or whether two classes are equal. Columns
    whose likeness goes with that of the targets get a large weight, others none.

    Parameters
    ----------
    kernel : Kernel
        What compares two cells of a column.
    table : array-like, sparse matrix, data frame, dict of columns or Table, of shape (n_rows, n_columns)
        The training rows.
    y : array-like of shape (n_rows,)
        Their classes (texts or truth values) or numbers.

    Returns
    -------
    kernel : Additive
        Not fitted.

    References
    ----------
    Cortes, Mohri and Rostamizadeh (2012), Algorithms for learning kernels based on centered alignment.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear, aligned
    >>> x = np.array([[1.0, 1.0], [2.0, -1.0], [3.0, -1.0], [4.0, 1.0]])
    >>> [round(w, 3) for w in aligned(Linear(), x, [1.0, 2.0, 3.0, 4.0]).weights]
    [1.0, 0.0]
    """
    rows = read_table(np.asarray(table) if isinstance(table, list | tuple) else table)
    target = _target_gram(np.asarray(y))
    if len(target) != len(rows):
        raise BadTable(f"aligned: {len(rows)} rows, but {len(target)} targets.")
    fitted = Additive(kernel).fit(rows)
    weights = []
    for part, name in fitted._parts():
        gram = _centred(part.gram(rows.select([name]), dtype=np.float64))
        size = np.linalg.norm(gram) * np.linalg.norm(target)
        weights.append(max(0.0, float((gram * target).sum() / size)) if size > 0 else 0.0)
    return Additive(clone(kernel), weights if any(weights) else None)


def _target_gram(y: Array) -> Floats:
    if y.dtype.kind in "fiu":
        values = y.astype(np.float64) - y.mean()
        return np.outer(values, values)
    return _centred((y[:, None] == y[None, :]).astype(np.float64))


def _centred(gram: Floats) -> Floats:
    means = gram.mean(axis=0)
    return np.asarray(gram - means[:, None] - means[None, :] + means.mean())
