"""The systems of a machine solved within its memory budget, and what they leave: support, coefficients, residual."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer._core.threads import at_most
from mercer.arrays import Floats, Longs
from mercer.errors import Indefinite, TooLarge
from mercer.estimators.kernel.rows import budget_bytes, kernel_dtype, whole_matrix
from mercer.estimators.least_squares.linear_system.solve import Factorised, Iterated, Solved, SystemSolver
from mercer.estimators.least_squares.linear_system.systems import System
from mercer.kernels import Kernel, Precomputed
from mercer.kernels.base import refuse_overflow
from mercer.solvers.ridge.conjugate_gradient import Limits
from mercer.solvers.ridge.solution import RidgeSolution
from mercer.state import Reader, State
from mercer.table import Table


@dataclass(frozen=True)
class LeastSquaresSolver:
    """Solves systems of one kernel matrix, refuses what overflowed and warns of what is short of a solution."""

    solver: SystemSolver
    tol: float
    n_jobs: int

    @classmethod
    def of(cls, machine: Any, table: Table, *, once: bool = True) -> Self:
        """As the parameters of a machine with a fitted kernel say; `once` if the matrix may be written over."""
        kernel, budget, jobs = machine.kernel_, budget_bytes(machine.cache_size), machine._jobs
        n, given = len(table), isinstance(kernel, Precomputed)
        exact = machine.solver == "cholesky" or (machine.solver == "auto" and (given or n * n * 8 <= budget))
        gram = _gram(kernel, table, budget, jobs) if exact or given else None
        if exact and gram is not None:
            return cls(Factorised(gram, machine.intercept, once), machine.tol, jobs)
        limits = Limits(float(machine.tol), machine.max_iter, machine.time_limit)
        dtype = kernel_dtype(machine.precision, n)
        return cls(Iterated(kernel, table, machine.intercept, limits, dtype, jobs, gram), machine.tol, jobs)

    def solve(self, systems: Sequence[System], lambdas: Floats, weight: Floats) -> list[Solved]:
        """Each system for its penalties `lambdas`, (n_problems,), and the weight of each training row."""
        with at_most(self.n_jobs):
            found = [self.solver.solve(s, lambdas[s.places], weight) for s in systems]
        solutions = [f.solution for f in found]
        if not all(np.isfinite(s.coef).all() for s in solutions):
            raise TooLarge(
                "The dual coefficients are not finite: targets or kernel values are too large. Scale the target and "
                "the columns, or raise the penalty."
            )
        self._warn_of(solutions)
        return found

    def _warn_of(self, solutions: Sequence[RidgeSolution]) -> None:
        short = [s for s in solutions if s.rank is not None]
        if short:
            warnings.warn(
                f"The kernel matrix with its penalty is not positive definite (rank {short[0].rank} of "
                f"{len(short[0].coef)}): rows are alike and the penalty is 0 or close to it, or the kernel is not a "
                "positive one. This is the solution of least norm; raise the penalty for a stable one.",
                Indefinite,
                stacklevel=4,
            )
        if not all(s.converged for s in solutions):
            warnings.warn(
                f"Conjugate gradients stopped after {max(s.iterations for s in solutions)} iterations with a relative "
                f"residual of {max(s.residual for s in solutions):.3g} (tol={self.tol:g}). Raise max_iter, time_limit "
                "or the penalty.",
                ConvergenceWarning,
                stacklevel=4,
            )


def _gram(kernel: Kernel, table: Table, budget: int, n_jobs: int) -> Floats:
    n, double = len(table), np.dtype(np.float64)
    gram = np.ascontiguousarray(whole_matrix(kernel, table, double, budget - n * n * 8, n_jobs))
    refuse_overflow(kernel, gram[0], gram.diagonal())
    return gram


@dataclass(frozen=True)
class Outcome:
    """What is left of solved systems.

    support : numbers of the training rows that predictions compare with, (n_support,)
    coef : (n_problems, n_support)
    intercept : (n_problems,)
    residual : the largest relative one of a target
    iterations : the most that a system took
    """

    support: Longs
    coef: Floats
    intercept: Floats
    residual: float
    iterations: int

    @classmethod
    def of(cls, solved: Sequence[Solved], n_rows: int) -> Self:
        """The coefficients of every target or binary problem side by side."""
        n_problems = sum(len(s.system.places) for s in solved)
        coef, intercept = np.zeros((n_problems, n_rows)), np.zeros(n_problems)
        for found in solved:
            coef[found.system.places[:, None], found.system.rows] = found.solution.coef.T
            intercept[found.system.places] = found.solution.intercept
        support = np.unique(np.concatenate([s.system.rows for s in solved]))
        residual, iterations = max(s.solution.residual for s in solved), max(s.solution.iterations for s in solved)
        return cls(support, coef[:, support], intercept, residual, iterations)


def outcome_state(machine: Any) -> State:
    """How well the systems of a fitted machine are solved, for its model file."""
    return {"residual": float(machine.residual_), "n_iter": int(machine.n_iter_)}


def restore_outcome(machine: Any, state: Reader) -> None:
    """Set what `outcome_state` gave."""
    machine.residual_, machine.n_iter_ = state.number("residual", 0.0), state.integer("n_iter", 1)
