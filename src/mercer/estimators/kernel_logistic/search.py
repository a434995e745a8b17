"""Kernel logistic regression as the problem of a search: one kernel matrix for all folds and costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.estimators.kernel.problem import MatrixProblem
from mercer.select.cv_scores import FoldScorer
from mercer.select.grid import COSTS, Grid, grid_values
from mercer.select.search import Axes, GridScores
from mercer.solvers.kernel_logistic import LogisticProblem, solve


def class_columns(codes: Ints, n_classes: int) -> Floats:
    """Classes as columns of 0 and 1: that of the second of two, or one for each, (n_rows, k)."""
    columns = (codes[:, None] == np.arange(n_classes)).astype(np.float64)
    return columns[:, 1:] if n_classes == 2 else columns


@dataclass(frozen=True)
class KernelLogisticSearch(MatrixProblem):
    """The machine and its training rows as a `mercer.select.search.TunableProblem`."""

    tol: float
    max_iter: int

    def axes(self, searched: tuple[str, ...], grid: Grid) -> Axes:
        """Costs and gammas to try."""
        found: Axes = {name: [value] for name, value in self.values.items()}
        if "C" in searched:
            found["C"] = [*grid_values("C", grid.C, COSTS)]
        if "gamma" in searched:
            found["gamma"] = [*self._matrices.gammas(grid)]
        return found

    def cross_validate(self, axes: Axes, folds: Ints, scorer: FoldScorer, grid: Grid) -> GridScores:
        """Every point; in each fold the solution of a cost starts that of the next."""
        n_folds = int(folds.max()) + 1
        scores = np.full((len(axes["C"]), len(axes["gamma"]), n_folds), np.nan)
        for place, gram in self._matrices.grams(axes["gamma"]):
            for fold in range(n_folds):
                test = folds == fold
                for c, decisions in enumerate(self._path(gram, axes["C"], self.data.weight * ~test)):
                    scores[c, place, fold] = scorer(decisions, np.flatnonzero(test))
        every = np.ones(scores.shape[:-1], dtype=bool)
        return GridScores(scores, every, ~every)

    def _path(self, gram: Floats, costs: list[float], weight: Floats) -> list[Floats]:
        """Decisions on all rows at each cost, by the rows of positive weight."""
        classes = class_columns(self.data.target, len(self.reader.classes))
        found, start = [], None
        for cost in costs:
            problem = LogisticProblem(lambda v: gram @ v, cost * weight, classes)
            solution = solve(problem, tol=self.tol, max_iter=self.max_iter, start=start)
            start = solution.coef, solution.intercept
            found.append((gram @ solution.coef + solution.intercept).T)
        return found
