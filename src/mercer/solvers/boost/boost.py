"""Gradient boosting: trees added one after the other, each grown on the gradient of the loss at the sum so far.

Problem  min over sums of trees f of  sum over rows of weight x loss(y, f(x)),  greedily (Friedman 2001).
Given    bins, target, weights, loss, rules of a tree, learning rate.
Result   a `Forest`, its loss on training and on held-out rows after each round.
Stop     rounds, or no better score on the held-out rows for `patience` rounds; the best round is then kept.
         TooLarge as soon as it is clear that the trees cannot be held in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core import boost as core
from mercer.arrays import Floats
from mercer.errors import BadTarget
from mercer.solvers.boost.binning import Bytes
from mercer.solvers.boost.forest import Forest
from mercer.solvers.boost.losses import Loss
from mercer.solvers.boost.memory import expect_room
from mercer.solvers.boost.tiles import Tiles

ALONE = 1 << 16  # cells below which one thread boosts: to start and to wait for others takes as long as their share
Score = Callable[[Floats], float]  # of raw predictions (n_rows, n_outputs); higher is better


@dataclass(frozen=True)
class TreeRules:
    """How one tree is grown.

    l2: added to the hessian of a leaf. min_rows, min_hessian: of a leaf. min_gain: a test must gain more than this.
    max_leaves, max_depth: None for no limit. by_depth: level by level, or the leaf that gains most first.
    level_smooth, level_l2, most_levels: of tests of levels; see boost_split.hpp. columns: share looked at in each node.
    monotone: a sign per column. together: sets of columns that may meet on a path.
    """

    l2: float = 0.0
    min_rows: int = 20
    min_hessian: float = 1e-3
    min_gain: float = 0.0
    max_leaves: int | None = 31
    max_depth: int | None = None
    by_depth: bool = False
    level_smooth: float = 10.0
    level_l2: float = 10.0
    most_levels: int = 32
    columns: float = 1.0
    monotone: tuple[int, ...] = ()
    together: tuple[tuple[int, ...], ...] = ()

    def options(self, n_columns: int, n_rows: int, seed: int) -> dict[str, Any]:
        """As native code takes them."""
        sets = [c for s in self.together for c in (*s, -1)]
        return {
            "l2": float(self.l2),
            "min_hessian": float(self.min_hessian),
            "min_gain": float(self.min_gain),
            "min_rows": int(self.min_rows),
            "max_leaves": n_rows if self.max_leaves is None else int(self.max_leaves),
            "max_depth": int(self.max_depth or 0),
            "by_depth": self.by_depth,
            "level_smooth": float(self.level_smooth),
            "level_l2": float(self.level_l2),
            "most_levels": int(self.most_levels),
            "columns_per_node": 0 if self.columns >= 1 else max(1, int(self.columns * n_columns)),
            "seed": int(seed),
            "monotone": np.array(self.monotone, dtype=np.int8),
            "together": np.array(sets, dtype=np.int32),
        }


@dataclass(frozen=True)
class Rows:
    """Bins (n_rows, n_columns), target and weights of some rows, and how many rows each stands for (None: one)."""

    bins: Bytes
    y: Floats
    weight: Floats | None = None
    count: NDArray[np.uint32] | None = None


@dataclass
class Boosted:
    """What came out: the trees, and the score after each round (and before the first) on both parts of the rows."""

    forest: Forest
    train_scores: list[float] = field(default_factory=list)
    test_scores: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Method:
    """How the trees are added.

    learning_rate: what the value of each leaf is multiplied by. rounds: at most so many trees per output.
    row_share: of the rows, drawn for each round. patience, tol: stop when the last `patience` rounds did not raise the
    score by more than tol. keep_best: whether the rounds after the best one are dropped then.
    """

    loss: Loss
    rules: TreeRules
    learning_rate: float = 0.1
    rounds: int = 100
    row_share: float = 1.0
    patience: int | None = None
    tol: float = 1e-7
    keep_best: bool = False
    seed: int = 0
    n_jobs: int = 1


def boost(
    train: Rows,
    tiles: Tiles,
    method: Method,
    *,
    test: Rows | None = None,
    score: Callable[[Floats, Rows], float] | None = None,
    begin: Boosted | None = None,
    step: Callable[[int], bool] = lambda done: True,
) -> Boosted:
    """Boost trees on the training rows.

    `score` of (raw predictions, rows), higher is better, scores the rounds where `patience` is given, on the test rows
    or, without them, on the training rows; None for minus the mean loss. `begin` goes on from an earlier result. `step`
    is called with the number of rounds done, and stops by returning False.
    """
    if train.bins.size < ALONE:
        method = replace(method, n_jobs=1)
    loss, scored = method.loss, method.patience is not None
    scorer = score or (lambda raw, rows: -loss.mean(raw, rows.y, rows.weight))
    work = _Work(train, tiles, method, begin)
    held = None if test is None else work.raw_of(test.bins)
    found = Boosted(work.forest(), *(([], []) if begin is None else (begin.train_scores, begin.test_scores)))

    def note(scores: list[float], raw: Floats | None, rows: Rows | None) -> None:
        if scored and raw is not None and rows is not None:
            scores.append(scorer(raw, rows))

    if begin is None:
        note(found.train_scores, work.raw.T, train)
        note(found.test_scores, held, test)
    work.expect_room()
    while work.n_rounds < method.rounds and step(work.n_rounds):
        grown = work.round()
        work.expect_room()
        if held is not None and test is not None:
            core.boost_values(
                Forest.of(grown, work.missing_bin, np.zeros(loss.n_outputs)), test.bins, held, method.n_jobs
            )
        note(found.train_scores, work.raw.T, train)
        note(found.test_scores, held, test)
        if scored and _stalled(found.test_scores or found.train_scores, method):
            break
    found.forest = work.forest()
    if scored and method.keep_best:
        scores = found.test_scores or found.train_scores
        found.forest = found.forest.first(int(np.argmax(scores)))
    return found


def _stalled(scores: list[float], method: Method) -> bool:
    """Whether none of the last `patience` scores is better by more than tol than the one before them.

    Where the best round is kept, better than the best before them: what follows it is thrown away.
    """
    n = method.patience or 0
    if len(scores) <= n:
        return False
    before = max(scores[:-n]) if method.keep_best else scores[-n - 1]
    return max(scores[-n:]) <= before + method.tol


class _Work:
    """The raw predictions of the training rows while trees are added."""

    def __init__(self, train: Rows, tiles: Tiles, method: Method, begin: Boosted | None) -> None:
        self.train, self.tiles, self.method = train, tiles, method
        self.missing_bin = tiles.bins.astype(np.uint8)
        self.trees: list[dict[str, NDArray[Any]]] = []
        self.n_nodes = 0
        self.before = None if begin is None else begin.forest
        self.start = method.loss.start(train.y, train.weight) if self.before is None else self.before.start
        shape = len(self.start), len(train.y)
        self.raw = np.ascontiguousarray(self.raw_of(train.bins).T)
        self.gradient, self.hessian = np.empty(shape), np.empty(shape)

    def raw_of(self, bins: Bytes) -> Floats:
        """Raw predictions of rows by what there is so far, (n_rows, n_outputs)."""
        if self.before is None:
            return np.tile(self.start, (len(bins), 1))
        return self.before.raw(bins, self.method.n_jobs)

    @property
    def n_rounds(self) -> int:
        return (0 if self.before is None else self.before.n_rounds) + len(self.trees) // len(self.start)

    def expect_room(self) -> None:
        """TooLarge when all rounds are sure to come and cannot be held, or when those so far fill the memory."""
        done, n_new = self.n_rounds, len(self.trees)
        if n_new and done % 1000 and done not in (1, 10, 100):
            return
        rounds, nodes = self.method.rounds, self.n_nodes / n_new if n_new else 1.0
        if self.method.patience is None:
            expect_room(rounds * len(self.start), nodes, f"max_iter={rounds} needs about")
        else:
            expect_room(done * len(self.start), nodes, f"After {done:,} rounds that each did better, the trees take")

    def forest(self) -> Forest:
        new = Forest.of(self.trees, self.missing_bin, self.start)
        return new if self.before is None else self.before.followed_by(new)

    def round(self) -> list[dict[str, NDArray[Any]]]:
        """One tree per output, added to the raw predictions."""
        method, y, weight = self.method, self.train.y, self.train.weight
        method.loss.gradients(self.raw, y, weight, self.gradient, self.hessian, method.n_jobs)
        draws = method.row_share < 1 or method.rules.columns < 1
        random = np.random.default_rng([method.seed, self.n_rounds]) if draws else None
        rows = None if random is None else self._drawn(random)
        value = method.loss.leaf_value(self.raw, y, weight)
        n_columns = self.train.bins.shape[1]
        grown = []
        for k in range(len(self.start)):
            options = method.rules.options(n_columns, len(y), 0 if random is None else int(random.integers(2**62)))
            grown.append(self._add(self._grow(k, rows, options), k, rows, value))
        self.trees += grown
        self.n_nodes += sum(len(tree["column"]) for tree in grown)
        return grown

    def _grow(self, k: int, rows: NDArray[np.uint32] | None, options: dict[str, Any]) -> dict[str, NDArray[Any]]:
        given = self.gradient[k], self.hessian[k], self.train.count
        try:
            return core.boost_tree(self.tiles, *given, rows, options, self.method.n_jobs)
        except ValueError:  # of what is given here, only gradients can be wrong
            raise self._beyond() from None

    def _beyond(self) -> BadTarget:
        return BadTarget(
            f"After {self.n_rounds} rounds the sum of the trees is beyond all numbers: lower learning_rate "
            f"(it is {self.method.learning_rate:g}), or bring the target to a smaller scale."
        )

    def _drawn(self, random: np.random.Generator) -> NDArray[np.uint32] | None:
        n = len(self.train.y)
        if self.method.row_share >= 1:
            return None
        drawn = random.choice(n, max(1, int(self.method.row_share * n)), replace=False)
        return np.sort(drawn).astype(np.uint32)

    def _add(self, tree: dict[str, NDArray[Any]], k: int, rows: Any, value: Any) -> dict[str, NDArray[Any]]:
        """Give the leaves their values, and add them to the raw predictions of output k."""
        method = self.method
        leaves = np.flatnonzero(tree["column"] < 0)
        if len(tree["column"]) == 1:  # a tree without a test says nothing
            tree["value"][:] = 0.0
        first, last, order = tree.pop("first")[leaves], tree.pop("last")[leaves], tree.pop("order")
        if value is not None:
            found = [value(order[a:b]) for a, b in zip(first, last, strict=True)]
            low, high = _monotone_bounds(tree, method.rules.monotone)
            tree["value"][leaves] = np.clip(found, low[leaves], high[leaves])
        with np.errstate(over="ignore"):
            tree["value"] = tree["value"] * method.learning_rate
        if not np.isfinite(tree["value"]).all():
            raise self._beyond()
        if rows is None:
            core.add_leaf_values(self.raw[k], order, first, last, tree["value"][leaves], method.n_jobs)
        else:  # also the rows that the tree was not grown on
            whole = np.zeros((len(self.train.y), 1))
            core.boost_values(Forest.of([tree], self.missing_bin, np.zeros(1)), self.train.bins, whole, method.n_jobs)
            self.raw[k] += whole[:, 0]
        return tree


def _monotone_bounds(tree: dict[str, NDArray[Any]], monotone: tuple[int, ...]) -> tuple[Floats, Floats]:
    """What the value of each node may be, so that a constrained column keeps its promise."""
    low, high = np.full(len(tree["column"]), -np.inf), np.full(len(tree["column"]), np.inf)
    for i, column in enumerate(tree["column"].tolist() if any(monotone) else []):
        if column < 0:
            continue
        left, right = int(tree["left"][i]), int(tree["right"][i])
        low[[left, right]], high[[left, right]] = low[i], high[i]
        middle = (tree["value"][left] + tree["value"][right]) / 2
        if monotone[column] > 0:
            high[left] = low[right] = middle
        elif monotone[column] < 0:
            low[left] = high[right] = middle
    return low, high
