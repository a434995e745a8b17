"""Lin's information-theoretic similarity."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer._core.codes_gram import codes_gram
from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.kernels.categorical.base import CategoricalKernel, share
from mercer.kernels.numeric.pairwise import dots
from mercer.kernels.registry import register
from mercer.table import Table


@register
@shares_docs()
class Lin(CategoricalKernel):
    """k(a, b) = sum_k S_k / sum_k (log p_k(a_k) + log p_k(b_k)),
    with S_k = 2 log p_k(a_k) if a_k = b_k, and 2 log(p_k(a_k) + p_k(b_k)) otherwise

    p_k(x) is the share of rows with level x in column k: the information that two rows share over the information in
    each. Agreeing on a rare level counts most. Need not be positive semi-definite: `check` measures it.
    Equal rows have similarity 1.

    Parameters
    ----------
    {kernel_missing}
    {on_categorical}

    Attributes
    ----------
    {counts_}
    {compared_schema_}

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

    mismatch = "logarithm"

    @property
    def positive(self) -> bool:
        return False

    def match(self, counts: Array) -> Array:
        logs: Array = np.log(share(counts))
        return 2 * logs

    def mark(self, counts: Array) -> Array:
        n = counts.sum()
        return np.minimum(share(counts), n / (n + 1))  # two different levels share no more than all rows

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        left = self._cells(a)
        right = left if b is a else self._cells(b)
        if (left >= 0).all() and (right >= 0).all():
            scaled = replace(self._tables, norm=self._tables.match / 2)
            return codes_gram(left, None if b is a else right, scaled, dtype)
        (logs_a, seen_a), (logs_b, seen_b) = self._logs(left), self._logs(right)
        apart = dots(logs_a, seen_b) + dots(seen_a, logs_b)  # over the columns where both cells are evidence
        common = self._sums(left, None if b is a else right, np.dtype(np.float64))
        # log p = 0 throughout means columns of one level, in which the rows agree.
        alone = (dots(seen_a, seen_b) > 0).astype(np.float64)
        found: Array = np.divide(common, apart, out=alone, where=apart < 0)
        return found.astype(dtype, copy=False)

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        return self._logs(self._cells(a))[1].any(axis=1).astype(dtype)

    def _logs(self, cells: Array) -> tuple[Array, Array]:
        """log p of each cell, and whether it is evidence, both (n_rows, n_columns)."""
        return self._of_cells(self._tables.match / 2, cells), (cells >= 0).astype(np.float64)
