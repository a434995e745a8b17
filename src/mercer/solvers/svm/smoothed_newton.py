"""Newton's method for linear support vector machines on many rows of up to a few thousand dense columns.

    minimise P(w, b) = 1/2 |w|^2 + sum_i loss_i(w.z_i + b),
    loss_i(f) = max over beta in the box of -((f + r_i) beta + e_i |beta| + 1/2 ridge_i beta^2)

the primal of D in `smo` for the kernel z_i.z_j: hinge and epsilon-insensitive loss, or their squares, the intercept not
penalised. A loss with a kink is made smooth by a ridge of delta / cost_i, so that no value of it changes by more than
cost_i delta / 2; delta falls from stage to stage, each starting at the last solution. A step solves a system of the
columns, whose matrix takes the rows within delta of a kink alone: the fewer, the smaller delta is.
Givens: a `Problem` and the rows z. Result: as of `smo`, with beta feasible and primal and dual value of the problem
itself, not of the smooth one, so that their gap is a certificate. Stop: a gap, a violation of optimality by `tol`, a
number of steps, or a time. Reference: Mangasarian 2002 (finite Newton); Chapelle 2007 (training in the primal, Huber's
loss for the hinge).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np
import scipy.linalg as sl

from mercer._core.reference.svm import loss_argument, slopes
from mercer._core.stopping import Status
from mercer._core.threads import effective_jobs, single_blas_thread
from mercer.arrays import Array, Floats, Ints, Longs
from mercer.solvers.svm.smo import Limits, Problem, Solution

_FIRST, _FALL = 2.0, 5.0  # delta of the first stage, in units of the target, and by how much it falls
_STEPS = 300  # Newton's, over all stages
_TRIALS = 20  # of the length of a step
_SUM = 1e-4  # of the sum of their sizes: that of the dual coefficients when a stage is solved
_LEAST_GAP = 1e-8
_DAMPED = 1e-4  # of the largest curvature along the intercept, added to it: no row need be near a kink
_ROUNDING = 0.1
_CELLS = 1 << 22  # of rows gathered at a time


@dataclass(frozen=True)
class PlaneSolution(Solution):
    """w : (n_columns,), close to sum_i beta_i z_i; f : w.z_i of all rows; square : |w|^2."""

    w: Floats
    square: float


@dataclass(frozen=True)
class _Point:
    """Where a step starts: w with b behind it, decisions, dual coefficients, and the value of the smooth problem."""

    w: Floats
    f: Floats
    beta: Floats
    value: float


class _Rows:
    """Products with some of the rows of a matrix, gathered by blocks: none of them is copied as a whole."""

    def __init__(self, z: Array, rows: Ints | None) -> None:
        self.z, self.rows = z, rows

    def __len__(self) -> int:
        return len(self.z) if self.rows is None else len(self.rows)

    def each(self, work: Callable[[slice | Longs, Array], Any], chosen: Longs | None = None) -> Iterator[Any]:
        """`work(places, rows)` of blocks of all rows or of the chosen ones, on several threads, in their order."""
        step, n = max(1, _CELLS // self.z.shape[1]), len(self) if chosen is None else len(chosen)

        def one(start: int) -> Any:
            part: slice | Longs = slice(start, start + step) if chosen is None else chosen[start : start + step]
            return work(part, self.z[part] if self.rows is None else self.z[self.rows[part]])

        if n <= step:
            yield from map(one, range(0, n, step))
            return
        jobs = effective_jobs(None)
        with ThreadPoolExecutor(jobs) as pool:
            for start in range(0, n, step * jobs):  # no more results wait to be added than threads
                yield from pool.map(one, range(start, min(start + step * jobs, n), step))

    def decisions(self, w: Floats) -> Floats:
        """w.z_i + b of every row."""
        slope = w[:-1].astype(self.z.dtype)
        parts = [np.asarray(part, dtype=np.float64) for part in self.each(lambda _, z: z @ slope)]
        found: Floats = np.concatenate([*parts, np.empty(0)]) + w[-1]
        return found

    def back(self, beta: Floats) -> Floats:
        """sum_i beta_i (z_i, 1), in double precision: many large terms leave a small sum."""
        found, used = np.zeros(self.z.shape[1]), np.flatnonzero(beta).astype(np.int64)
        for part in self.each(lambda places, z: beta[places] @ z.astype(np.float64, copy=False), used):
            found += part
        return np.append(found, beta.sum())

    def curvature(self, curve: Floats) -> Floats:
        """sum_i curve_i (z_i, 1)(z_i, 1)', in single precision where its rounding is below the 1 that is added."""
        d = self.z.shape[1]
        found = np.zeros((d + 1, d + 1))
        rounding = curve.sum() * np.finfo(self.z.dtype).eps
        roots = np.sqrt(curve).astype(self.z.dtype if rounding < _ROUNDING else np.float64)

        def work(places: slice | Longs, z: Array) -> tuple[Array, Array]:
            root = roots[places]
            scaled = z * root[:, None]
            return scaled.T @ scaled, root @ scaled

        for inner, edge in self.each(work, np.flatnonzero(curve).astype(np.int64)):
            found[:d, :d] += inner
            found[d, :d] += edge
        found[:d, d] = found[d, :d]
        found[d, d] = curve.sum()
        return found


@single_blas_thread()
def solve(problem: Problem, z: Array, *, start: Floats | None = None, limits: Limits) -> PlaneSolution:
    """Minimise P over the rows of z, float32 or float64, that the problem has, from dual coefficients `start`.

    Iterations are Newton's steps; a gap is a share of P.
    """
    began, own = monotonic(), _Rows(z, problem.rows)
    boxed = np.isfinite(problem.upper).any() or np.isfinite(problem.lower).any()
    close = max(limits.gap_tol, _LEAST_GAP) / 5  # half the square of w - sum_i beta_i z_i is a part of the gap
    most = limits.max_iter if limits.max_iter >= 0 else _STEPS
    w = np.zeros(z.shape[1] + 1) if start is None else own.back(start)
    f, delta, steps = own.decisions(w), _FIRST * float(np.abs(problem.linear).max(initial=1e-300)), 0
    while True:
        smooth = _smoothed(problem, delta) if boxed else problem
        at, taken, late = _stage(smooth, own, _point(smooth, w, f), close, most - steps, limits, began)
        w, f, steps = at.w, at.f, steps + taken
        found = _certified(problem, own, at)
        enough = found.gap <= limits.gap_tol * abs(found.primal) or found.violation <= limits.tol or not boxed
        if enough or late or steps >= most:
            break
        delta /= _FALL
    status: Status = "converged" if enough else "time_limit" if late else "max_iter"
    return replace(found, iterations=steps, seconds=monotonic() - began, status=status)


def _smoothed(problem: Problem, delta: float) -> Problem:
    """A ridge that a coefficient at its bound has after delta units of the decision."""
    room = np.maximum(problem.upper, -problem.lower)
    return replace(problem, ridge=problem.ridge_or_zero + delta / np.maximum(room, 1e-300))


def _point(problem: Problem, w: Floats, f: Floats) -> _Point:
    shifted = f + problem.linear
    beta = loss_argument(problem, shifted, slice(None))
    loss = -(shifted * beta + problem.tube_or_zero * np.abs(beta) + 0.5 * problem.ridge_or_zero * beta**2).sum()
    return _Point(w, f, beta, 0.5 * float(w[:-1] @ w[:-1]) + float(loss))


def _stage(
    problem: Problem, rows: _Rows, at: _Point, close: float, most: int, limits: Limits, began: float
) -> tuple[_Point, int, bool]:
    """(the solution of a smooth problem, steps, whether the time was up): |w - sum_i beta_i z_i|^2 <= close * value."""
    for taken in range(most):
        if 0 < limits.time_limit < monotonic() - began:
            return at, taken, True
        slope = -rows.back(at.beta)
        slope[:-1] += at.w[:-1]
        if float(slope[:-1] @ slope[:-1]) <= close * abs(at.value) and abs(slope[-1]) <= _SUM * np.abs(at.beta).sum():
            return at, taken, False
        inside = (at.beta != 0) & (at.beta < problem.upper) & (at.beta > problem.lower)
        curve = 1 / problem.ridge_or_zero
        second = rows.curvature(np.where(inside, curve, 0.0))
        second[np.diag_indices_from(second)] += np.append(np.ones(len(slope) - 1), _DAMPED * curve.sum())
        step = -sl.cho_solve(sl.cho_factor(second, overwrite_a=True), slope)
        at = _shortened(problem, rows, at, step)
    return at, most, False


def _shortened(problem: Problem, rows: _Rows, at: _Point, step: Floats) -> _Point:
    """The point along the step at which the value is least: its derivative grows, and a root of it is bracketed."""
    along = rows.decisions(step)
    slope, bend = float(at.w[:-1] @ step[:-1]), float(step[:-1] @ step[:-1])

    def derivative(share: float) -> float:
        beta = loss_argument(problem, at.f + share * along + problem.linear, slice(None))
        return slope + share * bend - float(beta @ along)

    low, high, below, above = 0.0, 1.0, derivative(0.0), derivative(1.0)
    for _ in range(_TRIALS):
        if above <= 0 or high - low < 1e-3 * high:
            break
        share = low + (high - low) * min(max(-below / (above - below), 0.1), 0.9)
        value = derivative(share)
        low, high, below, above = (share, high, value, above) if value < 0 else (low, share, below, value)
    share = high if above <= 0 else low or high
    return _point(problem, at.w + share * step, at.f + share * along)


def _certified(problem: Problem, rows: _Rows, at: _Point) -> PlaneSolution:
    """The plane, dual coefficients with sum 0, and the values of the problem itself there."""
    beta = _balanced(problem, at.beta)
    own, square = rows.back(beta)[:-1], float(at.w[:-1] @ at.w[:-1])
    rest = problem.linear @ beta + problem.tube_or_zero @ np.abs(beta) + 0.5 * (problem.ridge_or_zero * beta) @ beta
    dual = -0.5 * float(own @ own) - float(rest)
    primal = _point(problem, at.w, at.f).value
    up, low = slopes(replace(problem, rows=None), beta, at.f)
    violation = max(float(low.max(initial=0.0)), float(-up.min(initial=0.0)))
    f = _Rows(rows.z, None).decisions(np.append(at.w[:-1], 0.0))
    bias = float(at.w[-1])
    return PlaneSolution(primal, dual, violation, 0, 0.0, "converged", beta, f, (bias, bias), at.w[:-1], square)


def _balanced(problem: Problem, beta: Floats) -> Floats:
    """With sum 0: by the coefficients between their bounds, where these suffice, else all of one sign made smaller."""
    excess = float(beta.sum())
    free = (beta != 0) & (beta < problem.upper) & (beta > problem.lower)
    limit = np.where(
        beta > 0, problem.lower if excess > 0 else problem.upper, problem.upper if excess < 0 else problem.lower
    )
    room = np.where(free, np.abs(np.clip(limit, -np.abs(beta), np.abs(beta)) - beta), 0.0)
    if room.sum() > abs(excess):
        return np.asarray(beta - excess * room / room.sum())
    side = beta > 0 if excess > 0 else beta < 0
    return np.where(side, beta * (1 - abs(excess) / np.abs(beta[side]).sum()), beta) if side.any() else beta
