"""The best test of one column at one node, as the tree's NumPy twin finds it: every cut tried, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer._core.reference.columns import Column, halfway
from mercer._core.reference.tree.impurity import GAIN_RATIO, POISSON, Entries, Measure, xlog
from mercer._core.reference.tree.random import Random
from mercer.arrays import Array, Floats

LEAF, THRESHOLD, MULTIWAY, SUBSET = range(4)
FRACTION, SURROGATE, LEARNED = range(3)
WEIGHT_SLACK = 1e-9  # weights add up only up to rounding


def _no_codes() -> Array:
    return np.zeros(0, np.int64)


@dataclass
class Split:
    column: int
    kind: int
    gain: float
    ratio: float
    threshold: float = 0.0
    cut: int = 0
    level: Array = field(default_factory=_no_codes)
    branch: Array = field(default_factory=_no_codes)
    branches: int = 2
    missing_branch: int = -1
    middle: float = 0.0  # of a constrained column: between the answers of the two branches
    many: bool = False
    cost: float = 0.0  # of naming two sets of levels, when columns are compared


@dataclass
class Node:
    """What a search needs to know of the node: its rows, its weight times impurity, and the bounds of its answers."""

    entries: Entries
    spread: float
    bounds: tuple[float, float]
    exact: bool  # weights are counts

    @property
    def weight(self) -> float:
        return float(self.entries.weight.sum())


@dataclass
class _Best:
    after: float = np.inf
    left: Array | None = None
    cut: int = -1
    missing_left: bool = False
    middle: float = 0.0


class Search:
    """One column `number` of a node; codes are -1 where missing."""

    def __init__(
        self, node: Node, column: Column, number: int, measure: Measure, rules: Mapping[str, Any], random: Random
    ) -> None:
        self.node, self.column, self.number, self.measure, self.rule = node, column, number, measure, rules
        self.random, self.codes = random, column.codes[node.entries.row]
        self.slack = 1e-10 * node.spread
        learned = rules["missing"] == LEARNED
        self.aside = learned and bool((self.codes < 0).any())
        self.compared = np.ones(len(self.codes), bool) if learned else self.codes >= 0
        self.least = rules["min_rows_leaf"]
        self.sign = int(rules["monotone"][number]) if len(rules["monotone"]) else 0

    def find(self) -> Split | None:
        """The test, or None where no cut is allowed."""
        self.before = self.measure.spread(self.node.entries.take(self.compared))
        if not self.column.nominal:
            return self.ordered()
        if self.aside:  # missing is one more level, after the others
            self.codes = np.where(self.codes < 0, len(self.column.low), self.codes)
        found = self.multiway() if self.rule["multiway"] else self.subset()
        if found is not None and self.aside:
            found.missing_branch = int(found.branch[-1])
            found.level, found.branch = found.level[:-1], found.branch[:-1]
        return found

    @property
    def constant(self) -> bool:
        known = len(np.unique(self.codes[self.codes >= 0]))
        return known == 0 or known + self.aside < 2

    def enough(self, entries: Entries) -> bool:
        slack = 0.0 if self.node.exact else WEIGHT_SLACK
        heavy = entries.weight.sum() >= self.rule["min_weight_leaf"] * (1 - slack)
        return bool(heavy and len(entries) >= self.least)

    def positive(self, entries: Entries) -> bool:
        if self.rule["criterion"] != POISSON:
            return True
        everything = self.node.entries.take(self.compared)
        here, total = ((e.weight[:, None] * self.measure.target[e.row]).sum(axis=0) for e in (entries, everything))
        return bool((here > 1e-13 * total).all())

    def attempt(self, left: Array, best: _Best, cut: int, missing_left: bool = False) -> _Best:
        """The better of `best` and the cut with these entries on the left."""
        sides = [self.node.entries.take(self.compared & side) for side in (left, ~left)]
        if not all(self.enough(side) and self.positive(side) for side in sides):
            return best
        middle = 0.0
        if self.sign:
            low, high = (self.measure.answer(side)[1 if self.measure.by_class else 0] for side in sides)
            lower, upper = self.node.bounds
            middle = 0.5 * low + 0.5 * high
            slack = 1e-12 * (abs(low) + abs(high))
            within = lower - slack <= min(low, high) and max(low, high) <= upper + slack
            if not (within and (high - low) * self.sign >= -slack):
                return best
        after = sum(self.measure.spread(side) for side in sides)
        return _Best(after, left, cut, missing_left, middle) if after < best.after - self.slack else best

    def merit(self, after: float, branches: list[float], penalty: float = 0.0) -> tuple[float, float]:
        """Gain, and its ratio to the entropy of where the rows go."""
        everything = self.node.weight
        gain = (self.before - after) / everything - penalty
        unknown = everything - self.node.entries.weight[self.compared].sum()
        parts = [*branches, unknown if unknown > 1e-12 * everything else 0.0]
        info = np.log2(everything) - sum(xlog(float(w)) for w in parts) / everything
        return gain, gain / info if info > 1e-12 else 0.0

    def two_way(self, best: _Best, penalty: float = 0.0) -> tuple[float, float]:
        weight = self.node.entries.weight
        assert best.left is not None
        sides = [float(weight[self.compared & side].sum()) for side in (best.left, ~best.left)]
        return self.merit(best.after, sides, penalty)

    def ordered(self) -> Split | None:
        level, best, mdl = np.unique(self.codes[self.codes >= 0]), _Best(), self.rule["mdl"]
        if mdl and self.measure.by_class:
            self.least = max(self.least, min(0.1 * self.compared.sum() / self.measure.classes[0], 25.0))
        drawn = np.nan
        if self.rule["random"]:
            drawn, cut, missing_left = self.draw_cut(level)
            cuts = [(cut, missing_left)]
        else:
            cuts = [(g, False) for g in range(len(level) - (not self.aside))]
            cuts += [(g, True) for g in range(len(level) - 1)] if self.aside else []
        for g, missing_left in cuts:
            left = (self.codes >= 0) & (self.codes <= level[g]) | (missing_left & (self.codes < 0))
            best = self.attempt(left, best, g, missing_left)
        if best.left is None:
            return None
        gain, ratio = self.two_way(best, np.log2(len(level) - 1) / self.node.weight if mdl and len(level) > 1 else 0.0)
        if mdl and gain <= 1e-12:
            return None
        found = Split(self.number, THRESHOLD, gain, ratio, self.threshold(level, best.cut, drawn), int(level[best.cut]))
        found.middle = best.middle
        found.missing_branch = int(not best.missing_left) if self.aside else -1
        return found

    def threshold(self, level: Array, cut: int, drawn: float) -> float:
        if cut + 1 == len(level):
            return np.inf
        low, high = self.column.high[level[cut]], self.column.low[level[cut + 1]]
        return float(drawn) if low <= drawn < high else halfway(low, high)

    def draw_cut(self, level: Array) -> tuple[float, int, bool]:
        """A threshold between the least and the greatest value, its cut, and the side of missing rows."""
        low, high, u = self.column.low[level[0]], self.column.high[level[-1]], self.random.unit()
        missing_left = self.aside and self.random.below(2) != 0
        if len(level) == 1:
            return np.nan, 0, False
        drawn = low * (1 - u) + high * u
        drawn = drawn if drawn < high else low
        cut = int((self.column.low[level[1:-1]] <= drawn).sum())
        return float(drawn), cut, missing_left

    def multiway(self) -> Split | None:
        level = np.unique(self.codes[self.compared])
        groups = [self.node.entries.take(self.codes == k) for k in level]
        if sum(map(self.enough, groups)) < 2 or not all(map(self.positive, groups)):
            return None
        after = sum(map(self.measure.spread, groups))
        gain, ratio = self.merit(after, [float(g.weight.sum()) for g in groups])
        found = Split(self.number, MULTIWAY, gain, ratio, level=level, branch=np.arange(len(level)))
        found.branches, found.many = len(level), len(level) >= 0.3 * len(self.node.entries)
        return found

    def subset(self) -> Split | None:
        level = np.unique(self.codes[self.compared])
        best, several = _Best(), len(self.measure.classes) > 1 or self.measure.classes[0] > 2
        orders = [self.draw_sides(len(level))] if self.rule["random"] else [(o, None) for o in self.orders(level)]
        for order, only in orders:
            for g in range(len(level) - 1) if only is None else [only]:
                left = np.isin(self.codes, level[order[: g + 1]])
                best = self.attempt(left, best, g)
        if best.left is None:
            return None
        side = np.array([int(not best.left[self.codes == k][0]) for k in level])
        if self.measure.by_class and several and not self.rule["random"]:
            side, best = self.improve(level, side, best)
        gain, ratio = self.two_way(best)
        found = Split(self.number, SUBSET, gain, ratio, level=level, branch=side ^ side[0])
        found.cost, found.middle = self.set_cost(len(level)), best.middle
        return found

    def orders(self, level: Array) -> list[Array]:
        """Levels by the share of each class that is here (of two, of the second), or by each output's mean."""
        entries, measure = self.node.entries, self.measure
        at = np.searchsorted(level, np.where(self.compared, self.codes, level[0]))
        weight = np.where(self.compared, entries.weight, 0.0)
        sums = np.zeros(len(level))
        np.add.at(sums, at, weight)
        columns: list[Floats] = []
        for k, size in enumerate(measure.classes):
            y = measure.target[entries.row, k]
            if size:
                columns += [weight * (y == c) for c in range(size)]
            else:
                centre = 0.0 if self.rule["criterion"] == POISSON else measure.answer(entries)[k]
                columns.append(weight * (y - centre))
        if measure.by_class:
            two = len(measure.classes) == 1 and measure.classes[0] <= 2
            columns = columns[-1:] if two else [c for c in columns if c.sum() > 0]
        found = []
        for cells in columns:
            share = np.zeros(len(level))
            np.add.at(share, at, cells)
            found.append(np.argsort(share / sums, kind="stable"))
        return found

    def draw_sides(self, n: int) -> tuple[Array, int]:
        """Each level on a side at random: those on the left, then the others, and the cut between."""
        right = np.array([self.random.below(2) != 0 for _ in range(n)])
        if right.all() or not right.any():
            right = np.arange(n) != self.random.below(n)
        return np.concatenate([np.flatnonzero(~right), np.flatnonzero(right)]), int((~right).sum()) - 1

    def set_cost(self, n: int) -> float:
        bit = 1.0 if self.rule["criterion"] <= GAIN_RATIO else 2 * np.log(2) * self.node.spread / self.node.weight
        return float(self.rule["set_penalty"] * (n - 1) * bit / self.node.weight) if n > 2 else 0.0

    def improve(self, level: Array, side: Array, best: _Best) -> tuple[Array, _Best]:
        """Single levels change sides while that helps."""
        moved = True
        while moved:
            moved = False
            for g in range(len(level)):
                trial = side.copy()
                trial[g] ^= 1
                better = self.attempt(np.isin(self.codes, level[trial == 0]), best, best.cut)
                if better is not best:
                    side, best, moved = trial, better, True
        return side, best
