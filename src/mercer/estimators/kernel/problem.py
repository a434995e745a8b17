"""What the searches of kernel machines on whole matrices share: training rows, how decisions are read, the kernel,
and the walk over gammas, folds and penalties."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Bools, Floats, Ints, Longs
from mercer.estimators.kernel.choice import KernelChoice, KernelMatrices
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.select.copies import Copies, find_copies
from mercer.select.cv_scores import FoldScorer
from mercer.select.grid import Grid, grid_values
from mercer.select.search import Axes, GridScores


@dataclass(frozen=True)
class MatrixProblem:
    """A machine and its training rows, as far as `mercer.select.search.TunableProblem` asks for no more than these.

    values : what the parameters are where they are not searched
    reader : a `mercer.select.cv_scores.DecisionReader`
    """

    values: Mapping[str, Any]
    data: TrainingRows
    reader: Any
    choice: KernelChoice
    n_jobs: int

    @property
    def target(self) -> NDArray[Any]:
        """Class codes or numbers; of several targets the first."""
        return self.data.target if self.data.target.ndim == 1 else self.data.target[:, 0]

    @property
    def score_weight(self) -> Floats | None:
        """The sample weights."""
        return self.data.sample_weight

    def take(self, rows: Longs) -> Self:
        """The same problem on some of the rows."""
        reader = self.reader.take(rows) if hasattr(self.reader, "take") else self.reader
        return replace(self, data=self.data.take(rows, square=self.choice.precomputed), reader=reader)

    def copies(self) -> Copies | None:
        """Rows that were written more than once, target included."""
        return find_copies(self.data.table, self.target)

    def parameters_of(self, best: Mapping[str, Any]) -> dict[str, Any]:
        """The best point, in a kernel object as its own gammas."""
        return self.choice.parameters_of(best, self.data)

    @property
    def _matrices(self) -> KernelMatrices:
        return KernelMatrices(self.choice, self.data, np.dtype(np.float64), self.n_jobs)


class PathProblem(MatrixProblem, ABC):
    """A machine searched over penalties and gamma, the last axis: one kernel matrix for all folds and penalties."""

    @abstractmethod
    def _usual(self) -> Mapping[str, Sequence[float]]:
        """What is tried of each parameter but gamma where the grid says nothing."""

    @abstractmethod
    def _path(self, gram: Floats, points: Axes, training: Bools) -> Iterable[Floats]:
        """Decisions (n_problems, n_rows) at each point of the penalties, the last running fastest, by training rows."""

    def axes(self, searched: tuple[str, ...], grid: Grid) -> Axes:
        """Penalties and gammas to try."""
        found: Axes = {name: [value] for name, value in self.values.items()}
        for name, usual in self._usual().items():
            if name in searched:
                found[name] = [*grid_values(name, getattr(grid, name), usual, zero=name == "gamma_manifold")]
        if "gamma" in searched:
            found["gamma"] = [*self._matrices.gammas(grid)]
        return found

    def cross_validate(self, axes: Axes, folds: Ints, scorer: FoldScorer, grid: Grid) -> GridScores:
        """Every point, trained without each fold."""
        n_folds = int(folds.max()) + 1
        points = {name: values for name, values in axes.items() if name != "gamma"}
        lengths = [len(values) for values in points.values()]
        scores = np.full((*lengths, len(axes["gamma"]), n_folds), np.nan)
        for place, gram in self._matrices.grams(axes["gamma"]):
            for fold, training in enumerate(folds != f for f in range(n_folds)):
                found = self._path(gram, points, training)
                for point, decisions in zip(np.ndindex(*lengths), found, strict=True):
                    scores[(*point, place, fold)] = scorer(decisions, np.flatnonzero(~training))
        every = np.ones(scores.shape[:-1], dtype=bool)
        return GridScores(scores, every, ~every)
