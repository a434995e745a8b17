"""Support vector machines in cells: the problems of each cell solved exactly, and kept side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from mercer.kernels import Kernel
from mercer.solvers.svm.smo import Problem, Report

# The problems of some training rows, numbered among these; a number in place of one that has but one answer.
ProblemsOf: TypeAlias = Callable[[Longs], list[Problem | float]]
# Decisions on rows by machines that were not trained on them, (n_problems, n_rows).
LeftOut: TypeAlias = Callable[[Longs, KernelRows, Solver], Floats]


@dataclass(frozen=True)
class Member:
    """One of the machines of which a model in cells is the mean: its gamma and its problems.

    left_out : decisions left out, where they are wanted
    """

    gamma: Any
    formulation: Any
    problems: ProblemsOf
    left_out: LeftOut | None = None


@dataclass(frozen=True)
class CellMachine:
    """A member in a cell: coefficients (n_problems, n_rows), intercepts, how well it is solved, how many coefficients
    are at their bound, and decisions of machines that left each row out."""

    coef: Floats
    intercepts: Floats
    reports: list[Report]
    n_bounded: int
    left_out: Floats


@dataclass(frozen=True)
class CellTrainer:
    """Trains the problems of every cell; decisions are means over the members."""

    machine: KernelMachine
    data: TrainingRows
    members: Sequence[Member]

    def fit(self, seed: int) -> Floats:
        """Set support vectors, coefficients and cells of the machine; decisions left out, (n_problems, n_rows)."""
        machine, table = self.machine, self.data.table
        machine._choose_kernel(self.data, self.members[0].gamma)
        expect_rows(machine.kernel_)
        kernels = [machine.kernel_, *(machine._choice.fitted(self.data, m.gamma) for m in self.members[1:])]
        dtype, size = kernel_dtype(machine.precision, len(table)), machine.rank or SIZE
        centres, own = divide(machine.kernel_, table, size, seed, dtype, machine._jobs)
        order = np.argsort(own, kind="stable")
        parts = np.split(order, np.searchsorted(own[order], np.arange(1, len(centres))))

        def machines(rows: Longs) -> list[CellMachine]:
            return [self._cell(m, k, rows, dtype) for m, k in zip(self.members, kernels, strict=True)]

        with single_blas_thread(), ThreadPoolExecutor(machine._jobs) as pool:
            found = list(pool.map(machines, parts))
        self._keep(table.take(centres), tuple(kernels[1:]), parts, found)
        decisions = np.zeros((len(found[0][0].intercepts), len(table)))
        for rows, cell in zip(parts, found, strict=True) if self.members[0].left_out is not None else ():
            decisions[:, rows] = np.mean([one.left_out for one in cell], axis=0)
        return decisions

    def _cell(self, member: Member, kernel: Kernel, rows: Longs, dtype: np.dtype[Any]) -> CellMachine:
        solver = replace(Solver.of(self.machine), n_jobs=1, last=None)
        gram = rows_of_gram(np.ascontiguousarray(kernel.gram(self.data.table.take(rows), dtype=dtype, n_jobs=1)))
        problems = member.problems(rows)
        coef, intercepts, bounded = np.zeros((len(problems), len(rows))), np.zeros(len(problems)), 0
        reports: list[Report] = []
        for m, problem in enumerate(problems):
            if isinstance(problem, float):
                intercepts[m] = problem
                continue
            found: Trained = member.formulation.train(problem, gram, solver)
            coef[m, problem.kernel_rows], intercepts[m] = found.coef, found.bias
            reports.append(found.solution)
            bounded += int(problem.at_bound(found.solution.beta).sum())
        left_out = np.empty((0, 0)) if member.left_out is None else member.left_out(rows, gram, solver)
        return CellMachine(coef, intercepts, reports, bounded, left_out)

    def _keep(
        self, centres: Any, kernels: tuple[Kernel, ...], parts: list[Longs], found: list[list[CellMachine]]
    ) -> None:
        machine, n = self.machine, len(self.members)
        every = [(rows, one) for rows, cell in zip(parts, found, strict=True) for one in cell]
        kept = [np.flatnonzero(one.coef.any(axis=0)) for _, one in every]
        support = np.concatenate([rows[k] for (rows, _), k in zip(every, kept, strict=True)])
        coef = np.hstack([one.coef[:, k] for (_, one), k in zip(every, kept, strict=True)]) / n
        machine._keep_support(self.data, support, coef, np.zeros(len(coef)))
        of_cell, of_kernel = np.divmod(np.repeat(np.arange(len(every), dtype=np.int32), [len(k) for k in kept]), n)
        intercepts = np.array([np.mean([one.intercepts for one in cell], axis=0) for cell in found])
        machine._map = Cells(centres, of_cell.astype(np.int32), intercepts, kernels, of_kernel.astype(np.int32))
        machine._by_problem, machine.approximation_error_ = True, np.nan
        alone = Report(0.0, 0.0, 0.0, 0, 0.0, "converged")  # every cell has but one class
        machine._keep_outcome([report for _, one in every for report in one.reports] or [alone])
        machine.n_bounded_ = sum(one.n_bounded for _, one in every)
