"""Machines of one kernel on the same rows: the matrix is computed once, and each solution starts the next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._core.gram import KernelRows
from mercer.arrays import Array, Floats, Longs
from mercer.estimators.common.attached import attached
from mercer.estimators.kernel.rows import kernel_dtype
from mercer.estimators.kernel.warm_start import Start, feasible
from mercer.kernels import Kernel, Precomputed
from mercer.select.search import is_searched
from mercer.solvers.svm.smo import Problem, Solution
from mercer.table import Table
from mercer.table.state import cell_blocks

if TYPE_CHECKING:
    from mercer.estimators.kernel.machine import KernelMachine

# What decides the rows as the kernel sees them, and the kernel.
_KERNEL_SIDE = ("kernel", "degree", "gamma", "coef0", "precision", "kinds", "missing_indicator")


class LastSolutions:
    """The last solution of each dual problem, from which the same problem starts with other bounds."""

    def __init__(self) -> None:
        self._kept: dict[bytes, Start] = {}

    def start(self, problem: Problem) -> Start | None:
        """The last solution times the best factor that the bounds allow; None where there is none."""
        last = self._kept.get(_variables(problem))
        if last is None or last.f is None:
            return None
        inside = feasible(problem, last)
        return None if inside is None else _stretched(problem, inside)

    def keep(self, problem: Problem, solution: Solution) -> None:
        """Of a problem that has just been solved."""
        self._kept[_variables(problem)] = Start(solution.beta, solution.f)


def _variables(problem: Problem) -> bytes:
    """The same for problems that differ in their bounds alone."""
    digest = blake2b(problem.kernel_rows.tobytes() + problem.linear.tobytes(), digest_size=16)
    digest.update(b"" if problem.tube is None else problem.tube.tobytes())
    digest.update(f"{problem.split} {problem.equality}".encode())
    return digest.digest()


def _stretched(problem: Problem, start: Start) -> Start:
    """t b with D(t b) smallest over t >= 1 within the bounds; b itself where a sum of it is fixed."""
    beta, f = start.beta, start.f
    if f is None or (problem.equality and problem.start.any()):
        return start
    quadratic = float(beta @ f[problem.kernel_rows] + problem.ridge_or_zero @ np.square(beta))
    slope = float(problem.linear @ beta + problem.tube_or_zero @ np.abs(beta))
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(beta > 0, problem.upper / beta, np.where(beta < 0, problem.lower / beta, np.inf))
    factor = min(float(room.min(initial=np.inf)), max(1.0, -slope / quadratic)) if quadratic > 0 else 1.0
    return Start(np.clip(factor * beta, problem.lower, problem.upper), factor * f) if factor > 1 else start


class SharedKernel:
    """A fitted kernel and the rows of its matrix, for machines that agree in what decides both.

    Parameters
    ----------
    machines : sequence of KernelMachine
        Those that share it.
    budget : int
        Bytes for the matrix of the training rows, and again for that of rows predicted with support vectors.
    """

    def __init__(self, machines: Sequence[KernelMachine], budget: int) -> None:
        self.machines, self.budget = machines, budget
        self.last = LastSolutions()
        self.kernel: Kernel | None = None
        self.rows: KernelRows | None = None
        self.table: Table | None = None
        self._cross: tuple[bytes, Longs, Array] | None = None

    def keep(self, kernel: Kernel, rows: KernelRows, table: Table) -> None:
        """What the first machine that was fitted found."""
        self.kernel, self.rows, self.table = kernel, rows, table

    def products(self, machine: KernelMachine, table: Table, coef: Floats, part: slice) -> Floats | None:
        """sum_j k(x_i, x_j) coef_jc over support vectors of a machine; None where the matrix has no room."""
        vectors = self._vectors()
        dtype = kernel_dtype(machine.precision, machine.shape_fit_[0])
        if self.kernel is None or self.table is None or len(vectors) * len(table) * 8 > self.budget:
            return None
        seen = _cells(table)
        if self._cross is None or self._cross[0] != seen or not np.array_equal(self._cross[1], vectors):
            found = self.kernel.gram(table, self.table.take(vectors), dtype=dtype, n_jobs=machine._jobs)
            self._cross = seen, vectors, found.astype(np.float64, copy=False)  # sums are of double precision
        spread = np.zeros((len(vectors), coef.shape[1]))
        spread[np.searchsorted(vectors, machine.support_[part])] = coef
        return np.asarray(self._cross[2] @ spread)

    def _vectors(self) -> Longs:
        """Training rows that are support vectors of any machine fitted so far."""
        fitted = [m.support_ for m in self.machines if hasattr(m, "support_")]
        return np.unique(np.concatenate(fitted)).astype(np.int64) if fitted else np.empty(0, dtype=np.int64)


def _cells(table: Table) -> bytes:
    """The same for tables of the same cells, where their columns are known to be the same."""
    texts = table.texts()
    digest = blake2b(repr(texts.tolist() if texts.shape[1] else len(table)).encode(), digest_size=16)
    for block in cell_blocks(table):
        digest.update(np.ascontiguousarray(block).data)
    return digest.digest()


def kernel_key(machine: KernelMachine) -> str | None:
    """The same for machines that can share a kernel on the same rows; None for one that cannot share its own."""
    if not machine.shares_kernel:
        return None
    searched = any(is_searched(getattr(machine, name)) for name in getattr(machine, "tunable", ()))
    alone = searched or getattr(machine, "transductive", False)
    given = isinstance(machine.kernel, Precomputed) or machine._choice.precomputed
    if alone or given or machine.warm_start or machine._choice.is_function:
        return None
    return repr([getattr(machine, name) for name in _KERNEL_SIDE])


@contextmanager
def sharing_kernel(machines: Sequence[KernelMachine], budget: int) -> Iterator[SharedKernel]:
    """While it lasts, machines of one `kernel_key` fitted to the same rows use one kernel matrix.

    Fitted with costs that ascend, each starts from the solution before. What is fitted and predicted is that of
    machines by themselves within their `tol`.
    """
    shared = SharedKernel(machines, budget)
    with attached(machines, "_shared_kernel", shared):
        yield shared


def by_cost(machine: Any) -> float:
    """Where a machine comes in the order in which solutions start one another."""
    cost = getattr(machine, "C", 0.0)
    return float(cost) if isinstance(cost, int | float | np.number) else 0.0
