"""A decision tree as flat arrays, and the columns it tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._core import trees
from mercer.arrays import Floats, Ints
from mercer.errors import MercerError
from mercer.solvers.tree.ways import Ways

LEAF, THRESHOLD, MULTIWAY, SUBSET = range(4)
MISSING = ("fraction", "surrogate", "learned")  # by their numbers in native code


class BadTree(MercerError):
    """Arrays that are not a tree, or rules that no tree can follow."""


@dataclass(frozen=True)
class Columns:
    """What a tree asks about: numbers first, then coded columns. Column j of a test counts through both.

    numbers (n, p) with NaN where missing; codes (n, q), -1 where missing; levels (q,) how many each has;
    nominal (q,) true for categories, false for ordinal columns.
    """

    numbers: Floats
    codes: Ints
    levels: Ints
    nominal: NDArray[np.uint8]

    @classmethod
    def of(cls, numbers: Any = None, codes: Any = None, levels: Any = None, nominal: Any = None) -> Self:
        """Fill in what is absent: no such columns, levels counted from the codes, every coded column nominal."""
        given = numbers if numbers is not None else codes
        if given is None:
            raise BadTree("A tree needs numbers or codes; neither was given.")
        rows = len(given)
        numbers = np.zeros((rows, 0)) if numbers is None else np.asarray(numbers, dtype=np.float64)
        codes = np.zeros((rows, 0), np.int32) if codes is None else np.asarray(codes, dtype=np.int32)
        if levels is None:
            levels = codes.max(axis=0, initial=-1) + 1
        nominal = np.ones(codes.shape[1]) if nominal is None else nominal
        return cls(numbers, codes, np.asarray(levels, dtype=np.int32), np.asarray(nominal, dtype=np.uint8))

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class Tree:
    """A grown tree as flat arrays.

    Node i tests `column[i]` unless it is a LEAF; its children, beyond i, are first[i] .. first[i] + branches[i] - 1.
    THRESHOLD sends x <= threshold to the first child. MULTIWAY and SUBSET send level[k] to child branch[k], for k in
    level_start[i] .. level_start[i + 1]. Missing cells went to child missing_branch[i], -1 where there were none, or
    where they go otherwise (see `MISSING`). `answer` holds, for one output after the other, the share of each of its
    `classes`, or the mean where classes is 0.

    `missing` says where missing cells go, `n_features` how many columns there are. Under scikit-learn's names the same
    is there for its readers of trees (`children_left`, `feature`, `value`, ...); they know two branches only.
    """

    column: Ints
    kind: NDArray[np.uint8]
    threshold: Floats
    first: Ints
    branches: Ints
    missing_branch: Ints
    level_start: NDArray[np.int64]
    level: Ints
    branch: Ints
    classes: Ints
    answer: Floats
    rows: Floats
    weight: Floats
    impurity: Floats
    surrogate_start: NDArray[np.int64]
    surrogate_column: Ints
    surrogate_flip: NDArray[np.uint8]
    surrogate_threshold: Floats
    surrogate_level_start: NDArray[np.int64]
    surrogate_level: Ints
    surrogate_side: Ints
    missing: str = "learned"
    n_features: int = 0

    def __len__(self) -> int:
        return len(self.kind)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # without `ways`, which is made again when used

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Every array by name, to be stored; `from_arrays` reads them back."""
        return {name: getattr(self, name) for name in ARRAYS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], like: Columns, missing: str = "learned") -> Self:
        """A tree over such columns from stored arrays; BadTree when they are not one."""
        absent = [name for name in ARRAYS if name not in arrays]
        if absent:
            raise BadTree(f"The tree lacks {', '.join(absent)}.")
        held: dict[str, Any] = {name: np.ascontiguousarray(arrays[name]) for name in ARRAYS}
        tree = cls(**held, missing=missing, n_features=like.numbers.shape[1] + like.codes.shape[1])
        if not len(tree) == len(tree.rows) == len(tree.impurity):
            raise BadTree("The arrays of the tree differ in length.")
        try:
            trees.check_tree(tree.arrays(), like.numbers.shape[1], like.levels, like.nominal)
        except ValueError as error:
            raise BadTree(str(error)) from None
        tree._expect_weights_fit()
        return tree

    def _expect_weights_fit(self) -> None:
        """The children of a node have its weight; of rows sent down in fractions, small ones are let go."""
        if np.isneginf(self.threshold).any():
            raise BadTree("No number is below a threshold of minus infinity.")
        below = np.zeros(len(self))
        np.add.at(below, self.parents()[1:], self.weight[1:])
        inner = self.branches > 0
        least = 0.0 if self.missing == "fraction" else 1 - 1e-6
        share = below[inner] / self.weight[inner]
        if (share > 1 + 1e-6).any() or (share < least).any():
            raise BadTree("The weights of some children do not add up to that of their node.")

    def parents(self) -> Ints:
        """The parent of each node, -1 for the root."""
        inner = self.branches > 0
        parent = np.repeat(np.flatnonzero(inner), self.branches[inner])
        return np.concatenate([[-1], parent]).astype(np.int32)

    @cached_property
    def ways(self) -> Ways:
        """The ways to the leaves: of use to the explanation of every row, and kept once made."""
        return Ways.of(self.parents(), self.branches, self.weight, self.column, self.kind, self.threshold, self.answer)

    def depths(self) -> Ints:
        """How many tests lead to each node."""
        depth = np.zeros(len(self), np.int32)
        begin, end = 0, 1  # of one level
        while begin < end:
            begin, end = end, end + int(self.branches[begin:end].sum())
            depth[begin:] += 1
        return depth

    def class_weights(self) -> Floats:
        """Weight of each class at each node, (n_nodes, n_classes); of one output."""
        weights: Floats = self.answer * self.weight[:, None]
        return weights

    def missing_branches(self) -> Ints:
        """Where a missing cell goes when that was learned: as in training, else to most rows, of two alike right."""
        found, unknown = self.missing_branch.copy(), self.missing_branch < 0
        two = np.flatnonzero((self.branches == 2) & unknown)
        found[two] = self.rows[self.first[two] + 1] >= self.rows[self.first[two]]
        for i in np.flatnonzero((self.branches > 2) & unknown):
            rows = self.rows[self.first[i] : self.first[i] + self.branches[i]]
            found[i] = len(rows) - 1 - np.argmax(rows[::-1])
        return found

    def paths(self, ends: NDArray[Any]) -> sp.csr_matrix:
        """1 for each node (n_ends, n_nodes) on the way from the root to each of `ends`."""
        parents, depth = self.parents(), self.depths()
        start = np.concatenate([[0], np.cumsum(depth[ends] + 1)]).astype(np.int64)
        nodes = np.empty(start[-1], np.int64)
        at, last = np.asarray(ends), start[1:] - 1
        while len(at):
            nodes[last] = at
            above = at > 0
            at, last = parents[at[above]], last[above] - 1
        return sp.csr_matrix((np.ones(len(nodes), np.int64), nodes, start), shape=(len(ends), len(self)))

    def values(self, columns: Columns, *, n_jobs: int = 1) -> Floats:
        """Answers (n, n_answers) of the leaves each row reaches: shares of the classes, or means."""
        found: Floats = trees.tree_values(self.arrays(), columns, MISSING.index(self.missing), n_jobs)
        return found

    def leaves(self, columns: Columns, *, n_jobs: int = 1) -> Ints:
        """The node where each row ends; of several, by the heaviest branches."""
        found: Ints = trees.tree_leaves(self.arrays(), columns, MISSING.index(self.missing), n_jobs)
        return found

    def partial_dependence(self, grid: Floats, features: NDArray[np.intp]) -> Floats:
        """Mean answer of the first output for each row of `grid`, (n_grid,), values of these columns alone.

        A test of another column sends a row down both branches in shares of their weight (Friedman 2001, section 8.2).
        """
        columns = {int(feature): k for k, feature in enumerate(features)}
        share = np.zeros((len(self), len(grid)))
        share[0] = 1.0
        for i in np.flatnonzero(self.branches > 0):
            kids = slice(self.first[i], self.first[i] + self.branches[i])
            if int(self.column[i]) in columns:
                left = grid[:, columns[int(self.column[i])]] <= self.threshold[i]
                share[kids] = share[i] * np.array([left, ~left])
            else:
                share[kids] = share[i] * (self.weight[kids] / self.weight[kids].sum())[:, None]
        mean: Floats = self.answer[self.kind == LEAF, 0] @ share[self.kind == LEAF]
        return mean

    def decreases(self) -> Floats:
        """The decrease of impurity by the tests of each column, times the share of the weight that they see."""
        spread = self.weight * self.impurity
        below = np.zeros(len(self))
        np.add.at(below, self.parents()[1:], spread[1:])
        inner = self.branches > 0
        sums = np.bincount(self.column[inner], (spread - below)[inner], self.n_features)
        return np.maximum(sums, 0.0) / self.weight[0]

    # scikit-learn's names, for those who read its trees.

    @property
    def node_count(self) -> int:
        return len(self)

    @property
    def capacity(self) -> int:
        return len(self)

    @property
    def n_leaves(self) -> int:
        return int((self.kind == LEAF).sum())

    @property
    def max_depth(self) -> int:
        return int(self.depths().max())

    @property
    def n_outputs(self) -> int:
        return len(self.classes)

    @property
    def n_classes(self) -> NDArray[np.int64]:
        return np.maximum(self.classes, 1).astype(np.int64)

    @property
    def max_n_classes(self) -> int:
        return int(self.n_classes.max())

    def _child(self, side: Literal[0, 1]) -> NDArray[np.int64]:
        if (self.branches > 2).any():
            raise BadTree("Some tests have more than two branches. Use `first` and `branches`, or nominal='subset'.")
        return np.where(self.branches > 0, self.first + side, -1).astype(np.int64)

    @property
    def children_left(self) -> NDArray[np.int64]:
        return self._child(0)

    @property
    def children_right(self) -> NDArray[np.int64]:
        return self._child(1)

    @property
    def feature(self) -> NDArray[np.int64]:
        return np.where(self.branches > 0, self.column, -2).astype(np.int64)

    @property
    def n_node_samples(self) -> NDArray[np.int64]:
        return self.rows.astype(np.int64)

    @property
    def weighted_n_node_samples(self) -> Floats:
        return self.weight

    @property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        return (self.missing_branches() == 0).astype(np.uint8)

    @property
    def value(self) -> Floats:
        """Answers by output and class, (n_nodes, n_outputs, max_n_classes), 0 where an output has fewer classes."""
        if self.n_outputs == 1:
            return self.answer[:, None, :]
        value = np.zeros((len(self), self.n_outputs, self.max_n_classes))
        ends = np.cumsum(self.n_classes)
        for k, (end, size) in enumerate(zip(ends, self.n_classes, strict=True)):
            value[:, k, :size] = self.answer[:, end - size : end]
        return value

    def predict(self, X: Any) -> Floats:
        """Answers of the leaves of rows of numbers, (n_rows, n_classes), or by output."""
        value = self.value[self.apply(X)]
        return value if self.n_outputs > 1 else value[:, 0]

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The leaf of each row of numbers."""
        return self.leaves(Columns.of(X.toarray() if sp.issparse(X) else X)).astype(np.int64)

    def decision_path(self, X: Any) -> sp.csr_matrix:
        """The nodes that each row of numbers passes."""
        return self.paths(self.leaves(Columns.of(X.toarray() if sp.issparse(X) else X)))

    def compute_feature_importances(self, normalize: bool = True) -> Floats:
        """The decrease of impurity that each column brought; its share of all, if normalized."""
        found = self.decreases()
        return found / found.sum() if normalize and found.sum() > 0 else found


ARRAYS = tuple(f.name for f in fields(Tree) if f.name not in ("missing", "n_features"))
