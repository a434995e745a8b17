"""Columns whose cells are bins: the numbers and levels in them, and tests of bins as tests of those."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mercer._core.reference.columns import halfway
from mercer.arrays import Floats, Ints
from mercer.solvers.boost.binning import Bytes
from mercer.solvers.tree.tree import SUBSET, Columns, Tree


@dataclass(frozen=True)
class BinnedColumns:
    """Columns as bins, numbers first: how many bins each has, the numbers in them, and which are categories.

    low, high (n_columns, 256): the least and the greatest number in each bin, of an ordinal column codes of levels.
    levels: of each category, which bin each level is in.
    """

    bins: Ints
    low: Floats
    high: Floats
    nominal: NDArray[np.bool_]
    n_numbers: int
    levels: tuple[Ints, ...]

    def of(self, cells: Bytes) -> Columns:
        """Bins as the columns of `grow`, the least number of a bin for each number in it."""
        missing = cells == self.bins
        numbers = np.empty((len(cells), self.n_numbers))
        for j in range(self.n_numbers):
            numbers[:, j] = np.where(missing[:, j], np.nan, self.low[j, cells[:, j]])
        codes = np.where(missing, -1, cells)[:, self.n_numbers :].astype(np.int32)
        coded = slice(self.n_numbers, None)
        return Columns(numbers, codes, self.bins[coded].astype(np.int32), self.nominal[coded].astype(np.uint8))

    def column(self, j: int, bins: Ints, place: int) -> Columns:
        """Some bins of column j as column number `place` of a table of otherwise constant numbers."""
        missing = bins == self.bins[j]
        if self.nominal[j]:
            codes = np.where(missing, -1, bins)[:, None].astype(np.int32)
            return Columns.of(np.zeros((len(bins), place)), codes, [self.bins[j]], [1])
        numbers = np.zeros((len(bins), place + 1))
        numbers[:, place] = np.where(missing, np.nan, self.low[j, bins])
        return Columns.of(numbers)

    def threshold(self, j: int, cut: int, following: int, found: float) -> float:
        """Between two neighbouring bins of a node; `found` between the least numbers of both."""
        low, high = self.high[j, cut], self.low[j, following]
        return found if low == self.low[j, cut] and found < high else halfway(low, high)

    def with_levels(self, tree: Tree) -> Tree:
        """Tests of bins of categories as tests of their levels."""
        starts, level, branch = [0], [], []
        for i in range(len(tree)):
            own = slice(int(tree.level_start[i]), int(tree.level_start[i + 1]))
            if tree.kind[i] == SUBSET:
                bin_of = self.levels[int(tree.column[i]) - self.n_numbers]
                side = dict(zip(tree.level[own].tolist(), tree.branch[own].tolist(), strict=True))
                some = [(code, side[b]) for code, b in enumerate(bin_of.tolist()) if b in side]
                level += [code for code, _ in some]
                branch += [b for _, b in some]
            starts.append(len(level))
        return replace(
            tree, level=np.array(level, np.int32), branch=np.array(branch, np.int32),
            level_start=np.array(starts, np.int64),
        )  # fmt: skip
