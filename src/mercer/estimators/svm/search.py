"""The kernel machines as problems of a search: kernel matrices shared between folds, costs and pairs of classes."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.gram import rows_of_gram
from mercer.arrays import Array, Bools, Floats, Ints, Longs
from mercer.errors import MercerError, MercerWarning
from mercer.estimators.kernel.choice import KernelChoice, KernelMatrices
from mercer.estimators.kernel.problem import PathProblem
from mercer.estimators.kernel.rows import Precision, kernel_dtype
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.kernel.warm_start import Start
from mercer.estimators.multiclass.decisions import ClassDecisions
from mercer.estimators.svm.formulations import AsymmetricRegression, QuantileLoss
from mercer.estimators.svm.solve import Solver
from mercer.parameters import Number
from mercer.select.copies import Copies, find_copies
from mercer.select.cv_scores import FoldScore, FoldScorer, HeldOutPredictions, NumberDecisions, RowNumbers
from mercer.select.grid import COSTS, EPSILONS, NUS, Grid, grid_values, standard_deviation
from mercer.select.search import Axes, GridScores, given_parameters, is_searched
from mercer.solvers.svm import cv_path
from mercer.state import LARGEST

# What the parameters that can be searched may be.
COST = Number(0, np.inf, above=True, words=("cv",))
FINITE_COST = Number(0, LARGEST, above=True, words=("cv",))  # its square, times cells, does not overflow
EPSILON = Number(0, words=("cv",))
_SEARCH_TOL = 1e-3  # in standard deviations of the target: finer does not change which point is the best
NU = Number(0, 1, above=True, words=("cv",))
SEARCHED_GAMMA = Number(0, above=True, words=("scale", "auto", "cv"))


@dataclass(frozen=True)
class KernelSearch(ABC):
    """A kernel machine and its training rows as a `mercer.select.search.TunableProblem`.

    values : what the parameters are where they are not searched
    formulate : the problem (`mercer.estimators.svm.formulations`) of given rows and values
    """

    values: Mapping[str, Any]
    formulate: Callable[[TrainingRows, Mapping[str, Any]], Any]
    data: TrainingRows
    reader: ClassDecisions | NumberDecisions
    choice: KernelChoice
    precision: Precision
    solver: Solver

    @property
    def target(self) -> NDArray[Any]:
        """Class codes or numbers."""
        return self.data.target

    @property
    def score_weight(self) -> Floats | None:
        """The sample weights."""
        return self.data.sample_weight

    def take(self, rows: Longs) -> KernelSearch:
        """The same problem on some of the rows."""
        data = self.data.take(rows, square=self.choice.precomputed)
        reader = self.reader.take(rows) if isinstance(self.reader, ClassDecisions) else self.reader
        return replace(self, data=data, reader=reader)

    def copies(self) -> Copies | None:
        """Rows that were written more than once, target included."""
        return find_copies(self.data.table, self.target)

    def axes(self, searched: tuple[str, ...], grid: Grid) -> Axes:
        """Costs, epsilons or nus, and gammas to try."""
        units = self.formulate(self.data, self.values).units(self.data)
        defaults = {"C": COSTS, "epsilon": EPSILONS, "nu": NUS}
        found: Axes = {name: [value] for name, value in self.values.items()}
        for name in searched:
            if name != "gamma":
                usual = [units[name] * v for v in defaults[name]]
                found[name] = [*grid_values(name, getattr(grid, name), usual, zero=name == "epsilon")]
        if "nu" in searched:
            self._refuse_infeasible(found["nu"][-1])
        if "gamma" in searched:
            found["gamma"] = [*self._matrices.gammas(grid)]
        return found

    def _refuse_infeasible(self, largest: float) -> None:
        most = self.formulate(self.data, self.values).largest_nu(self.data)
        if largest > most * (1 + 1e-9):
            raise MercerError(f"grid: nu={largest:g} is infeasible, at most {most:.4g} here. Leave it out.")

    def cross_validate(self, axes: Axes, folds: Ints, scorer: FoldScorer, grid: Grid) -> GridScores:
        """Every point, the kernel matrix computed once for all that share it."""
        shape = tuple(len(values) for values in axes.values())
        scores = np.full((*shape, int(folds.max()) + 1), np.nan)
        exact, rejected = np.zeros((2, *shape), dtype=bool)
        for places, matrix, gammas in self._matrices.each(axes["gamma"]):
            found = self._scores(axes, matrix, gammas, folds, scorer, grid)
            scores[..., places, :] = found.scores
            exact[..., places], rejected[..., places] = found.exact, found.rejected
        return GridScores(scores, exact, rejected)

    @abstractmethod
    def _scores(
        self, axes: Axes, matrix: Array, gammas: Floats | None, folds: Ints, scorer: FoldScorer, grid: Grid
    ) -> GridScores:
        """The scores at some of the gammas, the last axis: k = exp(-gamma matrix), or the matrix itself."""

    def parameters_of(self, best: Mapping[str, Any]) -> dict[str, Any]:
        """The best point, in a kernel object as its own gammas."""
        return self.choice.parameters_of(best, self.data)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of kernel values."""
        return kernel_dtype(self.precision, len(self.data.table))

    @property
    def _matrices(self) -> KernelMatrices:
        return KernelMatrices(self.choice, self.data, self.dtype, self.solver.n_jobs)


class CostPathSearch(KernelSearch):
    """SVC and SVR: a path of costs, each solution starting the next (`mercer.solvers.svm.cv_path`)."""

    def _scores(
        self, axes: Axes, matrix: Array, gammas: Floats | None, folds: Ints, scorer: FoldScorer, grid: Grid
    ) -> GridScores:
        costs = np.array(axes["C"])
        if not np.isfinite(costs[-1]):
            raise MercerError("C=inf: the gamma of a hard margin cannot be searched. Give a finite C, or C='cv'.")
        others = {name: values for name, values in axes.items() if name not in ("C", "gamma")}
        found = []
        for point in product(*others.values()):
            formulation = self.formulate(self.data, {**self.values, **dict(zip(others, point, strict=True))})
            tol, gap = formulation.tolerances(self.data, self.solver.tol, float(grid.gap))
            plan = formulation.plan(self.data, folds, costs)
            found.append(
                cv_path.search(matrix, gammas, plan, scorer, tol=tol, gap=gap, race=bool(grid.race),
                            max_iter=self.solver.max_iter, n_jobs=self.solver.n_jobs, time_limit=grid.time_limit)
            )  # fmt: skip
            if not found[-1].complete:
                warnings.warn(
                    f"The search over costs and widths met its time limit of {grid.time_limit:.3g} s; the best point "
                    "solved until then was taken.", MercerWarning, stacklevel=2,
                )  # fmt: skip
        lengths = [len(values) for values in others.values()]

        def arranged(parts: list[Any]) -> Any:
            """(others, gammas, costs, ...) as (costs, each of the others, gammas, ...)."""
            stacked = np.moveaxis(np.stack(parts), 2, 0)
            return stacked.reshape(len(costs), *lengths, *stacked.shape[2:])

        return GridScores(*(arranged([getattr(f, n) for f in found]) for n in ("scores", "exact", "rejected")))


class NuSearch(KernelSearch):
    """NuSVC and NuSVR: a nu is no cost that could grow, so every point is solved afresh, and exactly."""

    def _scores(
        self, axes: Axes, matrix: Array, gammas: Floats | None, folds: Ints, scorer: FoldScorer, grid: Grid
    ) -> GridScores:
        tests = [folds == f for f in range(int(folds.max()) + 1)]
        others = {name: values for name, values in axes.items() if name != "gamma"}
        shape = (1 if gammas is None else len(gammas), *(len(values) for values in others.values()), len(tests))
        scores = np.full(shape, np.nan)
        for g in range(shape[0]):
            rows = rows_of_gram(matrix if gammas is None else np.exp(matrix * matrix.dtype.type(-gammas[g])))
            for place in np.ndindex(*shape[1:-1]):
                point = {name: values[i] for (name, values), i in zip(others.items(), place, strict=True)}
                formulation = self.formulate(self.data, {**self.values, **point})
                for f, test in enumerate(tests):
                    decisions = formulation.test_decisions(self.data, ~test, rows, self.solver)
                    scores[(g, *place, f)] = scorer(decisions, np.flatnonzero(test))
        scores = np.moveaxis(scores, 0, -2)
        return GridScores(scores, np.ones(scores.shape[:-1], dtype=bool), np.zeros(scores.shape[:-1], dtype=bool))


@dataclass(frozen=True)
class QuantileDecisions(NumberDecisions):
    """Decisions (n_quantiles, n_rows) are lines, compared by the mean of their losses."""

    quantiles: tuple[float, ...]
    loss: QuantileLoss

    @property
    def own_score(self) -> tuple[str, FoldScore]:  # type: ignore[override]
        """Minus the mean loss of all lines."""
        return f"neg_{self.loss}_loss", self._score

    def _score(self, answers: HeldOutPredictions, test: RowNumbers, target: NDArray[Any], weight: Floats) -> float:
        below = target - answers.decisions[:, test]
        tau = np.array(self.quantiles)[:, None]
        size = np.abs(below) if self.loss == "pinball" else below**2
        return -float(np.average((np.where(below > 0, tau, 1 - tau) * size).mean(axis=0), weights=weight))


@dataclass(frozen=True)
class QuantileSearch(PathProblem):
    """QuantileSVR and its training rows: each line on its path of costs, each solution starting the next."""

    solver: Solver

    def axes(self, searched: tuple[str, ...], grid: Grid) -> Axes:
        """Costs and gammas to try."""
        if grid.scoring is not None and len(self.reader.quantiles) > 1:
            raise MercerError(
                f"scoring={grid.scoring!r} scores one line, and there are {len(self.reader.quantiles)}. Leave it out: "
                "the mean of their losses is compared then."
            )
        return super().axes(searched, grid)

    def _usual(self) -> Mapping[str, Sequence[float]]:
        # A cost of squared errors has no unit, one of absolute errors that of the target.
        own = standard_deviation(self.data.target, self.data.weight) if self.reader.loss == "pinball" else 1.0
        return {"C": [own * cost for cost in COSTS]}

    def _path(self, gram: Floats, points: Axes, training: Bools) -> Iterator[Floats]:
        rows, kept = rows_of_gram(gram), np.flatnonzero(training).astype(np.int32)
        made, target, weight = AsymmetricRegression(self.reader.loss), self.data.target[kept], self.data.weight[kept]
        unit = standard_deviation(self.data.target, self.data.weight)
        solver = replace(self.solver, tol=max(self.solver.tol, _SEARCH_TOL * unit))
        starts: list[Start | None] = [None] * len(self.reader.quantiles)
        for cost in points["C"]:
            lines = []
            for line, tau in enumerate(self.reader.quantiles):
                problem = made.problem(target, cost * weight, tau)
                found = solver(replace(problem, rows=kept[problem.kernel_rows]), rows, starts[line])
                starts[line] = Start(found.beta, found.f)
                lines.append(found.f + found.bias[0])
            yield np.array(lines)


def kernel_search(model: Any, data: TrainingRows, reader: ClassDecisions | NumberDecisions) -> KernelSearch:
    """The search of a machine on its training rows."""
    kind = NuSearch if "nu" in model.tunable else CostPathSearch
    choice = KernelChoice(model.kernel, model.degree, model.coef0, is_searched(model.gamma))
    values = given_parameters(model)
    return kind(values, model._formulate, data, reader, choice, model.precision, Solver.of(model))
