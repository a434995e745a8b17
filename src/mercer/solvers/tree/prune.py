"""Pruning: C4.5's pessimistic error, and minimal cost-complexity pruning (Breiman et al. 1984)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from mercer._core import trees
from mercer.arrays import Floats
from mercer.solvers.tree.tree import LEAF, BadTree, Tree

SLACK = 0.1  # C4.5: errors by which a smaller tree may be worse


def added_errors(rows: Floats, errors: Floats, confidence: float = 0.25) -> Floats:
    """Errors to expect beyond the `errors` seen in `rows` rows: upper limit of a binomial rate, less what was seen.

    N (1 - cf^(1/N)) for no error; linear between none and one; else Wilson's limit with half an error of continuity
    (Quinlan 1993, ch. 4).

    >>> added_errors(np.array([6.0, 9.0, 1.0]), np.zeros(3)).round(3)
    array([1.238, 1.285, 0.75 ])
    """
    if not 0 < confidence <= 0.5:
        raise BadTree(f"confidence={confidence} must lie in (0, 0.5]; C4.5 uses 0.25.")
    rows = np.asarray(rows, dtype=np.float64)
    errors = np.asarray(errors, dtype=np.float64)
    none = rows * (1 - confidence ** (1 / rows))
    one = _wilson(rows, np.ones_like(rows), confidence)
    few = np.where(errors > 0, none + errors * (one - none), none)
    return np.where(errors < 1, few, _wilson(rows, errors, confidence))


def _wilson(rows: Floats, errors: Floats, confidence: float) -> Floats:
    z = float(ndtri(1 - confidence))
    f = np.minimum((errors + 0.5) / rows, 1.0)
    root = np.sqrt(f / rows - f**2 / rows + z**2 / (4 * rows**2))
    upper = (f + z**2 / (2 * rows) + z * root) / (1 + z**2 / rows)
    return np.where(errors + 0.5 >= rows, np.maximum(rows - errors, 0), upper * rows - errors)


def prune_pessimistic(tree: Tree, confidence: float = 0.25) -> Tree:
    """Replace a subtree by a leaf when its pessimistic errors are at most 0.1 more (C4.5 without subtree raising)."""
    if not tree.classes.any():
        raise BadTree("Pessimistic pruning counts misclassified rows; a regression tree has none. Use prune_cost.")
    share = tree.answer.max(axis=1)
    seen = np.maximum(tree.weight * (1 - share), 0)
    cost = seen + added_errors(tree.weight, seen, confidence)
    return collapse(tree, trees.cheaper_as_leaf(tree.first, tree.branches, cost, SLACK))


@dataclass(frozen=True)
class PruningPath:
    """The trees of minimal cost-complexity: from `alphas[k]` on, `leaves[k]` leaves of impurity `impurities[k]`."""

    alphas: Floats
    impurities: Floats
    leaves: NDArray[np.int64]


def _links(tree: Tree) -> tuple[Floats, Floats, NDArray[np.int32], NDArray[np.uint8]]:
    cost = tree.impurity * tree.weight / tree.weight[0]
    alpha, gain, leaves, on_path = trees.weakest_links(tree.first, tree.branches, cost)
    return alpha, gain, leaves, on_path


def cost_path(tree: Tree) -> PruningPath:
    """Penalties alpha at which the tree of least impurity + alpha x leaves shrinks (Breiman et al. 1984, ch. 3)."""
    alpha, gain, fewer, on_path = _links(tree)
    order = np.flatnonzero(on_path)[np.argsort(alpha[on_path == 1], kind="stable")]
    start = float((tree.impurity * tree.weight)[tree.kind == LEAF].sum() / tree.weight[0])
    alphas = np.concatenate([[0.0], alpha[order]])
    impurities = start + np.concatenate([[0.0], np.cumsum(gain[order])])
    leaves = tree.n_leaves - np.concatenate([[0], np.cumsum(fewer[order])])
    last = np.append(np.diff(alphas) > 0, True)  # of several nodes with one alpha, the state after all of them
    return PruningPath(alphas[last], impurities[last], leaves[last].astype(np.int64))


def prune_cost(tree: Tree, alpha: float) -> Tree:
    """The smallest tree that minimises impurity + alpha x leaves."""
    if not alpha >= 0:
        raise BadTree(f"alpha={alpha} must be at least 0.")
    cut = _links(tree)[0] <= alpha
    return collapse(tree, cut.astype(np.uint8)) if cut.any() else tree


def collapse(tree: Tree, cut: NDArray[np.uint8]) -> Tree:
    """The tree in which every node with cut[i] is a leaf."""
    kept = np.flatnonzero(trees.still_reached(tree.first, tree.branches, cut))
    inner = (tree.kind[kept] != LEAF) & (cut[kept] == 0)
    cells = {name: getattr(tree, name)[kept] for name in ("answer", "rows", "weight", "impurity")}
    return rebuilt(tree, kept, inner, cells)


def rebuilt(tree: Tree, kept: NDArray[np.int64], inner: NDArray[np.bool_], cells: dict[str, Floats]) -> Tree:
    """A tree of other nodes, level by level: node k asks the test of `kept[k]` if inner[k], and holds cells[...][k]."""
    branches = np.where(inner, tree.branches[kept], 0)
    first = 1 + np.concatenate([[0], np.cumsum(branches)[:-1]])
    whole: dict[str, Any] = {
        "kind": np.where(inner, tree.kind[kept], LEAF).astype(np.uint8),
        "column": np.where(inner, tree.column[kept], -1).astype(np.int32),
        "threshold": np.where(inner, tree.threshold[kept], -2.0),
        "missing_branch": np.where(inner, tree.missing_branch[kept], -1).astype(np.int32),
        "classes": tree.classes,
        "branches": branches.astype(np.int32),
        "first": np.where(inner, first, -1).astype(np.int32),
        **cells,
    }
    at, starts = _slices(tree.level_start, kept[inner], kept, inner)
    whole |= {"level_start": starts, "level": tree.level[at], "branch": tree.branch[at]}
    of, starts = _slices(tree.surrogate_start, kept[inner], kept, inner)
    whole |= {"surrogate_start": starts}
    whole |= {f"surrogate_{n}": getattr(tree, f"surrogate_{n}")[of] for n in ("column", "flip", "threshold")}
    at, starts = _slices(tree.surrogate_level_start, of, of, np.ones(len(of), bool))
    whole |= {"surrogate_level_start": starts, "surrogate_level": tree.surrogate_level[at]}
    whole |= {"surrogate_side": tree.surrogate_side[at]}
    return Tree(**whole, missing=tree.missing, n_features=tree.n_features)


def _slices(
    start: NDArray[np.int64], owners: NDArray[np.int64], kept: NDArray[np.int64], inner: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions owned by `owners`, and where each of `kept` starts among them (those not `inner` own nothing)."""
    sizes = np.diff(start)
    lengths = sizes[owners]
    ends = np.cumsum(lengths)
    positions = np.arange(lengths.sum()) + np.repeat(start[owners] - (ends - lengths), lengths)
    owned = np.where(inner, sizes[kept], 0)
    return positions, np.concatenate([[0], np.cumsum(owned)]).astype(np.int64)
