"""A forest: trees on the same columns, each with rows and columns of its own drawing; their answers are averaged.

Problem  trees T_1 .. T_m, each grown by `mercer.solvers.tree.grow` on weights of rows and a seed of its own.
Given    columns, classes or numbers to predict, rules, a seed per tree, and per tree how often each row was drawn.
Result   a list of `Tree`; the same whatever the number of threads, which take one tree at a time.
Stop     as each tree.

Bootstrap counts and seeds are those of scikit-learn's forests for the same `random_state`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._core import trees as core
from mercer.arrays import Bools, Floats, Longs
from mercer.solvers.tree.grow import NUMBERS, Rules, Target
from mercer.solvers.tree.tree import MISSING, BadTree, Columns, Tree

MOST_WEIGHTS = 1 << 25  # weights held at once (256 MB): more trees are grown in several calls, each coding the columns


class _Own(threading.local):
    """A generator of this thread."""

    def __init__(self) -> None:
        self.random = np.random.RandomState()


_own = _Own()


def seeded(seed: int) -> np.random.RandomState:
    """What RandomState(seed) draws, until the next seed: making one anew takes ten times as long."""
    _own.random.seed(seed)
    return _own.random


@dataclass(frozen=True)
class Bootstrap:
    """Rows drawn with replacement for a tree: so many of `n_rows`, each in proportion to its weight (None: alike)."""

    n_rows: int
    n_drawn: int
    weight: Floats | None = None

    def drawn(self, seed: int) -> Longs:
        """The rows of the tree of this seed, (n_drawn,)."""
        random = seeded(seed)
        if self.weight is None:
            return np.asarray(random.randint(0, self.n_rows, self.n_drawn), dtype=np.int64)
        return np.asarray(random.choice(self.n_rows, self.n_drawn, p=self.weight / self.weight.sum()), dtype=np.int64)

    def counts(self, seed: int) -> Floats:
        """How often each row was drawn, (n_rows,)."""
        return np.bincount(self.drawn(seed), minlength=self.n_rows).astype(np.float64)

    def out_of_bag(self, seed: int) -> Bools:
        """Which rows were never drawn, (n_rows,)."""
        return self.counts(seed) == 0


def grow_forest(
    columns: Columns,
    target: NDArray[Any],
    rules: Rules,
    seeds: Sequence[int],
    *,
    n_classes: int | Sequence[int] = 0,
    weight: Floats | None = None,
    weight_of: Callable[[int], Floats] | None = None,
    n_jobs: int = 1,
) -> list[Tree]:
    """A tree for each seed; `weight_of` gives the weights of rows of tree k, in place of `weight` for all."""
    options = rules.options()
    given = Target.of(target, 0 if rules.criterion in NUMBERS else n_classes, weight)
    n_features = columns.numbers.shape[1] + columns.codes.shape[1]
    size = len(seeds) if weight_of is None else max(1, min(len(seeds), MOST_WEIGHTS // max(len(columns), 1)))
    forest: list[Tree] = []
    for start in range(0, len(seeds), max(size, 1)):
        part = range(start, min(start + size, len(seeds)))
        weights = None if weight_of is None else np.array([weight_of(k) for k in part], dtype=np.float64)
        numbers = np.array([seeds[k] for k in part], dtype=np.uint64)
        try:
            found = core.grow_forest(columns, given, options, weights, numbers, n_jobs)
        except ValueError as error:
            raise BadTree(f"{error}.") from None
        forest += [Tree(**arrays, missing=rules.missing, n_features=n_features) for arrays in found]
    return forest


class HeldForest:
    """Trees for many predictions over such columns: the compiled half checks and packs them once.

    Their arrays are read-only from then on, because nobody checks them again.
    """

    def __init__(self, trees: Sequence[Tree], like: Columns, n_jobs: int = 1) -> None:
        self.trees, self.levels, self.nominal = tuple(trees), like.levels, like.nominal
        arrays = [tree.arrays() for tree in trees]
        for array in (array for held in arrays for array in held.values()):
            array.setflags(write=False)
        self.handle = core.held_forest(arrays, like, MISSING.index(self.trees[0].missing), n_jobs)

    def is_of(self, trees: Sequence[Tree], like: Columns) -> bool:
        """Whether it holds these very trees, over such columns."""
        return (
            len(trees) == len(self.trees)
            and all(one is other for one, other in zip(trees, self.trees, strict=True))
            and np.array_equal(self.levels, like.levels)
            and np.array_equal(self.nominal, like.nominal)
        )

    def values(self, columns: Columns, *, n_jobs: int = 1) -> Floats:
        """The mean answer of the trees, (n_rows, n_answers)."""
        total: Floats = core.forest_values(self.handle, columns, n_jobs)
        return total / len(self.trees)


def forest_leaves(forest: Sequence[Tree], columns: Columns, *, n_jobs: int = 1) -> Longs:
    """The node where each row ends in each tree, (n_rows, n_trees)."""
    return np.column_stack([tree.leaves(columns, n_jobs=n_jobs) for tree in forest]).astype(np.int64)


def out_of_bag_values(
    forest: Sequence[Tree], out: Sequence[Bools], columns: Columns, *, n_jobs: int = 1
) -> tuple[Floats, Longs]:
    """The mean answer of the trees that did not draw each row, (n_rows, n_answers), and how many there are."""
    total = np.zeros((len(columns), forest[0].answer.shape[1]))
    asked = np.zeros(len(columns), dtype=np.int64)
    for tree, free in zip(forest, out, strict=True):
        total[free] += tree.values(take_rows(columns, free), n_jobs=n_jobs)
        asked += free
    return total / np.maximum(asked, 1)[:, None], asked


def take_rows(columns: Columns, rows: NDArray[Any]) -> Columns:
    """These rows of the columns."""
    return replace(columns, numbers=columns.numbers[rows], codes=columns.codes[rows])


def proximity(leaves: Longs, others: Longs) -> Floats:
    """The share of trees in which two rows end in one leaf, (n_rows, n_others); of leaves (n, n_trees)."""
    first, second = _indicator(leaves, others), _indicator(others, leaves)
    shared: Floats = (first @ second.T).toarray() / leaves.shape[1]
    return shared


def _indicator(leaves: Longs, others: Longs) -> sp.csr_matrix:
    """1 where a row ends in a leaf, the leaves of all trees side by side."""
    n, m = leaves.shape
    sizes = np.maximum(leaves.max(axis=0, initial=0), others.max(axis=0, initial=0)) + 1
    start = np.concatenate([[0], np.cumsum(sizes)])
    place = (leaves + start[:-1]).ravel()
    return sp.csr_matrix((np.ones(n * m), place, np.arange(0, n * m + 1, m)), shape=(n, int(start[-1])))
