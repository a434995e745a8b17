"""NumPy twin of Shapley values of a tree's answer by the ways to its ends; `solvers.tree.shapley` has the formula."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats, Ints


def way_shapley(
    parent: Ints,
    player: Ints,
    share: Floats,
    row: Floats,
    ends: Ints,
    answer: Floats,
    output: Ints,
    n_players: int,
) -> tuple[Floats, Floats]:
    """Base of each answer, and what each player adds to the answer of each row.

    `parent` (n_nodes,), before its children, -1 for the root; `player` (n_nodes,), the owner of each node's test;
    `share` (n_nodes,) and `row` (n_rows, n_nodes), the share of the weight and of each row that goes from a node's
    parent to it; `ends` (n_ends,), nodes, with `answer` (n_ends, n_answers), of which `output` (n_rows,) is explained.
    """
    _check(parent, player, row, ends, answer, output, n_players)
    usual = _products(parent, player, share[None], n_players)[0, ends]
    base = usual.prod(axis=1) @ answer
    values = np.zeros((len(row), n_players))
    for i, cells in enumerate(row):
        own = _products(parent, player, cells[None], n_players)[0, ends]
        values[i] = _leaf_shapley(own, usual, answer[:, output[i]])
    return base, values


def _check(parent: Ints, player: Ints, row: Floats, ends: Ints, answer: Floats, output: Ints, n_players: int) -> None:
    n = len(parent)
    if n == 0 or parent[0] != -1 or (parent[1:] < 0).any() or (parent[1:] >= np.arange(1, n)).any():
        raise ValueError("parents must come before their children, the root first")
    if len(player) != n or row.shape[1] != n or len(ends) != len(answer) or len(output) != len(row):
        raise ValueError("ways, rows and ends differ in length")
    owners, answers = player[parent[1:]], answer.shape[1]
    if ((owners < 0) | (owners >= n_players)).any() or ((output < 0) | (output >= answers)).any():
        raise ValueError("player or output out of range")
    if ((ends < 0) | (ends >= n)).any():
        raise ValueError("end out of range")


def _products(parent: Ints, player: Ints, share: Floats, n_players: int) -> Floats:
    """Product, over the tests of each player on the way to each node, of the shares: (n_rows, n_nodes, n_players)."""
    found = np.ones((*share.shape, n_players))
    for i in range(1, len(parent)):
        found[:, i] = found[:, parent[i]]
        found[:, i, player[parent[i]]] *= share[:, i]
    return found


def _leaf_shapley(row: Floats, usual: Floats, answer: Floats) -> Floats:
    """Shapley values (n_players,) of sum over ends l of answer_l prod_j o_lj, against prod_j z_lj."""
    differ = row != usual
    d = max(int(differ.sum(axis=1).max(initial=1)), 1)
    alike = np.where(differ, 1.0, usual).prod(axis=1)  # players who change nothing on the way to this end
    points, weights = np.polynomial.legendre.leggauss((d + 1) // 2)
    sums = np.zeros(row.shape)
    for t, w in zip((points + 1) / 2, weights / 2, strict=True):
        factor = np.where(differ, (1 - t) * usual + t * row, 1.0)
        sums += w * factor.prod(axis=1, keepdims=True) / factor
    values: Floats = (answer * alike) @ (sums * (row - usual))
    return values
