"""Random samples and random folds of rows, stratified by class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints, Longs


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


def limit_rows(
    classes: NDArray[Any] | None, n_rows: int, most: int, seed: Any
) -> tuple[Longs, Floats | None, NDArray[Any]]:
    """About `most` of n_rows row numbers with every row of a rare class, their weights, and the classes kept whole.

    A class is rare when keeping it takes at most half of its even share of the rows. The others are drawn at random,
    each in its share, and weigh as many rows as they stand for: n_c / n_c drawn, over the mean of all (None: all 1).

    Parameters
    ----------
    classes : ndarray of shape (n_rows,) or None
        Codes of the classes; None for numbers.
    n_rows, most : int
        How many there are, and how many are wanted.
    seed : int
        Of the draw.

    Returns
    -------
    rows : ndarray
        In order.
    weight : ndarray or None
        Of each of them.
    whole : ndarray
        Codes of the rare classes.
    """
    if n_rows <= most or classes is None:
        return sample_rows(classes, n_rows, most, seed), None, np.empty(0, dtype=np.int64)
    names, place, counts = np.unique(classes, return_inverse=True, return_counts=True)
    rare = 2 * len(names) * counts <= most
    if not rare.any():
        return sample_rows(classes, n_rows, most, seed), None, names[rare]
    others = np.flatnonzero(~rare[place])
    drawn = others[sample_rows(classes[others], len(others), most - int(counts[rare].sum()), seed)]
    rows = np.sort(np.concatenate([np.flatnonzero(rare[place]), drawn]))
    weight = (counts / np.maximum(np.bincount(place[rows], minlength=len(names)), 1))[place[rows]]
    return rows, weight / weight.mean(), names[rare]


def deal_folds(classes: NDArray[Any] | None, n_rows: int, n_folds: int, seed: Any) -> Ints:
    """The fold of each row: every class is spread evenly, in shuffled order."""
    order = np.random.default_rng(seed).permutation(n_rows)
    if classes is not None:
        order = order[np.argsort(classes[order], kind="stable")]
    fold = np.empty(n_rows, dtype=np.int32)
    fold[order] = np.arange(n_rows) % n_folds
    return fold
