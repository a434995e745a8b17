"""Binning, gradients and predictions of boosted trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints

Bytes = NDArray[np.uint8]


def bin_cells(
    numbers: Floats,
    codes: Ints,
    edges: Floats,
    edge_start: NDArray[np.int64],
    levels: Bytes,
    level_start: NDArray[np.int64],
    out: Bytes,
    n_jobs: int,
) -> None:
    """The bin of each cell: the number of edges below a number, a table's entry for a code; NaN and -1 are missing."""
    p = numbers.shape[1]
    for j in range(p):
        own = edges[edge_start[j] : edge_start[j + 1]]
        found = np.searchsorted(own, numbers[:, j], side="left")
        out[:, j] = np.where(np.isnan(numbers[:, j]), len(own) + 1, found)
    for j in range(codes.shape[1]):
        table = levels[level_start[j] : level_start[j + 1]]
        known = (codes[:, j] >= 0) & (codes[:, j] < len(table) - 1)
        out[:, p + j] = table[np.where(known, codes[:, j] + 1, 0)]


def boost_gradients(
    loss: int,
    parameter: float,
    raw: Floats,
    target: Floats,
    weight: Floats | None,
    gradient: Floats,
    hessian: Floats,
    n_jobs: int,
) -> None:
    """Gradient and hessian of a loss at the raw predictions (n_outputs, n_rows); see boost_loss.hpp for the losses."""
    f, hessian[:] = raw[0], 1.0
    if loss == 0:
        p = 1 / (1 + np.exp(-f))
        gradient[0], hessian[0] = p - target, p * (1 - p)
    elif loss == 1:
        e = np.exp(raw - raw.max(axis=0))
        p = e / e.sum(axis=0)
        gradient[:], hessian[:] = p - (target == np.arange(len(raw))[:, None]), p * (1 - p)
    elif loss == 5:
        gradient[0], hessian[0] = np.exp(f) - target, np.exp(f)
    elif loss == 6:
        hessian[0] = target * np.exp(-f)
        gradient[0] = 1 - hessian[0]
    else:
        simple = {
            2: lambda: f - target,
            3: lambda: np.sign(f - target),
            4: lambda: (f >= target) - parameter,
            7: lambda: np.clip(f - target, -parameter, parameter),
        }
        gradient[0] = simple[loss]()
    if weight is not None:
        gradient *= weight
        hessian *= weight


def add_leaf_values(
    raw: Floats,
    order: NDArray[np.uint32],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    value: Floats,
    n_jobs: int,
) -> None:
    """raw[row] += value of the leaf that holds it; the rows of leaf k are order[first[k]:last[k]]."""
    for a, b, v in zip(first, last, value, strict=True):
        raw[order[a:b]] += v


def boost_leaves(forest: Any, bins: Bytes, out: Ints, n_jobs: int) -> None:
    """The node where each row ends in each tree, (n_rows, n_trees), as a place in the list of all nodes."""
    for t, root in enumerate(forest.root):
        out[:, t] = _ends(forest, bins, np.full(len(bins), root))


def _ends(forest: Any, bins: Bytes, start: NDArray[Any]) -> NDArray[Any]:
    """The node where each row ends that goes on from `start`."""
    rows, at = np.arange(len(bins)), start.copy()
    moving = forest.column[at] >= 0
    while moving.any():
        here = at[moving]
        cells = bins[rows[moving], forest.column[here]].astype(np.int64)
        ends = (cells == forest.missing_bin[forest.column[here]]) & (forest.missing_left[here] > 1)
        child = np.where(goes_left(forest, here, cells), forest.left[here], forest.right[here])
        at[moving] = np.where(ends, here, child)
        moving[moving] = ~ends & (forest.column[at[moving]] >= 0)
    return at


def goes_left(forest: Any, node: NDArray[Any], bins: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether a cell of each bin goes to the left child of each node."""
    left: NDArray[np.bool_] = bins <= forest.cut[node]
    nominal = forest.set[node] >= 0
    if nominal.any():
        words = forest.left_bins[forest.set[node[nominal]], bins[nominal] >> 6]
        left[nominal] = (words >> (bins[nominal] & 63).astype(np.uint64)) & np.uint64(1)
    missing = bins == forest.missing_bin[forest.column[node]]
    return np.where(missing, forest.missing_left[node] != 0, left)


def boost_values(forest: Any, bins: Bytes, raw: Floats, n_jobs: int) -> None:
    """raw (n_rows, n_outputs) += the value of the leaf of each tree; tree t adds to output t % n_outputs."""
    leaves = np.empty((len(bins), len(forest.root)), dtype=np.int32)
    boost_leaves(forest, bins, leaves, n_jobs)
    for t in range(leaves.shape[1]):
        raw[:, t % raw.shape[1]] += forest.value[leaves[:, t]]


def boost_descend(forest: Any, bins: Bytes, node: Ints, n_jobs: int) -> None:
    """node[row] becomes the node of the forest that the row ends in, going on from it."""
    node[:] = _ends(forest, bins, node)
