"""One boosted tree, node by node: what native/include/mercer/boost_tree.hpp computes faster.

Gradients and hessians are rounded to integers first, so that sums do not depend on the order of the rows and both
versions agree bit by bit on which test is best.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.reference.boost import add_leaf_values, boost_gradients
from mercer._core.reference.boost_split import TINY, Finder, Split, Triple, Units, candidates
from mercer.arrays import Floats, Longs


@dataclass
class _Node:
    rows: Longs
    depth: int
    low: float
    high: float
    value: float
    path: tuple[int, ...] = ()
    best: Split = field(default_factory=lambda: Split(0.0))


def boost_tree(
    tiles: Any,
    gradient: Floats,
    hessian: Floats,
    count: NDArray[np.uint32] | None,
    rows: NDArray[np.uint32] | None,
    rules: Any,
    n_jobs: int,
) -> dict[str, NDArray[Any]]:
    """Nodes in the order in which they were made, and the rows of every leaf; `count`: rows that each stands for."""
    used = np.arange(len(gradient)) if rows is None else rows.astype(np.int64)
    good = np.abs(gradient[used]).max() <= 1e300 and 0 <= hessian[used].min() <= hessian[used].max() <= 1e300
    if not good:
        raise ValueError("gradients must be finite, and hessians not negative")
    counts = np.ones(len(gradient), np.int64) if count is None else count.astype(np.int64)
    return _Grower(tiles, gradient, hessian, counts, used, rules).grow()


def boost_rounds(
    tiles: Any,
    loss: int,
    parameter: float,
    raw: Floats,
    target: Floats,
    weight: Floats | None,
    count: NDArray[np.uint32] | None,
    rules: Any,
    seeds: NDArray[np.uint64],
    learning_rate: float,
    n_jobs: int,
) -> list[dict[str, NDArray[Any]]]:
    """The trees of some rounds, their values times the learning rate; raw (n_outputs, n_rows) has them added.

    seeds : (n_rounds, n_outputs). Where gradients or values are no numbers, the rounds before.
    """
    if loss in (3, 4, 7):
        raise ValueError("gradients of this loss do not say the values of leaves")
    gradient, hessian = np.empty_like(raw), np.empty_like(raw)
    grown: list[dict[str, NDArray[Any]]] = []
    for done, own in enumerate(seeds.tolist()):
        boost_gradients(loss, parameter, raw, target, weight, gradient, hessian, n_jobs)
        for k, seed in enumerate(own):
            try:
                tree = boost_tree(tiles, gradient[k], hessian[k], count, None, {**rules, "seed": seed}, n_jobs)
            except ValueError:
                return grown[: done * len(raw)]
            with np.errstate(over="ignore"):
                tree["value"] = tree["value"] * (learning_rate if len(tree["column"]) > 1 else 0.0)
            if not np.isfinite(tree["value"]).all():
                return grown[: done * len(raw)]
            leaves, order = np.flatnonzero(tree["column"] < 0), tree.pop("order")
            first, last = tree.pop("first")[leaves], tree.pop("last")[leaves]
            add_leaf_values(raw[k], order, first, last, tree["value"][leaves], n_jobs)
            grown.append(tree)
    return grown


class _Grower:
    def __init__(self, tiles: Any, gradient: Floats, hessian: Floats, counts: Longs, rows: Longs, rules: Any) -> None:
        self.rules, self.bins_of, self.nominal = rules, tiles.bins, tiles.nominal
        self.bins = np.stack([_column_bins(tiles, j) for j in range(len(tiles.group))], axis=1)
        self.counts = counts
        most = max(len(rows), int(counts[rows].sum()))
        self.units = Units.of(np.abs(gradient[rows]).max(), hessian[rows].max(), most)
        self.g, self.h = self.units.integers(gradient, hessian)
        self.nodes: list[_Node] = []
        self.arrays: dict[str, list[Any]] = {k: [] for k in ("column", "left", "right", "cut", "missing_left", "set")}
        self.gain: list[float] = []
        self.left_bins: list[list[int]] = []
        self.rows = rows

    def grow(self) -> dict[str, NDArray[Any]]:
        self._add(_Node(self.rows, 0, -np.inf, np.inf, 0.0))
        leaves, limit = 1, self.rules["max_leaves"]
        while leaves < limit:
            open_ = [i for i, n in enumerate(self.nodes) if self.arrays["column"][i] < 0 and n.best.column >= 0]
            if not open_:
                break
            by_depth = self.rules["by_depth"]
            self._split(min(open_, key=lambda i: (by_depth and self.nodes[i].depth, -self.nodes[i].best.gain, i)))
            leaves += 1
        return self._result()

    def _add(self, node: _Node) -> int:
        g, h = self._sums(node.rows)
        node.value = min(max(-g / (h + self.rules["l2"] + TINY), node.low), node.high)
        self.nodes.append(node)
        for name, start in (("column", -1), ("left", -1), ("right", -1), ("cut", 0), ("missing_left", 0), ("set", -1)):
            self.arrays[name].append(start)
        self.gain.append(0.0)
        rules, number = self.rules, len(self.nodes) - 1
        deep = rules["max_depth"] and node.depth >= rules["max_depth"]
        if self.counts[node.rows].sum() >= 2 * rules["min_rows"] and not deep and h >= 2 * rules["min_hessian"]:
            node.best = self._best(node, number)
        return number

    def _sums(self, rows: Longs) -> tuple[float, float]:
        return float(self.g[rows].sum()) * self.units.gradient, float(self.h[rows].sum()) * self.units.hessian

    def _best(self, node: _Node, number: int) -> Split:
        finder = Finder(self.rules, self.units, node.value, node.low, node.high)
        best = Split(self.rules["min_gain"])
        for j in candidates(self.rules, self.bins.shape[1], node.path, number):
            found = finder.find(j, self._histogram(node, j), bool(self.nominal[j]))
            if found.column >= 0 and found.gain > best.gain:
                best = found
        return best

    def _histogram(self, node: _Node, j: int) -> list[Triple]:
        """Gradient, hessian and rows of each bin of a column, the missing cells last."""
        cells = self.bins[node.rows, j]
        parts = [node.rows[cells == b] for b in range(int(self.bins_of[j]) + 1)]
        return [(int(self.g[p].sum()), int(self.h[p].sum()), int(self.counts[p].sum())) for p in parts]

    def _split(self, i: int) -> None:
        node, best = self.nodes[i], self.nodes[i].best
        cells, missing = self.bins[node.rows, best.column], self.bins_of[best.column]
        left = cells <= best.cut if best.left_bins is None else np.isin(cells, best.left_bins)
        left = np.where(cells == missing, best.missing_left == 1, left)
        sign = self.rules["monotone"][best.column] if len(self.rules["monotone"]) else 0
        middle = best.values[0] * 0.5 + best.values[1] * 0.5
        low, high, path = node.low, node.high, (*node.path, best.column)
        bounds = {1: ((low, middle), (middle, high)), -1: ((middle, high), (low, middle)), 0: ((low, high),) * 2}
        self.arrays["column"][i], self.gain[i] = best.column, best.gain
        self.arrays["missing_left"][i] = best.missing_left
        self.arrays["cut"][i] = 0 if self.nominal[best.column] else best.cut
        if best.left_bins is not None:
            self.arrays["set"][i] = len(self.left_bins)
            self.left_bins.append(best.left_bins)
        sides = zip((left, ~left), bounds[int(sign)], ("left", "right"), strict=True)
        for side, (low, high), name in sides:
            self.arrays[name][i] = self._add(_Node(node.rows[side], node.depth + 1, low, high, 0.0, path))

    def _result(self) -> dict[str, NDArray[Any]]:
        sums = [self._sums(n.rows) for n in self.nodes]
        order, first, last = self._row_ranges()
        words = np.zeros((len(self.left_bins), 4), dtype=np.uint64)
        for line, bins in zip(words, self.left_bins, strict=True):
            for b in bins:
                line[b >> 6] |= np.uint64(1) << np.uint64(b & 63)
        types = {"cut": np.uint8, "missing_left": np.uint8}
        return {
            **{k: np.array(v, dtype=types.get(k, np.int32)) for k, v in self.arrays.items()},
            "left_bins": words,
            "value": np.array([n.value for n in self.nodes]),
            "gain": np.array(self.gain),
            "hessian": np.array([h for _, h in sums]),
            "rows": np.array([self.counts[n.rows].sum() for n in self.nodes], dtype=np.int64),
            "first": first,
            "last": last,
            "order": order.astype(np.uint32),
        }

    def _row_ranges(self) -> tuple[Longs, Longs, Longs]:
        """The rows of the leaves from left to right, and which of them are those of each node."""
        first = np.zeros(len(self.nodes), dtype=np.int64)
        last, parts = first.copy(), []

        def visit(i: int, start: int) -> int:
            first[i] = start
            if self.arrays["column"][i] < 0:
                parts.append(self.nodes[i].rows)
                last[i] = start + len(self.nodes[i].rows)
            else:
                last[i] = visit(self.arrays["right"][i], visit(self.arrays["left"][i], start))
            return int(last[i])

        visit(0, 0)
        return np.concatenate(parts), first, last


def _column_bins(tiles: Any, j: int) -> NDArray[np.int64]:
    """The bins of a column, out of the bytes of its group."""
    byte = tiles.groups[tiles.group[j]].astype(np.int64)
    usual, first = int(tiles.usual[j]), int(tiles.first[j])
    if usual < 0:
        return byte
    place = byte - first
    own = (place >= 0) & (place < tiles.bins[j])
    return np.where(own, place + (place >= usual), usual)
