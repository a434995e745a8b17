"""Several Gram matrices over the same rows, in blocks: held in memory, or computed anew in each pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.arrays import Array, Floats, Longs

_FEW = 3  # matrices that are faster added one by one
_CELLS = 1 << 23  # entries of all matrices that are multiplied with each other at a time, as doubles


@dataclass(frozen=True)
class Grams:
    """K_1 / scale_1, ..., K_m / scale_m over n rows.

    blocks : gives pairs (rows, entries), entries of shape (m, len(rows), n) before they are divided by scale
    scale : (m,); a matrix of infinite scale counts as 0
    """

    n: int
    blocks: Callable[[], Iterable[tuple[slice, Array]]]
    scale: Floats

    @classmethod
    def held(cls, stack: Array) -> Grams:
        """Matrices in memory, (m, n, n)."""
        return cls(stack.shape[1], lambda: [(slice(0, stack.shape[1]), stack)], np.ones(len(stack)))

    @property
    def m(self) -> int:
        """Number of matrices."""
        return len(self.scale)

    @property
    def usable(self) -> Any:
        """Which matrices are not 0, (m,)."""
        return np.isfinite(self.scale)

    def scaled(self, scale: Floats) -> Grams:
        """The same matrices, divided by these numbers instead."""
        return replace(self, scale=scale)

    def take(self, rows: Longs) -> Grams:
        """Of some of the rows, in increasing order, held in memory."""
        stack = np.empty((self.m, len(rows), len(rows)), dtype=next(iter(self.blocks()))[1].dtype)
        for place, entries in self.blocks():
            own = (rows >= place.start) & (rows < place.stop)
            for k in range(self.m):
                stack[k, own] = entries[k][np.ix_(rows[own] - place.start, rows)]
        return Grams.held(stack).scaled(self.scale)

    def uniform(self) -> Floats:
        """The same weight for every matrix that is not 0, 1 in all."""
        return self.usable / self.usable.sum()

    def weighted(self, weights: Floats) -> Array:
        """sum_m weights_m K_m, (n, n), in the precision of the blocks."""
        parts = [_sum(weights / self.scale, entries) for _, entries in self.blocks()]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def times(self, vectors: Floats) -> Floats:
        """K_m v for each column v, (m, n, n_vectors)."""
        found = np.empty((self.m, self.n, vectors.shape[1]))
        for rows, entries in self.blocks():
            flat = entries.reshape(-1, self.n) @ vectors.astype(entries.dtype)
            found[:, rows] = flat.reshape(self.m, -1, vectors.shape[1])
        return found / self.scale[:, None, None]

    def forms(self, vectors: Floats) -> Floats:
        """v'K_m v of each column v, (m, n_vectors)."""
        return np.einsum("mnp,np->mp", self.times(vectors), vectors)


def _sum(factors: Floats, entries: Array) -> Array:
    used = np.flatnonzero(factors)
    if len(used) > _FEW:  # one pass over all of them, by BLAS
        return np.asarray(np.tensordot(factors.astype(entries.dtype), entries, 1))
    found = np.zeros(entries.shape[1:], dtype=entries.dtype)
    for k in used:
        found += entries[k] * entries.dtype.type(factors[k])
    return found


@dataclass(frozen=True)
class Spread:
    """Mean of the diagonal and of all entries of each matrix, rows counted by their weights, (m,)."""

    diagonal: Floats
    mean: Floats

    @property
    def variance(self) -> Floats:
        """Of the rows around their mean in feature space; 0 where rounding leaves next to nothing."""
        found = self.diagonal - self.mean
        return np.where(found > 1e-10 * np.abs(self.diagonal), found, 0.0)


def spread(grams: Grams, weight: Floats) -> Spread:
    """One pass over the matrices."""
    share = weight / weight.sum()
    diagonal, means = np.empty((grams.m, grams.n)), np.empty((grams.m, grams.n))
    for rows, entries in grams.blocks():
        own = np.arange(rows.start, rows.start + entries.shape[1])
        diagonal[:, own] = entries[:, own - rows.start, own]
        means[:, own] = (entries.reshape(-1, grams.n) @ share.astype(entries.dtype)).reshape(grams.m, -1)
    return Spread(diagonal @ share / grams.scale, means @ share / grams.scale)


@dataclass(frozen=True)
class CentredProducts:
    """<K_i, K_j> and <K_i, Y> of centred matrices, and |Y|; rows count by their weights.

    pairs (m, m), target (m,), with Y = ZZ' for the columns Z.
    """

    pairs: Floats
    target: Floats
    target_norm: float


def centred_products(grams: Grams, weight: Floats, columns: Floats) -> CentredProducts:
    """<K_i, K_j> = sum_st w_s w_t K_i[s, t] K_j[s, t] - 2 W sum_s w_s r_i[s] r_j[s] + W^2 mean_i mean_j, in one pass

    with r the means of the rows under the weights w, W their sum; columns Z of shape (n, k), centred here.
    """
    total = float(weight.sum())
    share, root = weight / total, np.sqrt(weight)
    centred = (columns - share @ columns) * weight[:, None]
    pairs, target, means = np.zeros((grams.m, grams.m)), np.zeros(grams.m), np.empty((grams.m, grams.n))
    for rows, entries in grams.blocks():
        step = max(1, _CELLS // (grams.m * grams.n))
        for start in range(0, entries.shape[1], step):
            part = entries[:, start : start + step].astype(np.float64)
            own = slice(rows.start + start, rows.start + start + part.shape[1])
            means[:, own] = part @ share
            target += np.einsum("mbk,bk->m", part @ centred, centred[own])
            part *= root[own, None]
            part *= root
            flat = part.reshape(grams.m, -1)
            pairs += flat @ flat.T
    overall = means @ share
    pairs += total**2 * np.outer(overall, overall) - 2 * total * (means * weight) @ means.T
    norm = float(np.linalg.norm(columns.T @ centred - np.outer(columns.T @ share, centred.sum(axis=0))))
    return CentredProducts(pairs / np.outer(grams.scale, grams.scale), target / grams.scale, norm)
