"""One boosted tree, grown on histograms that others count: the tree of `boost_tree`, whoever holds the rows.

Problem  as in native/include/mercer/boost_tree.hpp.
Given    bins of the columns, rules, the largest gradient and hessian, and answers to questions for histograms.
Result   the nodes of `boost_tree` without the rows of the leaves, bit for bit: sums of integers have no order.
Stop     leaves, depth, rows or hessian of a leaf, or no test that gains.

The smaller child is asked for, the other is the parent's histogram less its own. A question is asked only when a node
is split whose children are not known, and then for the children of all nodes that may be split after it: a tree of 31
leaves takes about as many questions as it has levels.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from heapq import heappop, heappush, nsmallest
from typing import Any, TypeAlias

import numpy as np

from mercer._core import boost as core
from mercer._core.reference.boost_split import TINY, Units
from mercer.arrays import Ints, Longs
from mercer.solvers.boost.binning import Bytes
from mercer.solvers.boost.boost import Tree
from mercer.solvers.boost.forest import Forest


@dataclass(frozen=True)
class Question:
    """Which histograms are wanted: the tree as far as it is known, and of each node which one it counts for, or -1."""

    tree: Forest
    slot: Ints

    @property
    def n_slots(self) -> int:
        """How many histograms."""
        return int(self.slot.max()) + 1


@dataclass(frozen=True)
class Scale:
    """What decides the units of the integers: the largest gradient and hessian, and the number of rows."""

    gradient: float
    hessian: float
    n_rows: int


@dataclass
class _Node:
    total: Longs  # (2,): gradient; hessian with the number of rows
    depth: int = 0
    low: float = -np.inf
    high: float = np.inf
    path: tuple[int, ...] = ()
    value: float = 0.0
    place: int = 0  # among the nodes that were asked for
    number: int = -1  # in the tree; -1 while it may yet not be one of its nodes
    histogram: Longs | None = None
    best: dict[str, Any] = field(default_factory=lambda: {"column": -1})
    children: tuple[_Node, ...] = ()
    turn: int = 0  # at which it was split


Growing: TypeAlias = Generator[Question, Longs, Tree]


class Growth:
    """A tree that grows as its questions are answered."""

    def __init__(self, bins: Ints, nominal: Bytes, options: dict[str, Any], scale: Scale) -> None:
        self.bins, self.nominal, self.options, self.scale = bins, nominal, options, scale
        self.units = Units.of(scale.gradient, scale.hessian, scale.n_rows)
        self.nodes: list[_Node] = []  # in the order in which they were asked for
        self.placed: list[_Node] = []  # those of the tree
        self.open: list[tuple[int, float, int]] = []  # what comes first, then the number of a node

    def grow(self) -> Growing:
        """Ask for histograms (n_slots, n_entries, 2), be sent them, and return the tree."""
        root = self._asked(_Node(np.zeros(2, dtype=np.int64)))
        histogram = (yield self._question([root]))[0]
        root.total = histogram[: self.bins[0] + 1].sum(axis=0)
        root.value = self._value(root)
        root.histogram = histogram
        self._place(root)
        self._look(root)
        leaves, most = 1, self.options["max_leaves"]
        while leaves < most and self.open:
            node = self.placed[heappop(self.open)[2]]
            self._part(node)
            leaves += 1
            node.turn = leaves
            if leaves < most and self._unknown(node):
                ahead = [self.placed[number] for *_, number in nsmallest(most - leaves - 1, self.open)]
                for other in ahead:
                    self._part(other)
                asked = [n for n in (node, *ahead) if self._unknown(n)]
                counted = yield self._question([self._smaller(n) for n in asked])
                for parent, own in zip(asked, counted, strict=True):
                    self._share(parent, own)
            for child in node.children:
                self._place(child)
            for child in node.children if leaves < most else ():
                self._look(child)
            node.histogram = None
        return self._tree()

    def _asked(self, node: _Node) -> _Node:
        node.place = len(self.nodes)
        self.nodes.append(node)
        return node

    def _place(self, node: _Node) -> None:
        node.number = len(self.placed)
        self.placed.append(node)

    def _value(self, node: _Node) -> float:
        value = -self._gradient(node) / (self._hessian(node) + self.options["l2"] + TINY)
        return float(min(max(value, node.low), node.high))

    def _gradient(self, node: _Node) -> float:
        return float(node.total[0]) * self.units.gradient

    def _hessian(self, node: _Node) -> float:
        return float(self.units.triple(node.total)[1]) * self.units.hessian

    def _rows(self, node: _Node) -> int:
        return self.units.triple(node.total)[2]

    def _splittable(self, node: _Node) -> bool:
        rules = self.options
        shallow = not rules["max_depth"] or node.depth < rules["max_depth"]
        enough = self._rows(node) >= 2 * rules["min_rows"]
        return bool(shallow and enough and self._hessian(node) >= 2 * rules["min_hessian"])

    def _look(self, node: _Node) -> None:
        """Find the best test of a node whose histogram is known; one that has a test is open."""
        if node.histogram is None or not self._splittable(node):
            node.histogram = None
            return
        path = np.array(node.path, dtype=np.int32)
        columns = self.bins, self.nominal, self.options
        scale = self.scale.gradient, self.scale.hessian, self.scale.n_rows
        bounds = node.value, node.low, node.high
        node.best = core.boost_split(node.histogram, *columns, *scale, *bounds, node.number, path)
        if node.best["column"] >= 0:
            depth = node.depth if self.options["by_depth"] else 0
            heappush(self.open, (depth, -node.best["gain"], node.number))

    def _part(self, node: _Node) -> None:
        """The children by the best test of a node, as far as its histogram says."""
        if node.children:
            return
        best, signs = node.best, self.options["monotone"]
        low, high, path = node.low, node.high, (*node.path, int(best["column"]))
        sign = int(signs[best["column"]]) if len(signs) else 0
        middle = best["left_value"] * 0.5 + best["right_value"] * 0.5
        bounds = {1: ((low, middle), (middle, high)), -1: ((middle, high), (low, middle)), 0: ((low, high),) * 2}
        totals = best["left"], node.total - best["left"]
        node.children = tuple(
            self._asked(_Node(total, node.depth + 1, *own, path))
            for total, own in zip(totals, bounds[sign], strict=True)
        )
        for child in node.children:
            child.value = self._value(child)

    def _unknown(self, node: _Node) -> bool:
        """Whether a child may be split whose histogram is not known."""
        return any(self._splittable(c) and c.histogram is None for c in node.children)

    def _smaller(self, node: _Node) -> _Node:
        return min(node.children, key=self._rows)

    def _share(self, parent: _Node, own: Longs) -> None:
        """The histograms of both children, from the one that was counted."""
        assert parent.histogram is not None
        for child in parent.children:
            child.histogram = own if child is self._smaller(parent) else parent.histogram - own

    def _question(self, wanted: list[_Node]) -> Question:
        slot = np.full(len(self.nodes), -1, dtype=np.int32)
        slot[[node.place for node in wanted]] = np.arange(len(wanted))
        tree = self._arrays(self.nodes, lambda node: node.place)
        return Question(Forest.of([tree], self.bins.astype(np.uint8), np.zeros(1)), slot)

    def _tree(self) -> Tree:
        return self._arrays(self.placed, lambda node: node.number)

    def _arrays(self, nodes: list[_Node], name: Any) -> Tree:
        """Nodes as arrays, a child by its `name`; those whose children have none are leaves."""
        inner = [bool(n.children) and name(n.children[0]) >= 0 for n in nodes]
        best = [n.best for n in nodes]
        sets = [k for k, i in enumerate(inner) if i and self.nominal[best[k]["column"]]]
        sets.sort(key=lambda k: nodes[k].turn)
        line = np.full(len(nodes), -1, dtype=np.int32)
        line[sets] = np.arange(len(sets))

        def values(key: str, other: float, dtype: Any) -> Any:
            return np.array([b[key] if i else other for i, b in zip(inner, best, strict=True)], dtype=dtype)

        def child(k: int) -> Ints:
            return np.array([name(n.children[k]) if i else -1 for i, n in zip(inner, nodes, strict=True)], np.int32)

        return {
            "column": values("column", -1, np.int32),
            "left": child(0),
            "right": child(1),
            "cut": values("cut", 0, np.uint8),
            "missing_left": values("missing_left", 0, np.uint8),
            "set": line,
            "left_bins": np.array([best[k]["left_bins"] for k in sets], dtype=np.uint64).reshape(-1, 4),
            "value": np.array([n.value for n in nodes]),
            "gain": values("gain", 0.0, np.float64),
            "hessian": np.array([self._hessian(n) for n in nodes]),
            "rows": np.array([self._rows(n) for n in nodes], dtype=np.int64),
        }
