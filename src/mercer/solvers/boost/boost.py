"""Gradient boosting: trees added one after the other, each grown on the gradient of the loss at the sum so far.

Problem  min over sums of trees f of  sum over rows of weight x loss(y, f(x)),  greedily (Friedman 2001).
Given    bins, target, weights, loss, rules of a tree, learning rate.
Result   a `Forest`, its loss on training and on held-out rows after each round.
Stop     rounds, or no better score on the held-out rows for `patience` rounds; the best round is then kept.
         TooLarge as soon as it is clear that the trees cannot be held in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer._core import boost as core
from mercer.arrays import Floats
from mercer.errors import BadTarget
from mercer.solvers.boost.binning import Bytes
from mercer.solvers.boost.forest import Forest
from mercer.solvers.boost.losses import NAMES, Loss
from mercer.solvers.boost.memory import expect_room
from mercer.solvers.boost.rules import TreeRules
from mercer.solvers.boost.tiles import Tiles

ALONE = 1 << 16  # cells below which one thread boosts: to start and to wait for others takes as long as their share
Tree: TypeAlias = dict[str, NDArray[Any]]
Step: TypeAlias = Callable[[int], bool] | None


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
    step: Step = None,
) -> Boosted:
    """Boost trees on the training rows.

    `score` of (raw predictions, rows), higher is better, scores the rounds where `patience` is given, on the test rows
    or, without them, on the training rows; None for minus the mean loss. `begin` goes on from an earlier result. `step`
    is called with the number of rounds done before each round, and stops by returning False.
    """
    if train.bins.size < ALONE:
        method = replace(method, n_jobs=1)
    return add_trees(_Work(train, tiles, method, test, score, begin), begin, step)


def add_trees(work: Work, begin: Boosted | None, step: Step) -> Boosted:
    """Round after round until one of the rules to stop holds; arguments as in `boost`."""
    method, scored = work.method, work.method.patience is not None
    found = Boosted(work.forest(), *(([], []) if begin is None else (begin.train_scores, begin.test_scores)))

    def note() -> None:
        if scored:
            train, test = work.scores()
            found.train_scores.append(train)
            found.test_scores.extend([] if test is None else [test])

    if begin is None:
        note()
    work.expect_room()
    watched = scored or step is not None
    while work.n_rounds < method.rounds and (step is None or step(work.n_rounds)):
        if watched or not work.rounds(min(method.rounds, _next_look(work.n_rounds)) - work.n_rounds):
            work.round()
        work.expect_room()
        note()
        if scored and _stalled(found.test_scores or found.train_scores, method):
            break
    found.forest = work.forest()
    if scored and method.keep_best:
        scores = found.test_scores or found.train_scores
        found.forest = found.forest.first(int(np.argmax(scores)))
    return found


def _next_look(done: int) -> int:
    """After how many rounds the memory is looked at next."""
    return next((n for n in (1, 10, 100) if n > done), done - done % 1000 + 1000)


def _stalled(scores: list[float], method: Method) -> bool:
    """Whether none of the last `patience` scores is better by more than tol than the one before them.

    Where the best round is kept, better than the best before them: what follows it is thrown away.
    """
    n = method.patience or 0
    if len(scores) <= n:
        return False
    before = max(scores[:-n]) if method.keep_best else scores[-n - 1]
    return max(scores[-n:]) <= before + method.tol


class Work(ABC):
    """The trees so far, and where each output starts; a subclass knows the rows.

    n_rows: that are learned from. missing_bin: of each column. before: what `begin` holds.
    """

    def __init__(
        self, method: Method, missing_bin: Bytes, start: Floats, n_rows: int, before: Forest | None = None
    ) -> None:
        self.method, self.missing_bin, self.start, self.n_rows = method, missing_bin, start, n_rows
        self.before = before
        self.trees: list[Tree] = []
        self.n_nodes = 0

    @abstractmethod
    def scores(self) -> tuple[float, float | None]:
        """Of the training rows and, where there are any, of the test rows; higher is better."""

    @abstractmethod
    def round(self) -> None:
        """One tree per output, added to the raw predictions."""

    def rounds(self, n: int) -> bool:
        """So many rounds at once; False where that cannot be."""
        return False

    @property
    def n_rounds(self) -> int:
        """How many trees each output has."""
        return (0 if self.before is None else self.before.n_rounds) + len(self.trees) // len(self.start)

    def expect_room(self) -> None:
        """TooLarge when all rounds are sure to come and cannot be held, or when those so far fill the memory."""
        done, n_new = self.n_rounds, len(self.trees)
        if n_new and _next_look(done - 1) != done:
            return
        rounds, nodes = self.method.rounds, self.n_nodes / n_new if n_new else 1.0
        if self.method.patience is None:
            expect_room(rounds * len(self.start), nodes, f"max_iter={rounds} needs about")
        else:
            expect_room(done * len(self.start), nodes, f"After {done:,} rounds that each did better, the trees take")

    def forest(self) -> Forest:
        """The trees of all rounds."""
        new = Forest.of(self.trees, self.missing_bin, self.start)
        return new if self.before is None else self.before.followed_by(new)

    def draws(self) -> tuple[NDArray[np.uint32] | None, list[dict[str, Any]]]:
        """What this round draws: its rows, increasing (None for all), and the rules of the tree of each output."""
        rules, n = self.method.rules, self.n_rows
        draws = self.method.row_share < 1 or rules.columns < 1
        random = np.random.default_rng([self.method.seed, self.n_rounds]) if draws else None
        rows = None
        if random is not None and self.method.row_share < 1:
            drawn = np.zeros(n, dtype=bool)  # a mask takes half the time of a sort
            drawn[random.choice(n, max(1, int(self.method.row_share * n)), replace=False)] = True
            rows = np.flatnonzero(drawn).astype(np.uint32)
        seeds = [0] * len(self.start) if random is None else _seeds(random, len(self.start))
        return rows, [rules.options(len(self.missing_bin), n, seed) for seed in seeds]

    def add(self, grown: list[Tree]) -> None:
        """Keep the trees of a round."""
        self.trees += grown
        self.n_nodes += sum(len(tree["column"]) for tree in grown)

    def shrunk(self, tree: Tree, leaf_values: Floats | None = None) -> Tree:
        """The tree with the values that it adds, of the leaves those given; BadTarget where one is no number."""
        if leaf_values is not None:
            tree["value"][tree["column"] < 0] = leaf_values
        elif len(tree["column"]) == 1:  # a tree without a test says nothing
            tree["value"][:] = 0.0
        with np.errstate(over="ignore"):
            tree["value"] = tree["value"] * self.method.learning_rate
        if not np.isfinite(tree["value"]).all():
            raise self.beyond()
        return tree

    def beyond(self) -> BadTarget:
        """The error of gradients that are no numbers."""
        return BadTarget(
            f"After {self.n_rounds} rounds the sum of the trees is beyond all numbers: lower learning_rate "
            f"(it is {self.method.learning_rate:g}), or bring the target to a smaller scale."
        )


def _seeds(random: np.random.Generator, n: int) -> list[int]:
    return [int(random.integers(2**62)) for _ in range(n)]


@lru_cache(maxsize=4096)  # folds of a comparison draw the same: half of the time of a small tree without its growth
def _round_seeds(seed: int, done: int, n: int) -> list[int]:
    """The seeds of the trees after so many rounds, where rows are not drawn."""
    return _seeds(np.random.default_rng([seed, done]), n)


class _Work(Work):
    """The raw predictions of rows in memory while trees are added."""

    def __init__(
        self,
        train: Rows,
        tiles: Tiles,
        method: Method,
        test: Rows | None,
        score: Callable[[Floats, Rows], float] | None,
        begin: Boosted | None,
    ) -> None:
        before = None if begin is None else begin.forest
        start = method.loss.start(train.y, train.weight) if before is None else before.start
        super().__init__(method, tiles.bins.astype(np.uint8), start, len(train.y), before)
        self.train, self.tiles, self.test = train, tiles, test
        self.scorer = score or (lambda raw, rows: -method.loss.mean(raw, rows.y, rows.weight))
        self.raw = np.ascontiguousarray(self._raw_of(train.bins).T)
        self.held = None if test is None else self._raw_of(test.bins)
        shape = len(start), len(train.y)
        self.gradient, self.hessian = np.empty(shape), np.empty(shape)

    def _raw_of(self, bins: Bytes) -> Floats:
        """Raw predictions of rows by what there is so far, (n_rows, n_outputs)."""
        if self.before is None:
            return np.tile(self.start, (len(bins), 1))
        return self.before.raw(bins, self.method.n_jobs)

    def scores(self) -> tuple[float, float | None]:
        """Of the training rows and the test rows."""
        train = self.scorer(self.raw.T, self.train)
        return train, None if self.held is None or self.test is None else self.scorer(self.held, self.test)

    def round(self) -> None:
        """One tree per output, added to the raw predictions."""
        method, y, weight = self.method, self.train.y, self.train.weight
        method.loss.gradients(self.raw, y, weight, self.gradient, self.hessian, method.n_jobs)
        rows, rules = self.draws()
        value = method.loss.leaf_value(self.raw, y, weight)

        def tree(k: int, n_jobs: int) -> Tree:
            return self._add(self._grow(k, rows, rules[k], n_jobs), k, rows, value, n_jobs)

        grown = _side_by_side(tree, len(self.start), method.n_jobs)
        self.add(grown)
        if self.held is not None and self.test is not None:
            added = Forest.of(grown, self.missing_bin, np.zeros(len(self.start)))
            core.boost_values(added, self.test.bins, self.held, method.n_jobs)

    def rounds(self, n: int) -> bool:
        """So many rounds at once, which in small tables take a third of the time; see boost_rounds.hpp."""
        method, rules, outputs = self.method, self.method.rules, len(self.start)
        y, weight = self.train.y, self.train.weight
        if method.row_share < 1 or not method.loss.leaves_by_gradient or (outputs > 1 and method.n_jobs > 1):
            return False  # of several outputs, each tree has a thread of its own
        places = range(self.n_rounds, self.n_rounds + n)
        drawn = [_round_seeds(method.seed, k, outputs) if rules.columns < 1 else [0] * outputs for k in places]
        grown = core.boost_rounds(
            self.tiles, NAMES.index(method.loss.name), method.loss.quantile, self.raw, y, weight, self.train.count,
            rules.options(len(self.missing_bin), self.n_rows, 0), np.array(drawn, dtype=np.uint64),
            method.learning_rate, method.n_jobs,
        )  # fmt: skip
        self.add(grown)
        if len(grown) < n * outputs:
            raise self.beyond()
        return True

    def _grow(self, k: int, rows: NDArray[np.uint32] | None, options: dict[str, Any], n_jobs: int) -> Tree:
        given = self.gradient[k], self.hessian[k], self.train.count
        try:
            return core.boost_tree(self.tiles, *given, rows, options, n_jobs)
        except ValueError:  # of what is given here, only gradients can be wrong
            raise self.beyond() from None

    def _add(self, tree: Tree, k: int, rows: Any, value: Any, n_jobs: int) -> Tree:
        """Give the leaves their values, and add them to the raw predictions of output k."""
        leaves = np.flatnonzero(tree["column"] < 0)
        first, last, order = tree.pop("first")[leaves], tree.pop("last")[leaves], tree.pop("order")
        found = None
        if value is not None:
            low, high = _monotone_bounds(tree, self.method.rules.monotone)
            best = [value(order[a:b]) for a, b in zip(first, last, strict=True)]
            found = np.clip(best, low[leaves], high[leaves])
        tree = self.shrunk(tree, found)
        if rows is None:
            core.add_leaf_values(self.raw[k], order, first, last, tree["value"][leaves], n_jobs)
        else:  # also the rows that the tree was not grown on
            whole = np.zeros((len(self.train.y), 1))
            core.boost_values(Forest.of([tree], self.missing_bin, np.zeros(1)), self.train.bins, whole, n_jobs)
            self.raw[k] += whole[:, 0]
        return tree


def _side_by_side(tree: Callable[[int, int], Tree], n_trees: int, n_jobs: int) -> list[Tree]:
    """`tree(k, threads)` for each k: one thread a tree as long as there is one for each thread, then all for each.

    Threads that share a tree wait for each other a hundred times.
    """
    apart = n_trees - n_trees % n_jobs if n_jobs > 1 else 0
    if not apart:
        return [tree(k, n_jobs) for k in range(n_trees)]
    with ThreadPoolExecutor(n_jobs) as threads:
        found = [*threads.map(lambda k: tree(k, 1), range(apart))]
    return found + [tree(k, n_jobs) for k in range(apart, n_trees)]


def _monotone_bounds(tree: Tree, monotone: tuple[int, ...]) -> tuple[Floats, Floats]:
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
