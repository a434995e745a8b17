"""The search of machines in cells: cross-validation within cells, on rows as close to each other as the machines'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.arrays import Floats, Ints, Longs
from mercer.estimators.kernel.approximation.basis import expect_rows
from mercer.estimators.kernel.approximation.cells import SIZE, divide
from mercer.estimators.svm.search import KernelSearch
from mercer.kernels import Kernel
from mercer.select.copies import Copies
from mercer.select.cv_scores import FoldScorer
from mercer.select.grid import Grid
from mercer.select.search import Axes, GridScores


@dataclass(frozen=True)
class CellSearch:
    """A `mercer.select.search.TunableProblem`: the mean over cells of what the search finds in each.

    Rows drawn from a large table are further apart than those of a cell, and would choose too wide a kernel and too
    small a cost: on 100,000 rows of covtype an error of .114 in place of .090.

    inner : the machine and its training rows
    size : rows of a cell, about; None for the usual number
    seed : of the cells, those of a fit with it, and of the order in which they are drawn
    drawn : the cell of each row, where rows were taken
    """

    inner: KernelSearch
    size: int | None
    seed: int
    drawn: Longs | None = None

    @cached_property
    def own(self) -> Longs:
        """The cell of each row."""
        if self.drawn is not None:
            return self.drawn
        inner, given = self.inner, self.inner.values["gamma"]
        usual = None if isinstance(inner.choice.kernel, Kernel) else "scale"
        kernel = expect_rows(inner.choice.fitted(inner.data, usual if given is None else given))
        return divide(kernel, inner.data.table, self.size or SIZE, self.seed, inner.dtype, inner.solver.n_jobs)[1]

    @property
    def target(self) -> NDArray[Any]:
        """Class codes or numbers."""
        return self.inner.target

    @property
    def score_weight(self) -> Floats | None:
        """The sample weights."""
        return self.inner.score_weight

    @property
    def reader(self) -> Any:
        """What decisions mean."""
        return self.inner.reader

    def copies(self) -> Copies | None:
        """Rows that were written more than once."""
        return self.inner.copies()

    def axes(self, searched: tuple[str, ...], grid: Grid) -> Axes:
        """The values to try."""
        return self.inner.axes(searched, grid)

    def parameters_of(self, best: Mapping[str, Any]) -> dict[str, Any]:
        """The constructor parameters of the best point."""
        return self.inner.parameters_of(best)

    def take(self, rows: Longs) -> CellSearch:
        """Whole cells, as many as have no more kernel values than one matrix of so many rows."""
        sizes = np.bincount(self.own)
        order = np.random.default_rng(self.seed).permutation(len(sizes))
        spent = np.cumsum(sizes[order].astype(np.float64) ** 2)
        drawn = order[: max(1, int(np.searchsorted(spent, float(len(rows)) ** 2, side="right")))]
        kept = np.flatnonzero(np.isin(self.own, drawn))
        cells = np.unique(self.own[kept], return_inverse=True)[1]
        return replace(self, inner=self.inner.take(kept), drawn=cells)

    def cross_validate(self, axes: Axes, folds: Ints, scorer: FoldScorer, grid: Grid) -> GridScores:
        """Every point in every cell, each as exactly: cells differ in which points come near to the best."""
        cells = [rows for rows in self._cells() if self._comparable(rows, folds, scorer)]
        if not cells:
            return self.inner.cross_validate(axes, folds, scorer, grid)
        limit = None if grid.time_limit is None else grid.time_limit / len(cells)
        same = clone(grid).set_params(race=False, gap=0.0, time_limit=limit)
        found = [self._in_cell(axes, rows, folds, same) for rows in cells]
        weights = np.array([np.bincount(folds[rows][folds[rows] >= 0]) for rows in cells], dtype=np.float64)
        scores = np.array([one.scores for one in found])  # (cells, points..., folds)
        weights = np.where(np.isnan(scores), 0.0, weights.reshape(len(cells), *[1] * (scores.ndim - 2), -1))
        total = weights.sum(axis=0)
        mean = np.where(total > 0, (weights * np.nan_to_num(scores)).sum(axis=0) / np.maximum(total, 1.0), np.nan)
        exact = np.all([one.exact for one in found], axis=0)
        return GridScores(mean, exact, np.any([one.rejected for one in found], axis=0))

    def _cells(self) -> list[Longs]:
        order = np.argsort(self.own, kind="stable")
        return np.split(order, np.searchsorted(self.own[order], np.arange(1, int(self.own.max()) + 1)))

    def _in_cell(self, axes: Axes, rows: Longs, folds: Ints, grid: Grid) -> GridScores:
        part = self.inner.take(rows)
        scorer = FoldScorer(part.reader, part.target, part.score_weight, grid.scoring)
        return part.cross_validate(axes, folds[rows], scorer, grid)

    def _comparable(self, rows: Longs, folds: Ints, scorer: FoldScorer) -> bool:
        """Whether every fold has rows of the cell, and these the classes that a score asks for."""
        if not np.isin(np.arange(folds.max() + 1), folds[rows]).all():
            return False
        if self.reader.classes is None:
            return True
        present = len(np.unique(self.target[rows]))
        return present == len(self.reader.classes) or (present > 1 and scorer.name == "accuracy")
