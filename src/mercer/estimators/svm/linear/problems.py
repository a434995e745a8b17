"""The problems of linear machines, each with the solver that suits it and the bounds that a warm start must keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from mercer.arrays import Floats, Ints
from mercer.estimators.kernel.warm_start import Start, feasible
from mercer.solvers.svm import crammer_singer, finite_newton
from mercer.solvers.svm.coordinate import LinearSolution, solve
from mercer.solvers.svm.crammer_singer import JointSolution
from mercer.solvers.svm.lasso_hinge import solve_lasso
from mercer.solvers.svm.smo import Limits, Problem

LinearAnswer: TypeAlias = LinearSolution | JointSolution


@dataclass(frozen=True)
class LinearLimits:
    """When a solver stops, and the constant column that carries the intercept."""

    limits: Limits
    offset_scale: float

    @classmethod
    def of(cls, model: Any) -> LinearLimits:
        """From the parameters of a model."""
        scale = float(model.intercept_scaling) if model.fit_intercept else 0.0
        return cls(Limits(tol=model.tol, max_iter=model.max_iter, time_limit=model.time_limit or 0.0), scale)

    @property
    def options(self) -> dict[str, Any]:
        """As arguments of a solver."""
        return dict(vars(self))


@dataclass(frozen=True)
class LinearProblem:
    """A problem to solve: run(rows, start) from dual coefficients or None.

    bounds : what a start has to keep to; None where there is no warm start
    """

    run: Callable[[Any, Floats | None], LinearAnswer]
    bounds: Callable[[], Problem] | None = None

    def solve_from(self, rows: Any, last: LinearAnswer | None) -> LinearAnswer:
        """Solve from the solution of the same problem at another cost."""
        start = None if last is None or self.bounds is None else feasible(self.bounds(), Start(last.beta, None))
        return self.run(rows, None if start is None else start.beta)


def box_problem(problem: Problem, limits: LinearLimits) -> LinearProblem:
    """By Newton's method where that is quick, and by coordinate descent where it is not or does not converge."""
    options = limits.options

    def run(rows: Any, start: Floats | None) -> LinearAnswer:
        if not finite_newton.suits(problem, rows):
            return solve(problem, rows, start=start, **options)
        found = finite_newton.solve(problem, rows, start=start, **options)
        if found.status != "max_iter" or found.iterations >= limits.limits.max_iter:
            return found
        return solve(problem, rows, start=found.beta, **options)

    return LinearProblem(run, lambda: problem)


def lasso_problem(y: Floats, cost: Floats, limits: LinearLimits) -> LinearProblem:
    """Squared hinge loss with a penalty of absolute values."""
    return LinearProblem(lambda rows, _: solve_lasso(y, cost, rows, **limits.options))


def crammer_singer_problem(codes: Ints, cost: Floats, n_classes: int, limits: LinearLimits) -> LinearProblem:
    """All classes at once."""
    return LinearProblem(
        lambda rows, start: crammer_singer.solve(codes, cost, n_classes, rows, start=start, **limits.options),
        lambda: crammer_singer.box(codes, cost, n_classes),
    )
