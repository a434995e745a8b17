"""Rare levels of a category: merged before a tree is grown, listed again one by one in the tree that was grown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Ints
from mercer.errors import BadFile
from mercer.solvers.tree.tree import SUBSET, Columns, Tree
from mercer.state import Reader, State


@dataclass(frozen=True)
class RareLevels:
    """Levels that too few rows have: `of_column[j]` lists those of coded column j, increasing; often none.

    To the tree they are one level, the first of them, and so is a level never seen.
    """

    of_column: tuple[Ints, ...]

    @classmethod
    def among(cls, columns: Columns, min_rows: float) -> Self:
        """Levels of categories with fewer than `min_rows` rows; a single one is left alone."""
        return cls.of(level_rows(columns), columns.nominal, min_rows)

    @classmethod
    def of(cls, counts: Iterable[NDArray[Any]], nominal: Iterable[Any], min_rows: float) -> Self:
        """The same from the rows of each level of each column."""
        found = []
        for count, is_nominal in zip(counts, nominal, strict=True):
            few = np.flatnonzero(count < min_rows).astype(np.int32)
            found.append(few if is_nominal and len(few) > 1 else few[:0])
        return cls(tuple(found))

    def joined(self, columns: Columns) -> Columns:
        """The columns with one code for all rare levels of a column, and for levels never seen."""
        if not any(len(few) for few in self.of_column):
            return columns
        codes = columns.codes.copy()
        for j, few in enumerate(self.of_column):
            if len(few):
                levels = int(columns.levels[j])
                new = np.arange(levels + 2, dtype=np.int32)
                new[few] = new[levels] = few[0]
                new[-1] = -1  # missing stays missing
                codes[:, j] = new[np.minimum(codes[:, j], levels)]
        return replace(columns, codes=codes)

    def named(self, tree: Tree, n_numbers: int) -> Tree:
        """The tree with every rare level in the lists of its tests, where the joined one was."""
        if not len(tree.level) or not any(len(few) for few in self.of_column):
            return tree
        node = np.repeat(np.arange(len(tree)), np.diff(tree.level_start))
        parts = [(node, tree.level, tree.branch)]
        column = np.where(tree.kind[node] == SUBSET, tree.column[node] - n_numbers, -1)
        for j, few in enumerate(self.of_column):
            if len(few):
                met = np.flatnonzero((column == j) & (tree.level == few[0]))
                others = len(few) - 1
                parts.append(
                    (np.repeat(node[met], others), np.tile(few[1:], len(met)), np.repeat(tree.branch[met], others))
                )
        node, level, branch = (np.concatenate(part) for part in zip(*parts, strict=True))
        order = np.lexsort((level, node))
        return replace(
            tree,
            level=level[order].astype(np.int32),
            branch=branch[order].astype(np.int32),
            level_start=np.append(0, np.cumsum(np.bincount(node, minlength=len(tree)))).astype(np.int64),
        )

    def to_state(self) -> State:
        start = np.cumsum([0, *(len(few) for few in self.of_column)]).astype(np.int64)
        return {"start": start, "level": np.concatenate([np.zeros(0, np.int32), *self.of_column])}

    @classmethod
    def from_state(cls, state: Reader, levels: Sequence[int]) -> Self:
        """Read back for columns with so many levels each."""
        level = state.array("level", "int32", (None,))
        start = state.array("start", "int64", (len(levels) + 1,), low=0, high=len(level))
        state.finish()
        parts = np.split(level, start[1:-1]) if len(levels) else []
        sound = len(level) == start[-1] and start[0] == 0 and (np.diff(start) >= 0).all()
        for few, size in zip(parts, levels, strict=True):
            sound = sound and (np.diff(few) > 0).all() and ((few >= 0) & (few < size)).all()
        if not sound:
            raise BadFile(f"{state.where}: not lists of levels of the coded columns.")
        return cls(tuple(parts))


def level_rows(columns: Columns) -> list[NDArray[Any]]:
    """How many rows each level of each coded column has."""
    pairs = zip(columns.codes.T, columns.levels, strict=True)
    return [np.bincount(codes[(codes >= 0) & (codes < levels)], minlength=levels) for codes, levels in pairs]
