"""Decomposition for the dual of every kernel machine.

    minimise   D(b) = 1/2 b'Kb + r'b + sum_i e_i |b_i| + 1/2 sum_i ridge_i b_i^2
    subject to lower <= b <= upper, and sum(b) fixed in each group (or no such constraint)

Givens: a source of kernel rows (`mercer._core.gram`), r (linear), e (tube), the box, the ridge. Signed coefficients
b_i = y_i alpha_i keep labels out of it. Result: b, the offset that makes the primal smallest, primal and dual values.
Stop: max_low(g) - min_up(g) <= tol (LIBSVM's rule), a duality gap, a number of steps, or a time.
Reference: Fan, Chen and Lin 2005, Working set selection using second order information, eq. 3 (pairs); Joachims 1999
(blocks); Chang and Lin 2001 (nu).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer._core import reference_svm, select
from mercer._core.gram import Rows
from mercer._core.threads import effective_jobs
from mercer.arrays import Floats

STATUS = ("converged", "max_iter", "time_limit", "interrupted", "stalled")


@dataclass(frozen=True)
class Problem:
    """The givens of D above; `start` meets the constraints and fixes the sums. rows: kernel row of each variable."""

    linear: Floats
    lower: Floats
    upper: Floats
    start: Floats
    tube: Floats | None = None
    ridge: Floats | None = None
    rows: NDArray[np.int32] | None = None
    split: int = 0
    equality: bool = True

    @property
    def kernel_rows(self) -> NDArray[np.int32]:
        return np.arange(len(self.linear), dtype=np.int32) if self.rows is None else self.rows

    @property
    def tube_or_zero(self) -> Floats:
        return np.zeros(len(self.linear)) if self.tube is None else self.tube

    @property
    def ridge_or_zero(self) -> Floats:
        return np.zeros(len(self.linear)) if self.ridge is None else self.ridge

    def at_bound(self, beta: Floats) -> NDArray[np.bool_]:
        """Which variables are not 0 and cannot grow."""
        full = np.where(beta > 0, self.upper, -self.lower)
        bounded: NDArray[np.bool_] = (np.abs(beta) > 0) & (np.abs(beta) >= full)
        return bounded

    @property
    def groups(self) -> list[slice]:
        n = len(self.linear)
        return [slice(0, self.split), slice(self.split, n)] if 0 < self.split < n else [slice(0, n)]


@dataclass(frozen=True)
class Outcome:
    """How far a solver came: objective values, the violation that its stop rule saw, and why it stopped."""

    primal: float
    dual: float
    violation: float
    iterations: int
    seconds: float
    status: str

    @property
    def gap(self) -> float:
        return self.primal - self.dual


@dataclass(frozen=True)
class Solution(Outcome):
    """beta: coefficients; f: K beta, by kernel row; bias: offset of each group."""

    beta: Floats
    f: Floats
    bias: tuple[float, float]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while a problem was solved; beta and f are those of the last block that was finished."""

    def __init__(self, beta: Floats, f: Floats) -> None:
        super().__init__("Interrupted while solving")
        self.beta = beta
        self.f = f


def solve(
    problem: Problem,
    source: Rows,
    *,
    start: Floats | None = None,
    start_f: Floats | None = None,
    tol: float = 1e-3,
    gap_tol: float = 0.0,
    max_iter: int = -1,
    time_limit: float = 0.0,
    block: int = 0,
    n_jobs: int | None = None,
) -> Solution:
    """Minimise D from `start` (default: the problem's own), so that an earlier answer can be resumed or reused.

    start_f: K start by kernel row, when it is known; computing it takes a kernel row for every coefficient in use.
    tol: largest violation left, in units of the decision value. gap_tol: absolute duality gap that also stops, 0 for
    none. max_iter: pair steps, -1 for no limit. time_limit: seconds, 0 for none. block: variables solved together, 0 to
    choose.
    """
    beta = np.array(problem.start if start is None else start, dtype=np.float64)
    if select.native is None or source.handle is None:
        return _solve_twin(problem, source, beta, tol, gap_tol, max_iter, time_limit)
    f = np.zeros(source.n) if start_f is None else np.array(start_f, dtype=np.float64)
    try:
        violation, primal, dual, bias, second, steps, _, seconds, status = select.native.smo_solve(
            source.handle, problem.linear, problem.lower, problem.upper, problem.tube, problem.ridge, problem.rows,
            problem.split, problem.equality, beta, f, tol, gap_tol, max_iter, time_limit, block,
            effective_jobs(n_jobs), start_f is not None,
        )  # fmt: skip
    except KeyboardInterrupt:
        raise Interrupted(beta, f) from None
    return Solution(primal, dual, violation, steps, seconds, STATUS[status], beta, f, (bias, second))


def _solve_twin(
    problem: Problem, source: Rows, beta: Floats, tol: float, gap_tol: float, max_iter: int, time_limit: float
) -> Solution:
    used = np.flatnonzero(beta)
    f = np.zeros(source.n)
    if len(used):
        f = beta[used] @ source.rows(problem.kernel_rows[used]).astype(np.float64)
    violation, steps, seconds, status = reference_svm.smo_solve(
        problem, source.rows, beta, f, tol, max_iter, time_limit, gap_tol
    )
    primal, dual, bias = reference_svm.values(problem, beta, f)
    return Solution(primal, dual, violation, steps, seconds, STATUS[status], beta, f, bias)
