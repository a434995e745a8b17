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

import numpy as np

from mercer._core.trees import way_shapley
from mercer.arrays import Bools, Floats, Ints, Longs
from mercer.solvers.tree.tree import MULTIWAY, THRESHOLD, Columns, Tree

_LEAST_FRACTION = 1.0 / 1024  # of a row: it goes no further down (as in native code)
_UNKNOWN, _STAY = -1, -2


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
    ways = tree.ways
    parent, share, ends, answer = ways.parent, ways.share, ways.ends, ways.answer
    found = [_row_shares(tree, columns, i) for i in range(len(columns))]
    row = np.array([taken for taken, _ in found]).reshape(len(columns), len(tree))
    player = np.zeros(len(tree), np.int32)  # of a leaf, none is asked for
    player[ways.inner] = owners[ways.column]
    held = [np.flatnonzero(stays) for _, stays in found]
    stopped = np.unique(np.concatenate([np.empty(0, np.int64), *held])).astype(np.int32)  # no rows, no node
    if len(stopped):  # a row that stays ends in a node of its own
        parent, player = np.append(parent, stopped), np.append(player, np.zeros(len(stopped), np.int32))
        stays = np.array([stays[stopped] for _, stays in found])
        share, row = np.append(share, np.zeros(len(stopped))), np.hstack([row, stays])
        ends = np.append(ends, len(tree) + np.arange(len(stopped), dtype=np.int32))
        answer = np.vstack([answer, tree.answer[stopped]])
    base, values = way_shapley(parent, player, share, row, ends, answer, output.astype(np.int32), n_players)
    return base[output], values


def _row_shares(tree: Tree, columns: Columns, i: int) -> tuple[Floats, Bools]:
    """The share of row i that goes from the parent of each node to it, and at which nodes what comes stays."""
    ways, branch = tree.ways, _branches(tree, columns, i)
    taken = branch[ways.above]
    share, stays = np.ones(len(tree)), np.zeros(len(tree), dtype=bool)
    share[1:] = ways.turn == taken
    if branch.min(initial=0) >= 0:  # the usual row: it takes one branch everywhere
        return share, stays
    stays[ways.inner] = branch == _STAY
    split = taken == _UNKNOWN
    if split.any():
        share[1:][split] = ways.share[1:][split]
        part = _parts(ways.parent, share)
        cut = (tree.branches > 0) & (part < _LEAST_FRACTION) & (part > 0)
        stays |= cut
        share[1:][cut[ways.parent[1:]]] = 0.0
    return share, stays


def _parts(parent: Ints, share: Floats) -> Floats:
    """The part of the row that reaches each node."""
    part = np.ones(len(parent))
    for i, above in enumerate(parent.tolist()[1:], start=1):
        part[i] = part[above] * share[i]
    return part


def _branches(tree: Tree, columns: Columns, i: int) -> Ints:
    """The branch that row i would take at every inner node: _UNKNOWN in fractions, _STAY where its level has none."""
    p, ways = columns.numbers.shape[1], tree.ways
    code = columns.codes[i]
    ordinal = np.where((code < 0) | (code >= columns.levels), np.nan, code)
    cells = np.concatenate([columns.numbers[i].astype(np.float64), ordinal])
    x = cells[ways.column]
    branch, gone = (x > ways.threshold).astype(np.int32), np.isnan(x)
    levels = ways.kind != THRESHOLD
    if levels.any():
        level = np.full(len(branch), -1, dtype=np.int64)
        level[levels] = code[ways.column[levels] - p]
        branch[levels] = _UNKNOWN
        owner = np.repeat(np.arange(len(branch)), np.diff(tree.level_start)[ways.inner])
        hit = tree.level == level[owner]
        branch[owner[hit]] = tree.branch[hit]
        unseen = levels & (level >= 0) & (branch == _UNKNOWN)
        branch[unseen & (ways.kind == MULTIWAY)] = _STAY
        gone = np.where(levels, level < 0, gone)
        if tree.missing == "surrogate":
            gone |= unseen & (ways.kind != MULTIWAY)
    return _without_cells(tree, columns, i, branch, gone, cells)


def _without_cells(tree: Tree, columns: Columns, i: int, branch: Ints, gone: Bools, cells: Floats) -> Ints:
    if not gone.any():
        return branch
    if tree.missing == "learned":
        branch[gone] = tree.missing_branches()[tree.ways.inner[gone]]
    elif tree.missing == "surrogate":
        for k in np.flatnonzero(gone):
            branch[k] = _stand_in(tree, columns, i, int(tree.ways.inner[k]), cells)
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
