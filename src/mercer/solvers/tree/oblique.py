"""Hunt's algorithm with oblique tests: besides one column at a time, sums of several numeric columns are cut.

Problem  a tree of tests a.x <= t or of single columns that lowers impurity most, one greedy step at a time.
Given    columns, classes or numbers to predict, weights, rules (no surrogates).
Result   a `Tree` over the columns and, after the numbers, one more number per row of `combinations` (D, p): row d is
         the vector a of a test that was chosen; a missing cell of a column in it makes the sum missing.
Each node tries, on columns scaled there, least squares of each class against the rest (Fisher's direction) and, from
there, logistic regression; of a numeric target, least squares. Then the two, and the three, columns with the largest
coefficients alone. A test of k columns pays (k - 1) / 2 log2(n) bits for its k - 1 further coefficients (minimum
description length).
Stop     as in `mercer.solvers.tree.grow`, whose `grow` finds each test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.solvers.tree.grow import Rules, grow
from mercer.solvers.tree.tree import LEAF, THRESHOLD, BadTree, Columns, Tree


def extended(columns: Columns, combinations: Floats) -> Columns:
    """The columns with a.x for each combination a after the numbers."""
    if not len(combinations):
        return columns
    sums = [columns.numbers[:, a != 0] @ a[a != 0] for a in combinations]
    return replace(columns, numbers=np.column_stack([columns.numbers, *sums]))


@dataclass
class _Node:
    rows: NDArray[np.int64]
    weight: Floats
    depth: int
    stump: Tree | None = None
    combination: int = -1


def grow_oblique(
    columns: Columns,
    target: NDArray[Any],
    rules: Rules,
    *,
    n_classes: int | Sequence[int],
    weight: Floats | None,
    n_jobs: int,
) -> tuple[Tree, Floats]:
    """A tree and the combinations its tests use."""
    if rules.missing == "surrogate":
        raise BadTree("oblique tests have no surrogates. Use missing='learned' or 'fraction', or oblique=False.")
    if rules.max_leaves or rules.monotone:
        raise BadTree("oblique tests go with no max_leaf_nodes and no monotonic_cst. Use oblique=False.")
    given = np.ones(len(target)) if weight is None else weight
    used = np.flatnonzero(given > 0)
    nodes, found = [_Node(used, given[used], 0)], list[Floats]()
    total = given.sum()
    for node in nodes:
        part = replace(columns, numbers=columns.numbers[node.rows], codes=columns.codes[node.rows])
        last = rules.max_depth is not None and node.depth >= rules.max_depth
        least = rules.min_gain * total / node.weight.sum()
        least_rows = np.inf if last else rules.min_rows_split
        step = replace(rules, max_depth=1, min_gain=least, min_rows_split=least_rows, seed=rules.seed + len(found))
        given_here: dict[str, Any] = {"n_classes": n_classes, "weight": node.weight, "n_jobs": n_jobs}
        node.stump = grow(part, target[node.rows], step, **given_here)
        better = None if last else _oblique_stump(part, target[node.rows], step, node.stump, given_here)
        asked = part
        if better is not None:
            node.stump, node.combination = better[0], len(found)
            found.append(better[1])
            asked = Columns.of(extended(part, better[1][None]).numbers[:, -1:])
        nodes.extend(_children(node, asked, given / 1024))  # less of a row than that is let go, as in `grow`
    return _assembled(nodes, columns, len(found)), np.array(found).reshape(-1, columns.numbers.shape[1])


def _oblique_stump(
    part: Columns, target: NDArray[Any], step: Rules, plain: Tree, how: dict[str, Any]
) -> tuple[Tree, Floats] | None:
    """The best cut of a combination and the combination, if it gains more than its price beyond the plain stump."""
    n = float(how["weight"].sum())
    bit = 1.0 if step.criterion in ("entropy", "gain_ratio") else 2 * np.log(2) * plain.impurity[0]
    best, top = None, _gain(plain)
    if plain.impurity[0] <= 1e-12:
        return None
    for a in _directions_of_all(part.numbers, target, how["weight"], how["n_classes"]):
        stump = grow(Columns.of(extended(part, a[None]).numbers[:, -1:]), target, step, **how)
        price = ((a != 0).sum() - 1) / 2 * np.log2(max(n, 2)) * bit / n
        if len(stump) > 1 and _gain(stump) - price > top:
            best, top = (stump, a), _gain(stump) - price
    return best


def _gain(stump: Tree) -> float:
    spread = stump.weight * stump.impurity
    return float((spread[0] - spread[1:].sum()) / stump.weight[0]) if len(stump) > 1 else 0.0


def _directions_of_all(
    numbers: Floats, target: NDArray[Any], weight: Floats, n_classes: int | Sequence[int]
) -> Iterator[Floats]:
    """The directions of each output."""
    wide = target.reshape(len(target), -1)
    for column, size in zip(wide.T, np.broadcast_to(n_classes, wide.shape[1:]).tolist(), strict=True):
        yield from _directions(numbers, column, weight, size)


def _directions(numbers: Floats, target: NDArray[Any], weight: Floats, n_classes: int) -> Iterator[Floats]:
    """Directions in the units of the columns, the largest coefficient 1."""
    whole = ~np.isnan(numbers).any(axis=1)
    x, w = numbers[whole], weight[whole]
    if len(x) < 4 or x.shape[1] < 2:
        return
    mean = np.average(x, axis=0, weights=w)
    scale = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=w))
    varies = scale > 1e-12 * (np.abs(mean) + scale)
    z = (x - mean) / np.where(varies, scale, 1.0) * varies
    y = target[whole].astype(np.float64)
    classes = [1] if n_classes == 2 else np.unique(target[whole]).tolist()
    for side in [y] if n_classes == 0 else [(y == c).astype(np.float64) for c in classes]:
        chosen = np.flatnonzero(varies)
        full = _fisher(z, side, w, chosen)
        for size in sorted({2, 3, len(chosen)} & set(range(2, len(chosen) + 1))):
            keep = np.sort(np.argsort(-np.abs(full), kind="stable")[:size])
            slopes = [_fisher(z, side, w, keep), *([_logistic(z, side, w, keep)] if n_classes else [])]
            for a in (slope / np.where(varies, scale, 1.0) for slope in slopes):
                if (a != 0).sum() > 1 and np.isfinite(a).all():
                    yield a / a[np.argmax(np.abs(a))]


def _fisher(z: Floats, side: Floats, weight: Floats, keep: NDArray[np.int64]) -> Floats:
    """Least squares of side on the kept columns, which for two classes points as Fisher's discriminant does."""
    part = z[:, keep] * weight[:, None]
    ridge = 1e-3 * weight.sum() * np.eye(len(keep))
    a = np.zeros(z.shape[1])
    a[keep] = np.linalg.solve(part.T @ z[:, keep] + ridge, part.T @ (side - np.average(side, weights=weight)))
    return a


def _logistic(z: Floats, side: Floats, weight: Floats, keep: NDArray[np.int64]) -> Floats:
    """Slopes of a logistic regression with a slight ridge: Newton's steps, of which 25 bring the direction close."""
    x = np.column_stack([np.ones(len(z)), z[:, keep]])
    b = np.zeros(x.shape[1])
    for _ in range(25):
        p = 1 / (1 + np.exp(-np.clip(x @ b, -30, 30)))
        curve = np.maximum(p * (1 - p), 1e-6) * weight
        step = np.linalg.solve(
            (x * curve[:, None]).T @ x + 1e-2 * np.eye(len(b)), x.T @ (weight * (side - p)) - 1e-2 * b
        )
        b = b + step * min(1.0, 4.0 / max(np.abs(step).max(), 1e-12))  # a bounded step: separable rows have no end
    a = np.zeros(z.shape[1])
    a[keep] = b[1:]
    return a


def _children(node: _Node, asked: Columns, least: Floats) -> list[_Node]:
    """The rows of each branch; those whose cell is missing go where that was learned, or down all in shares."""
    stump = node.stump
    if stump is None or len(stump) == 1:
        return []
    p, column = asked.numbers.shape[1], int(stump.column[0])
    x = asked.numbers[:, column] if column < p else asked.codes[:, column - p].astype(np.float64)
    known = ~np.isnan(x) & ((column < p) | ((x >= 0) & (x < (asked.levels[column - p] if column >= p else 0))))
    if stump.kind[0] == THRESHOLD:
        goes = (x > stump.threshold[0]).astype(np.int64)
    else:
        goes = stump.branch[np.searchsorted(stump.level, np.where(known, x, stump.level[0]))].astype(np.int64)
    if stump.missing == "learned":
        goes, known = np.where(known, goes, stump.missing_branches()[0]), np.ones(len(known), bool)
    share = stump.weight[1:] / stump.weight[1:].sum()
    found = []
    for b in range(int(stump.branches[0])):
        here = ~known | (goes == b)
        weight = np.where(known, node.weight, node.weight * share[b])[here]
        kept = weight >= least[node.rows[here]]
        found.append(_Node(node.rows[here][kept], weight[kept], node.depth + 1))
    return found


def _assembled(nodes: list[_Node], columns: Columns, n_found: int) -> Tree:
    """One tree of all stumps; columns of codes move behind the combinations."""
    p = columns.numbers.shape[1]
    stumps = [node.stump for node in nodes if node.stump is not None]
    inner = np.array([len(s) > 1 for s in stumps])
    branches = np.array([s.branches[0] for s in stumps], np.int32)
    first = 1 + np.concatenate([[0], np.cumsum(branches)[:-1]])
    column = np.array([int(s.column[0]) for s in stumps])
    column = np.where(column >= p, column + n_found, column)
    made = np.array([node.combination for node in nodes])
    column = np.where(made >= 0, p + made, column)
    sizes = [0, *(int(s.level_start[1]) for s in stumps)]
    nothing = np.zeros(0, np.int32)
    return Tree(
        column=np.where(inner, column, -1).astype(np.int32),
        kind=np.array([s.kind[0] if len(s) > 1 else LEAF for s in stumps], np.uint8),
        threshold=np.array([s.threshold[0] for s in stumps]),
        first=np.where(inner, first, -1).astype(np.int32),
        branches=branches,
        missing_branch=np.array([s.missing_branch[0] for s in stumps], np.int32),
        level_start=np.cumsum(sizes).astype(np.int64),
        level=np.concatenate([nothing, *(s.level for s in stumps)]),
        branch=np.concatenate([nothing, *(s.branch for s in stumps)]),
        classes=stumps[0].classes,
        answer=np.array([s.answer[0] for s in stumps]),
        rows=np.array([s.rows[0] for s in stumps]),
        weight=np.array([s.weight[0] for s in stumps]),
        impurity=np.array([s.impurity[0] for s in stumps]),
        surrogate_start=np.zeros(len(stumps) + 1, np.int64),
        surrogate_column=nothing,
        surrogate_flip=nothing.astype(np.uint8),
        surrogate_threshold=np.zeros(0),
        surrogate_level_start=np.zeros(1, np.int64),
        surrogate_level=nothing,
        surrogate_side=nothing,
        missing=stumps[0].missing,
        n_features=p + n_found + columns.codes.shape[1],
    )
