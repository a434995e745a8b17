"""Machines on a deformed kernel, and their cost, smoothness and width by cross-validation.

A row with a label is left out by hiding its label: it stays in the graph, so the deformed kernel is the same for all
folds and costs, and a fold is a part of its matrix.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, LinAlgWarning

from mercer._core.gram import rows_of_gram
from mercer.arrays import Bools, Floats, Ints, Longs
from mercer.errors import MercerError
from mercer.estimators.kernel.problem import PathProblem
from mercer.estimators.kernel.warm_start import Start
from mercer.estimators.multiclass.codes import BinaryProblem
from mercer.estimators.svm.solve import Solver
from mercer.select.copies import Copies, find_copies
from mercer.select.cv_scores import FoldScorer
from mercer.select.grid import COSTS, MANIFOLDS, Grid
from mercer.select.search import Axes, GridScores
from mercer.solvers.svm import duals
from mercer.solvers.svm.manifold import deformation, neighbour_laplacian, squared_machine

LaplacianLoss: TypeAlias = Literal["hinge", "squared"]


@contextmanager
def _refuse_singular() -> Iterator[None]:
    """MercerError in place of what a singular system raises or warns of."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", LinAlgWarning)
            yield
    except (LinAlgError, LinAlgWarning):
        raise MercerError(
            "gamma_manifold or C is too large beside the kernel's values, or the kernel is not positive semi-definite: "
            "the system of the deformed kernel is singular. Lower them, or use another kernel."
        ) from None


def deformed_kernel(gram: Floats, laplacian: Floats, strength: float, labelled: Longs) -> tuple[Floats, Floats]:
    """The columns A of the rows with a label (`mercer.solvers.svm.manifold`), and the matrix K~ of those rows."""
    with _refuse_singular():
        columns = deformation(gram, laplacian, strength, labelled)
    deformed = gram[labelled] @ columns
    return columns, np.ascontiguousarray((deformed + deformed.T) / 2)


@dataclass(frozen=True)
class Machine:
    """f = K~ coef + bias over the rows with a label; how it was solved."""

    coef: Floats
    bias: float
    steps: int = 1
    gap: float = 0.0
    stopped: bool = False


@dataclass(frozen=True)
class DeformedMachines:
    """Binary problems on the matrix K~ of a deformed kernel, (n_labelled, n_labelled)."""

    loss: LaplacianLoss
    solver: Solver

    def path(self, deformed: Floats, problem: BinaryProblem, costs: Sequence[float]) -> list[Machine]:
        """At ascending costs, each solution starting the next; a single class gives its sign."""
        rows, y = problem.rows, problem.y
        if len(np.unique(y)) < 2:
            return [Machine(np.zeros(len(deformed)), float(y[:1].sum()))] * len(costs)
        gram = np.ascontiguousarray(deformed[np.ix_(rows, rows)])
        solve = self._squared if self.loss == "squared" else self._hinge
        return [replace(m, coef=_spread(m.coef, rows, len(deformed))) for m in solve(gram, y, costs)]

    def _squared(self, gram: Floats, y: Floats, costs: Sequence[float]) -> Iterator[Machine]:
        for cost in costs:
            with _refuse_singular():
                yield Machine(*squared_machine(gram, y, float(cost)))

    def _hinge(self, gram: Floats, y: Floats, costs: Sequence[float]) -> Iterator[Machine]:
        start = None
        for cost in costs:
            found = self.solver(duals.svc(y, np.full(len(y), float(cost))), rows_of_gram(gram), start)
            start = Start(found.beta, found.f)
            stopped = found.status in ("max_iter", "time_limit")
            yield Machine(found.beta, found.bias[0], found.iterations, found.gap, stopped)


def _spread(coef: Floats, rows: Ints, n: int) -> Floats:
    """Coefficients of some rows among those of all."""
    found = np.zeros(n)
    found[rows] = coef
    return found


@dataclass(frozen=True)
class LaplacianSearch(PathProblem):
    """The machine and its training rows as a search sees them: those with a label, the others always beside them."""

    n_neighbors: int
    machines: DeformedMachines

    @property
    def target(self) -> NDArray[Any]:
        """Codes of the classes of rows with a label."""
        known: NDArray[Any] = self.data.target[self._labelled]
        return known

    @property
    def _labelled(self) -> Longs:
        return np.flatnonzero(self.data.target >= 0)

    def take(self, rows: Longs) -> Self:
        """Some of the rows with a label, and all without."""
        kept = np.union1d(self._labelled[rows], np.flatnonzero(self.data.target < 0))
        data = self.data.take(kept, square=self.choice.precomputed)
        return replace(self, data=data, reader=self.reader.take(rows))

    def copies(self) -> Copies | None:
        """Rows with a label that were written more than once."""
        return find_copies(self.data.table.take(self._labelled), self.target)

    def _usual(self) -> Mapping[str, Sequence[float]]:
        return {"C": COSTS, "gamma_manifold": MANIFOLDS}

    def cross_validate(self, axes: Axes, folds: Ints, scorer: FoldScorer, grid: Grid) -> GridScores:
        """Every point; NaN where its system is singular."""
        scores = np.full((*(len(values) for values in axes.values()), int(folds.max()) + 1), np.nan)
        for place, gram in self._matrices.grams(axes["gamma"]):
            laplacian = neighbour_laplacian(gram, self.n_neighbors)
            for m, strength in enumerate(axes["gamma_manifold"]):
                with suppress(MercerError):
                    _, deformed = deformed_kernel(gram, laplacian, float(strength), self._labelled)
                    for fold in range(scores.shape[-1]):
                        path = self._path(deformed, {"C": axes["C"]}, folds != fold)
                        test = np.flatnonzero(folds == fold)
                        scores[:, m, place, fold] = [scorer(decisions, test) for decisions in path]
        every = np.ones(scores.shape[:-1], dtype=bool)
        return GridScores(scores, every, ~every)

    def _path(self, gram: Floats, points: Axes, training: Bools) -> Iterator[Floats]:
        """Of machines on a deformed kernel, at each cost."""
        problems = [p.take(training[p.rows]) for p in self.reader.multiclass.problems(self.target)]
        paths = [self.machines.path(gram, problem, points["C"]) for problem in problems]
        for machines in zip(*paths, strict=True):
            yield np.array([gram @ machine.coef + machine.bias for machine in machines])
