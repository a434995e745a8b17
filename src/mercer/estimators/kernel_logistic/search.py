"""Kernel logistic regression as the problem of a search: one kernel matrix for all folds and costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from mercer.arrays import Floats, Ints, Longs
from mercer.estimators.kernel.problem import MatrixProblem
from mercer.select.cv_scores import FoldScorer, RowNumbers
from mercer.select.grid import COSTS, Grid, grid_values
from mercer.select.search import Axes, GridScores
from mercer.solvers.kernel_logistic import LogisticProblem, solve


@dataclass(frozen=True)
class LogOdds:
    """Decisions (n_functions, n_rows) are log odds: one function for two classes, one for each of several."""

    classes: NDArray[Any]

    def class_codes(self, decisions: Floats) -> Longs:
        """The most probable class."""
        return (decisions[0] >= 0).astype(np.int64) if len(decisions) == 1 else np.argmax(decisions, axis=0)

    def decision_function(self, decisions: Floats) -> Floats:
        """(n_rows,) for two classes, else (n_rows, n_classes)."""
        return decisions[0] if len(decisions) == 1 else decisions.T

    def probabilities(self, decisions: Floats) -> Floats:
        """(n_rows, n_classes)."""
        if len(decisions) == 1:
            return np.column_stack([expit(-decisions[0]), expit(decisions[0])])
        return np.asarray(softmax(decisions.T, axis=1))

    def test_probabilities(self, decisions: Floats, test: RowNumbers) -> Floats:
        """The model's own, which need no calibration."""
        return self.probabilities(decisions[:, test])


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
