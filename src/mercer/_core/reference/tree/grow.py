"""NumPy twin of the native tree: grows node by node, one column after another; slow and plain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from mercer._core.reference.columns import Column, code_numbers
from mercer._core.reference.tree.impurity import GAIN_RATIO, POISSON, SQUARED, Entries, Measure
from mercer._core.reference.tree.random import ColumnDraw, Random, of_branch, of_column
from mercer._core.reference.tree.split import (
    FRACTION,
    LEAF,
    LEARNED,
    MULTIWAY,
    SUBSET,
    SURROGATE,
    THRESHOLD,
    WEIGHT_SLACK,
    Node,
    Search,
    Split,
)  # fmt: skip
from mercer._core.reference.tree.surrogate import surrogates
from mercer.arrays import Array, Floats, Ints

__all__ = ["FRACTION", "LEAF", "LEARNED", "LEAST_FRACTION", "MULTIWAY", "SUBSET", "SURROGATE", "THRESHOLD", "grow_tree"]

LEAST_FRACTION = 1.0 / 1024


class ColumnsLike(Protocol):
    """Numbers with NaN, codes with -1, levels of each coded column, and whether it is a category."""

    @property
    def numbers(self) -> Floats: ...
    @property
    def codes(self) -> Ints: ...
    @property
    def levels(self) -> Ints: ...
    @property
    def nominal(self) -> NDArray[np.uint8]: ...


class TargetLike(Protocol):
    """Labels or numbers (n_rows, n_outputs), weights, and the number of classes of each output (0: a number)."""

    @property
    def classes(self) -> Ints: ...
    @property
    def labels(self) -> Ints | None: ...
    @property
    def numbers(self) -> Floats | None: ...
    @property
    def weight(self) -> Floats | None: ...


@dataclass
class Branch:
    """A node and what is known of it before it is split."""

    entries: Entries
    depth: int
    seed: int
    bounds: tuple[float, float]
    constant: frozenset[int] = frozenset()  # columns that were found to be so, here or further up
    node: dict[str, Any] = field(default_factory=dict)
    split: Split | None = None
    kids: list[Branch] = field(default_factory=list)


class Grower:
    """Hunt's algorithm."""

    def __init__(self, columns: list[Column], measure: Measure, weight: Floats | None, rules: Mapping[str, Any]):
        self.columns, self.measure, self.rule = columns, measure, rules
        self.weight = np.ones(len(measure.target)) if weight is None else weight
        missing = any((c.codes < 0).any() for c in columns)
        self.exact = weight is None and not (missing and rules["missing"] == FRACTION)

    def grow(self) -> list[dict[str, Any]]:
        """The nodes, numbered level by level."""
        rows = np.flatnonzero(self.weight > 0)
        self.root_weight = self.weight[rows].sum()
        entries = Entries(rows, np.ones(len(rows)), self.weight[rows])
        constant = frozenset(self.rule["constant"].tolist())
        root = self.look(Branch(entries, 0, self.rule["seed"], (-np.inf, np.inf), constant))
        self.root_impurity = root.node["impurity"]
        waiting, leaves, most = [root], 1, self.rule["max_leaves"] or np.inf
        while waiting and leaves < most:
            gains = [self.rank(b) for b in waiting]
            branch = waiting.pop(int(np.argmax(gains)) if self.rule["max_leaves"] else 0)
            if branch.split is None or leaves + branch.split.branches - 1 > most:
                continue
            leaves += branch.split.branches - 1
            branch.kids = [self.look(kid) for kid in self.branch_out(branch, branch.split)]
            waiting += branch.kids
        return numbered(root)

    def rank(self, branch: Branch) -> float:
        """Its gain in steps of 1e-10 of the root's impurity: rounding does not choose between gains alike."""
        if branch.split is None:
            return -np.inf
        share = branch.node["weight"] / self.root_weight
        return float(np.rint(branch.split.gain * share / (1e-10 * self.root_impurity)))

    def look(self, branch: Branch) -> Branch:
        """Describe a node and find its test."""
        branch.node = self.describe(branch)
        if not self.must_stop(branch):
            branch.split = self.choose(branch)
        return branch

    def describe(self, branch: Branch) -> dict[str, Any]:
        entries, blank = branch.entries, np.zeros(0, np.int32)
        weight = float(entries.weight.sum())
        node: dict[str, Any] = {"column": -1, "kind": LEAF, "threshold": -2.0, "first": -1, "branches": 0}
        node.update(missing_branch=-1, level=blank, branch=blank, surrogates=[], rows=len(entries), weight=weight)
        answer = self.measure.answer(entries)
        if len(self.rule["monotone"]):
            held = np.clip(answer[-1], *branch.bounds)
            answer = np.array([1 - held, held]) if self.measure.by_class else np.array([held])
        node.update(answer=answer, impurity=self.measure.spread(entries) / weight)
        return node

    def must_stop(self, branch: Branch) -> bool:
        r, node, slack = self.rule, branch.node, 0.0 if self.exact else WEIGHT_SLACK
        few = node["rows"] < max(r["min_rows_split"], 2 * r["min_rows_leaf"])
        light = node["weight"] < 2 * r["min_weight_leaf"] * (1 - slack)
        pure = node["impurity"] <= self.measure.pure(node["answer"])
        return bool((0 < r["max_depth"] <= branch.depth) or few or light or pure)

    def searches(self, branch: Branch) -> list[Search]:
        """Of the columns that are looked at and not constant, in the order in which they are."""
        node = Node(branch.entries, branch.node["impurity"] * branch.node["weight"], branch.bounds, self.exact)
        every = [
            Search(node, column, j, self.measure, self.rule, Random(of_column(branch.seed, j)))
            for j, column in enumerate(self.columns)
        ]
        most = self.rule["max_columns"] or len(every)
        if most >= len(every) and not self.rule["shuffle"]:
            return [s for s in every if not s.constant and s.number not in branch.constant]
        return drawn(every, branch, most, ColumnDraw(branch.seed))

    def choose(self, branch: Branch) -> Split | None:
        node = branch.node
        found = [split for search in self.searches(branch) if (split := search.find()) is not None]
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

    def branch_out(self, branch: Branch, split: Split) -> list[Branch]:
        """The children, with their rows."""
        node, entries = branch.node, branch.entries
        node.update(column=split.column, kind=split.kind, branches=split.branches, level=split.level)
        node.update(threshold=split.threshold, branch=split.branch, missing_branch=split.missing_branch)
        goes = self.route(split, entries)
        if self.rule["missing"] == SURROGATE:
            most = self.rule["max_surrogates"]
            node["surrogates"], goes = surrogates(self.columns, split.column, entries, goes, most)
        share = np.bincount(goes[goes >= 0], entries.weight[goes >= 0], split.branches)
        share = share / share.sum()
        kids = []
        for b in range(split.branches):
            part = np.where(goes == b, entries.part, np.where(goes < 0, entries.part * share[b], 0.0))
            kept = part >= LEAST_FRACTION
            row, part = entries.row[kept], part[kept]
            bounds = self.bounds(branch.bounds, split, b)
            here = Entries(row, part, self.weight[row] * part)
            kids.append(Branch(here, branch.depth + 1, of_branch(branch.seed, b), bounds, branch.constant))
        return kids

    def route(self, split: Split, entries: Entries) -> Array:
        codes = self.columns[split.column].codes[entries.row]
        if split.kind == THRESHOLD:
            goes = np.where(codes <= split.cut, 0, 1)
        else:
            goes = split.branch[np.searchsorted(split.level, np.where(codes < 0, split.level[0], codes))]
        return np.where(codes < 0, split.missing_branch, goes)

    def bounds(self, above: tuple[float, float], split: Split, b: int) -> tuple[float, float]:
        sign = self.rule["monotone"][split.column] if len(self.rule["monotone"]) else 0
        if not sign:
            return above
        return (above[0], split.middle) if (sign > 0) == (b == 0) else (split.middle, above[1])


class Seen(Protocol):
    """A column in a node."""

    @property
    def number(self) -> int: ...
    @property
    def constant(self) -> bool: ...


Looked = TypeVar("Looked", bound=Seen)


def drawn(every: list[Looked], branch: Branch, most: int, draw: ColumnDraw) -> list[Looked]:
    """Columns drawn from all, constant ones too, until so many were, and one that is not constant."""
    pool, constant = [s for s in every if s.number not in branch.constant], len(branch.constant)
    looked: list[Looked] = []
    visited = 0
    while pool and (visited < most or all(s.constant for s in looked)):
        visited += 1
        k = draw.below(len(pool) + constant)
        if k < constant:
            constant -= 1
            continue
        looked.append(pool[k - constant])
        pool[k - constant] = pool[-1]
        pool.pop()
    branch.constant |= {s.number for s in looked if s.constant}
    return [s for s in looked if not s.constant]


def numbered(root: Branch) -> list[dict[str, Any]]:
    """The nodes level by level, each with the number of its first child."""
    order = [root]
    for branch in order:
        if branch.kids:
            branch.node["first"] = len(order)
            order += branch.kids
    return [branch.node for branch in order]


def grow_tree(columns: ColumnsLike, target: TargetLike, rules: Mapping[str, Any], n_jobs: int = 1) -> dict[str, Array]:
    coded = [code_numbers(columns.numbers[:, j], rules["max_bins"]) for j in range(columns.numbers.shape[1])]
    for cell, levels, nominal in zip(columns.codes.T.astype(np.int64), columns.levels, columns.nominal, strict=True):
        scale = np.arange(float(levels))
        coded.append(Column(np.where((cell < 0) | (cell >= levels), -1, cell), bool(nominal), scale, scale))
    regress = rules["criterion"] >= SQUARED
    y = target.numbers if regress else target.labels
    if y is None:
        raise ValueError("errors of numbers need numbers, the other criteria need labels")
    _expect_sound(columns, y, target, rules)
    classes = np.zeros_like(target.classes) if regress else target.classes
    nodes = Grower(coded, Measure(y, classes, rules["criterion"]), target.weight, rules).grow()
    return node_arrays(nodes) | {"classes": classes.astype(np.int32)}


@dataclass(frozen=True)
class _Weighted:
    """A target under other weights of rows."""

    classes: Ints
    labels: Ints | None
    numbers: Floats | None
    weight: Floats | None


def grow_forest(
    columns: ColumnsLike,
    target: TargetLike,
    rules: Mapping[str, Any],
    weights: Floats | None,
    seeds: NDArray[np.uint64],
    n_jobs: int = 1,
) -> list[dict[str, Array]]:
    """A tree for each seed, with its row of weights (n_trees, n_rows), or with those of the target."""
    if weights is not None and weights.shape != (len(seeds), len(columns.numbers)):
        raise ValueError("weights must have one entry per tree and row")
    every = [target.weight] * len(seeds) if weights is None else list(weights)
    return [
        grow_tree(columns, _Weighted(target.classes, target.labels, target.numbers, w), {**rules, "seed": int(seed)})
        for w, seed in zip(every, seeds, strict=True)
    ]


def _expect_sound(columns: ColumnsLike, y: Array, target: TargetLike, rules: Mapping[str, Any]) -> None:
    weight = np.ones(len(y)) if target.weight is None else target.weight
    regress, signs = rules["criterion"] >= SQUARED, rules["monotone"]
    nominal = np.concatenate([np.zeros(columns.numbers.shape[1]), columns.nominal])
    shape = (len(columns.numbers), *target.classes.shape)
    outside = not regress and len(y) > 0 and not ((y >= 0) & (y < target.classes)).all()
    wrong = {
        "a tree needs at least one row": len(columns.numbers) == 0,
        "max_bins must be 0 or at least 2": rules["max_bins"] < 0 or rules["max_bins"] == 1,
        "min_rows_leaf must be positive": not rules["min_rows_leaf"] > 0,
        "set_penalty must not be negative": not rules["set_penalty"] >= 0,
        "labels or numbers must have one entry per row and output": y.shape != shape,
        "numbers must be finite": regress and not np.isfinite(y).all(),
        "numbers must not be negative under the Poisson criterion": rules["criterion"] == POISSON and (y < 0).any(),
        "class code out of range": outside,
        "weight must be finite and not negative": not (weight >= 0).all() or not np.isfinite(weight).all(),
        "weight must have a positive, finite sum": not 0 < weight.sum() < np.inf,
        "monotone must have one entry per column": len(signs) not in (0, len(nominal)),
    }
    if len(signs) == len(nominal):
        wrong["categories have no order to be monotone in"] = bool(signs[nominal > 0].any())
        wrong["monotone answers need two classes, or numbers"] = len(target.classes) > 1 or (
            not regress and target.classes[0] != 2
        )
    for what, holds in wrong.items():
        if holds:
            raise ValueError(what)


def node_arrays(nodes: list[dict[str, Any]]) -> dict[str, Array]:
    """Nodes as the flat arrays of a tree."""
    others = [t for node in nodes for t in node["surrogates"]]
    types = {
        "column": np.int32,
        "kind": np.uint8,
        "threshold": float,
        "first": np.int32,
        "branches": np.int32,
    }
    types.update(rows=float, weight=float, impurity=float, answer=float, missing_branch=np.int32)
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
