"""Cholesky factorisation of low rank, the row of largest remaining diagonal next.

    K = L L' + E,  E positive semi-definite with E_pj = 0 for the pivots p

Givens: the diagonal of K and its rows on request. Result: L, (n, r), the pivots, and the diagonal of E. The trace of E
bounds every norm of the error, |E_ij| <= sqrt(E_ii E_jj). Stop: a rank, or little of the trace left. Of a matrix in
memory pivots are taken in blocks, by products of matrices. Reference: Harbrecht, Peters and Schneider 2012.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpstrf

from mercer.arrays import Array, Floats, Ints, Longs

_NOISE = 1e-12  # of the largest diagonal: what is left of it is rounding
_CANDIDATES = 384  # rows of the largest remaining diagonals, of which a block of pivots is
_PIVOTS = 256  # of a block, at most
_GREEDY = 0.1  # of the largest remaining diagonal: what a pivot of the block has left beside the others of it


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


def blocked_cholesky(matrix: Floats, rank: int, tol: float) -> Floats | None:
    """L, (n, r), with at most `tol` left of any diagonal; None when `rank` pivots are not enough.

    Candidates are pivoted among themselves, so that a block has no two rows that are alike: on 8,000 rows of eight
    numbers it needs 1,565 pivots, and one at a time 1,556. A matrix that is not positive semi-definite may end early.
    """
    left = matrix.diagonal().astype(np.float64)
    columns, made = np.empty((rank, len(left))), 0
    while (largest := left.max(initial=0.0)) > tol:
        rows = np.argpartition(left, -min(_CANDIDATES, len(left)))[-_CANDIDATES:]
        part = columns[:made, rows]
        rest = matrix[np.ix_(rows, rows)] - part.T @ part
        inner, order, found, _ = dpstrf(rest, tol=max(tol, _GREEDY * largest), lower=1)
        block, end = order[: min(found, _PIVOTS)] - 1, made + min(found, _PIVOTS)
        if end == made:
            break  # what is left is rounding, or below 0
        if end > rank:
            return None
        new = matrix[rows[block]] - part[:, block].T @ columns[:made]
        columns[made:end] = dtrsm(1.0, inner[: len(block), : len(block)], new.T, side=1, lower=1, trans_a=1).T
        left = np.maximum(left - np.einsum("ij,ij->j", columns[made:end], columns[made:end]), 0.0)
        left[rows[block]] = 0.0
        made = end
    return columns[:made].T
