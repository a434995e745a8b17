"""Which training rows stand for all: at random, by leverage, near the centres of clusters, or by remaining error."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Literal

import numpy as np
import scipy.linalg as sl

from mercer._core.threads import at_most, single_blas_thread
from mercer.arrays import Floats, Longs
from mercer.estimators.kernel.approximation.landmarks import Landmarks
from mercer.kernels import Kernel
from mercer.solvers.pivoted_cholesky import pivoted_cholesky
from mercer.table import Table

Selection = Literal["uniform", "leverage", "kmeans", "cholesky"]
SOUGHT_ROWS = 20_000  # rows among which landmarks are sought, where that takes more than drawing them
_PILOT = 500  # rows of the first, rough map
_FEW_VALUES = 1_000_000  # kernel values up to which threads wait for each other longer than they work
_ROUNDS = 10  # of k-means, whose centres need not be exact
_AT_ONCE = 4096  # rows compared with all centres at a time


def choose_landmarks(
    kernel: Kernel, table: Table, rank: int, selection: Selection, rng: np.random.RandomState, n_jobs: int | None
) -> Longs:
    """The places of at most `rank` different rows of the table, for a fitted kernel."""
    order = rng.permutation(len(table))
    if selection == "uniform" or rank >= len(table):
        return order[:rank].astype(np.int64)
    rows = order[:SOUGHT_ROWS]
    some = table.take(rows)
    small = len(some) * rank <= _FEW_VALUES
    with at_most(n_jobs), single_blas_thread() if small else nullcontext():
        if selection == "cholesky":
            found = pivots(kernel, some, rank)
        elif selection == "leverage":
            found = _by_leverage(kernel, some, rank, rng)
        else:
            found = _by_clusters(kernel, some, rank)
    return np.asarray(rows[found], dtype=np.int64)


def pivots(kernel: Kernel, table: Table, rank: int) -> Longs:
    """Those of a pivoted Cholesky factorisation of the kernel matrix."""
    diagonal = kernel.diag(table, dtype=np.float64)
    return pivoted_cholesky(diagonal, lambda i: kernel.gram(table.take(i), table, dtype=np.float64), rank).pivots


def _by_leverage(kernel: Kernel, table: Table, rank: int, rng: np.random.RandomState) -> Longs:
    """Drawn in proportion to l_i = [K (K + lambda)^-1]_ii, lambda = trace(K) / rank, K by a pilot sample of p rows.

    l_i = (k_ii - k_i' (K_p + lambda p / n)^-1 k_i) / lambda (Alaoui and Mahoney 2015; Musco and Musco 2017).
    """
    n, p = len(table), min(len(table), max(_PILOT, rank))
    pilot = table.take(np.arange(p))  # the table is in random order
    own = kernel.diag(table, dtype=np.float64)
    ridge = own.sum() / rank
    factor = sl.cholesky(kernel.gram(pilot, dtype=np.float64) + ridge * p / n * np.eye(p), lower=True)
    part = sl.solve_triangular(factor, kernel.gram(pilot, table, dtype=np.float64), lower=True, overwrite_b=True)
    scores = np.maximum((own - np.einsum("ij,ij->j", part, part)) / ridge, 1e-12)
    return np.asarray(rng.choice(n, rank, replace=False, p=scores / scores.sum()), dtype=np.int64)


def _by_clusters(kernel: Kernel, table: Table, rank: int) -> Longs:
    """The row nearest to each centre of k-means in the feature space of a pilot sample's landmarks."""
    pilot = Landmarks.of(kernel, table, np.arange(min(len(table), _PILOT)), n_jobs=None)
    z = pilot.features(table, np.dtype(np.float64))
    found = np.unique(_nearest(z, _centres(z, rank)))
    others = np.setdiff1d(np.arange(len(table)), found)  # in place of rows nearest to two centres
    return np.concatenate([found, others[: rank - len(found)]])


def _centres(z: Floats, n_centres: int) -> Floats:
    """Centres by Lloyd's algorithm from the first rows, which are in random order; a centre without rows stays."""
    centres = z[:n_centres].copy()
    for _ in range(_ROUNDS):
        nearest = np.concatenate([_distances(z[rows], centres).argmin(axis=1) for rows in _blocks(len(z))])
        sizes = np.bincount(nearest, minlength=n_centres)
        order = np.argsort(nearest, kind="stable")
        sums = np.add.reduceat(z[order], np.minimum(np.cumsum(sizes) - sizes, len(z) - 1), axis=0)
        centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres)
    return centres


def _nearest(z: Floats, centres: Floats) -> Longs:
    """The row of z nearest to each centre."""
    best, place = np.full(len(centres), np.inf), np.zeros(len(centres), dtype=np.int64)
    for rows in _blocks(len(z)):
        distances = _distances(z[rows], centres)
        nearest, least = distances.argmin(axis=0), distances.min(axis=0)
        place = np.where(least < best, rows.start + nearest, place)
        best = np.minimum(least, best)
    return place


def _distances(z: Floats, centres: Floats) -> Floats:
    """Squared distances of rows and centres."""
    found: Floats = (z**2).sum(axis=1)[:, None] - 2 * z @ centres.T + (centres**2).sum(axis=1)
    return found


def _blocks(n: int) -> list[slice]:
    return [slice(start, start + _AT_ONCE) for start in range(0, n, _AT_ONCE)]
