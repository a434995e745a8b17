"""Random features of products over categorical columns, such as the exponential of Overlap: signs of levels.

    exp(c/d sum_k match_k(a_k) [a_k = b_k]) = prod_k (1 + (E_k(a_k) - 1) [a_k = b_k]),   E_k = exp(c/d match_k)

Each factor is E[t(a_k) t(b_k)], where t is q^-1/2 for all levels with probability q, and otherwise
((E_k - 1) / (1 - q))^1/2 with a random sign for each level. With q = 1 / mean(E_k) all features of Overlap have the
same size. A missing cell that is no evidence takes part in the first case alone.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from mercer.arrays import Array, Floats
from mercer.kernels.categorical.base import CategoricalKernel
from mercer.kernels.maps.draws import Draws, FeatureMap
from mercer.table import Table


def level_products(kernel: CategoricalKernel, n: int, draws: Draws, logs: Floats, factor: float) -> FeatureMap:
    """Features of factor^2 exp(sum_k logs_k(a_k) [a_k = b_k]); logs, of every level of every column, at least 0."""
    offsets = kernel._tables.offsets
    more = np.exp(logs)
    shares = np.array([1 / more[a:b].mean() for a, b in pairwise(offsets)])  # q
    common = draws.take((len(shares), n), lambda rng: rng.random((len(shares), n)) < shares[:, None])
    signs = draws.take((len(logs), n), lambda rng: rng.choice([-1.0, 1.0], (len(logs), n)))

    def apply(table: Table, dtype: np.dtype[Any]) -> Array:
        cells = kernel._cells(table)
        found = np.full((len(table), n), factor)
        for k, q in enumerate(shares):
            own = slice(offsets[k], offsets[k + 1])
            apart = np.sqrt((more[own] - 1) / max(1 - q, np.finfo(np.float64).tiny))[:, None] * signs[own]
            shared = np.where(common[k] > 0, q**-0.5, 0.0)
            values = np.vstack([np.where(common[k] > 0, q**-0.5, apart), shared])  # the last: no evidence
            found *= values[cells[:, k]]
        return np.asarray(found.astype(dtype, copy=False))

    return apply
