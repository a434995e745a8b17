"""The problems of linear machines, each with the solver that suits it and the bounds that a warm start must keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.estimators.kernel.warm_start import Start, feasible
from mercer.solvers.svm import crammer_singer, finite_newton, smoothed_newton
from mercer.solvers.svm.coordinate import LinearSolution, solve
from mercer.solvers.svm.crammer_singer import JointSolution
from mercer.solvers.svm.lasso_hinge import solve_lasso
from mercer.solvers.svm.smo import Limits, Problem

LinearAnswer: TypeAlias = LinearSolution | JointSolution
_ROWS, _COLUMNS = 4096, 500  # at least and at most, for Newton's method on losses with kinks
_MANY = 10  # rows for each column, at least
_LEAST_RHO = 1e-8  # below it, what rounding leaves of a sum of dual coefficients is a gap
_GAP = 5e-4  # of tol: the share of the objective at which it stops, 5e-8 by default


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
    def rho(self) -> float:
        """The penalty of the intercept itself; infinite for none."""
        return self.offset_scale**-2 if self.offset_scale else np.inf

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
        if problem.ridge is None and many_rows(rows.shape, limits):
            found = solve_kinks(problem, rows, limits, start)
        elif finite_newton.suits(problem, rows):
            found = finite_newton.solve(problem, rows, start=start, **options)
        else:
            return solve(problem, rows, start=start, **options)
        if found.status != "max_iter" or found.iterations >= limits.limits.max_iter:
            return found
        better = found.dual > 0  # than no coefficient at all
        return solve(problem, rows, start=found.beta if better else start, **options)

    return LinearProblem(run, lambda: problem)


def many_rows(shape: tuple[int, int], limits: LinearLimits) -> bool:
    """Whether `solve_kinks` suits losses with kinks on so many rows and columns, and may take the steps it can need."""
    n, columns = shape
    few = 0 < columns <= _COLUMNS and n >= max(_ROWS, _MANY * columns)
    return few and limits.rho >= _LEAST_RHO and limits.limits.max_iter >= smoothed_newton.STEPS


def solve_kinks(problem: Problem, rows: Any, limits: LinearLimits, start: Floats | None = None) -> LinearSolution:
    """By Newton's method on losses that are less and less smooth; stops at a gap of tol / 2000 of the objective."""
    tol = limits.limits.tol
    own = replace(limits.limits, tol=-1.0, gap_tol=_GAP * tol, max_iter=smoothed_newton.STEPS)  # the gap alone
    found = smoothed_newton.solve(problem, rows, rho=limits.rho, start=start, limits=own)
    report = (found.primal, found.dual, found.violation, found.iterations, found.seconds, found.status)
    return LinearSolution(*report, found.w, found.bias[0], found.beta)


def lasso_problem(y: Floats, cost: Floats, limits: LinearLimits) -> LinearProblem:
    """Squared hinge loss with a penalty of absolute values."""
    return LinearProblem(lambda rows, _: solve_lasso(y, cost, rows, **limits.options))


def crammer_singer_problem(codes: Ints, cost: Floats, n_classes: int, limits: LinearLimits) -> LinearProblem:
    """All classes at once."""
    return LinearProblem(
        lambda rows, start: crammer_singer.solve(codes, cost, n_classes, rows, start=start, **limits.options),
        lambda: crammer_singer.box(codes, cost, n_classes),
    )
