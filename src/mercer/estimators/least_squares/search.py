"""A machine of least squares as the problem of a search: one decomposition of the kernel matrix for all penalties."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from mercer.arrays import Bools, Floats, Ints, Longs
from mercer.estimators.kernel.problem import MatrixProblem
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.least_squares.linear_system.systems import System
from mercer.kernels import Kernel
from mercer.select.cv_scores import FoldScorer, NumberDecisions
from mercer.select.grid import ALPHAS, Grid, grid_values
from mercer.select.search import Axes, GridScores, search, set_parameters
from mercer.solvers.ridge.spectrum import Spectrum
from mercer.solvers.ridge.truncated import Truncated, choice_is_right
from mercer.table import Table

Criterion: TypeAlias = Literal["loo", "gcv", "evidence"]
Penalty: TypeAlias = Literal["alpha", "C"]
_MANY = 2000  # rows: with fewer, all eigenvectors take a second or two


@dataclass(frozen=True)
class LeastSquaresSearch(MatrixProblem):
    """A machine and its training rows as a `mercer.select.search.TunableProblem`; the first of `values` is the penalty.

    systems : the linear systems of given rows
    intercept : whether they have one
    criterion : what is compared: predictions of rows left out, generalised cross-validation, or marginal likelihood
    by_folds : whether folds are left out, as `mercer.tune` asks, and not single rows
    features : (fitted kernel, table) -> z with z.z' in place of the kernel matrix, where that is approximated
    """

    systems: Callable[[TrainingRows], list[System]]
    intercept: bool
    criterion: Criterion = "loo"
    by_folds: bool = False
    features: Callable[[Kernel, Table], Floats] | None = None

    def axes(self, searched: tuple[str, ...], grid: Grid) -> Axes:
        """Penalties and gammas to try."""
        found: Axes = {name: [value] for name, value in self.values.items()}
        if self._penalty in searched:
            usual = [penalty * self._unit for penalty in ALPHAS]
            usual = usual if self._penalty == "alpha" else [1 / p for p in usual]
            found[self._penalty] = [*grid_values(self._penalty, getattr(grid, self._penalty), usual)]
        if "gamma" in searched:
            found["gamma"] = [*self._matrices.gammas(grid)]
        return found

    def cross_validate(self, axes: Axes, folds: Ints, scorer: FoldScorer, grid: Grid) -> GridScores:
        """Every point; the decomposition of a matrix is computed once for all penalties."""
        penalties = np.array(axes[self._penalty], dtype=np.float64)
        lambdas = penalties if self._penalty == "alpha" else 1 / penalties
        tests = self._tests(folds)
        scores = np.full((len(lambdas), len(axes["gamma"]), len(tests)), np.nan)
        exact = np.ones(scores.shape[:-1], dtype=bool)
        for place, gram in self._each_matrix(axes["gamma"]):
            scores[:, place], exact[:, place] = self._scores(gram, lambdas, tests, scorer, grid)
        return GridScores(scores, exact, np.zeros_like(exact))

    def _each_matrix(self, gammas: Sequence[Any]) -> Iterator[tuple[int, Floats]]:
        """(place, kernel matrix, or features in place of it) of each gamma."""
        if self.features is None:
            yield from self._matrices.grams(gammas)
            return
        for place, gamma in enumerate(gammas):
            yield place, self.features(self.choice.fitted(self.data, gamma), self.data.table)

    @property
    def _penalty(self) -> Penalty:
        return "alpha" if "alpha" in self.values else "C"

    @property
    def _unit(self) -> float:
        """The mean of k(x, x), beside which a penalty is large or small."""
        kernel = self.choice.fitted(self.data, self.values["gamma"] or "scale")
        return abs(float(np.mean(kernel.diag(self.data.table, dtype=np.float64)))) or 1.0

    def _tests(self, folds: Ints) -> list[Longs]:
        """The rows that each score is of: those of a fold, or all of them where each was left out alone."""
        if self.by_folds:
            return [np.flatnonzero(folds == f) for f in range(int(folds.max()) + 1)]
        return [np.flatnonzero(self.data.weight > 0)]

    def _scores(
        self, gram: Floats, lambdas: Floats, tests: list[Longs], scorer: FoldScorer, grid: Grid
    ) -> tuple[Floats, Bools]:
        """(penalties, folds), and which of the penalties are exact."""
        every = np.ones(len(lambdas), dtype=bool)
        if self.criterion != "loo":
            [system] = self.systems(self.data)
            spectrum = self._spectrum(gram, system, lambdas)
            path = spectrum.path(lambdas, system.targets, intercept=self.intercept)
            return (-path.gcv if self.criterion == "gcv" else path.log_evidence)[:, None], every
        score = self._scorer(scorer, grid)

        def of(held_out: Floats) -> Floats:
            return np.array([[score(decisions, test) for test in tests] for decisions in held_out])

        if self.by_folds:
            return of(self._without_folds(gram, lambdas, tests)), every
        found = self._of_large_eigenvalues(gram, lambdas, of)
        return (of(self._without_rows(gram, lambdas)), every) if found is None else found

    def _of_large_eigenvalues(
        self, gram: Floats, lambdas: Floats, scores_of: Callable[[Floats], Floats]
    ) -> tuple[Floats, Bools] | None:
        """Scores of rows left out from a part of the spectrum, where that is enough to choose by; else None."""
        systems = self.systems(self.data)
        if len(gram) < _MANY or self.features is not None or len(systems) > 1:
            return None
        [system] = systems
        whole = len(system.rows) == len(gram)
        own = gram if whole else gram[np.ix_(system.rows, system.rows)]
        truncated = Truncated.of(own, self.data.weight[system.rows])
        if truncated is None or lambdas.min() <= 0:
            return None
        path = truncated.spectrum.path(lambdas, system.targets, intercept=self.intercept)
        held_out = np.full((len(lambdas), len(system.places), len(gram)), np.nan)
        held_out[:, system.places[:, None], system.rows] = np.moveaxis(system.targets - path.residuals, 2, 1)
        scores = scores_of(held_out)
        best = float(lambdas[np.nanargmax(scores[:, 0])])
        is_right = choice_is_right(truncated, path, best, system.targets, intercept=self.intercept)
        return (scores, lambdas >= best) if is_right else None

    def _scorer(self, scorer: FoldScorer, grid: Grid) -> Callable[[Floats, Longs], float]:
        """Of one target as it is; of several, the mean of their scores."""
        if self.data.target.ndim == 1:
            return lambda decisions, test: _finite_score(scorer, decisions, test)
        scorers = [FoldScorer(NumberDecisions(), y, self.score_weight, grid.scoring) for y in self.data.target.T]

        def mean(decisions: Floats, test: Longs) -> float:
            return float(np.mean([_finite_score(s, decisions[k : k + 1], test) for k, s in enumerate(scorers)]))

        return mean

    def _spectrum(self, gram: Floats, system: System, lambdas: Floats) -> Spectrum:
        weight, whole = self.data.weight[system.rows], len(system.rows) == len(gram)
        if self.features is not None:
            return Spectrum.of_factor(gram if whole else gram[system.rows], weight)
        own = gram if whole else gram[np.ix_(system.rows, system.rows)]
        return Spectrum.of(own, weight, float(lambdas.min()))

    def _without_rows(self, gram: Floats, lambdas: Floats) -> Floats:
        """Decisions on each row by machines trained on all others, (penalties, n_problems, n_rows)."""
        systems = self.systems(self.data)
        found = np.full((len(lambdas), sum(len(s.places) for s in systems), len(gram)), np.nan)
        for system in systems:
            spectrum = self._spectrum(gram, system, lambdas)
            residuals = spectrum.path(lambdas, system.targets, intercept=self.intercept).residuals
            found[:, system.places[:, None], system.rows] = np.moveaxis(system.targets - residuals, 2, 1)
            others = np.setdiff1d(np.arange(len(gram)), system.rows)
            if len(others):  # rows of other classes: those of the system may stay
                found[:, system.places[:, None], others] = self._predicted(gram, system, spectrum, lambdas, others)
        return found

    def _without_folds(self, gram: Floats, lambdas: Floats, tests: list[Longs]) -> Floats:
        """Decisions on the rows of each fold by machines trained on the others, in the same shape."""
        systems = self.systems(self.data)
        found = np.full((len(lambdas), sum(len(s.places) for s in systems), len(gram)), np.nan)
        for system in systems:
            for test in tests:
                kept = ~np.isin(system.rows, test)
                part = System(system.rows[kept], system.targets[kept], system.places)
                spectrum = self._spectrum(gram, part, lambdas)
                found[:, system.places[:, None], test] = self._predicted(gram, part, spectrum, lambdas, test)
        return found

    def _predicted(self, gram: Floats, system: System, spectrum: Spectrum, lambdas: Floats, rows: Longs) -> Floats:
        """Decisions of a system on other rows, (penalties, t, n_rows)."""
        between = gram[np.ix_(rows, system.rows)] if self.features is None else gram[rows] @ gram[system.rows].T
        solved = [spectrum.coefficients(lam, system.targets, intercept=self.intercept) for lam in lambdas]
        return np.array([(between @ coef + b).T for coef, b in solved])


def _finite_score(scorer: FoldScorer, decisions: Floats, test: Longs) -> float:
    """NaN where the kernel matrix with this penalty is not positive definite."""
    return scorer(decisions, test) if np.isfinite(decisions[:, test]).all() else np.nan


def choose(model: Any, problem: LeastSquaresSearch, grid: Grid | None) -> dict[str, Any]:
    """The tunable parameters as given, or as found where they are "cv"; set as `alpha_` and so on, and `tuning_`."""
    searched = model.searched_parameters()
    tuning = search(problem, searched, grid) if searched else None
    if tuning is not None and problem.criterion != "loo":
        tuning = replace(tuning, scoring=problem.criterion)
    return set_parameters(model, tuning)
