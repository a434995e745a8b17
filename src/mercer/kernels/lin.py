"""Lin's information-theoretic similarity."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.kernels.base import Array
from mercer.kernels.coded import CodedKernel, share
from mercer.kernels.geometry import dots
from mercer.kernels.registry import register
from mercer.table import Table


@register
class Lin(CodedKernel):
    """k(a, b) = sum_k S_k / sum_k (log p_k(a_k) + log p_k(b_k)),
    with S_k = 2 log p_k(a_k) if a_k = b_k, and 2 log(p_k(a_k) + p_k(b_k)) otherwise

    p_k(x) is the share of rows with level x in column k: what two rows have in common over what they say
    apart. Agreeing on a rare level counts most. Need not be positive semi-definite: `check` measures it.
    Equal rows have similarity 1.

    References
    ----------
    Lin (1998), An information-theoretic definition of similarity; Yao, Table 3.1.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import Lin
    >>> rows = read_table({"job": ["sales", "clerk", "sales", "smith"]})
    >>> Lin().fit(rows).gram(rows)[0].round(4)
    array([1.    , 0.2767, 1.    , 0.2767])
    """

    @property
    def positive(self) -> bool:
        return False

    def match(self, counts: Array) -> Array:
        logs: Array = np.log(share(counts))
        return 2 * logs

    def mark(self, counts: Array) -> Array:
        return share(counts)

    def mismatch(self, u: Array, v: Array) -> Array:
        logs: Array = np.log(np.minimum(u + v, 1.0))
        return 2 * logs

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        left, right = self._places(a), self._places(b)
        (logs_a, seen_a), (logs_b, seen_b) = self._logs(left), self._logs(right)
        apart = dots(logs_a, seen_b) + dots(seen_a, logs_b)  # over the columns where both cells are evidence
        common = self._sums(left, right, np.dtype(np.float64))
        # log p = 0 throughout means columns of one level, in which the rows agree.
        alone = (dots(seen_a, seen_b) > 0).astype(np.float64)
        found: Array = np.divide(common, apart, out=alone, where=apart < 0)
        return found.astype(dtype, copy=False)

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        return self._logs(self._places(a))[1].any(axis=1).astype(dtype)

    def _logs(self, places: Array) -> tuple[Array, Array]:
        """log p of each cell, and whether it is evidence, both (n_rows, n_columns)."""
        logs = np.column_stack([np.log(mark)[places[:, k]] for k, mark in enumerate(self._mark)])
        seen = np.ones(places.shape)
        if self.missing == "ignore":
            seen[places == np.array(self._sizes()) - 1] = 0
        return logs * seen, seen
