"""The Gram matrix of categories: for every pair of rows, the sum over columns of a similarity of their
levels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
_CELLS = 1 << 20  # entries of the Gram matrix worked on at a time, so that they stay in cache


def level_sums(a: Array, b: Array, pairs: Callable[[int, Array, Array], Array], dtype: np.dtype[Any]) -> Array:
    """sum_k S_k(a_ik, b_jk), (n_a, n_b), from codes a (n_a, d) and b (n_b, d).

    pairs(k, u, v) gives S_k of the levels u with the levels v, (n_u, n_v). Only levels that occur are asked
    for, so that a column with many levels never needs more room than the Gram matrix.
    """
    total = np.zeros((len(a), len(b)), dtype=dtype)
    step = max(1, _CELLS // max(len(b), 1))
    for k in range(a.shape[1]):
        u, row = np.unique(a[:, k], return_inverse=True)
        v, column = np.unique(b[:, k], return_inverse=True)
        table = pairs(k, u, v).astype(dtype, copy=False)
        for start in range(0, len(a), step):
            rows = row[start : start + step]
            total[start : start + step] += table[np.ix_(rows, column)] if len(u) > step else table[:, column][rows]
    return total
