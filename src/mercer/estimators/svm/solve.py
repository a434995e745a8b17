"""Dual problems solved: one under the limits of its model, several in parallel or from a warm start."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from mercer._core.gram import KernelRows, rows_of_gram
from mercer.arrays import Floats
from mercer.estimators.kernel.machine import KernelMachine
from mercer.estimators.kernel.rows import CHEAP
from mercer.estimators.kernel.shared import LastSolutions
from mercer.estimators.kernel.warm_start import Start, WarmStart, starts_from
from mercer.solvers.svm.smo import Interrupted, Limits, Problem, Solution, solve
from mercer.table import Table

_HARD_COSTS = (1e2, 1e4, 1e6)  # over the kernel's size: the solution is that of C=inf when no row is at its bound
_HARD_STEPS = 1_000_000
_MOST_STEPS = 10_000_000  # or 100 a row, when max_iter sets no limit: LIBSVM's, for columns of wild scales
_SMALL = 5000  # variables of a problem that takes well under a second, so that Ctrl-C need not reach it
_TINY = 200  # variables of a problem that takes no time, so that more exactness costs nothing:
_POLISH = 10  # steps a variable
_RECOMPUTED = 4  # times the numbers of the whole matrix: so many are computed while it waits for fresh memory


@dataclass(frozen=True)
class Trained:
    """A problem solved: f(x) = sum_i coef_i k(x, x_i) + bias.

    coef : of each variable of the problem; in regression of each training row
    solution : as the solver gives it
    tube : half the width of the tube, in regression
    """

    coef: Floats
    bias: float
    solution: Solution
    tube: float = 0.0


class Trainer(Protocol):
    """A formulation, as far as it is solved."""

    def train(self, problem: Problem, rows: KernelRows, solver: Solver, start: Start | None = None) -> Trained:
        """The problem solved on the kernel rows, and its solution read."""


@dataclass(frozen=True)
class Solver:
    """SMO under the limits of a model; `time_limit` None and `max_iter` -1 set none.

    last : solutions of machines of other costs on the same rows, where there are such
    """

    tol: float
    max_iter: int
    time_limit: float | None
    n_jobs: int
    last: LastSolutions | None = None

    @classmethod
    def of(cls, model: KernelMachine) -> Solver:
        """From the parameters of a model."""
        common = model._shared_kernel
        last = None if common is None else common.last
        return cls(float(model.tol), int(model.max_iter), model.time_limit, model._jobs, last)

    def __call__(
        self, problem: Problem, rows: KernelRows, start: Start | None = None, most_steps: int | None = None
    ) -> Solution:
        """The solution from `start`; `most_steps` is the limit where `max_iter` sets none."""
        free = max(_MOST_STEPS, 100 * len(problem.linear)) if most_steps is None else most_steps
        if start is None and self.last is not None:
            start = self.last.start(problem)
        beta, f = (None, None) if start is None else (start.beta, start.f)
        steps = self.max_iter if self.max_iter >= 0 else free
        limits = Limits(tol=self.tol, max_iter=steps, time_limit=self.time_limit or 0.0)
        found = solve(problem, rows, start=beta, start_f=f, limits=limits, n_jobs=self.n_jobs)
        if len(problem.linear) <= _TINY and self.max_iter < 0 and found.status == "converged":
            found = self._polished(found, problem, rows)
        if self.last is not None:
            self.last.keep(problem, found)
        return found

    def _polished(self, found: Solution, problem: Problem, rows: KernelRows) -> Solution:
        """A few steps on: what LIBSVM finds on its own way within tol is then found within a tenth of it."""
        limits = Limits(tol=self.tol / 10, max_iter=_POLISH * len(problem.linear))
        near = solve(problem, rows, start=found.beta, start_f=found.f, limits=limits, n_jobs=1)
        if near.violation > found.violation:
            return found
        return replace(near, status=found.status, iterations=found.iterations + near.iterations)

    def hard_margin(self, problem: Problem, rows: KernelRows, unit: float = 1.0) -> tuple[Solution, bool]:
        """The solution of a problem of cost 1 for an infinite cost, by raising it; whether there is one.

        unit : the size of the target, with which the coefficients grow
        """
        some = problem.kernel_rows[:: max(1, len(problem.linear) // 100)]
        size = float(np.mean([rows.rows(some[i : i + 1])[0, some[i]] for i in range(len(some))])) or 1.0
        for cost in _HARD_COSTS:
            bound = cost * unit / size
            capped = replace(problem, lower=problem.lower * bound, upper=problem.upper * bound)
            found = self(capped, rows, most_steps=_HARD_STEPS)
            free = np.abs(found.beta) < 0.999 * np.maximum(-capped.lower, capped.upper)
            if found.status == "converged" and free[np.abs(found.beta) > 0].all():
                return found, True
        return found, False


def own_matrices_pay(problems: Sequence[Problem], table: Table) -> bool:
    """Whether small matrices that stay in the processor's cache, some numbers computed twice, beat one of all rows."""
    sizes = np.array([len(p.linear) for p in problems], dtype=np.float64)
    cheap = len(table.schema) <= CHEAP and (sizes**2).sum() <= _RECOMPUTED * len(table) ** 2
    return len(problems) == 1 or (sizes.max() <= _SMALL and bool(cheap))


def train_problems(
    model: KernelMachine, table: Table, problems: Sequence[Problem], rows: KernelRows, formulation: Trainer
) -> list[Trained]:
    """Every problem trained under the model's limits; with `warm_start` from the last fit's solutions.

    The solutions are then kept for the next fit, those found so far also when Ctrl-C ends this one.
    """
    solver, last, model._last_fit = Solver.of(model), model._last_fit, None
    if not model.warm_start:
        return train_all(problems, rows, formulation, solver)
    found: list[Trained] = []
    try:
        for problem, start in zip(problems, starts_from(last, table, model.kernel_, problems), strict=True):
            found.append(formulation.train(problem, rows, solver, start))
    except Interrupted as stop:
        model._last_fit = WarmStart.of(table, model.kernel_, [*(t.solution for t in found), stop])
        raise
    model._last_fit = WarmStart.of(table, model.kernel_, [t.solution for t in found])
    return found


def train_all(problems: Sequence[Problem], rows: KernelRows, formulation: Trainer, solver: Solver) -> list[Trained]:
    """Every problem trained: small ones in parallel, on the whole matrix or each on a matrix of its own rows."""
    largest = max(len(p.linear) for p in problems)
    at_once = solver.n_jobs
    if rows.gram is None:
        at_once = min(at_once, rows.room // (largest**2 * rows.dtype.itemsize))
    if len(problems) == 1 or largest > _SMALL or at_once == 0:
        return [formulation.train(problem, rows, solver) for problem in problems]
    alone = replace(solver, n_jobs=1)  # the other threads train problems of their own

    def one(problem: Problem) -> Trained:
        if rows.gram is not None:
            return formulation.train(problem, rows_of_gram(rows.gram), alone)
        return _on_own_matrix(problem, rows, formulation, alone)

    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(one, problems))


def _on_own_matrix(problem: Problem, rows: KernelRows, formulation: Trainer, solver: Solver) -> Trained:
    """Trained on the matrix of the problem's own rows; K beta is NaN for the other rows."""
    assert rows.part is not None
    own = problem.kernel_rows
    trained = formulation.train(replace(problem, rows=None), rows.part(own), solver)
    f = np.full(rows.n, np.nan)
    f[own] = trained.solution.f
    return replace(trained, solution=replace(trained.solution, f=f))
