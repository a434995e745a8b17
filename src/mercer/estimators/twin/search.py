"""The planes of all classes at given penalties, and their penalties and width by cross-validation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

import numpy as np
from scipy.linalg import LinAlgError

from mercer.arrays import Bools, Floats, Ints
from mercer.errors import MercerError
from mercer.estimators.kernel.problem import PathProblem
from mercer.estimators.svm.solve import Solver
from mercer.select.grid import COSTS
from mercer.select.search import Axes
from mercer.solvers.svm.smo import Limits
from mercer.solvers.svm.twin import Plane, hinge_planes, squared_plane

TwinLoss: TypeAlias = Literal["hinge", "squared"]
_ALPHAS = (0.01, 0.1, 1.0, 10.0)


def nearness(values: Floats, norms: Floats) -> Floats:
    """From f(x) of each plane, (n_rows, n_classes): how much nearer the second of two is, or minus each distance."""
    distances = np.abs(values) / np.maximum(norms, np.finfo(np.float64).tiny ** 0.5)
    return distances[:, :1] - distances[:, 1:] if len(norms) == 2 else -distances


@dataclass(frozen=True)
class TwinPlanes:
    """The planes of so many classes."""

    n_classes: int
    loss: TwinLoss
    solver: Solver

    def of(self, gram: Floats, codes: Ints, weight: Floats, cost: float, alpha: float) -> list[Plane]:
        """At one cost and penalty."""
        return [planes[0] for planes in self.paths(gram, codes, weight, [cost], alpha)]

    def paths(
        self, gram: Floats, codes: Ints, weight: Floats, costs: Sequence[float], alpha: float
    ) -> list[list[Plane]]:
        """Of each class at ascending costs."""
        solver = self.solver
        most = solver.max_iter if solver.max_iter >= 0 else max(10_000_000, 100 * len(codes))
        limits = Limits(tol=solver.tol, max_iter=most, time_limit=solver.time_limit or 0.0)

        def path(near: Bools) -> list[Plane]:
            if self.loss == "squared":
                return [squared_plane(gram, near, weight, float(cost), float(alpha)) for cost in costs]
            return [*hinge_planes(gram, near, weight, costs, float(alpha), limits, solver.n_jobs)]

        try:
            return [path(codes == code) for code in range(self.n_classes)]
        except LinAlgError:
            raise MercerError(
                f"The kernel matrix with alpha={alpha:g} is not positive definite: alpha is too small beside its "
                "values, or the kernel is not positive semi-definite. Raise alpha, or use another kernel."
            ) from None


@dataclass(frozen=True)
class TwinSearch(PathProblem):
    """The machine and its training rows as a `mercer.select.search.TunableProblem`."""

    planes: TwinPlanes

    def _usual(self) -> Mapping[str, Sequence[float]]:
        return {"C": COSTS, "alpha": _ALPHAS}

    def _path(self, gram: Floats, points: Axes, training: Bools) -> Iterator[Floats]:
        """One system for all costs of a penalty."""
        kept = np.flatnonzero(training & (self.data.weight > 0))
        codes, weight, own = self.data.target[kept], self.data.weight[kept], gram[np.ix_(kept, kept)]
        costs, alphas = points["C"], points["alpha"]
        absent = np.bincount(codes, minlength=self.planes.n_classes) == 0
        paths = [[*zip(*self.planes.paths(own, codes, weight, costs, a), strict=True)] for a in alphas]
        for c, a in product(range(len(costs)), range(len(alphas))):
            planes = paths[a][c]
            values = gram[:, kept] @ np.array([p.coef for p in planes]).T + [p.bias for p in planes]
            values[:, absent] = np.inf  # a class without training rows is no row's nearest
            yield nearness(values, np.array([p.norm for p in planes])).T
