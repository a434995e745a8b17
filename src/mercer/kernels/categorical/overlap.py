"""Overlap: the share of columns in which two rows agree."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.kernels.categorical.base import CategoricalKernel
from mercer.kernels.registry import register


@register
@shares_docs()
class Overlap(CategoricalKernel):
    """k(a, b) = 1/d sum_k [a_k = b_k]

    The dot product of dummies, divided by the number of columns; a good first choice on categories.

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
    >>> from mercer.kernels import Overlap
    >>> rows = read_table({"job": ["sales", "clerk", "sales"], "city": ["Oslo", "Oslo", "Rome"]})
    >>> Overlap().fit(rows).gram(rows)
    array([[1. , 0.5, 0.5],
           [0.5, 1. , 0. ],
           [0.5, 0. , 1. ]])
    """

    def match(self, counts: Array) -> Array:
        return np.ones(len(counts))
