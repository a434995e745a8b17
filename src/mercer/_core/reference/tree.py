"""NumPy twin of the native tree: grows node by node, level by level, one column after another; slow and plain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.reference.columns import Column, code_numbers, halfway
from mercer.arrays import Array, Floats, Ints

ENTROPY, GAIN_RATIO, GINI, ERROR, SQUARED = range(5)
LEAF, THRESHOLD, MULTIWAY, SUBSET = range(4)
LEAST_FRACTION = 1.0 / 1024
WEIGHT_SLACK = 1e-9  # weights add up only up to rounding


@dataclass
class _Split:
    column: int
    kind: int
    gain: float
    ratio: float
    threshold: float = 0.0
    cut: int = 0
    level: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    branch: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    many: bool = False
    cost: float = 0.0  # of naming two sets of levels, when columns are compared


@dataclass
class _Sample:
    """The entries of a node: row, fraction of it, weight, and what is added up per branch (one row of `cells` each)."""

    row: Array
    part: Floats
    weight: Floats
    cells: Floats


class Grower:
    """Hunt's algorithm. `cells` hold class weights (or w, wy, wyy), then the number of rows as the last entry."""

    def __init__(self, columns: list[Column], target: Array, weight: Floats, classes: int, rules: Mapping[str, Any]):
        self.columns, self.target, self.weight, self.classes = columns, target, weight, classes
        self.rule = rules
        self.nodes: list[dict[str, Any]] = []

    def grow(self) -> list[dict[str, Any]]:
        rows = np.flatnonzero(self.weight > 0)
        self.root_weight = self.weight[rows].sum()
        queue = [(rows, np.ones(len(rows)), 0)]
        for row, part, depth in queue:
            node, sample = self.describe(row, part)
            self.nodes.append(node)
            split = None if self.must_stop(node, depth) else self.choose(node, sample)
            if split is None:
                continue
            goes = self.route(split, sample)
            branches = len(split.level) if split.kind == MULTIWAY else 2
            node.update(column=split.column, kind=split.kind, threshold=split.threshold, branches=branches)
            node.update(first=len(queue), level=split.level, branch=split.branch)
            if self.rule["surrogate"]:
                goes = self.use_surrogates(node, split, sample, goes)
            share = np.bincount(goes[goes >= 0], sample.weight[goes >= 0], branches)
            share = share / share.sum()
            for b in range(branches):
                part_b = np.where(goes == b, sample.part, np.where(goes < 0, sample.part * share[b], 0.0))
                kept = part_b >= LEAST_FRACTION
                queue.append((sample.row[kept], part_b[kept], depth + 1))
        return self.nodes

    def describe(self, row: Array, part: Floats) -> tuple[dict[str, Any], _Sample]:
        weight = self.weight[row] * part
        if self.classes:
            cells = np.zeros((len(row), self.classes + 1))
            cells[np.arange(len(row)), self.target[row]] = weight
            value = cells[:, :-1].sum(axis=0)
        else:
            value = np.array([(weight * self.target[row]).sum() / weight.sum()])
            y = self.target[row] - value[0]
            cells = np.column_stack([weight, weight * y, weight * y * y, part])
        cells[:, -1] = 1.0  # rows of which at least a part is here
        total = cells.sum(axis=0)
        w = self.size(total)
        blank = np.zeros(0, np.int32)
        node = {
            "column": -1,
            "kind": LEAF,
            "threshold": 0.0,
            "first": -1,
            "branches": 0,
            "level": blank,
            "branch": blank,
        }
        node.update(value=value, rows=total[-1], weight=w, impurity=self.spread(total) / w, surrogates=[])
        return node, _Sample(row, part, weight, cells)

    def must_stop(self, node: dict[str, Any], depth: int) -> bool:
        r = self.rule
        pure = 1e-12 if self.classes else 1e-14 * node["value"][0] ** 2
        few = node["rows"] < max(r["min_rows_split"], 2 * r["min_rows_leaf"])
        light = node["weight"] < 2 * r["min_weight_leaf"] * (1 - WEIGHT_SLACK)
        return bool((0 < r["max_depth"] <= depth) or few or light or node["impurity"] <= pure)

    def size(self, cell: Floats) -> float:
        return float(cell[:-1].sum() if self.classes else cell[0])

    def spread(self, cell: Floats) -> float:
        """Weight times impurity."""
        w = self.size(cell)
        if w <= 0:
            return 0.0
        criterion, c = self.rule["criterion"], cell[:-1]
        if criterion == SQUARED:
            return max(0.0, float(c[2] - c[1] ** 2 / w))
        if criterion == GINI:
            return float(w - (c**2).sum() / w)
        if criterion == ERROR:
            return float(w - c.max())
        return max(0.0, _xlog(w) - sum(_xlog(float(v)) for v in c))

    def choose(self, node: dict[str, Any], sample: _Sample) -> _Split | None:
        found = [s for j in range(len(self.columns)) if (s := self.find(j, node, sample)) is not None]
        floor, merits, slack = -np.inf, [s.gain - s.cost for s in found], 1e-10 * node["impurity"]
        if self.rule["criterion"] == GAIN_RATIO and found:
            few = [s.gain for s in found if not s.many] or [s.gain for s in found]
            floor, merits, slack = float(np.mean(few)) - 1e-3, [s.ratio for s in found], 1e-10
        best, top = None, -np.inf
        for split, merit in zip(found, merits, strict=True):
            if split.gain >= floor and merit > top + slack:
                best, top = split, merit
        share = node["weight"] / self.root_weight
        if best and best.gain * share + 1e-12 * node["impurity"] < self.rule["min_gain"]:
            return None
        return best

    def find(self, j: int, node: dict[str, Any], sample: _Sample) -> _Split | None:
        column = self.columns[j]
        codes = column.codes[sample.row]
        level, at = np.unique(codes[codes >= 0], return_inverse=True)
        if len(level) < 2:
            return None
        cells = np.zeros((len(level), sample.cells.shape[1]))
        np.add.at(cells, at, sample.cells[codes >= 0])
        search = _Search(self, cells, node)
        if not column.nominal:
            return search.ordered(j, column, level)
        return search.multiway(j, level) if self.rule["multiway"] else search.subset(j, level)

    def route(self, split: _Split, sample: _Sample) -> Array:
        codes = self.columns[split.column].codes[sample.row]
        if split.kind == THRESHOLD:
            goes = np.where(codes <= split.cut, 0, 1)
        else:
            goes = split.branch[np.searchsorted(split.level, np.where(codes < 0, split.level[0], codes))]
        return np.where(codes < 0, -1, goes)

    def use_surrogates(self, node: dict[str, Any], split: _Split, sample: _Sample, goes: Array) -> Array:
        known = goes >= 0
        to = np.bincount(goes[known], sample.weight[known], 2)
        found = []
        for j, column in enumerate(self.columns):
            codes = column.codes[sample.row]
            seen = known & (codes >= 0)
            if j != split.column and len(np.unique(codes[codes >= 0])) > 1 and seen.any():
                other = _agree(j, column, codes[seen], goes[seen], sample.weight[seen], to.max())
                found += [other] if other else []
        found = sorted(found, key=lambda t: -t["agreement"])[: self.rule["max_surrogates"]]
        node["surrogates"] = found
        goes = goes.copy()
        for t in found:
            codes = self.columns[t["column"]].codes[sample.row]
            side = _side(t, codes)
            goes = np.where((goes < 0) & (side >= 0), side, goes)
        return np.where(goes < 0, int(to[1] > to[0]), goes)


class _Search:
    """The best test of one column, from the sums of each of its codes."""

    def __init__(self, grower: Grower, cells: Floats, node: dict[str, Any]):
        self.g, self.cells, self.all, self.rows = grower, cells, node["weight"], node["rows"]
        self.impurity = node["impurity"]
        self.slack = 1e-10 * node["impurity"] * node["weight"]
        self.total = cells.sum(axis=0)
        self.least = grower.rule["min_rows_leaf"]

    def enough(self, cell: Floats) -> bool:
        heavy = self.g.size(cell) >= self.g.rule["min_weight_leaf"] * (1 - WEIGHT_SLACK)
        return bool(heavy and cell[-1] >= self.least)

    def after(self, left: Floats) -> float:
        right = self.total - left
        if not (self.enough(left) and self.enough(right)):
            return np.inf
        return self.g.spread(left) + self.g.spread(right)

    def merit(self, after: float, branches: list[float], penalty: float = 0.0) -> tuple[float, float]:
        gain = (self.g.spread(self.total) - after) / self.all - penalty
        unknown = self.all - self.g.size(self.total)
        parts = [*branches, unknown if unknown > 1e-12 * self.all else 0.0]
        info = np.log2(self.all) - sum(_xlog(w) for w in parts) / self.all
        return gain, gain / info if info > 1e-12 else 0.0

    def best_prefix(self, order: Array, best: float) -> tuple[int, float]:
        found, left = -1, np.zeros_like(self.total)
        for g in range(len(order) - 1):
            left = left + self.cells[order[g]]
            after = self.after(left)
            if after < best - self.slack:
                found, best = g, after
        return found, best

    def ordered(self, j: int, column: Column, level: Array) -> _Split | None:
        mdl = self.g.rule["mdl"]
        if mdl and self.g.classes:
            self.least = max(self.least, min(0.1 * self.total[-1] / self.g.classes, 25.0))
        cut, best = self.best_prefix(np.arange(len(level)), np.inf)
        if cut < 0:
            return None
        left = self.g.size(self.cells[: cut + 1].sum(axis=0))
        penalty = np.log2(len(level) - 1) / self.all if mdl else 0.0
        gain, ratio = self.merit(best, [left, self.g.size(self.total) - left], penalty)
        if mdl and gain <= 1e-12:
            return None
        a, b = column.high[level[cut]], column.low[level[cut + 1]]
        return _Split(j, THRESHOLD, gain, ratio, halfway(a, b), int(level[cut]))

    def multiway(self, j: int, level: Array) -> _Split | None:
        if sum(self.enough(cell) for cell in self.cells) < 2:
            return None
        after = sum(self.g.spread(cell) for cell in self.cells)
        gain, ratio = self.merit(after, [self.g.size(cell) for cell in self.cells])
        many = len(level) >= 0.3 * self.rows
        return _Split(j, MULTIWAY, gain, ratio, level=level, branch=np.arange(len(level)), many=many)

    def subset(self, j: int, level: Array) -> _Split | None:
        side, best = None, np.inf
        weight = np.array([self.g.size(cell) for cell in self.cells])
        present = np.flatnonzero(self.total[: self.g.classes] > 0)
        classes = [1] if self.g.classes in (0, 2) else present.tolist()
        for c in classes:
            order = np.argsort(self.cells[:, c] / weight, kind="stable")
            cut, best = self.best_prefix(order, best)
            if cut >= 0:
                side = np.ones(len(level), np.int64)
                side[order[: cut + 1]] = 0
        if side is None:
            return None
        if self.g.classes > 2:
            side, best = self.improve(side, best)
        side = side ^ side[0]
        left = self.g.size(self.cells[side == 0].sum(axis=0))
        gain, ratio = self.merit(best, [left, self.g.size(self.total) - left])
        return _Split(j, SUBSET, gain, ratio, level=level, branch=side, cost=self.set_cost(len(level)))

    def set_cost(self, n: int) -> float:
        bit = 1.0 if self.g.rule["criterion"] <= GAIN_RATIO else 2 * np.log(2) * self.impurity
        return float(self.g.rule["set_penalty"] * (n - 1) * bit / self.all) if n > 2 else 0.0

    def improve(self, side: Array, best: float) -> tuple[Array, float]:
        moved = True
        while moved:
            moved = False
            for g in range(len(side)):
                trial = side.copy()
                trial[g] ^= 1
                after = self.after(self.cells[trial == 0].sum(axis=0))
                if after < best - self.slack:
                    side, best, moved = trial, after, True
        return side, best


def _xlog(x: float) -> float:
    return float(x * np.log2(x)) if x > 0 else 0.0


def _agree(j: int, column: Column, codes: Array, goes: Array, weight: Floats, least: float) -> dict[str, Any] | None:
    level, at = np.unique(codes, return_inverse=True)
    sums = np.zeros((len(level), 2))
    np.add.at(sums, (at, goes), weight)
    best = least * (1 + 1e-10)
    if column.nominal:
        side = (sums[:, 1] > sums[:, 0]).astype(np.int64)
        found = {"column": j, "flip": 0, "threshold": 0.0, "cut": -1, "level": level, "side": side}
        agreement = sums.max(axis=1).sum()
        return found | {"agreement": agreement} if agreement > best else None
    total, left = sums.sum(axis=0), np.zeros(2)
    result: dict[str, Any] | None = None
    for g in range(len(level) - 1):
        left = left + sums[g]
        same, other = left[0] + total[1] - left[1], left[1] + total[0] - left[0]
        if max(same, other) > best:
            best = max(same, other) * (1 + 1e-10)
            threshold = halfway(column.high[level[g]], column.low[level[g + 1]])
            result = {"column": j, "flip": int(other > same), "threshold": threshold, "cut": int(level[g])}
            result.update(level=level[:0], side=level[:0], agreement=max(same, other))
    return result


def _side(t: dict[str, Any], codes: Array) -> Array:
    if t["cut"] >= 0:
        return np.where(codes < 0, -1, (codes <= t["cut"]) == bool(t["flip"]))
    side = np.full(len(codes), -1)
    for level, s in zip(t["level"], t["side"], strict=True):
        side[codes == level] = s
    return side


def grow_tree(
    numbers: Floats,
    codes: Ints,
    levels: Ints,
    nominal: NDArray[np.uint8],
    classes: Ints | None,
    target: Floats | None,
    weight: Floats | None,
    n_classes: int,
    max_bins: int,
    options: Mapping[str, Any],
    n_jobs: int = 1,
) -> dict[str, Array]:
    columns = [code_numbers(numbers[:, j], max_bins) for j in range(numbers.shape[1])]
    for j in range(codes.shape[1]):
        cell = codes[:, j].astype(np.int64)
        scale = np.arange(float(levels[j]))
        columns.append(Column(np.where((cell < 0) | (cell >= levels[j]), -1, cell), bool(nominal[j]), scale, scale))
    regress = options["criterion"] == SQUARED
    y = target if regress else classes
    if y is None:
        raise ValueError("squared error needs target, the other criteria need classes")
    given = np.ones(len(y)) if weight is None else weight
    _expect_sound(numbers, y, given, 0 if regress else n_classes, (options, max_bins))
    return _arrays(Grower(columns, y, given, 0 if regress else n_classes, options).grow())


def _expect_sound(
    numbers: Floats, y: Array, weight: Floats, n_classes: int, how: tuple[Mapping[str, Any], int]
) -> None:
    options, max_bins = how
    wrong = {
        "a tree needs at least one row": len(numbers) == 0,
        "max_bins must be 0 or at least 2": max_bins < 0 or max_bins == 1,
        "min_rows_leaf must be positive": not options["min_rows_leaf"] > 0,
        "set_penalty must not be negative": not options["set_penalty"] >= 0,
        "classes or target must have one entry per row": len(y) != len(numbers),
        "target must be finite": not n_classes and not np.isfinite(y).all(),
        "class code out of range": n_classes > 0 and len(y) > 0 and not 0 <= y.min() <= y.max() < n_classes,
        "weight must be finite and not negative": not (weight >= 0).all() or not np.isfinite(weight).all(),
        "weight must have a positive, finite sum": not 0 < weight.sum() < np.inf,
    }
    for what, holds in wrong.items():
        if holds:
            raise ValueError(what)


def _arrays(nodes: list[dict[str, Any]]) -> dict[str, Array]:
    others = [t for node in nodes for t in node["surrogates"]]
    types = {
        "column": np.int32,
        "kind": np.uint8,
        "threshold": float,
        "first": np.int32,
        "branches": np.int32,
    }
    types.update(rows=float, weight=float, impurity=float, value=float)
    out: dict[str, Array] = {name: np.array([node[name] for node in nodes], kind) for name, kind in types.items()}
    for name in ("level", "branch"):
        out[name] = np.concatenate([np.asarray(node[name], np.int32) for node in nodes])
    out["level_start"] = _starts([len(node["level"]) for node in nodes])
    out["surrogate_start"] = _starts([len(node["surrogates"]) for node in nodes])
    out["surrogate_level_start"] = _starts([len(t["level"]) for t in others])
    out["surrogate_column"] = np.array([t["column"] for t in others], np.int32)
    out["surrogate_flip"] = np.array([t["flip"] for t in others], np.uint8)
    out["surrogate_threshold"] = np.array([t["threshold"] for t in others], float)
    for name in ("level", "side"):
        parts = [np.asarray(t[name], np.int32) for t in others]
        out[f"surrogate_{name}"] = np.concatenate([np.zeros(0, np.int32), *parts])
    return out


def _starts(sizes: list[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
