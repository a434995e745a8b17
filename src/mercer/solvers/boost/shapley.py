"""Shapley values of a sum of trees, exact: those of its trees added up, by the rows that training left at their nodes.

The values of one tree are those of `solvers.tree.shapley`; a row takes one way only, and ends at an inner node where it
has a missing cell and training met none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints
from mercer.solvers.boost.binning import Bytes
from mercer.solvers.boost.forest import Forest
from mercer.solvers.tree.shapley import Ways, leaf_shapley

_NONE = 2  # missing_left where training met no missing cell
_CELLS = 2_000_000  # of (rows, ends, players) that are held at once


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
        base[k] += tree.base
        if not len(tree.players):
            continue
        step = max(1, _CELLS // (len(tree.ends) * len(tree.players)))
        for a in range(0, len(bins), step):
            values[a : a + step, k, tree.players] += tree.values(bins[a : a + step])
    return base, values


class _TreeWays:
    """One tree: its ways, and the players among whom its answer is shared."""

    def __init__(self, forest: Forest, first: int, end: int, owners: Ints) -> None:
        part = slice(first, end)
        self.forest, n = forest, end - first
        self.column = forest.column[part]
        self.inner = np.flatnonzero(self.column >= 0)
        left, right = (side[part][self.inner] - first for side in (forest.left, forest.right))
        self.left, self.right = left, right
        self.cut, self.missing_left = forest.cut[part][self.inner], forest.missing_left[part][self.inner]
        self.set = forest.set[part][self.inner]
        self.players, player = np.unique(owners[self.column[self.inner]], return_inverse=True)
        self.stays = self.inner[self.missing_left == _NONE]
        self.ways = self._ways(forest.rows[part].astype(np.float64), player.reshape(-1))
        leaves = np.flatnonzero(self.column < 0)
        self.ends = np.concatenate([leaves, n + np.arange(len(self.stays))])
        self.answer = np.concatenate([forest.value[part][leaves], forest.value[part][self.stays]])
        self.everyone = self.ways.products(self.ways.share)[self.ends]
        self.base = float(self.everyone.prod(axis=1) @ self.answer)

    def _ways(self, rows: Floats, player: NDArray[np.intp]) -> Ways:
        """Every node where rows may stay is followed by a further one below it."""
        n = len(rows)
        parent, share, owner = np.full(n, -1, np.int32), np.ones(n), np.zeros(n, np.int32)
        owner[self.inner] = player
        total = rows[self.left] + rows[self.right]
        for side in (self.left, self.right):
            parent[side], share[side] = self.inner, rows[side] / np.maximum(total, 1.0)
        more = len(self.stays)
        return Ways(
            np.append(parent, self.stays).astype(np.int32),
            np.append(owner, np.zeros(more)).astype(np.int32),
            np.append(share, np.zeros(more)),
            len(self.players),
        )

    def values(self, bins: Bytes) -> Floats:
        """(n_rows, n_players of this tree)."""
        share = np.ones((len(bins), len(self.ways.parent)))
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
        row = self.ways.products(share)[:, self.ends]
        return leaf_shapley(row, np.broadcast_to(self.everyone, row.shape), self.answer)
