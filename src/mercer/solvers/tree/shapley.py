"""Shapley values of a tree's answer, exact, by the weights that its training rows left at the nodes.

Problem: players are the columns that the tree tests. With the cells of the columns S known, a row is sent down both
branches of a test of any other column, in shares of their weight: v(S) = sum over leaves l of answer_l times
product over S of o_lj times product over the others of z_lj. Here o_lj is the share of the row that takes, at the tests
of column j on the way to l, the branch towards l, and z_lj the share of the weight that does. (The expectation of
Lundberg et al. 2020, algorithm 1, "path dependent".)
Givens: the way to each leaf, z, and o of a row.
Result: phi_j = sum over leaves of answer_l (o_lj - z_lj) integral from 0 to 1 of product over i != j of
((1 - t) z_li + t o_li) dt, because k! (d - 1 - k)! / d! is the integral of t^k (1 - t)^(d - 1 - k). The integrand is a
polynomial of degree d - 1 in t, d the number of columns on the way: Gauss's rule with d / 2 points is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer.arrays import Bools, Floats, Ints, Longs
from mercer.solvers.tree.tree import LEAF, MULTIWAY, THRESHOLD, Columns, Tree

_LEAST_FRACTION = 1.0 / 1024  # of a row: it goes no further down (as in native code)
_UNKNOWN, _STAY = -1, -2


@dataclass(frozen=True)
class Ways:
    """The ways to the nodes of a tree.

    Attributes
    ----------
    parent : ndarray of shape (n_nodes,)
        Before its children in the arrays; -1 for the root, which is the first.
    player : ndarray of shape (n_nodes,)
        Who owns the test of each node; any number at a leaf.
    share : ndarray of shape (n_nodes,)
        Share of the weight of its parent that each node has; 1 for the root.
    n_players : int
        How many players there are.
    """

    parent: Ints
    player: Ints
    share: Floats
    n_players: int

    def products(self, share: Floats) -> Floats:
        """Product, over the tests of each player on the way to each node, of the shares: (..., n_nodes, n_players)."""
        found = np.ones((*share.shape, self.n_players))
        for nodes in self._by_depth:
            above = self.parent[nodes]
            found[..., nodes, :] = found[..., above, :]
            found[..., nodes, self.player[above]] *= share[..., nodes]
        return found

    @cached_property
    def _by_depth(self) -> list[Ints]:
        """The nodes below the root, in groups of one depth."""
        depth = np.zeros(len(self.parent), np.int32)
        for i, above in enumerate(self.parent.tolist()[1:], start=1):
            depth[i] = depth[above] + 1
        order = np.argsort(depth, kind="stable").astype(np.int32)
        return np.split(order, np.cumsum(np.bincount(depth)))[1:-1]


def leaf_shapley(row: Floats, everyone: Floats, answer: Floats) -> Floats:
    """Shapley values (n_players,) of sum over ends l of answer_l prod_j o_lj, against prod_j z_lj.

    Parameters
    ----------
    row : ndarray of shape (..., n_ends, n_players)
        o_lj, of one row or of many.
    everyone : ndarray of the same shape
        z_lj.
    answer : ndarray of shape (n_ends,)
        What is answered at each end.

    Returns
    -------
    values : ndarray of shape (..., n_players)
        Their sum is sum_l answer_l (prod_j o_lj - prod_j z_lj).
    """
    differ = row != everyone
    d = max(int(differ.sum(axis=-1).max(initial=1)), 1)
    alike = np.where(differ, 1.0, everyone).prod(axis=-1)  # players who change nothing on the way to this end
    points, weights = np.polynomial.legendre.leggauss((d + 1) // 2)
    sums = np.zeros(row.shape)
    for t, w in zip((points + 1) / 2, weights / 2, strict=True):
        factor = np.where(differ, (1 - t) * everyone + t * row, 1.0)
        sums += w * factor.prod(axis=-1, keepdims=True) / factor
    values: Floats = np.einsum("...l,...lj->...j", answer * alike, sums * (row - everyone))
    return values


def tree_shapley(tree: Tree, columns: Columns, owners: Ints, n_players: int, output: Longs) -> tuple[Floats, Floats]:
    """Base value and Shapley values of one answer of each row.

    Parameters
    ----------
    tree : Tree
        Grown.
    columns : Columns
        Cells of the rows.
    owners : ndarray of shape (n_tested,)
        The player who owns each column that the tree may test.
    n_players : int
        How many players there are.
    output : ndarray of shape (n_rows,)
        Which answer is explained in each row.

    Returns
    -------
    base : ndarray of shape (n_rows,)
        The answer when nothing is known of the row: mean over the training rows.
    values : ndarray of shape (n_rows, n_players)
        What each player adds.
    """
    ways, n = _with_stays(tree, owners, n_players), len(tree)
    leaves = np.flatnonzero(tree.kind == LEAF)
    everyone = ways.products(ways.share)
    values = np.empty((len(columns), n_players))
    for i in range(len(columns)):
        share = _row_shares(tree, columns, i, ways.share[:n])
        ends = np.concatenate([leaves, n + np.flatnonzero(share[n:])])
        row = ways.products(share)[ends]
        values[i] = leaf_shapley(row, everyone[ends], tree.answer[ends % n, output[i]])
    base = everyone[leaves].prod(axis=1) @ tree.answer[leaves]
    return base[output], values


def _with_stays(tree: Tree, owners: Ints, n_players: int) -> Ways:
    """The ways of a tree, every node followed by a second one below it: a row that stays at a node ends there."""
    n = len(tree)
    parent = tree.parents()
    total = np.zeros(n)
    np.add.at(total, parent[1:], tree.weight[1:])
    share = np.ones(n)
    share[1:] = tree.weight[1:] / total[parent[1:]]
    player = np.where(tree.kind == LEAF, 0, owners[np.maximum(tree.column, 0)])
    return Ways(
        np.concatenate([parent, np.arange(n, dtype=np.int32)]),
        np.concatenate([player, np.zeros(n, np.int32)]).astype(np.int32),
        np.concatenate([share, np.zeros(n)]),
        n_players,
    )


def _row_shares(tree: Tree, columns: Columns, i: int, everyone: Floats) -> Floats:
    """The share of row i that goes from the parent of each node to it; then the share that stays at each node."""
    branch, parent = _branches(tree, columns, i), tree.parents()
    above = parent[1:]
    share = np.ones(len(tree))
    share[1:] = np.arange(1, len(tree)) - tree.first[above] == branch[above]
    stays = (branch == _STAY).astype(np.float64)
    split = branch[above] == _UNKNOWN
    if split.any():
        share[1:][split] = everyone[1:][split]
        part = _parts(parent, share)
        cut = (tree.branches > 0) & (part < _LEAST_FRACTION) & (part > 0)
        stays[cut] = 1.0
        share[1:][cut[above]] = 0.0
    return np.concatenate([share, stays])


def _parts(parent: Ints, share: Floats) -> Floats:
    """The part of the row that reaches each node."""
    part = np.ones(len(parent))
    for i, above in enumerate(parent.tolist()[1:], start=1):
        part[i] = part[above] * share[i]
    return part


def _branches(tree: Tree, columns: Columns, i: int) -> Ints:
    """The branch that row i would take at every node: _UNKNOWN in fractions, _STAY where its level has none."""
    p = columns.numbers.shape[1]
    code = columns.codes[i]
    ordinal = np.where((code < 0) | (code >= columns.levels), np.nan, code)
    cells = np.concatenate([columns.numbers[i].astype(np.float64), ordinal])
    inner, column = tree.kind != LEAF, np.maximum(tree.column, 0)
    cut, levels = tree.kind == THRESHOLD, inner & (tree.kind != THRESHOLD)
    x = cells[column] if len(cells) else np.full(len(tree), np.nan)
    branch = np.where(cut, x > tree.threshold, _UNKNOWN).astype(np.int32)
    gone = cut & np.isnan(x)
    if levels.any():
        level = np.full(len(tree), -1, dtype=np.int64)
        level[levels] = code[column[levels] - p]
        owner = np.repeat(np.arange(len(tree)), np.diff(tree.level_start))
        hit = tree.level == level[owner]
        branch[owner[hit]] = tree.branch[hit]
        unseen = levels & (level >= 0) & (branch == _UNKNOWN)
        branch[unseen & (tree.kind == MULTIWAY)] = _STAY
        gone |= levels & (level < 0)
        if tree.missing == "surrogate":
            gone |= unseen & (tree.kind != MULTIWAY)
    return _without_cells(tree, columns, i, branch, gone, cells)


def _without_cells(tree: Tree, columns: Columns, i: int, branch: Ints, gone: Bools, cells: Floats) -> Ints:
    if not gone.any():
        return branch
    if tree.missing == "learned":
        branch[gone] = tree.missing_branches()[gone]
    elif tree.missing == "surrogate":
        for node in np.flatnonzero(gone):
            branch[node] = _stand_in(tree, columns, i, int(node), cells)
    else:
        branch[gone] = _UNKNOWN
    return branch


def _stand_in(tree: Tree, columns: Columns, i: int, node: int, cells: Floats) -> int:
    """The branch of the first surrogate test that the row can answer, else the heaviest."""
    p = columns.numbers.shape[1]
    for s in range(tree.surrogate_start[node], tree.surrogate_start[node + 1]):
        column = int(tree.surrogate_column[s])
        if column >= p and columns.nominal[column - p]:
            part = slice(tree.surrogate_level_start[s], tree.surrogate_level_start[s + 1])
            found = np.flatnonzero(tree.surrogate_level[part] == columns.codes[i, column - p])
            if len(found):
                return int(tree.surrogate_side[part][found[0]])
        elif not np.isnan(cells[column]):
            return int((cells[column] <= tree.surrogate_threshold[s]) == bool(tree.surrogate_flip[s]))
    first = tree.first[node]
    return int(np.argmax(tree.weight[first : first + tree.branches[node]]))
