"""The width of a relevance vector machine by cross-validation: one kernel matrix for all folds of a gamma."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer._core.threads import at_most
from mercer.arrays import Bools, Floats
from mercer.estimators.kernel.problem import PathProblem
from mercer.select.search import Axes
from mercer.solvers.relevance.basis import Basis, HeldBasis
from mercer.solvers.relevance.regression import RelevanceSolution

Solve: TypeAlias = Callable[[Basis, NDArray[Any], Floats], list[RelevanceSolution]]  # for a target and weights
_FEW_ROWS = 1000


def relevance_threads(n_rows: int, n_jobs: int) -> int:
    """One for few rows, where starting threads takes longer than a step."""
    return n_jobs if n_rows > _FEW_ROWS else 1


def moderated(mean: Floats, variance: Floats) -> Floats:
    """Log odds of the probability averaged over a normal log odds: mean / sqrt(1 + pi variance / 8) (MacKay 1992)."""
    return mean / np.sqrt(1 + np.pi / 8 * variance)


@dataclass(frozen=True)
class RelevanceSearch(PathProblem):
    """The machine and its training rows as a `mercer.select.search.TunableProblem`."""

    solve: Solve

    def _usual(self) -> Mapping[str, Sequence[float]]:
        return {}

    def _path(self, gram: Floats, points: Axes, training: Bools) -> Iterator[Floats]:
        """There is no penalty: one point."""
        kept = np.flatnonzero(training & (self.data.weight > 0))
        with at_most(relevance_threads(len(kept), self.n_jobs)):
            found = self.solve(HeldBasis(gram[np.ix_(kept, kept)]), self.data.target[kept], self.data.weight[kept])
        yield np.array([self._decisions(f, gram[:, kept[f.used]]) for f in found])

    def _decisions(self, found: RelevanceSolution, phi: Floats) -> Floats:
        mean = found.function(phi)
        return mean if self.reader.classes is None else moderated(mean, found.variance(phi))
