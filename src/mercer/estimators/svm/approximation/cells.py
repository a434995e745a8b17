"""Support vector machines in cells: the problems of each cell solved exactly, and kept side by side."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from mercer._core.gram import KernelRows, rows_of_gram
from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats, Longs
from mercer.estimators.kernel.approximation.basis import expect_rows
from mercer.estimators.kernel.approximation.cells import SIZE, Cells, divide
from mercer.estimators.kernel.machine import KernelMachine
from mercer.estimators.kernel.rows import kernel_dtype
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.svm.solve import Solver, Trained
from mercer.solvers.svm.smo import Problem, Report

# The problems of some training rows, numbered among these; a number in place of one that has but one answer.
ProblemsOf: TypeAlias = Callable[[Longs], list[Problem | float]]
# Decisions on rows by machines that were not trained on them, (n_problems, n_rows).
LeftOut: TypeAlias = Callable[[Longs, KernelRows, Solver], Floats]


@dataclass(frozen=True)
class CellMachine:
    """The machine of a cell: its rows, coefficients (n_problems, n_rows), intercepts, how well it is solved, how many
    coefficients are at their bound, and decisions of machines that left each row out."""

    rows: Longs
    coef: Floats
    intercepts: Floats
    reports: list[Report]
    n_bounded: int
    left_out: Floats


@dataclass(frozen=True)
class CellTrainer:
    """Trains the problems of every cell."""

    machine: KernelMachine
    data: TrainingRows
    formulation: Any
    problems: ProblemsOf
    left_out: LeftOut | None = None

    def fit(self, gamma: Any, seed: int) -> Floats:
        """Set support vectors, coefficients and cells of the machine; decisions left out, (n_problems, n_rows)."""
        machine, table = self.machine, self.data.table
        machine._choose_kernel(self.data, gamma)
        expect_rows(machine.kernel_)
        dtype, size = kernel_dtype(machine.precision, len(table)), machine.rank or SIZE
        centres, own = divide(machine.kernel_, table, size, seed, dtype, machine._jobs)
        order = np.argsort(own, kind="stable")
        parts = np.split(order, np.searchsorted(own[order], np.arange(1, len(centres))))
        with single_blas_thread(), ThreadPoolExecutor(machine._jobs) as pool:
            found = list(pool.map(lambda rows: self._cell(rows, dtype), parts))
        self._keep(table.take(centres), found)
        decisions = np.zeros((len(found[0].intercepts), len(table)))
        for cell in found if self.left_out is not None else ():
            decisions[:, cell.rows] = cell.left_out
        return decisions

    def _cell(self, rows: Longs, dtype: np.dtype[Any]) -> CellMachine:
        kernel, solver = self.machine.kernel_, replace(Solver.of(self.machine), n_jobs=1, last=None)
        gram = rows_of_gram(np.ascontiguousarray(kernel.gram(self.data.table.take(rows), dtype=dtype, n_jobs=1)))
        problems = self.problems(rows)
        coef, intercepts, bounded = np.zeros((len(problems), len(rows))), np.zeros(len(problems)), 0
        reports: list[Report] = []
        for m, problem in enumerate(problems):
            if isinstance(problem, float):
                intercepts[m] = problem
                continue
            found: Trained = self.formulation.train(problem, gram, solver)
            coef[m, problem.kernel_rows], intercepts[m] = found.coef, found.bias
            reports.append(found.solution)
            bounded += int(problem.at_bound(found.solution.beta).sum())
        left_out = np.empty((0, 0)) if self.left_out is None else self.left_out(rows, gram, solver)
        return CellMachine(rows, coef, intercepts, reports, bounded, left_out)

    def _keep(self, centres: Any, found: list[CellMachine]) -> None:
        machine = self.machine
        kept = [np.flatnonzero(cell.coef.any(axis=0)) for cell in found]
        support = np.concatenate([cell.rows[k] for cell, k in zip(found, kept, strict=True)])
        coef = np.hstack([cell.coef[:, k] for cell, k in zip(found, kept, strict=True)])
        machine._keep_support(self.data, support, coef, np.zeros(len(coef)))
        of_support = np.repeat(np.arange(len(found), dtype=np.int32), [len(k) for k in kept])
        machine._map = Cells(centres, of_support, np.array([cell.intercepts for cell in found]))
        machine._by_problem, machine.approximation_error_ = True, np.nan
        alone = Report(0.0, 0.0, 0.0, 0, 0.0, "converged")  # every cell has but one class
        machine._keep_outcome([report for cell in found for report in cell.reports] or [alone])
        machine.n_bounded_ = sum(cell.n_bounded for cell in found)
