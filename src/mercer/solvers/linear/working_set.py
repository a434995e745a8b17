"""Logistic models with a lasso on many columns, of which few count: Newton's method on a set of columns that grows.

Problem, givens and result as in `proximal_newton`, which takes over when too many columns count. Stop: no derivative
per unit of weight that the lasso does not balance is above tol, or a number of Newton steps. Reference: Massias,
Gramfort and Salmon 2018 (working sets that double).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Bools, Floats, Longs
from mercer.solvers.linear.logistic import Logit, LogitFit, Penalty, Watch, class_shares, newton
from mercer.solvers.linear.proximal_newton import proximal_newton

_FIRST = 64  # columns of the first set
_MOST = 1500  # coefficients of a set
_CELLS = 6e7  # of its columns, held dense: half a gigabyte
_WORK = 2e10  # rows * coefficients^2 that second derivatives may cost


def working_set(
    problem: Logit, penalty: Penalty, free: Bools, tol: float, max_iter: int, start: Floats | None = None,
    watch: Watch = None,
) -> LogitFit:  # fmt: skip
    """The columns farthest out of balance join those that count, until none is left; proximal Newton for too many."""
    problem = replace(problem, X=sp.csc_array(problem.X)) if sp.issparse(problem.X) else problem
    B = (class_shares(problem, free) if start is None else start) * free
    steps, loss = 0, 0.0
    while True:
        loss, gradient = problem.value_gradient(B)
        gap = _out_of_balance(gradient + penalty.ridge * B, B, penalty.lasso)
        if gap.max(initial=0.0) <= tol * problem.mass and (steps or not problem.intercept):
            return LogitFit(B, loss, steps, True)
        if steps >= max_iter:
            return LogitFit(B, loss, steps, False)
        chosen = _choose(gap, B)
        if not _affordable(problem, len(chosen)):
            rest = proximal_newton(problem, penalty, free, tol, max_iter - steps, B, watch)
            return replace(rest, steps=rest.steps + steps)
        found = _solve(problem, penalty, free, tol, max_iter - steps, B, chosen, watch)
        B, steps = found.B, steps + found.steps


def _out_of_balance(slope: Floats, B: Floats, lasso: Floats) -> Floats:
    """Of each column, the largest derivative of a class that the lasso does not balance, (d,)."""
    moved = np.abs(slope + lasso * np.sign(B))
    gap: Floats = np.where(B != 0, moved, np.maximum(np.abs(slope) - lasso, 0.0))[:, 1:].max(axis=0)
    return gap


def _choose(gap: Floats, B: Floats) -> Longs:
    """The columns that count, and the worst of the others: as many again, or `_FIRST`."""
    counts = (B[:, 1:] != 0).any(axis=0)
    size = min(max(_FIRST, 2 * int(counts.sum())), len(gap))
    rank = np.where(counts, np.inf, gap)
    return np.sort(np.argpartition(-rank, size - 1)[:size]) if size else np.empty(0, dtype=np.int64)


def _affordable(problem: Logit, size: int) -> bool:
    n, width = len(problem.codes), problem.m * (size + 1)
    return width <= _MOST and float(n) * width * width <= _WORK and float(n) * size <= _CELLS


def _solve(
    problem: Logit, penalty: Penalty, free: Bools, tol: float, max_iter: int, B: Floats, chosen: Longs, watch: Watch
) -> LogitFit:
    """Newton's method on the columns chosen; the others stay 0."""
    entries = np.append(0, chosen + 1)
    X = problem.X[:, chosen]
    inner = replace(
        problem, X=X.toarray() if sp.issparse(X) else X, mean=problem.mean[chosen], scale=problem.scale[chosen]
    )

    def whole(part: Floats) -> Floats:
        full = np.zeros_like(B)
        full[:, entries] = part
        return full

    part = Penalty(penalty.ridge[:, entries], penalty.lasso[:, entries])
    tell = None if watch is None else lambda b: watch(whole(b))
    # Tighter than the whole: what is left here must not be taken for columns out of balance.
    found = newton(inner, part, free[entries], 0.1 * tol, max_iter, B[:, entries], None, tell)
    return replace(found, B=whole(found.B), hessian=None)
