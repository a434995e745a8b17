"""What data-driven kernels on categories share (Yao, Table 3.1): a similarity of levels for each column,
learned from how often each level occurs.

Every column has two levels more than its schema: one for a level that was not there in fit, which counts as
seen once, in one row more; and one for a missing cell. missing="level" treats the latter as any level;
missing="ignore" takes a missing cell as no evidence: the column adds nothing to the similarity, not even
between two missing cells.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from mercer.errors import BadColumn, NotLevels
from mercer.kernels.base import Array, ColumnKernel
from mercer.kernels.levels import level_sums
from mercer.kernels.parameter import Choice, Columns, Parameters
from mercer.state import Reader, State
from mercer.table import Column, Selector, Table, coded

MISSING_CELLS = Choice(("level", "ignore"))


class CodedKernel(ColumnKernel):
    """sum_k S_k(a_k, b_k) / d over d columns; subclasses write `match`, and `mark` and `mismatch` when it is
    not 0.

    Parameters
    ----------
    missing : "level" (a missing cell is a level as any other) or "ignore" (it is no evidence)
    on : columns, by name or kind
    """

    parameters: ClassVar[Parameters] = {"missing": MISSING_CELLS, "on": Columns()}
    counts_: list[Array]  # rows of each level, of unseen levels (0) and of missing cells, by column

    def __init__(self, missing: str = "level", *, on: Selector = coded()) -> None:
        self.missing = missing
        self.on = on

    @abstractmethod
    def match(self, counts: Array) -> Array:
        """S_k of a level with itself, for every level, (n_levels,)."""

    def mark(self, counts: Array) -> Array:
        """What `mismatch` needs to know of each level, (n_levels,)."""
        return np.zeros(len(counts))

    def mismatch(self, u: Array, v: Array) -> Array:
        """S_k of two different levels from their marks, elementwise."""
        return np.zeros(np.broadcast_shapes(u.shape, v.shape))

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        super()._fit(tables, weight)
        places = np.vstack([self._places(t) for t in tables])
        sizes = self._sizes()
        self._learn([np.bincount(c, weights=weight, minlength=n) for c, n in zip(places.T, sizes, strict=True)])

    def _learn(self, counts: list[Array]) -> None:
        self.counts_ = counts
        seen = [self._seen(c) for c in counts]
        self._match = [self._without_missing(self.match(c)) for c in seen]
        self._mark = [self.mark(c) for c in seen]

    def _seen(self, counts: Array) -> Array:
        return counts if self.missing == "level" else np.append(counts[:-1], 0.0)

    def _without_missing(self, similarity: Array) -> Array:
        if self.missing == "ignore":
            similarity[..., -1] = 0
        return similarity

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        found = self._sums(self._places(a), self._places(b), dtype)
        found /= len(self.schema_)
        return found

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        cells = self._places(a)
        own = np.column_stack([match[cells[:, k]] for k, match in enumerate(self._match)])
        found: Array = own.mean(axis=1, dtype=np.float64)
        return found.astype(dtype)

    def _sums(self, a: Array, b: Array, dtype: np.dtype[Any]) -> Array:
        """sum_k S_k over all pairs of rows, (n_a, n_b)."""
        return level_sums(a, b, self._pairs, dtype)

    def _pairs(self, k: int, u: Array, v: Array) -> Array:
        """S_k of some levels with some levels, (n_u, n_v)."""
        mark, last = self._mark[k], len(self._mark[k]) - 1
        found = self.mismatch(mark[u][:, None], mark[v][None, :])
        if self.missing == "ignore":
            found[u == last] = 0
            found[:, v == last] = 0
        rows, columns = np.nonzero(u[:, None] == v[None, :])
        found[rows, columns] = self._match[k][u[rows]]
        return found

    def _sizes(self) -> list[int]:
        return [len(c.levels) + 2 for c in self.schema_]

    def _places(self, table: Table) -> Array:
        """Codes with missing cells at the end: 0, 1, ..., unseen, missing; (n_rows, n_columns)."""
        codes = table.codes(self.schema_.names)
        return np.where(codes < 0, np.array(self._sizes(), dtype=np.int32) - 1, codes)

    def _refuse(self, column: Column) -> BadColumn | None:
        if column.kind.coded:
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
