"""Kernel logistic regression as the problem of a search: one kernel matrix for all folds and costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mercer.arrays import Bools, Floats, Ints
from mercer.estimators.kernel.problem import PathProblem
from mercer.select.grid import COSTS
from mercer.select.search import Axes
from mercer.solvers.kernel_logistic import LogisticProblem, solve


def class_columns(codes: Ints, n_classes: int) -> Floats:
    """Classes as columns of 0 and 1: that of the second of two, or one for each, (n_rows, k)."""
    columns = (codes[:, None] == np.arange(n_classes)).astype(np.float64)
    return columns[:, 1:] if n_classes == 2 else columns


@dataclass(frozen=True)
class KernelLogisticSearch(PathProblem):
    """The machine and its training rows as a `mercer.select.search.TunableProblem`."""

    tol: float
    max_iter: int

    def _usual(self) -> Mapping[str, Sequence[float]]:
        return {"C": COSTS}

    def _path(self, gram: Floats, points: Axes, training: Bools) -> Iterator[Floats]:
        """The solution of a cost starts that of the next."""
        classes, weight = class_columns(self.data.target, len(self.reader.classes)), self.data.weight * training
        start = None
        for cost in points["C"]:
            problem = LogisticProblem(lambda v: gram @ v, cost * weight, classes)
            solution = solve(problem, tol=self.tol, max_iter=self.max_iter, start=start)
            start = solution.coef, solution.intercept
            yield (gram @ solution.coef + solution.intercept).T
