"""Goodall's similarities: agreement weighs by how likely it is to come about by chance.

Goodall (1966), A new similarity index based on probability; Yao, Table 3.1. Here p2_k(x) = f_k(x) (f_k(x) -
1) / (N (N - 1)), with f_k(x) the number of rows, of N, that hold x in column k.
"""

from __future__ import annotations

import numpy as np

from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.kernels.categorical.base import CategoricalKernel, pair_share
from mercer.kernels.registry import register


@register
@shares_docs()
class Goodall1(CategoricalKernel):
    """k(a, b) = 1/d sum_k [a_k = b_k] (1 - sum of p2_k(q) over the levels q at most as frequent as a_k)

    Agreement on a rare level counts most.

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
    >>> from mercer.kernels import Goodall1
    >>> rows = read_table({"job": ["sales", "clerk", "sales", "smith"]})
    >>> Goodall1().fit(rows).diag(rows).round(4)
    array([0.8333, 1.    , 0.8333, 1.    ])
    """

    def match(self, counts: Array) -> Array:
        order = np.argsort(counts, kind="stable")
        running = np.cumsum(pair_share(counts)[order])
        last_equal = np.searchsorted(counts[order], counts, side="right") - 1
        return np.asarray(np.maximum(1 - running[last_equal], 0.0))


@register
@shares_docs()
class Goodall2(CategoricalKernel):
    """k(a, b) = 1/d sum_k [a_k = b_k] (1 - sum of p2_k(q) over the levels q at least as frequent as a_k)

    Agreement on a common level counts most.

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
    >>> from mercer.kernels import Goodall2
    >>> rows = read_table({"job": ["sales", "clerk", "sales", "smith"]})
    >>> Goodall2().fit(rows).diag(rows).round(4)
    array([0.8333, 0.8333, 0.8333, 0.8333])
    """

    def match(self, counts: Array) -> Array:
        order = np.argsort(-counts, kind="stable")
        running = np.cumsum(pair_share(counts)[order])
        last_equal = np.searchsorted(-counts[order], -counts, side="right") - 1
        return np.asarray(np.maximum(1 - running[last_equal], 0.0))


@register
@shares_docs()
class Goodall3(CategoricalKernel):
    """k(a, b) = 1/d sum_k [a_k = b_k] (1 - p2_k(a_k))

    Agreement on a rare level counts most, whatever the other levels.

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
    >>> from mercer.kernels import Goodall3
    >>> rows = read_table({"job": ["sales", "clerk", "sales", "smith"]})
    >>> Goodall3().fit(rows).diag(rows).round(4)
    array([0.8333, 1.    , 0.8333, 1.    ])
    """

    def match(self, counts: Array) -> Array:
        return 1 - pair_share(counts)


@register
@shares_docs()
class Goodall4(CategoricalKernel):
    """k(a, b) = 1/d sum_k [a_k = b_k] p2_k(a_k)

    Agreement on a common level counts most; on a level seen once, nothing.

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
    >>> from mercer.kernels import Goodall4
    >>> rows = read_table({"job": ["sales", "clerk", "sales", "smith"]})
    >>> Goodall4().fit(rows).diag(rows).round(4)
    array([0.1667, 0.    , 0.1667, 0.    ])
    """

    def match(self, counts: Array) -> Array:
        return pair_share(counts)
