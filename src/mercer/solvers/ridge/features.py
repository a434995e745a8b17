"""Ridge regression on features z of a kernel, for more rows than a matrix of all pairs allows.

    minimise sum_i weight_i (y_i - w.z_i)^2 + lambda |w|^2:   (Z'WZ + lambda) w = Z'W y

Givens: blocks of features with the numbers of their rows, weights W > 0, targets, a penalty for each. Result: w, the
relative residual of the system, and log N(y | 0, Z Z' + lambda W^-1), by the determinant of the small system. Each
block is seen once, so that no more than one is held. Reference: Williams and Seeger 2001, eq. 11.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np
import scipy.linalg as sl

from mercer.arrays import Array, Floats
from mercer.solvers.ridge.solution import relative_size

_LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class FeatureRidge:
    """planes : w of each target, (t, n_features); residual : the largest relative one; log_evidence : over targets."""

    planes: Floats
    residual: float
    log_evidence: float


@dataclass(frozen=True)
class FeatureProducts:
    """What the system needs of some rows: Z'WZ, Z'W y, sum_i weight_i y_i^2, sum_i log weight_i, and their number."""

    gram: Floats
    products: Floats
    squares: Floats  # (t,)
    log_weight: float
    n_rows: int

    @classmethod
    def of(cls, z: Array, targets: Floats, weight: Floats) -> FeatureProducts:
        """Of features (n, n_features), targets (n, t) and weights (n,)."""
        root = np.sqrt(weight)[:, None]
        z, y = z.astype(np.float64, copy=False) * root, targets * root
        return cls(z.T @ z, z.T @ y, (y**2).sum(axis=0), float(np.log(weight).sum()), len(weight))

    def merge(self, other: FeatureProducts) -> FeatureProducts:
        """Of both samples together."""
        return FeatureProducts(
            self.gram + other.gram,
            self.products + other.products,
            self.squares + other.squares,
            self.log_weight + other.log_weight,
            self.n_rows + other.n_rows,
        )

    def solve(self, penalty: Floats) -> FeatureRidge:
        """For penalties (t,) above 0."""
        planes, evidence = np.zeros_like(self.products), 0.0
        for lam in np.unique(penalty):
            own = penalty == lam
            factor = sl.cho_factor(self.gram + lam * np.eye(len(self.gram)))
            planes[:, own] = sl.cho_solve(factor, self.products[:, own])
            fitted = self.squares[own].sum() - (self.products[:, own] * planes[:, own]).sum()
            determinant = 2 * np.log(np.diag(factor[0])).sum() - self.log_weight
            determinant += (self.n_rows - len(self.gram)) * np.log(lam)
            evidence -= 0.5 * (fitted / lam + own.sum() * (determinant + self.n_rows * _LOG_2PI))
        residual = self.gram @ planes + planes * penalty - self.products
        return FeatureRidge(planes.T, relative_size(residual, self.products), float(evidence))


def solve(blocks: Iterable[tuple[slice, Array]], weight: Floats, targets: Floats, penalty: Floats) -> FeatureRidge:
    """For blocks (rows, features of them) of all rows, targets (n, t) and penalties (t,) above 0."""
    parts = (FeatureProducts.of(block, targets[rows], weight[rows]) for rows, block in blocks)
    return reduce(FeatureProducts.merge, parts).solve(penalty)
