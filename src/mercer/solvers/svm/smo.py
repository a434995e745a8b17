"""Sequential minimal optimisation of blocks: the dual of every support vector machine.

    minimise   D(b) = 1/2 b'Kb + r'b + sum_i e_i |b_i| + 1/2 sum_i ridge_i b_i^2
    subject to lower <= b <= upper, and sum(b) fixed in each group (or no such constraint)

Givens: a source of kernel rows (`mercer._core.gram`), r (linear), e (tube), the box, the ridge: a `Problem`. Signed
coefficients b_i = y_i alpha_i keep labels out of it. Result: b, the offset that makes the primal smallest, primal and
dual values. Stop: max_low(g) - min_up(g) <= tol (LIBSVM's rule), a duality gap, a number of pair steps, or a time.
Reference: Fan, Chen and Lin 2005, Working set selection using second order information, eq. 3 (pairs); Joachims 1999
(blocks); Chang and Lin 2001 (nu).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer._core import svm
from mercer._core.gram import KernelRows
from mercer._core.problem import Problem
from mercer._core.stopping import Limits, Report
from mercer._core.threads import effective_jobs
from mercer.arrays import Floats

__all__ = ["Interrupted", "Limits", "Problem", "Report", "Solution", "solve"]


@dataclass(frozen=True)
class Solution(Report):
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
    source: KernelRows,
    *,
    start: Floats | None = None,
    start_f: Floats | None = None,
    limits: Limits | None = None,
    block: int = 0,
    n_jobs: int | None = None,
) -> Solution:
    """Minimise D from `start`, so that an earlier solution can be resumed or reused.

    Parameters
    ----------
    problem : Problem
        The givens of D.
    source : KernelRows
        Kernel rows.
    start : array of shape (n,), optional
        Coefficients to start from; the problem's own start by default.
    start_f : array, optional
        K start by kernel row, when it is known; computing it takes a kernel row for every coefficient that is not 0.
    limits : Limits, optional
        When to stop; iterations are pair steps. Default: tol 1e-3 and nothing else.
    block : int
        Variables solved together, 0 to choose.
    n_jobs : int, optional
        Threads; all by default.

    Returns
    -------
    Solution

    Raises
    ------
    Interrupted
        On Ctrl-C, with the coefficients of the last block that was finished.
    """
    beta = np.array(problem.start if start is None else start, dtype=np.float64)
    f = np.zeros(source.n) if start_f is None else np.array(start_f, dtype=np.float64)
    try:
        report, bias = svm.smo_solve(
            source.handle, problem, beta, f, start_f is not None, limits or Limits(), block, effective_jobs(n_jobs)
        )
    except KeyboardInterrupt:
        raise Interrupted(beta, f) from None
    return Solution(*report, beta, f, bias)
