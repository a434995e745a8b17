"""What data-driven kernels on categories share (Yao, Table 3.1): a similarity of levels for each column, learned from
how often each level occurs.

Every column has two levels more than its schema: one for a level that was not there in fit, which counts as seen once,
in one row more; and one for a missing cell.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from mercer._core.codes_gram import CodeTables, codes_gram
from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.errors import BadColumn, NotLevels
from mercer.kernels.base import Kernel
from mercer.parameters import Choice, Parameters
from mercer.state import Reader, State
from mercer.table import Column, Columns, Selector, Table, categorical

Missing = Literal["level", "ignore"]


@shares_docs()
class CategoricalKernel(Kernel):
    """k(a, b) = 1/d sum_k S_k(a_k, b_k) over d columns; subclasses write S_k of equal levels as `match`.

    S_k of different levels is 0, or what `mismatch` says of the `mark` of each: 1 / (1 + u(x) u(y)) for "reciprocal",
    2 log(u(x) + u(y)) for "logarithm".

    Parameters
    ----------
    {kernel_missing}
    {on_categorical}

    Attributes
    ----------
    {counts_}
    {compared_schema_}

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import read_table
    >>> from mercer.kernels import CategoricalKernel
    >>> class Rarity(CategoricalKernel):  # agreement on x counts 1 / f(x)
    ...     def match(self, counts):
    ...         return 1 / np.maximum(counts, 1)
    >>> rows = read_table({"job": ["sales", "clerk", "sales"]})
    >>> Rarity().fit(rows).gram(rows)[0]
    array([0.5, 0. , 0.5])
    """

    parameters: ClassVar[Parameters] = {"missing": Choice(Missing), "on": Columns()}
    mismatch: ClassVar[str] = "zero"
    counts_: list[Array]

    def __init__(self, missing: Missing = "level", *, on: Selector = categorical()) -> None:
        self.missing = missing
        self.on = on

    @abstractmethod
    def match(self, counts: Array) -> Array:
        """S_k of each level with itself.

        Parameters
        ----------
        counts : ndarray of shape (n_levels + 2,)
            Rows of each level, then of levels not seen in fit (0), then of missing cells.

        Returns
        -------
        similarity : ndarray of shape (n_levels + 2,)
            S_k(x, x) of each of them.
        """

    def mark(self, counts: Array) -> Array:
        """u of each level, for `mismatch`.

        Parameters
        ----------
        counts : ndarray of shape (n_levels + 2,)
            Rows of each level, then of levels not seen in fit (0), then of missing cells.

        Returns
        -------
        mark : ndarray of shape (n_levels + 2,)
            u(x) of each of them; 0 where different levels have nothing in common.
        """
        return np.zeros(len(counts))

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        super()._fit(tables, weight)
        places = np.vstack([self._places(t) for t in tables])
        sizes = self._sizes()
        self._learn([np.bincount(c, weights=weight, minlength=n) for c, n in zip(places.T, sizes, strict=True)])

    def _learn(self, counts: list[Array]) -> None:
        self.counts_ = counts
        seen = counts if self.missing == "level" else [np.append(c[:-1], 0.0) for c in counts]
        offsets = np.concatenate([[0], np.cumsum(self._sizes())]).astype(np.int64)
        match, mark = (np.concatenate([f(c) for c in seen]) for f in (self.match, self.mark))
        self._tables = CodeTables(offsets, match, mark, np.ones(len(counts)), None, self.mismatch)

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        found = self._sums(self._cells(a), None if b is a else self._cells(b), dtype)
        found /= len(self.schema_)
        return found

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        found: Array = self._of_cells(self._tables.match, self._cells(a)).mean(axis=1)
        return found.astype(dtype)

    def _sums(self, a: Array, b: Array | None, dtype: np.dtype[Any]) -> Array:
        """sum_k S_k over all pairs of rows, (n_a, n_b)."""
        return codes_gram(a, b, self._tables, dtype)

    def _of_cells(self, values: Array, cells: Array) -> Array:
        """What `values` holds for the level of each cell, and 0 where a missing one is no evidence."""
        return np.where(cells < 0, 0.0, values[self._tables.offsets[:-1] + np.maximum(cells, 0)])

    def _cells(self, table: Table) -> Array:
        """Codes, with missing cells as levels or, when they are no evidence, as -1."""
        return self._places(table) if self.missing == "level" else table.codes(self.schema_.names)

    def _sizes(self) -> list[int]:
        return [len(c.levels) + 2 for c in self.schema_]

    def _places(self, table: Table) -> Array:
        """Codes with missing cells at the end: 0, 1, ..., unseen, missing; (n_rows, n_columns)."""
        codes = table.codes(self.schema_.names)
        return np.where(codes < 0, np.array(self._sizes(), dtype=np.int32) - 1, codes)

    def _refuse(self, column: Column) -> BadColumn | None:
        if column.kind.categorical:
            return None
        who, name = type(self).__name__, column.name
        instead = f" Use RBF(on={name!r})." if column.kind == "numeric" else " Leave it out of on=."
        return NotLevels(f"{who} compares levels of categories, but column {name!r} is {column.kind}.{instead}")

    def _learned(self) -> State:
        return super()._learned() | {"counts": np.concatenate(self.counts_)}

    def _restore(self, state: Reader) -> None:
        super()._restore(state)
        sizes = self._sizes()
        counts = state.array("counts", "float64", (sum(sizes),), low=0.0, high=2.0**53)
        self._learn(np.split(counts, np.cumsum(sizes)[:-1]))


def share(counts: Array) -> Array:
    """p(x) = f(x) / N; a level never seen counts as seen once, in one row more."""
    n = counts.sum()
    found: Array = np.where(counts > 0, counts / max(n, 1), 1 / (n + 1))
    return found


def pair_share(counts: Array) -> Array:
    """p2(x) = f(x) (f(x) - 1) / (N (N - 1)): the chance that two rows drawn without return both hold x (Yao
    eq. 3.2).
    """
    n = counts.sum()
    found: Array = np.maximum(counts * (counts - 1) / max(n * (n - 1), 1), 0.0)
    return found
