"""A decision tree as flat arrays, and the columns it tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._core import trees
from mercer.arrays import Floats, Ints
from mercer.errors import MercerError

LEAF, THRESHOLD, MULTIWAY, SUBSET = range(4)


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
    level_start[i] .. level_start[i + 1]. `value` holds class weights (n, n_classes), or the mean (n, 1).
    """

    column: Ints
    kind: NDArray[np.uint8]
    threshold: Floats
    first: Ints
    branches: Ints
    level_start: NDArray[np.int64]
    level: Ints
    branch: Ints
    value: Floats
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

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def n_leaves(self) -> int:
        return int((self.kind == LEAF).sum())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Every array by name, to be stored; `from_arrays` reads them back."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], like: Columns) -> Self:
        """A tree over such columns from stored arrays; BadTree when they are not one."""
        absent = [f.name for f in fields(cls) if f.name not in arrays]
        if absent:
            raise BadTree(f"The tree lacks {', '.join(absent)}.")
        tree = cls(**{f.name: np.ascontiguousarray(arrays[f.name]) for f in fields(cls)})
        if not len(tree) == len(tree.rows) == len(tree.impurity):
            raise BadTree("The arrays of the tree differ in length.")
        try:
            trees.check_tree(tree.arrays(), like.numbers.shape[1], like.levels, like.nominal)
        except ValueError as error:
            raise BadTree(str(error)) from None
        return tree

    def parents(self) -> Ints:
        """The parent of each node, -1 for the root."""
        inner = self.branches > 0
        parent = np.repeat(np.flatnonzero(inner), self.branches[inner])
        return np.concatenate([[-1], parent]).astype(np.int32)

    def depths(self) -> Ints:
        """How many tests lead to each node."""
        depth = np.zeros(len(self), np.int32)
        for i, parent in enumerate(self.parents().tolist()[1:], start=1):
            depth[i] = depth[parent] + 1
        return depth

    def paths(self, ends: Ints) -> sp.csr_matrix:
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

    def values(self, columns: Columns, *, missing: str = "fraction", n_jobs: int = 1) -> Floats:
        """Class shares (n, n_classes) or means (n, 1) of the leaves each row reaches."""
        return self._walk(trees.tree_values, columns, missing, n_jobs)

    def leaves(self, columns: Columns, *, missing: str = "fraction", n_jobs: int = 1) -> Ints:
        """The node where each row ends; of several, by the heaviest branches."""
        return self._walk(trees.tree_leaves, columns, missing, n_jobs)

    def _walk(self, step: Any, columns: Columns, missing: str, n_jobs: int) -> NDArray[Any]:
        by_surrogate = missing == "surrogate"
        found: NDArray[Any] = step(
            self.arrays(),
            columns.numbers,
            columns.codes,
            columns.levels,
            columns.nominal,
            by_surrogate,
            n_jobs,
        )
        return found
