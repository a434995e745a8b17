"""Cost and width of the core vector machine by cross-validation: the same problem, solved on whole matrices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mercer._core.gram import KernelRows, rows_of_gram
from mercer.arrays import Bools, Floats
from mercer.estimators.kernel.problem import PathProblem
from mercer.estimators.multiclass.codes import BinaryProblem
from mercer.select.grid import COSTS
from mercer.select.search import Axes
from mercer.solvers.svm.duals import svc
from mercer.solvers.svm.smo import Limits, solve

_TOL = 1e-3  # of margins, as SVC's
_MOST_STEPS = 10_000_000


@dataclass(frozen=True)
class CoreVectorSearch(PathProblem):
    """The machine and its training rows as a `mercer.select.search.TunableProblem`."""

    def _usual(self) -> Mapping[str, Sequence[float]]:
        return {"C": COSTS}

    def _path(self, gram: Floats, points: Axes, training: Bools) -> Iterator[Floats]:
        """Every binary problem along the costs, each solution starting the next."""
        rows, used = rows_of_gram(gram + 1), training & (self.data.weight > 0)
        problems = self.reader.multiclass.problems(self.data.target)
        paths = [self._decisions(rows, binary.take(used[binary.rows]), points["C"]) for binary in problems]
        yield from map(np.array, zip(*paths, strict=True))

    def _decisions(self, rows: KernelRows, binary: BinaryProblem, costs: Sequence[float]) -> Iterator[Floats]:
        """On all rows at each cost."""
        weight, beta, f = self.data.weight[binary.rows], np.zeros(len(binary.y)), np.zeros(rows.n)
        for cost in costs:
            if len(binary.y):
                problem = svc(binary.y, cost * weight, squared_slack=True, bias=False)
                found = solve(replace(problem, rows=binary.rows), rows, start=beta, start_f=f, n_jobs=self.n_jobs,
                              limits=Limits(tol=_TOL, max_iter=_MOST_STEPS))  # fmt: skip
                beta, f = found.beta, found.f
            yield f
