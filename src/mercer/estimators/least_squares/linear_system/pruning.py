"""Sparse machines of least squares: rows of the smallest coefficients left out, and the rest solved again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.errors import MercerError
from mercer.estimators.least_squares.linear_system.solve import Solved

_STEP = 0.05  # of the rows left: those left out before the next solution
Train: TypeAlias = Callable[[Floats], list[Solved]]  # weights of the rows -> solutions on those above 0


def wanted_support(n_support: float, weight: Floats, n_classes: int) -> int:
    """How many rows to keep: the number itself, or a share of the rows of positive weight."""
    rows = int((weight > 0).sum())
    wanted = int(n_support) if n_support >= 1 else max(1, round(n_support * rows))
    if wanted < n_classes:
        raise MercerError(f"n_support={n_support:g} keeps {wanted} rows, fewer than the {n_classes} classes. Raise it.")
    return min(wanted, rows)


def prune(train: Train, weight: Floats, wanted: int, codes: Ints | None) -> list[Solved]:
    """Suykens, Lukas and Vandewalle 2000: the rows of least |c_i| go, a twentieth at a time, until `wanted` are left.

    codes : classes of the rows, of each of which the row of the largest coefficient stays; None in regression
    """
    kept = weight.copy()
    solved = train(kept)
    while (n := int((kept > 0).sum())) > wanted:
        size = _sizes(solved, len(kept))
        if codes is not None:
            size[[_strongest(size, codes == c) for c in np.unique(codes[kept > 0])]] = np.inf
        size[kept == 0] = np.inf
        least = np.argsort(size, kind="stable")[: min(n - wanted, math.ceil(_STEP * n))]
        kept[least] = 0.0
        solved = train(kept)
    return solved


def _sizes(solved: list[Solved], n_rows: int) -> Floats:
    """The largest |c_i| of each row over all problems."""
    size = np.zeros(n_rows)
    for found in solved:
        own = np.abs(found.solution.coef).max(axis=1)
        size[found.system.rows] = np.maximum(size[found.system.rows], own)
    return size


def _strongest(size: Floats, members: Floats) -> int:
    return int(np.argmax(np.where(members, size, -1.0)))
