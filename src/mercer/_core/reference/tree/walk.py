"""NumPy twins of what is done with a grown tree: checking its arrays, answering rows, pruning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.reference.tree.grow import (
    LEAF,
    LEARNED,
    LEAST_FRACTION,
    MULTIWAY,
    SUBSET,
    SURROGATE,
    THRESHOLD,
    ColumnsLike,
)  # fmt: skip
from mercer.arrays import Array, Floats, Ints

UNKNOWN, STAY = -1, -2


def tree_values(arrays: Mapping[str, Array], columns: ColumnsLike, missing: int, n_jobs: int = 1) -> Floats:
    check_tree(arrays, columns.numbers.shape[1], columns.levels, columns.nominal)
    walk = _Walk(arrays, columns, missing)
    rows = [walk.answer(i, 0, 1.0) for i in range(len(columns.numbers))]
    return np.array(rows).reshape(len(columns.numbers), arrays["answer"].shape[1])


class HeldForest:
    """Trees for many predictions over such columns; the native half checks and packs them once."""

    def __init__(self, trees: Sequence[Mapping[str, Array]], columns: ColumnsLike, missing: int) -> None:
        self.trees, self.missing, self.shape = trees, missing, self._shape(columns)
        if not trees:
            raise ValueError("a forest needs at least one tree")
        for arrays in trees:
            check_tree(arrays, *self.shape)
            if arrays["answer"].shape[1] != trees[0]["answer"].shape[1]:
                raise ValueError("the trees differ in their answers")

    def expect_like(self, columns: ColumnsLike) -> None:
        """ValueError unless the columns are those of the trees."""
        (n, *own), (n_others, *others) = self.shape, self._shape(columns)
        if n != n_others or not all(map(np.array_equal, own, others)):
            raise ValueError("the columns are not those of the forest")

    @staticmethod
    def _shape(columns: ColumnsLike) -> tuple[int, Array, Array]:
        return columns.numbers.shape[1], columns.levels.copy(), columns.nominal.copy()


def held_forest(
    trees: Sequence[Mapping[str, Array]], columns: ColumnsLike, missing: int, n_jobs: int = 1
) -> HeldForest:
    """The trees, checked, for `forest_values` of rows of such columns."""
    return HeldForest(trees, columns, missing)


def forest_values(forest: HeldForest, columns: ColumnsLike, n_jobs: int = 1) -> Floats:
    """The answers of the trees, summed in their order."""
    forest.expect_like(columns)
    total = tree_values(forest.trees[0], columns, forest.missing)
    for arrays in forest.trees[1:]:
        total += tree_values(arrays, columns, forest.missing)
    return total


def tree_leaves(arrays: Mapping[str, Array], columns: ColumnsLike, missing: int, n_jobs: int = 1) -> Ints:
    check_tree(arrays, columns.numbers.shape[1], columns.levels, columns.nominal)
    walk = _Walk(arrays, columns, missing)
    return np.array([walk.leaf(i) for i in range(len(columns.numbers))], np.int32)


class _Walk:
    def __init__(self, t: Mapping[str, Array], columns: ColumnsLike, missing: int):
        self.t, self.missing, self.n_numbers = t, missing, columns.numbers.shape[1]
        self.codes, self.nominal = columns.codes, columns.nominal
        ordinal = np.where((self.codes < 0) | (self.codes >= columns.levels), np.nan, self.codes)
        self.cells = np.hstack([columns.numbers, ordinal])

    def answer(self, i: int, node: int, part: float) -> Floats:
        t = self.t
        while t["branches"][node] and part >= LEAST_FRACTION:
            b = self.branch(node, i)
            if b == STAY:
                break
            if b == UNKNOWN:
                kids = range(t["first"][node], t["first"][node] + t["branches"][node])
                total = sum(t["weight"][k] for k in kids)
                parts = [self.answer(i, k, part * t["weight"][k] / total) for k in kids]
                return np.asarray(np.sum(parts, axis=0))
            node = t["first"][node] + b
        answer: Floats = t["answer"][node] * part
        return answer

    def leaf(self, i: int) -> int:
        node = 0
        while self.t["branches"][node]:
            b = self.branch(node, i)
            if b == STAY:
                break
            node = self.t["first"][node] + (self.heaviest(node) if b == UNKNOWN else b)
        return node

    def heaviest(self, node: int) -> int:
        first = self.t["first"][node]
        return int(np.argmax(self.t["weight"][first : first + self.t["branches"][node]]))

    def branch(self, node: int, i: int) -> int:
        t, column = self.t, self.t["column"][node]
        if t["kind"][node] == THRESHOLD:
            x = self.cells[i, column]
            return self.without_cell(node, i) if np.isnan(x) else int(x > t["threshold"][node])
        code = self.codes[i, column - self.n_numbers]
        if code < 0:
            return self.without_cell(node, i)
        b = _look_up(t["level"], t["branch"], t["level_start"], node, code)
        if b == UNKNOWN and t["kind"][node] == MULTIWAY:
            return STAY
        return self.stand_in(node, i) if b == UNKNOWN and self.missing == SURROGATE else b

    def without_cell(self, node: int, i: int) -> int:
        """Learned: where missing cells went in training, or to the branch with most rows, of two alike the last."""
        if self.missing != LEARNED:
            return self.stand_in(node, i) if self.missing == SURROGATE else UNKNOWN
        first, branches = self.t["first"][node], self.t["branches"][node]
        rows = self.t["rows"][first : first + branches]
        learned = int(self.t["missing_branch"][node])
        return learned if learned >= 0 else branches - 1 - int(np.argmax(rows[::-1]))

    def stand_in(self, node: int, i: int) -> int:
        t = self.t
        for s in range(t["surrogate_start"][node], t["surrogate_start"][node + 1]):
            column = t["surrogate_column"][s]
            x = self.cells[i, column]
            if column >= self.n_numbers and self.nominal[column - self.n_numbers]:
                code = self.codes[i, column - self.n_numbers]
                b = _look_up(t["surrogate_level"], t["surrogate_side"], t["surrogate_level_start"], s, code)
                if b != UNKNOWN:
                    return b
            elif not np.isnan(x):
                return int((x <= t["surrogate_threshold"][s]) == bool(t["surrogate_flip"][s]))
        return self.heaviest(node)


def _look_up(level: Array, branch: Array, start: Array, k: int, code: int) -> int:
    found = np.flatnonzero(level[start[k] : start[k + 1]] == code)
    return int(branch[start[k] + found[0]]) if len(found) else UNKNOWN


def check_tree(arrays: Mapping[str, Array], n_numbers: int, levels: Ints, nominal: NDArray[np.uint8]) -> None:
    """Raise ValueError unless the arrays are a tree over these columns."""
    t, n = arrays, len(arrays["column"])
    is_nominal = np.concatenate([np.zeros(n_numbers, bool), np.asarray(nominal, bool)])
    size = np.concatenate([np.full(n_numbers, -1), levels])  # -1: a column of numbers
    per_node = ("kind", "threshold", "first", "branches", "missing_branch", "answer", "rows", "weight")
    _expect(n > 0 and all(len(t[name]) == n for name in per_node), "arrays differ in length")
    m = len(t["surrogate_column"])
    _expect(len(t["surrogate_flip"]) == m == len(t["surrogate_threshold"]), "arrays differ in length")
    for start, count, owned in (
        ("level_start", n, ("level", "branch")),
        ("surrogate_start", n, ("surrogate_column",)),
        ("surrogate_level_start", m, ("surrogate_level", "surrogate_side")),
    ):
        s = t[start]
        sound = len(s) == count + 1 and s[0] == 0 and (np.diff(s) >= 0).all()
        _expect(sound and all(s[-1] == len(t[name]) for name in owned), f"{start} does not partition")
    _check_answers(t["answer"], t["classes"])
    for name in ("rows", "weight"):
        _expect(((t[name] > 0) & np.isfinite(t[name])).all(), f"{name} are not positive")
    inside = (t["missing_branch"] >= -1) & (t["missing_branch"] < np.maximum(t["branches"], 0))
    _expect(inside.all() and not np.isnan(t["threshold"]).any(), "no such branch for missing cells, or no threshold")
    following = 1
    for i in range(n):
        following = _check_node(t, i, following, is_nominal, size)
    _expect(following == n, "some nodes have no parent")
    for k in range(m):
        column = t["surrogate_column"][k]
        _expect(0 <= column < len(size) and not np.isnan(t["surrogate_threshold"][k]), "bad surrogate")
        part = slice(t["surrogate_level_start"][k], t["surrogate_level_start"][k + 1])
        level = t["surrogate_level"][part]
        _expect(bool(is_nominal[column]) or len(level) == 0, "levels do not fit")
        _check_levels(level, t["surrogate_side"][part], size[column], 2)


def _check_answers(answer: Floats, classes: Ints) -> None:
    """Shares of the classes of each output add up to 1; numbers are finite."""
    _expect(len(classes) > 0 and (classes >= 0).all() and (classes > 0).all() == (classes > 0).any(), "bad classes")
    ends = np.cumsum(np.maximum(classes, 1))
    _expect(answer.shape[1] == ends[-1] and np.isfinite(answer).all(), "answers are not finite, or do not fit")
    if classes.any():
        sums = np.array([part.sum(axis=1) for part in np.split(answer, ends[:-1], axis=1)])
        _expect((answer >= 0).all() and (np.abs(sums - 1) <= 1e-6).all(), "shares of the classes do not add up to 1")


def _check_node(t: Mapping[str, Array], i: int, following: int, is_nominal: Array, size: Array) -> int:
    kind, column, branches = int(t["kind"][i]), int(t["column"][i]), int(t["branches"][i])
    part = slice(t["level_start"][i], t["level_start"][i + 1])
    if kind == LEAF:
        _expect(branches == 0 and t["first"][i] == -1 and column == -1, "a leaf has children or a column")
        _expect(part.start == part.stop, "a leaf has levels")
        return following
    _expect(kind <= SUBSET and 0 <= column < len(size), "no such column or kind of test")
    _expect(t["first"][i] == following and 2 <= branches <= len(t["kind"]) - following, "children out of order")
    _expect((kind == THRESHOLD) != is_nominal[column], "test does not suit its column")
    _expect(kind == MULTIWAY or branches == 2, "a two-way test has two branches")
    _expect(kind != THRESHOLD or part.start == part.stop, "levels do not fit")
    _check_levels(t["level"][part], t["branch"][part], size[column], branches)
    if kind == THRESHOLD:
        cut, levels = float(t["threshold"][i]), int(size[column])
        _expect(levels < 0 or cut == np.inf or 0 <= cut < levels, "threshold beyond the levels")
    else:
        reached = {*t["branch"][part].tolist(), int(t["missing_branch"][i])}
        _expect(reached >= set(range(branches)), "a branch without levels")
    _expect(
        branches == 2 or t["surrogate_start"][i] == t["surrogate_start"][i + 1],
        "surrogates need two branches",
    )
    return following + branches


def _check_levels(level: Array, branch: Array, size: int, branches: int) -> None:
    inside = (level >= 0).all() and (level < size).all() and (branch >= 0).all() and (branch < branches).all()
    _expect(bool(inside) and bool((np.diff(level) > 0).all()), "levels do not fit")


def _expect(holds: Any, what: str) -> None:
    if not holds:
        raise ValueError(f"Not a valid tree: {what}")


def cheaper_as_leaf(first: Ints, branches: Ints, cost: Floats, slack: float) -> NDArray[np.uint8]:
    below, cut = cost.copy(), np.zeros(len(cost), np.uint8)
    for i in reversed(range(len(cost))):
        if branches[i]:
            subtree = below[first[i] : first[i] + branches[i]].sum()
            cut[i] = cost[i] <= subtree + slack
            below[i] = cost[i] if cut[i] else subtree
    return cut


def weakest_links(first: Ints, branches: Ints, cost: Floats) -> tuple[Floats, Floats, Ints, NDArray[np.uint8]]:
    """Collapse the node that costs least per leaf removed, again and again; ties: all at once, from the top."""
    n = len(cost)
    alpha, gain = np.full(n, np.inf), np.zeros(n)
    leaves, on_path = np.zeros(n, np.int32), np.zeros(n, np.uint8)
    for top in range(n):
        _collapse_below(top, first, branches, cost, (alpha, gain, leaves, on_path))
    return alpha, gain, leaves, on_path


def _collapse_below(
    top: int, first: Ints, branches: Ints, cost: Floats, out: tuple[Floats, Floats, Ints, Array]
) -> None:
    """The sequence of the subtree at `top` alone: its last step gives alpha[top]; for the root, the path."""
    alpha, gain, leaves, on_path = out
    open_ = branches > 0
    while open_[top]:
        below, count = cost.copy(), np.ones(len(cost))
        for i in reversed(range(top, len(cost))):
            if open_[i]:
                kids = slice(first[i], first[i] + branches[i])
                below[i], count[i] = below[kids].sum(), count[kids].sum()
        inside = _under(top, first, branches, open_)
        rate = np.where(inside & open_, (cost - below) / np.maximum(count - 1, 1), np.inf)
        weakest = int(np.flatnonzero(rate <= rate.min() + 1e-12)[0])
        if weakest == top:
            alpha[top], gain[top], leaves[top] = max(rate[top], 0.0), cost[top] - below[top], count[top] - 1
        if top == 0:
            on_path[weakest] = 1
        open_[weakest] = False


def _under(top: int, first: Ints, branches: Ints, open_: Array) -> NDArray[np.bool_]:
    inside = np.zeros(len(first), bool)
    inside[top] = True
    for i in range(top, len(first)):
        if inside[i] and open_[i]:
            inside[first[i] : first[i] + branches[i]] = True
    return inside


def still_reached(first: Ints, branches: Ints, cut: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return _under(0, first, branches, (branches > 0) & (np.asarray(cut) == 0)).astype(np.uint8)
