"""One boosted tree, node by node: what native/include/mercer/boost_tree.hpp computes faster.

Gradients and hessians are rounded to integers first, so that sums do not depend on the order of the rows and both
versions agree bit by bit on which test is best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.reference.tree.random import Random, of_branch
from mercer.arrays import Floats

NONE = 2
_TINY = 1e-15  # no division by zero where hessians vanish
Longs = NDArray[np.int64]


@dataclass
class _Split:
    gain: float
    column: int = -1
    cut: int = 0
    missing_left: int = 0  # 1: missing cells go left; NONE: there were none, and a row with one stops here
    left_bins: list[int] | None = None
    values: tuple[float, float] = (0.0, 0.0)


@dataclass
class _Node:
    rows: Longs
    depth: int
    low: float
    high: float
    value: float
    path: tuple[int, ...] = ()
    best: _Split = field(default_factory=lambda: _Split(0.0))


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


class _Grower:
    def __init__(self, tiles: Any, gradient: Floats, hessian: Floats, counts: Longs, rows: Longs, rules: Any) -> None:
        self.rules, self.bins_of, self.nominal = rules, tiles.bins, tiles.nominal
        self.bins = np.stack([_column_bins(tiles, j) for j in range(len(tiles.group))], axis=1)
        bits = 1
        self.counts = counts
        while 1 << bits <= max(len(rows), int(counts[rows].sum())):
            bits += 1
        self.unit_g = math.ldexp(1.0, _exponent(np.abs(gradient[rows]).max()) + bits - 62)
        self.unit_h = math.ldexp(1.0, _exponent(hessian[rows].max()) + 2 * bits - 62)
        self.g = np.rint(gradient / self.unit_g).astype(np.int64)
        self.h = np.rint(hessian / self.unit_h).astype(np.int64)
        self.together = _sets(rules["together"])
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
        node.value = min(max(-g / (h + self.rules["l2"] + _TINY), node.low), node.high)
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
        return float(self.g[rows].sum()) * self.unit_g, float(self.h[rows].sum()) * self.unit_h

    def _best(self, node: _Node, number: int) -> _Split:
        best = _Split(self.rules["min_gain"])
        for j in self._candidates(node, number):
            found = self._column(node, j)
            if found.column >= 0 and found.gain > best.gain:
                best = found
        return best

    def _candidates(self, node: _Node, number: int) -> list[int]:
        columns = list(range(self.bins.shape[1]))
        if self.together:
            columns = sorted({c for s in self.together if set(node.path) <= set(s) for c in s})
        wanted = self.rules["columns_per_node"]
        if not 0 < wanted < len(columns):
            return columns
        random = Random(of_branch(self.rules["seed"], number))
        for k in range(wanted):
            other = k + random.below(len(columns) - k)
            columns[k], columns[other] = columns[other], columns[k]
        return sorted(columns[:wanted])

    def _column(self, node: _Node, j: int) -> _Split:
        """The best test of one column: of every cut with missing cells right, then left; or of sets of levels."""
        n_bins, cells = int(self.bins_of[j]), self.bins[node.rows, j]
        parts = [node.rows[cells == b] for b in range(n_bins + 1)]
        sums = [(int(self.g[p].sum()), int(self.h[p].sum()), int(self.counts[p].sum())) for p in parts]
        before = self._sums(node.rows)[0] * node.value
        best = _Split(self.rules["min_gain"])
        if self.nominal[j]:
            present = [b for b in range(n_bins + 1) if sums[b][2]]
            smooth = self.rules["level_smooth"]
            key = {b: sums[b][0] * self.unit_g / (sums[b][1] * self.unit_h + smooth) for b in present}
            order = sorted(present, key=lambda b: (key[b], b))
            for cut in range(len(order) - 1):
                if min(cut + 1, len(order) - cut - 1) <= self.rules["most_levels"]:
                    left = order[: cut + 1]
                    self._consider(best, node, sums, left, before, j, (cut, int(n_bins in left), left))
            if best.column >= 0 and not sums[n_bins][2]:
                best.missing_left = NONE
            return best
        some = sums[n_bins][2] > 0
        for side in range(2 if some else 1):
            for cut in range(n_bins - (side or not some)):
                left = [*range(cut + 1), *([n_bins] if side else [])]
                mirrored = side == 1 and not any(sums[b][2] for b in range(cut + 1))
                if (sums[cut][2] or cut == 0) and not mirrored:
                    self._consider(best, node, sums, left, before, j, (cut, side, None))
        if best.column >= 0 and not some:
            best.missing_left = int(self._larger_left(list(range(best.cut + 1)), sums))
        return best

    @staticmethod
    def _larger_left(left: list[int], sums: list[tuple[int, int, int]]) -> bool:
        return 2 * sum(sums[b][2] for b in left) > sum(s[2] for s in sums)

    def _consider(
        self,
        best: _Split,
        node: _Node,
        sums: list[tuple[int, int, int]],
        left: list[int],
        before: float,
        j: int,
        test: tuple[int, int, list[int] | None],
    ) -> None:
        rules = self.rules
        l2 = rules["l2"] + (rules["level_l2"] if self.nominal[j] else 0.0)
        total = [sum(s[k] for s in sums) for k in range(3)]
        one = [sum(sums[b][k] for b in left) for k in range(3)]
        two = [a - b for a, b in zip(total, one, strict=True)]
        if min(one[2], two[2]) < rules["min_rows"] or min(one[1], two[1]) * self.unit_h < rules["min_hessian"]:
            return
        gl, gr = one[0] * self.unit_g, two[0] * self.unit_g
        a = min(max(-gl / (one[1] * self.unit_h + l2 + _TINY), node.low), node.high)
        b = min(max(-gr / (two[1] * self.unit_h + l2 + _TINY), node.low), node.high)
        sign = rules["monotone"][j] if len(rules["monotone"]) else 0
        gain = before - gl * a - gr * b
        if (b - a) * sign < 0 or not gain > best.gain:
            return
        best.gain, best.column, best.values = gain, j, (a, b)
        best.cut, best.missing_left, best.left_bins = test

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


def _exponent(largest: float) -> int:
    return math.frexp(largest if largest > 0 else 1.0)[1]


def _column_bins(tiles: Any, j: int) -> NDArray[np.int64]:
    """The bins of a column, out of the bytes of its group."""
    group = int(tiles.group[j])
    byte = tiles.bytes[group // 4, :, group % 4].astype(np.int64)
    usual, first = int(tiles.usual[j]), int(tiles.first[j])
    if usual < 0:
        return byte
    place = byte - first
    own = (place >= 0) & (place < tiles.bins[j])
    return np.where(own, place + (place >= usual), usual)


def _sets(together: NDArray[np.int32]) -> list[list[int]]:
    """Sets of columns, each ended by -1."""
    ends = np.flatnonzero(together < 0)
    return [part[part >= 0].tolist() for part in np.split(together, ends + 1)[:-1]]
