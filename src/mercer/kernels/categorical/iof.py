"""Occurrence frequency and its inverse: how alike two different levels are depends on how common they are."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.kernels.categorical.base import CategoricalKernel, share
from mercer.kernels.registry import register


class _Occurrence(CategoricalKernel):
    """1 for equal levels, 1 / (1 + u(x) u(y)) for different ones."""

    mismatch = "reciprocal"

    @property
    def positive(self) -> bool:
        return False

    def match(self, counts: Array) -> Array:
        return np.ones(len(counts))


@register
@shares_docs()
class IOF(_Occurrence):
    """k(a, b) = 1/d sum_k S_k, with S_k = 1 if a_k = b_k, and 1 / (1 + log f_k(a_k) log f_k(b_k)) otherwise

    f_k(x) is the number of rows with level x in column k. Rare levels are like everything, common ones
    differ. Need not be positive semi-definite: `check` measures it.

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
    >>> from mercer import read_table
    >>> from mercer.kernels import IOF
    >>> rows = read_table({"job": ["sales", "clerk", "sales", "clerk"]})
    >>> IOF().fit(rows).gram(rows)[0].round(4)
    array([1.    , 0.6755, 1.    , 0.6755])
    """

    def mark(self, counts: Array) -> Array:
        return np.log(np.maximum(counts, 1))


@register
@shares_docs()
class OF(_Occurrence):
    """k(a, b) = 1/d sum_k S_k, with S_k = 1 if a_k = b_k, else 1 / (1 + log(N / f_k(a_k)) log(N / f_k(b_k)))

    f_k(x) is the number of rows with level x in column k, of N. Common levels are alike, rare ones differ.
    Need not be positive semi-definite: `check` measures it.

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
    >>> from mercer import read_table
    >>> from mercer.kernels import OF
    >>> rows = read_table({"job": ["sales", "clerk", "sales", "clerk"]})
    >>> OF().fit(rows).gram(rows)[0].round(4)
    array([1.    , 0.6755, 1.    , 0.6755])
    """

    def mark(self, counts: Array) -> Array:
        return -np.log(share(counts))
