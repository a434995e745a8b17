"""Kernel machines on many rows: linear problems on features of the kernel in place of problems on its matrix."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._core.threads import at_most, single_blas_thread
from mercer.arrays import Array, Longs
from mercer.errors import MercerError
from mercer.estimators.kernel.approximation.basis import Basis, make_basis
from mercer.estimators.kernel.machine import KernelMachine
from mercer.estimators.kernel.rows import kernel_dtype
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.kernel.warm_start import Start, feasible
from mercer.estimators.svm.solve import Solver, Trained, train_problems
from mercer.solvers.svm import smoothed_newton
from mercer.solvers.svm.smo import Limits, Problem
from mercer.solvers.svm.smoothed_newton import PlaneSolution

_GAP = 1e-3  # share of the primal value: what a gap as small as this changes is less than what the features do
_SMALL = 1 << 24  # features of a problem that takes seconds at most, so that Ctrl-C need not reach it


@dataclass(frozen=True)
class FeatureSolver:
    """In the place of `Solver` where the rows are features: Newton's method, until the gap is 0.1 % of the value."""

    tol: float
    max_iter: int
    time_limit: float | None

    @classmethod
    def of(cls, model: KernelMachine) -> FeatureSolver:
        """From the parameters of a model."""
        return cls(float(model.tol), int(model.max_iter), model.time_limit)

    def __call__(self, problem: Problem, rows: Any, start: Start | None = None) -> PlaneSolution:
        """The solution on features, (n_rows, n_features)."""
        limits = Limits(self.tol, _GAP, self.max_iter, self.time_limit or 0.0)
        return smoothed_newton.solve(problem, rows, start=None if start is None else start.beta, limits=limits)

    def hard_margin(self, problem: Problem, rows: Any, unit: float = 1.0) -> Any:
        """An infinite cost needs the exact machine."""
        raise MercerError("C=inf: a margin without errors cannot be had from an approximation. Give a finite C.")


@dataclass(frozen=True)
class Training:
    """Problems trained, the rows and the solver they were trained with, and the features where these are no kernel
    rows."""

    rows: Any
    solver: Any
    trained: list[Trained]
    basis: Basis | None = None


def train(
    machine: KernelMachine, data: TrainingRows, gamma: Any, problems: Sequence[Problem], formulation: Any, seed: int,
    shared: bool = False,
) -> Training:  # fmt: skip
    """Every problem trained on kernel rows, or on features of the kernel, as the machine's `approximation` says.

    With `polish` the kernel machine follows, starting at the solution on features.
    """
    if machine.approximation is None:
        rows = machine._fit_kernel(data, gamma, shared)
        return Training(rows, Solver.of(machine), train_problems(machine, data.table, problems, rows, formulation))
    machine._choose_kernel(data, gamma)
    basis = make_basis(machine, machine.kernel_, data.table, kernel_dtype(machine.precision, len(data.table)), seed)
    z, near = basis.features(data.table), FeatureSolver.of(machine)
    machine.approximation_error_ = basis.error
    trained = _train_each(problems, z, formulation, near, machine._jobs)
    if not machine.polish:
        return Training(z, near, trained, basis)
    del z
    rows, exact = machine._fit_kernel(data, gamma, True), Solver.of(machine)
    starts = [feasible(p, Start(t.solution.beta, None)) for p, t in zip(problems, trained, strict=True)]
    polished = [formulation.train(p, rows, exact, start) for p, start in zip(problems, starts, strict=True)]
    return Training(rows, exact, polished)


def _train_each(
    problems: Sequence[Problem], z: Array, formulation: Any, solver: FeatureSolver, n_jobs: int
) -> list[Trained]:
    """Small problems side by side, large ones one after the other, each on all threads."""

    def alone(problem: Problem) -> Trained:
        with at_most(1):
            return formulation.train(problem, z, solver)

    if min(len(problems), n_jobs) == 1 or max(len(p.linear) for p in problems) * z.shape[1] > _SMALL:
        return [formulation.train(problem, z, solver) for problem in problems]
    with single_blas_thread(), ThreadPoolExecutor(n_jobs) as pool:
        return list(pool.map(alone, problems))


def keep_basis(machine: KernelMachine, data: TrainingRows, basis: Basis, trained: Sequence[Trained]) -> Longs:
    """Set landmarks or features and their coefficients, a row for each problem; the places of landmarks."""
    planes = np.array([t.solution.w for t in trained if isinstance(t.solution, PlaneSolution)])
    machine._keep_support(data, basis.places, basis.coef(planes), [t.bias for t in trained])
    machine._map, machine._by_problem = basis.kept, True
    return basis.places
