"""What solving (K + N) c + b 1 = y gives, whichever way it was solved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.arrays import Floats


@dataclass(frozen=True)
class RidgeSolution:
    """f(x) = sum_i coef_i k(x, x_i) + intercept, for each of several targets.

    coef : (n, n_targets); intercept : (n_targets,), zeros without one
    residual : |(K + N) c + b 1 - y| / |y| of the target for which it is largest
    iterations : 1 where the system was factorised
    converged : whether the residual is within the tolerance
    log_evidence : log N(y | 0, K + N) summed over targets, where the determinant is known; NaN where not
    rank : of K + N, where it was found to be short of n
    """

    coef: Floats
    intercept: Floats
    residual: float
    iterations: int = 1
    converged: bool = True
    log_evidence: float = np.nan
    rank: int | None = None


def centred(solved_targets: Floats, solved_ones: Floats) -> tuple[Floats, Floats]:
    """c = A^-1 y - b A^-1 1 with sum(c) = 0: (coef, b), from A^-1 y, (n, t), and A^-1 1, (n,)."""
    intercept = solved_targets.sum(axis=0) / solved_ones.sum()
    return solved_targets - np.outer(solved_ones, intercept), intercept


def relative_size(residual: Floats, targets: Floats) -> float:
    """|residual| / |target| of the target for which it is largest; a target of zeros counts by itself."""
    size = np.sqrt((targets**2).sum(axis=0))
    return float((np.sqrt((residual**2).sum(axis=0)) / np.where(size > 0, size, 1.0)).max(initial=0.0))
