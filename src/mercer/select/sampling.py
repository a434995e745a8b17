"""Random samples and random folds of rows, stratified by class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Ints, Longs


def sample_rows(classes: NDArray[Any] | None, n_rows: int, most: int, seed: Any) -> Longs:
    """About `most` of n_rows row numbers, in order; every class keeps its share and at least one row."""
    rng = np.random.default_rng(seed)
    if n_rows <= most:
        return np.arange(n_rows)
    if classes is None:
        return np.sort(rng.permutation(n_rows)[:most])
    share = most / n_rows
    kept = [
        rng.permutation(rows := np.flatnonzero(classes == c))[: max(1, int(share * len(rows)))]
        for c in np.unique(classes)
    ]
    return np.sort(np.concatenate(kept))


def deal_folds(classes: NDArray[Any] | None, n_rows: int, n_folds: int, seed: Any) -> Ints:
    """The fold of each row: every class is spread evenly, in shuffled order."""
    order = np.random.default_rng(seed).permutation(n_rows)
    if classes is not None:
        order = order[np.argsort(classes[order], kind="stable")]
    fold = np.empty(n_rows, dtype=np.int32)
    fold[order] = np.arange(n_rows) % n_folds
    return fold
