"""Ridge regression on features z of a kernel, for more rows than a matrix of all pairs allows.

    minimise sum_i weight_i (y_i - w.z_i)^2 + lambda |w|^2:   (Z'WZ + lambda) w = Z'W y

Givens: blocks of features with the numbers of their rows, weights W > 0, targets, a penalty for each. Result: w, the
relative residual of the system, and log N(y | 0, Z Z' + lambda W^-1), by the determinant of the small system. Each
block is seen once, so that no more than one is held. Reference: Williams and Seeger 2001, eq. 11.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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


def solve(blocks: Iterable[tuple[slice, Array]], weight: Floats, targets: Floats, penalty: Floats) -> FeatureRidge:
    """For blocks (rows, features of them) of all rows, targets (n, t) and penalties (t,) above 0."""
    gram, products = None, None
    for rows, block in blocks:
        z = block.astype(np.float64, copy=False) * np.sqrt(weight[rows])[:, None]
        y = targets[rows] * np.sqrt(weight[rows])[:, None]
        gram = z.T @ z if gram is None else gram + z.T @ z
        products = z.T @ y if products is None else products + z.T @ y
    assert gram is not None and products is not None
    planes, evidence = np.zeros_like(products), 0.0
    for lam in np.unique(penalty):
        own = penalty == lam
        system = gram + lam * np.eye(len(gram))
        factor = sl.cho_factor(system)
        planes[:, own] = sl.cho_solve(factor, products[:, own])
        fitted = (weight[:, None] * targets[:, own] ** 2).sum() - (products[:, own] * planes[:, own]).sum()
        determinant = (
            2 * np.log(np.diag(factor[0])).sum() + (len(weight) - len(gram)) * np.log(lam) - np.log(weight).sum()
        )
        evidence -= 0.5 * (fitted / lam + own.sum() * (determinant + len(weight) * _LOG_2PI))
    residual = gram @ planes + planes * penalty - products
    return FeatureRidge(planes.T, relative_size(residual, products), float(evidence))
