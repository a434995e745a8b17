"""Shapley values of a sum of trees, exact: those of its trees added up, by the rows that training left at their nodes.

The values of one tree are those of `solvers.tree.shapley`; a row takes one way only, and ends at an inner node where it
has a missing cell and training met none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer._core.trees import way_shapley
from mercer.arrays import Floats, Ints
from mercer.solvers.boost.binning import Bytes
from mercer.solvers.boost.forest import Forest

_NONE = 2  # missing_left where training met no missing cell
_CELLS = 2_000_000  # of (rows, nodes) that are held at once


def forest_shapley(forest: Forest, bins: Bytes, owners: Ints, n_players: int) -> tuple[Floats, Floats]:
    """Base of each output, and what each player adds to each output of each row.

    Parameters
    ----------
    forest : Forest
        Grown.
    bins : ndarray of shape (n_rows, n_columns)
        Of the rows.
    owners : ndarray of shape (n_columns,)
        The player who owns each column.
    n_players : int
        How many players there are.

    Returns
    -------
    base : ndarray of shape (n_outputs,)
        The sum of the trees when nothing is known of the row.
    values : ndarray of shape (n_rows, n_outputs, n_players)
        With the base, they add up to the sum of the trees.
    """
    base = forest.start.copy()
    values = np.zeros((len(bins), forest.n_outputs, n_players))
    ends = [*forest.root[1:].tolist(), len(forest.column)]
    for t, (first, end) in enumerate(zip(forest.root.tolist(), ends, strict=True)):
        tree = _TreeWays(forest, first, end, owners)
        k = t % forest.n_outputs
        step = max(1, _CELLS // len(tree.parent))
        found = [tree.explain(bins[a : a + step], n_players) for a in range(0, max(len(bins), 1), step)]
        base[k] += found[0][0]
        values[:, k] += np.concatenate([added for _, added in found])
    return base, values


class _TreeWays:
    """One tree: the ways to its leaves, and to a further node below each where rows may stay."""

    def __init__(self, forest: Forest, first: int, end: int, owners: Ints) -> None:
        part = slice(first, end)
        self.forest, n = forest, end - first
        self.column = forest.column[part]
        self.inner = np.flatnonzero(self.column >= 0)
        self.left, self.right = (side[part][self.inner] - first for side in (forest.left, forest.right))
        self.cut, self.missing_left = forest.cut[part][self.inner], forest.missing_left[part][self.inner]
        self.set = forest.set[part][self.inner]
        stays, leaves = self.inner[self.missing_left == _NONE], np.flatnonzero(self.column < 0)
        self.parent, self.share = self._ways(forest.rows[part].astype(np.float64), stays)
        self.player = np.zeros(len(self.parent), np.int32)
        self.player[self.inner] = owners[self.column[self.inner]]
        self.ends = np.append(leaves, n + np.arange(len(stays))).astype(np.int32)
        self.answer = forest.value[part][np.append(leaves, stays)].reshape(-1, 1)

    def _ways(self, rows: Floats, stays: NDArray[np.intp]) -> tuple[Ints, Floats]:
        """The parent of each node, and the share of its parent's rows that it has."""
        parent, share = np.full(len(rows), -1, np.int32), np.ones(len(rows))
        total = np.maximum(rows[self.left] + rows[self.right], 1.0)
        for side in (self.left, self.right):
            parent[side], share[side] = self.inner, rows[side] / total
        return np.append(parent, stays).astype(np.int32), np.append(share, np.zeros(len(stays)))

    def explain(self, bins: Bytes, n_players: int) -> tuple[float, Floats]:
        """The answer when nothing is known, and what each player adds to that of each row, (n_rows, n_players)."""
        output = np.zeros(len(bins), np.int32)
        given = self.parent, self.player, self.share, self._row_shares(bins), self.ends, self.answer, output
        base, values = way_shapley(*given, n_players)
        return float(base[0]), values

    def _row_shares(self, bins: Bytes) -> Floats:
        """The share, 0 or 1, of each row that goes from the parent of each node to it."""
        share = np.ones((len(bins), len(self.parent)))
        cells = bins[:, self.column[self.inner]]
        left = cells <= self.cut
        for k in np.flatnonzero(self.set >= 0):
            words = self.forest.left_bins[self.set[k]]
            bits = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)
            left[:, k] = bits[cells[:, k]]
        gone = cells == self.forest.missing_bin[self.column[self.inner]]
        left = np.where(gone, self.missing_left == 1, left)
        stays = gone & (self.missing_left == _NONE)
        share[:, self.left], share[:, self.right] = left & ~stays, ~left & ~stays
        share[:, len(self.column) :] = stays[:, self.missing_left == _NONE]
        return share
