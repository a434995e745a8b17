"""Means and cross-products of the columns of a matrix, by chunks: all that least squares needs of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats
from mercer.solvers.linear.split_matrix import SplitMatrix
from mercer.solvers.row_chunks import Sums, chunks, sum_rows


@dataclass(frozen=True)
class Moments:
    """W = sum w_i,  m = sum w_i z_i / W,  S = sum w_i (z_i - m)(z_i - m)',  over rows z = (x, y).

    All that least squares needs of the rows; two disjoint samples merge into the moments of both together
    (Chan, Golub & LeVeque 1983).
    """

    rows: int
    weight: float
    mean: Floats  # (d + 1,), or (d + t,) with t targets
    scatter: Floats  # (d + 1, d + 1), or (d + t, d + t)

    @classmethod
    def of(cls, X: Any, y: Floats, weight: Floats | None) -> Moments:
        """One pass over the rows, shifted by the mean of the first chunk so that no digits are lost.

        X : dense, CSR or SplitMatrix; y : (n,), or (n, t)
        """
        d, targets = X.shape[1], y.reshape(len(y), -1)
        mass = float(len(y)) if weight is None else float(weight.sum())
        if isinstance(X, SplitMatrix):
            shift = np.append(X.T @ np.ones(len(X)), targets.sum(axis=0)) / max(len(X), 1)
            return cls._about(shift, len(y), mass, *X.products(shift[:d], targets - shift[d:], weight))
        first = next(chunks(X), (slice(0, 0), np.zeros((1, d))))
        shift = np.append(first[1].mean(axis=0), targets[first[0]].mean(axis=0))

        def work(rows: slice, part: Floats) -> Sums:
            z = np.empty((len(part), len(shift)))
            np.subtract(part, shift[:d], out=z[:, :d])
            np.subtract(targets[rows], shift[d:], out=z[:, d:])
            if weight is None:
                total = z.sum(axis=0)
            else:
                total = weight[rows] @ z
                z *= np.sqrt(weight[rows])[:, None]
            return total, z.T @ z

        return cls._about(shift, len(y), mass, *sum_rows(X, work))

    @classmethod
    def _about(cls, shift: Floats, n_rows: int, mass: float, total: Floats, product: Floats) -> Moments:
        """From the sums of w (z - shift) and of their products."""
        mean = total / mass
        return cls(n_rows, mass, mean + shift, product - mass * np.outer(mean, mean))

    def merge(self, other: Moments) -> Moments:
        """The moments of both samples together; the order does not matter."""
        if not self.weight or not other.weight:
            return self if self.weight else other
        mass, gap = self.weight + other.weight, other.mean - self.mean
        mean = self.mean + gap * (other.weight / mass)
        between = np.outer(gap, gap) * (self.weight * other.weight / mass)
        return Moments(self.rows + other.rows, mass, mean, self.scatter + other.scatter + between)

    def of_target(self, k: int, n_targets: int) -> Moments:
        """Of the columns and target k alone."""
        d = len(self.mean) - n_targets
        kept = np.append(np.arange(d), d + k)
        return Moments(self.rows, self.weight, self.mean[kept], self.scatter[np.ix_(kept, kept)])

    def around_zero(self) -> Moments:
        """The products about zero instead of the mean, for a fit without intercept."""
        raw = self.scatter + self.weight * np.outer(self.mean, self.mean)
        return Moments(self.rows, self.weight, np.zeros_like(self.mean), raw)


def means_variances(X: Any, weight: Floats | None) -> tuple[Floats, Floats]:
    """Weighted mean and variance of each column, (d,) each, in two passes; of a CSR matrix over its stored cells."""
    n, d = X.shape
    own = np.ones(n) if weight is None else weight
    mass = float(own.sum())
    if not sp.issparse(X):
        mean = sum_rows(X, lambda rows, part: (own[rows] @ part,))[0] / mass
        return mean, sum_rows(X, lambda rows, part: (own[rows] @ (part - mean) ** 2,))[0] / mass
    cell = None if weight is None else np.repeat(weight, np.diff(X.indptr))
    mean = np.bincount(X.indices, X.data if cell is None else cell * X.data, d) / mass
    gap = X.data - mean[X.indices]
    gap *= gap if cell is None else cell * gap
    empty = mass - np.bincount(X.indices, cell, d)  # the weight of the cells that are not stored
    return mean, np.maximum(np.bincount(X.indices, gap, d) + empty * mean**2, 0.0) / mass
