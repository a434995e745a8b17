"""C4.5's pessimistic pruning with subtree raising: a node may become a leaf, or the largest of its own branches.

Problem  the tree of least estimated errors, e(leaf) = errors seen + errors added by the confidence limit.
Given    a grown tree and the rows it was grown on.
Result   a smaller tree. From the bottom up, node t becomes a leaf when e(t as a leaf) is at most 0.1 more than both
         e(t) and e(largest branch, given all rows of t); otherwise that branch takes the place of t when its errors
         are at most 0.1 more than e(t), and is then pruned again with the rows it has now.
Stop     when the root was looked at; every step removes nodes.
Quinlan (1993), C4.5: Programs for Machine Learning, ch. 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.solvers.tree.prune import SLACK, added_errors, rebuilt
from mercer.solvers.tree.tree import LEAF, THRESHOLD, Columns, Tree

WeightedRows = tuple[NDArray[np.int64], Floats]  # row numbers, and the weight of each that is here


@dataclass(frozen=True)
class Sample:
    """The rows a tree was grown on: columns, class codes, weights, and the criterion of impurity."""

    columns: Columns
    label: NDArray[np.int32]
    weight: Floats
    criterion: str

    def cells(self, column: int, row: NDArray[np.int64]) -> Floats:
        """Cells of a column as numbers, NaN where missing or never seen."""
        p = self.columns.numbers.shape[1]
        if column < p:
            return self.columns.numbers[row, column]
        codes = self.columns.codes[row, column - p]
        return np.where((codes < 0) | (codes >= self.columns.levels[column - p]), np.nan, codes)


def impurity(value: Floats, criterion: str) -> float:
    """Of class weights: entropy in bits, Gini or classification error.

    >>> impurity(np.array([1.0, 3.0]), "gini")
    0.375
    """
    share = value / value.sum()
    if criterion == "gini":
        return float(1 - (share**2).sum())
    if criterion == "error":
        return float(1 - share.max())
    share = share[share > 0]
    return float(-(share * np.log2(share)).sum())


class _Pruner:
    """A tree whose nodes can take each other's place. Node i asks the test of `test[i]` and has children `kids[i]`."""

    def __init__(self, tree: Tree, sample: Sample, confidence: float) -> None:
        self.tree, self.sample, self.confidence = tree, sample, confidence
        self.test = list(range(len(tree)))
        self.kids = [list(range(f, f + b)) for f, b in zip(tree.first.tolist(), tree.branches.tolist(), strict=True)]
        self.value = tree.class_weights()
        self.rows: dict[int, WeightedRows] = {}
        self.place(0, (np.flatnonzero(sample.weight > 0), sample.weight[sample.weight > 0]))
        self.cost = [self.errors(v) for v in self.value]

    def errors(self, value: Floats) -> float:
        """Estimated errors of a leaf with these class weights."""
        total = value.sum()
        seen = max(total - value.max(), 0.0)
        return float(seen + added_errors(np.array([total]), np.array([seen]), self.confidence)[0]) if total > 0 else 0.0

    def goes(self, node: int, row: NDArray[np.int64]) -> NDArray[np.int64]:
        """The branch of each row at a node, -1 when its cell is missing or of a level the test does not name."""
        tree, test = self.tree, self.test[node]
        x = self.sample.cells(int(tree.column[test]), row)
        known, unknown = ~np.isnan(x), int(tree.missing_branch[test])
        if tree.kind[test] == THRESHOLD:
            return np.where(known, x > tree.threshold[test], unknown)
        part = slice(tree.level_start[test], tree.level_start[test + 1])
        at = np.searchsorted(tree.level[part], np.where(known, x, 0)).clip(max=part.stop - part.start - 1)
        return np.where(known, np.where(tree.level[part][at] == x, tree.branch[part][at], -1), unknown)

    def split(self, node: int, rows: WeightedRows, share: Floats | None = None) -> Iterator[tuple[int, WeightedRows]]:
        """(child, its rows) for rows at a node; where the branch is not known, to all in shares of the known weight."""
        row, weight = rows
        goes = self.goes(node, row)
        known = np.bincount(goes[goes >= 0], weight[goes >= 0], len(self.kids[node])) if share is None else share
        share = known / max(known.sum(), 1e-300)
        for b, child in enumerate(self.kids[node]):
            here = (goes == b) | ((goes < 0) & (share[b] > 0))
            yield child, (row[here], np.where(goes < 0, weight * share[b], weight)[here])

    def place(self, top: int, rows: WeightedRows) -> None:
        """Give a node these rows, and those below it theirs."""
        pending = [(top, rows)]
        while pending:
            node, here = pending.pop()
            self.rows[node] = here
            self.value[node] = self.count(here)
            if self.kids[node]:
                pending.extend(self.split(node, here))

    def count(self, rows: WeightedRows) -> Floats:
        return np.bincount(self.sample.label[rows[0]], rows[1], self.value.shape[1]).astype(np.float64)

    def errors_with(self, top: int, others: list[int]) -> float:
        """Estimated errors of the leaves below a node, were the rows of `others` there too."""
        extra = tuple(np.concatenate([self.rows[k][part] for k in others]) for part in (0, 1))
        total, pending = 0.0, [(top, (extra[0], extra[1]))]
        while pending:
            node, more = pending.pop()
            if not len(more[0]):
                total += self.cost[node]
            elif self.kids[node]:
                share = np.array([self.value[k].sum() for k in self.kids[node]])
                pending.extend(self.split(node, more, share))
            else:
                total += self.errors(self.value[node] + self.count(more))
        return total

    def below(self, top: int) -> list[int]:
        """A node and all below it, each before its children."""
        found = [top]
        for node in found:
            found.extend(self.kids[node])
        return found

    def run(self) -> None:
        pending = self.below(0)
        while pending:
            node = pending.pop()
            if not self.kids[node]:
                self.cost[node] = self.errors(self.value[node])
                continue
            largest = max(self.kids[node], key=lambda k: self.value[k].sum())
            leaf, whole = self.errors(self.value[node]), sum(self.cost[k] for k in self.kids[node])
            others = [k for k in self.kids[node] if k != largest]
            raised = self.errors_with(largest, others) if self.kids[largest] else leaf
            self.cost[node] = whole
            if leaf <= min(whole, raised) + SLACK:
                self.kids[node], self.cost[node] = [], leaf
            elif raised <= whole + SLACK:
                self.test[node], self.kids[node] = self.test[largest], self.kids[largest]
                self.place(node, self.rows[node])
                pending.extend(self.below(node))

    def tree_left(self) -> Tree:
        kept = np.array(self.below(0))
        inner = np.array([bool(self.kids[i]) for i in kept])
        value = self.value[kept]
        cells = {
            "answer": value / value.sum(axis=1, keepdims=True),
            "weight": value.sum(axis=1),
            "rows": np.array([float(len(self.rows[i][0])) for i in kept]),
            "impurity": np.array([impurity(v, self.sample.criterion) for v in value]),
        }
        return rebuilt(self.tree, np.array(self.test)[kept], inner, cells)


def prune_with_raising(tree: Tree, sample: Sample, confidence: float = 0.25) -> Tree:
    """Replace nodes by leaves or by their largest branch while estimated errors do not grow (C4.5)."""
    if not (tree.kind != LEAF).any():
        return tree
    if tree.missing == "learned":  # a branch for missing cells also where none were: rows move
        tree = replace(tree, missing_branch=tree.missing_branches())
    pruner = _Pruner(tree, sample, confidence)
    pruner.run()
    return pruner.tree_left()
