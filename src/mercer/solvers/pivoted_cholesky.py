"""Cholesky factorisation of low rank, the row of largest remaining diagonal next.

    K = L L' + E,  E positive semi-definite with E_pj = 0 for the pivots p

Givens: the diagonal of K and its rows on request. Result: L, (n, r), the pivots, and the diagonal of E. The trace of E
bounds every norm of the error, |E_ij| <= sqrt(E_ii E_jj). Stop: a rank, or little of the trace left. Reference:
Harbrecht, Peters and Schneider 2012.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mercer.arrays import Array, Floats, Ints, Longs

_NOISE = 1e-12  # of the largest diagonal: what is left of it is rounding


@dataclass(frozen=True)
class LowRank:
    """factor : L, (n, r); pivots : (r,); left : the diagonal of K - L L', (n,)."""

    factor: Floats
    pivots: Longs
    left: Floats


def pivoted_cholesky(diagonal: Floats, rows: Callable[[Ints], Array], rank: int, share: float = 0.0) -> LowRank:
    """At most `rank` pivots, fewer when no more than a `share` of the trace is left."""
    left = diagonal.astype(np.float64)
    enough, noise = share * left.sum(), _NOISE * left.max(initial=0.0)
    columns, pivots = np.zeros((rank, len(left))), np.zeros(rank, dtype=np.int64)
    made = 0
    for r in range(rank):
        pivot = int(np.argmax(left))
        if left[pivot] <= noise or left.sum() <= enough:
            break
        row = rows(np.array([pivot], dtype=np.int32))[0].astype(np.float64)
        columns[r] = (row - columns[:r].T @ columns[:r, pivot]) / np.sqrt(left[pivot])
        left = np.maximum(left - columns[r] ** 2, 0.0)
        left[pivot] = 0.0
        pivots[r], made = pivot, r + 1
    return LowRank(columns[:made].T, pivots[:made], left)
