"""Hunt's algorithm on rows that are elsewhere in parts: level by level, on sums of the bins of each column.

Problem  as in `mercer.solvers.tree.grow`, on columns whose cells are bins of at most 255 values.
Given    parts that add up sums of bins, rules with missing="learned" and two-way tests.
Result   a `Tree`. Where every bin holds one value it is the tree of all rows: sums of weights are exact, those of
         numbers are rounded to 2^-40 of the largest, and of tests that gain alike within 1e-10 the first is taken.
         Bins that hold several values are cut between, not within.
Stop     as in `grow`.

The test of a column is found by `grow_tree` on the sums of its bins as weighted rows. The rows of a small node are
gathered, and its subtree is grown on them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.reference.tree.grow import Branch, drawn, node_arrays, numbered
from mercer._core.reference.tree.impurity import Entries
from mercer._core.reference.tree.random import ColumnDraw, of_branch
from mercer.arrays import Floats, Ints, Longs
from mercer.solvers.boost.binning import Bytes
from mercer.solvers.boost.forest import Forest
from mercer.solvers.boost.growth import Question
from mercer.solvers.held import Held
from mercer.solvers.tree.binned import BinnedColumns
from mercer.solvers.tree.grow import Rules, grow
from mercer.solvers.tree.parts import CountNodes, Gathered, GatherNodes, Totals, Weighing
from mercer.solvers.tree.tree import LEAF, SUBSET, THRESHOLD, Tree

SMALL = 1 << 21  # cells of a node whose rows are gathered: 2 MB
_ASKED = 1 << 26  # bytes of the sums asked for at once
_HELD = 1 << 26  # bytes of the sums of a level's nodes that are held for their children
_NO_ROWS = Entries(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


@dataclass
class _Node(Branch):
    """A node of the twin of `grow_tree`, its place among the nodes asked for, and its rows."""

    place: int = 0
    children: tuple[int, int] = (-1, -1)  # places of its children, where these are asked for too
    n_rows: float = 0.0
    cut: int = 0
    left: Ints = field(default_factory=lambda: np.zeros(0, np.int32))  # bins of a category
    above: Longs | None = None  # sums of the bins of its parent, where they are held

    @property
    def parted(self) -> bool:
        """Whether its children are asked for too."""
        return self.children[0] >= 0


@dataclass(frozen=True)
class _Seen:
    """A column, and whether it is constant in a node."""

    number: int
    constant: bool


class LevelGrowth:
    """A tree grown level by level on the answers of parts."""

    def __init__(
        self,
        held: Held,
        how: Weighing,
        columns: BinnedColumns,
        rules: Rules,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        """`progress` is told a share from 0 to 1 after each level, and after each batch of subtrees."""
        self.held, self.how, self.columns, self.rules, self.progress = held, how, columns, rules, progress
        self.shared = held.share(how)
        self.options = rules.options()
        self.nodes: list[_Node] = []
        self.root_weight, self.told = 0.0, 0.0
        ends = np.cumsum(how.bins + 1)
        self.spans = [slice(int(e - b - 1), int(e)) for e, b in zip(ends, how.bins, strict=True)]

    def grow(self) -> Tree:
        """The tree, with categories by their levels."""
        root = self._asked(_Node(_NO_ROWS, 0, self.rules.seed, (-np.inf, np.inf), n_rows=float(self.how.n_rows)))
        level = [root]
        while level:
            small = SMALL / len(self.how.bins)
            few = [node for node in level if node.n_rows <= small]
            many = [node for node in level if node.n_rows > small]
            level, room = [], _HELD
            for node, sums in self._counted(many):
                children = self._split(node, *(found[0] for found in self.how.decoded(sums[None])))
                if len(children) and sums.nbytes <= room:
                    room -= sums.nbytes
                    children[0].above = children[1].above = sums
                level += children
            for node in (*few, *many):
                node.above = None
            below = sum(node.n_rows for node in few)
            self._tell(level, below)
            for batch in self._gathering(few, small):
                self._grow_below(batch)
                below -= sum(node.n_rows for node in batch)
                self._tell(level, below)
        arrays: dict[str, Any] = node_arrays(numbered(root))
        tree = Tree(**arrays, classes=np.array([self.how.n_classes], np.int32), n_features=len(self.how.bins))
        return self.columns.with_levels(tree)

    def _tell(self, level: list[_Node], below: float) -> None:
        """Tell the share of the work that is done, by rows.

        Those of `level` have levels ahead of them, as many as halve the table until nodes are small; those `below` wait
        for their subtrees; all others are in leaves.
        """
        if self.progress is None:
            return
        n_rows = max(self.nodes[0].n_rows, 1.0)
        most = min(self.rules.max_depth or np.inf, 1 + np.log2(max(1.0, n_rows * len(self.how.bins) / SMALL)))
        ahead = sum(node.n_rows * max(0.05, 1 - node.depth / most) for node in level)
        self.told = max(self.told, 1 - (ahead + below / 2) / n_rows)
        self.progress(self.told)

    def _asked(self, node: _Node) -> _Node:
        node.place = len(self.nodes)
        self.nodes.append(node)
        return node

    def _batches(self, nodes: list[_Node]) -> Iterator[list[_Node]]:
        entries = int((self.how.bins + 1).sum())
        most = max(1, _ASKED // (16 * entries * self.how.n_channels))
        return (nodes[k : k + most] for k in range(0, len(nodes), most))

    def _gathering(self, nodes: list[_Node], small: float) -> Iterator[list[_Node]]:
        """Nodes whose rows are gathered at once: about sixteen times what one may have."""
        batch: list[_Node] = []
        for node in nodes:
            batch.append(node)
            if sum(n.n_rows for n in batch) > 16 * small:
                yield batch
                batch = []
        if batch:
            yield batch

    def _question(self, wanted: Iterable[_Node]) -> Question:
        slot = np.full(len(self.nodes), -1, dtype=np.int32)
        for k, node in enumerate(wanted):
            slot[node.place] = k
        words = np.zeros((len(self.nodes), 4), dtype=np.uint64)
        for line, node in zip(words, self.nodes, strict=True):
            for b in node.left.tolist():
                line[b >> 6] |= np.uint64(1) << np.uint64(b & 63)
        none = np.zeros(len(self.nodes))
        tree = {
            "column": np.array([n.node["column"] if n.parted else -1 for n in self.nodes]),
            "left": np.array([n.children[0] for n in self.nodes]),
            "right": np.array([n.children[1] for n in self.nodes]),
            "cut": np.array([n.cut for n in self.nodes]),
            "missing_left": np.array([n.parted and n.node["missing_branch"] == 0 for n in self.nodes]),
            "set": np.array([k if len(n.left) else -1 for k, n in enumerate(self.nodes)]),
            "left_bins": words,
            **dict.fromkeys(("value", "gain", "hessian", "rows"), none),
        }
        return Question(Forest.of([tree], self.how.bins.astype(np.uint8), np.zeros(1)), slot)

    def _counted(self, nodes: list[_Node]) -> Iterator[tuple[_Node, Longs]]:
        """Nodes with the sums of their bins; the larger of two siblings has those of their parent less the other's."""
        larger: dict[int, _Node] = {}
        for a, b in pairwise(nodes):
            if a.above is not None and a.above is b.above:
                small, large = (a, b) if a.n_rows <= b.n_rows else (b, a)
                larger[small.place] = large
        left_out = {node.place for node in larger.values()}
        for batch in self._batches([node for node in nodes if node.place not in left_out]):
            found: Totals = self.held.ask(CountNodes(self._question(batch)), self.shared)
            for node, sums in zip(batch, found.sums, strict=True):
                yield node, sums
                other = larger.get(node.place)
                if other is not None and other.above is not None:
                    yield other, other.above - sums

    def _split(self, node: _Node, sums: Floats, counts: Longs) -> list[_Node]:
        """Describe a node from the sums of its bins, and give it children if it is split."""
        rows = counts.sum(axis=1) if self.how.n_classes else counts[:, 0]
        self._describe(node, sums, counts, rows)
        if self._must_stop(node):
            return []
        looked = self._looked(node, rows)
        found = [(j, split) for j in looked if (split := self._stump(node, j, sums, counts)) is not None]
        best, top = None, -np.inf
        for j, (tree, gain, merit) in found:
            if merit > top + 1e-10 * node.node["impurity"]:
                best, top = (j, tree, gain), merit
        if best is None:
            return []
        j, tree, gain = best
        if gain * node.node["weight"] / self.root_weight + 1e-12 * node.node["impurity"] < self.rules.min_gain:
            return []
        return self._branch_out(node, j, tree, rows[self.spans[j]])

    def _describe(self, node: _Node, sums: Floats, counts: Longs, rows: Longs) -> None:
        tree = self._tree_of(0, sums, counts, replace(self.rules, max_depth=None, min_rows_split=np.inf))
        node.n_rows = float(rows[self.spans[0]].sum())
        blank = np.zeros(0, np.int32)
        node.node = {
            "column": -1, "kind": LEAF, "threshold": -2.0, "first": -1, "branches": 0, "missing_branch": -1,
            "level": blank, "branch": blank, "surrogates": [], "rows": node.n_rows, "weight": float(tree.weight[0]),
            "answer": tree.answer[0], "impurity": float(tree.impurity[0]),
        }  # fmt: skip
        if node.place == 0:
            self.root_weight = float(tree.weight[0])

    def _must_stop(self, node: _Node) -> bool:
        rules, here = self.rules, node.node
        few = here["rows"] < max(rules.min_rows_split, 2 * rules.min_rows_leaf)
        deep = rules.max_depth is not None and node.depth >= rules.max_depth
        light = here["weight"] < 2 * rules.min_weight_leaf * (1 - 1e-9)
        pure = here["impurity"] <= (1e-12 if self.how.n_classes else 1e-11 * self.how.largest[2])
        return bool(few or deep or light or pure)

    def _looked(self, node: _Node, rows: Longs) -> list[int]:
        """The columns that are looked at and not constant, in the order in which `grow_tree` draws them."""
        every = [_Seen(j, bool(np.count_nonzero(rows[span]) < 2)) for j, span in enumerate(self.spans)]
        most = self.rules.max_columns or len(every)
        if most < len(every) or self.rules.shuffle:
            every = drawn(every, node, most, ColumnDraw(node.seed))
        return [column.number for column in every if not column.constant]

    def _stump(self, node: _Node, j: int, sums: Floats, counts: Longs) -> tuple[Tree, float, float] | None:
        """The best test of column j as a tree of one test, what it gains, and what columns are compared by."""
        rules = replace(
            self.rules, max_depth=1, min_rows_split=2, min_gain=0.0, max_columns=None, shuffle=False, seed=node.seed
        )
        if self.how.weight is None:  # a row weighs 1
            least = max(rules.min_weight_leaf, rules.min_rows_leaf)
            rules = replace(rules, min_rows_leaf=1, min_weight_leaf=least)
        tree = self._tree_of(j, sums, counts, rules)
        if len(tree) == 1:
            return None
        left = tree.weight[1:] @ tree.impurity[1:]
        gain = float(tree.impurity[0] - left / tree.weight[0])
        return tree, gain, gain - self._set_cost(tree)

    def _set_cost(self, tree: Tree) -> float:
        """What naming the two sets of levels of a test costs, as in native/include/mercer/tree_levels.hpp."""
        n = len(tree.level) + int(tree.missing_branch[0] >= 0)
        if tree.kind[0] != SUBSET or n < 3:
            return 0.0
        bit = 1.0 if self.rules.criterion == "entropy" else 2 * np.log(2.0) * tree.impurity[0]
        return float(self.rules.set_penalty * (n - 1) * bit / tree.weight[0])

    def _tree_of(self, j: int, sums: Floats, counts: Longs, rules: Rules) -> Tree:
        """The tree of the bins of column j, each as weighted rows: as many as it has, but no more than a leaf needs."""
        own, rows = sums[self.spans[j]], counts[self.spans[j]]
        if self.how.n_classes:
            bins, target = np.nonzero(rows)
            weight, rows = own[bins, target], rows[bins, target]
        else:  # two rows of the same mean and variance
            some = np.flatnonzero(rows[:, 0])
            mass, mean, many = own[some, 0], own[some, 1] / own[some, 0], rows[some, 0]
            spread = np.sqrt(np.maximum(own[some, 2] / mass - mean**2, 0.0))
            bins, target, weight = np.tile(some, 2), np.append(mean - spread, mean + spread), np.tile(mass / 2, 2)
            rows = np.append(many // 2, many - many // 2)
            weight, rows = np.where(np.tile(many, 2) > 1, weight, 2 * weight * (rows > 0)), np.maximum(rows, 1)
        copies = np.minimum(rows, int(np.ceil(rules.min_rows_leaf)))
        given: list[Any] = [np.repeat(a, copies) for a in (bins, target, weight / copies)]
        place = j if rules.splitter == "random" else 0
        columns = self.columns.column(j, given[0].astype(np.int32), place)
        return grow(columns, given[1], rules, n_classes=self.how.n_classes, weight=given[2])

    def _branch_out(self, node: _Node, j: int, tree: Tree, rows: Longs) -> list[_Node]:
        here, n_bins = node.node, self.how.bins[j]
        here.update(column=j, kind=int(tree.kind[0]), branches=2, missing_branch=int(tree.missing_branch[0]))
        present = np.flatnonzero(rows[:n_bins] > 0)
        if tree.kind[0] == THRESHOLD:
            goes_left = self.columns.low[j, present] <= tree.threshold[0]
            here["threshold"] = float(tree.threshold[0])
            node.cut = int(present[goes_left].max(initial=0))
            after = present[~goes_left]
            if len(after):
                here["threshold"] = self.columns.threshold(j, node.cut, int(after[0]), here["threshold"])
        else:
            here.update(threshold=0.0, level=tree.level, branch=tree.branch)
            node.left = tree.level[tree.branch == 0]
            goes_left = np.isin(present, node.left)
        left = rows[present[goes_left]].sum() + rows[n_bins] * (tree.missing_branch[0] == 0)
        children = []
        for b, n_rows in enumerate((left, rows.sum() - left)):
            child = _Node(_NO_ROWS, node.depth + 1, of_branch(node.seed, b), node.bounds, node.constant)
            child.n_rows = float(n_rows)
            children.append(self._asked(child))
        node.kids[:], node.children = children, (children[0].place, children[1].place)
        return children

    def _grow_below(self, batch: list[_Node]) -> None:
        """The subtrees of nodes, grown on their rows."""
        found: Gathered = self.held.ask(GatherNodes(self._question(batch)), self.shared)
        order = [found.rows[place] for place in sorted(found.rows)]
        slot, cells, y, weight = (np.concatenate(parts) for parts in zip(*order, strict=True))
        for k, node in enumerate(batch):
            own = np.flatnonzero(slot == k)
            self._graft(node, cells[own], y[own], weight[own])

    def _graft(self, node: _Node, cells: Bytes, y: NDArray[Any], weight: Floats) -> None:
        rules = self.rules
        self.root_weight = self.root_weight or float(weight.sum())
        deep = None if rules.max_depth is None else rules.max_depth - node.depth
        below = replace(
            rules, seed=node.seed, max_depth=deep or None, min_gain=rules.min_gain * self.root_weight / weight.sum(),
            constant=tuple(sorted(node.constant)),
        )  # fmt: skip
        if deep == 0:
            below = replace(below, min_rows_split=np.inf)
        plain = self.how.weight is None
        tree = grow(
            self.columns.of(cells), y, below, n_classes=self.how.n_classes, weight=None if plain else weight,
            n_jobs=self.how.n_jobs,
        )  # fmt: skip
        nodes: list[Branch] = [node, *(Branch(_NO_ROWS, 0, 0, node.bounds) for _ in range(len(tree) - 1))]
        for i, branch in enumerate(nodes):
            levels = slice(int(tree.level_start[i]), int(tree.level_start[i + 1]))
            branch.node = {
                "column": int(tree.column[i]), "kind": int(tree.kind[i]), "threshold": self._between(tree, i, cells),
                "first": -1, "branches": int(tree.branches[i]), "missing_branch": int(tree.missing_branch[i]),
                "level": tree.level[levels], "branch": tree.branch[levels], "surrogates": [], "rows": tree.rows[i],
                "weight": tree.weight[i], "answer": tree.answer[i], "impurity": tree.impurity[i],
            }  # fmt: skip
            branch.kids = nodes[tree.first[i] : tree.first[i] + tree.branches[i]]

    def _between(self, tree: Tree, i: int, cells: Bytes) -> float:
        """The threshold of a node of a subtree, between bins."""
        found, j = float(tree.threshold[i]), int(tree.column[i])
        if tree.kind[i] != THRESHOLD or not np.isfinite(found):
            return found
        used = self.columns.low[j, : self.how.bins[j]]
        cut = int(np.flatnonzero(used <= found)[-1])
        following = cut + 1 + int(np.argmax(used[cut + 1 :] > found))
        return self.columns.threshold(j, cut, following, found)
