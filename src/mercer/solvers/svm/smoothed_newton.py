"""Newton's method for linear support vector machines on many rows of up to a few thousand dense columns.

    minimise P(w, b) = 1/2 |w|^2 + 1/2 rho b^2 + sum_i loss_i(w.z_i + b),
    loss_i(f) = max over beta in the box of -((f + r_i) beta + e_i |beta| + 1/2 ridge_i beta^2)

hinge and epsilon-insensitive loss, or their squares: for rho = 0 the primal of D in `smo` for the kernel z_i.z_j, for
rho = 1 / s^2 that in `coordinate`; there is no intercept where rho is infinite. A loss with a kink is made smooth by a
ridge of delta / cost_i, so that no value of it changes by more than cost_i delta / 2; delta falls from stage to stage,
each starting where the last solution would move to if the same rows stayed near a kink. A step solves a system whose
matrix takes the rows within delta of a kink alone: the fewer, the smaller delta is. It has the size of the columns, or
of these rows where they are fewer.
Givens: a `Problem` and the rows z. Result: as of `smo`, with beta feasible and primal and dual value of the problem
itself, not of the smooth one, each the best of all stages, so that their gap is a certificate. Stop: a gap, a violation
of optimality by `tol`, a number of steps, or a time. Reference: Mangasarian 2002 (finite Newton); Chapelle 2007
(training in the primal, Huber's loss for the hinge).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np

from mercer._core.reference.svm import loss_argument, slopes
from mercer._core.stopping import Status
from mercer._core.threads import single_blas_thread
from mercer.arrays import Bools, Floats
from mercer.solvers.svm.plane_rows import Penalty, PlaneRows, solve_scaled
from mercer.solvers.svm.smo import Limits, Problem, Solution

_FIRST, _FALL = 2.0, 5.0  # delta of the first stage, in units of the target, and by how much it falls
_BEYOND = 1.2  # the gap falls with delta: by how much more than it must is aimed at
_CLOSE = 0.2  # of the gap a stage is expected to end with: |w - sum_i beta_i z_i|^2, half of which is a part of it
STEPS = 300  # Newton's, over all stages
_TRIALS, _SECANTS = 60, 5  # of the length of a step, and how many of them by secants before the bracket is halved
_LEVEL = 0.1  # of the derivative at its start: that along a step where it ends
_SUM = 1e-4  # of the sum of their sizes: that of the dual coefficients when the last stage is solved
_LEAST_GAP = 1e-8
_STIFF = 1e200  # in place of a penalty without bound
_DAMPED = 1e-4  # of the largest curvature along the intercept: what it has while no row is near a kink


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


@single_blas_thread()
def solve(problem: Problem, z: Any, *, rho: float = 0.0, start: Floats | None = None, limits: Limits) -> PlaneSolution:
    """Minimise P over the rows of z, dense or CSR, float32 or float64, that the problem has, from dual coefficients
    `start`.

    Iterations are Newton's steps; a gap is a share of P.
    """
    began, own, penalty = monotonic(), PlaneRows(z, problem.rows), Penalty(z.shape[1], rho)
    boxed = np.isfinite(problem.upper).any() or np.isfinite(problem.lower).any()
    goal = max(limits.gap_tol, _LEAST_GAP)
    most = limits.max_iter if limits.max_iter >= 0 else STEPS
    w = np.zeros(z.shape[1] + 1) if start is None else penalty.plane(own.back(start))
    delta, steps = _FIRST * float(np.abs(problem.linear).max(initial=1e-300)), 0
    found: PlaneSolution | None = None
    share, fall = (1.0, _FALL) if boxed else (goal, 1.0)  # of P: the gap of the last stage; the next is that over fall
    smooth = smoothed(problem, delta) if boxed else problem
    at = _point(smooth, penalty, w, own.decisions(w))
    while True:
        close = max(share / fall, goal) * _CLOSE
        at, taken, late = _stage(smooth, penalty, own, at, close, most - steps, limits, began)
        steps += taken
        found = _certified(problem, penalty, own, at, found)
        enough = found.gap <= limits.gap_tol * abs(found.primal) or found.violation <= limits.tol or not boxed
        if enough or late or steps >= most:
            break
        share = found.gap / max(abs(found.primal), 1e-300)
        fall = min(max(_BEYOND * share / goal, 2.0), _FALL)
        delta /= fall
        smooth, last = smoothed(problem, delta), smooth
        at = _followed(smooth, last, penalty, own, at)
        steps += 1
    status: Status = "converged" if enough else "time_limit" if late else "max_iter"
    f = PlaneRows(z, None).decisions(np.append(found.w, 0.0))
    return replace(found, f=f, iterations=steps, seconds=monotonic() - began, status=status)


def smoothed(problem: Problem, delta: float) -> Problem:
    """A ridge that a coefficient at its bound has after delta units of the decision."""
    room = np.maximum(problem.upper, -problem.lower)
    return replace(problem, ridge=problem.ridge_or_zero + delta / np.maximum(room, 1e-100))


def between(problem: Problem, beta: Floats) -> Bools:
    """Which coefficients are neither 0 nor at a bound."""
    return (beta != 0) & (beta < problem.upper) & (beta > problem.lower)


def loss_at(problem: Problem, f: Floats) -> tuple[Floats, float]:
    """The dual coefficients of rows with decisions f, and the sum of their losses."""
    shifted = f + problem.linear
    beta = loss_argument(problem, shifted, slice(None))
    loss = -(shifted * beta + problem.tube_or_zero * np.abs(beta) + 0.5 * problem.ridge_or_zero * beta**2).sum()
    return beta, float(loss)


def _point(problem: Problem, penalty: Penalty, w: Floats, f: Floats) -> _Point:
    beta, loss = loss_at(problem, f)
    return _Point(w, f, beta, penalty.value(w) + loss)


def _stage(
    problem: Problem,
    penalty: Penalty,
    rows: PlaneRows,
    at: _Point,
    close: float,
    most: int,
    limits: Limits,
    began: float,
) -> tuple[_Point, int, bool]:
    """(the solution of a smooth problem, steps, whether the time was up): |w - sum_i beta_i z_i|^2 <= close * value."""
    off, bend = max(close, _SUM), 1 / problem.ridge_or_zero
    sums, before = np.zeros(len(at.w)), np.zeros(len(at.beta))
    for taken in range(most):
        if 0 < limits.time_limit < monotonic() - began:
            return at, taken, True
        sums += rows.back(at.beta - before)  # most of the coefficients at a bound stay there
        before, slope = at.beta, penalty.slope(at.w, sums)
        balanced = penalty.rho > 0 or abs(slope[-1]) <= off * np.abs(at.beta).sum()
        if balanced and -2 * penalty.dual(slope) <= close * abs(at.value):
            return at, taken, False
        curve = np.where(between(problem, at.beta), bend, 0.0)
        step = _newton(rows, curve, _diagonal(problem, penalty, curve), slope)
        start, at = at, _shortened(problem, penalty, rows, at, step)
        if at is start:
            return at, taken, False
    return at, most, False


def _followed(problem: Problem, last: Problem, penalty: Penalty, rows: PlaneRows, at: _Point) -> _Point:
    """The start of a stage: the solution of the last one moved as if the rows near a kink were to stay so."""
    bent = between(last, at.beta)
    grown = np.where(bent, at.beta * (last.ridge_or_zero / problem.ridge_or_zero), at.beta)
    curve = np.where(bent, 1 / problem.ridge_or_zero, 0.0)
    step = _newton(rows, curve, _diagonal(problem, penalty, curve), penalty.slope(at.w, rows.back(grown)))
    return _shortened(problem, penalty, rows, _point(problem, penalty, at.w, at.f), step)


def _diagonal(problem: Problem, penalty: Penalty, curve: Floats) -> Floats:
    """What the penalty adds to the second derivative, and a little for an intercept where neither it nor a row does."""
    found = np.where(penalty.free, penalty.ridge, _STIFF)
    if penalty.rho == 0 and not curve.any():
        found[-1] = _DAMPED * (1 / problem.ridge_or_zero).sum()
    return found


def _newton(rows: PlaneRows, curve: Floats, diagonal: Floats, slope: Floats) -> Floats:
    """-(diag + sum_i curve_i (z_i, 1)(z_i, 1)')^-1 slope: by a system of the columns, or of the rows where those are
    fewer that have a curve; then diag is 1 but for the intercept."""
    bent = np.flatnonzero(curve)
    if len(bent) >= len(slope):
        second = rows.curvature(curve)
        second[np.diag_indices_from(second)] += diagonal
        return -solve_scaled(second, slope)
    z, along, edge = rows.take(bent), slope[:-1], float(slope[-1])
    inner = z @ z.T
    inner[np.diag_indices_from(inner)] += 1 / curve[bent]
    moved, one = solve_scaled(inner, np.column_stack([z @ along, np.ones(len(bent))])).T
    bias = (moved.sum() - edge) / (diagonal[-1] + one.sum())
    return np.append((moved - bias * one) @ z - along, bias)


def _shortened(problem: Problem, penalty: Penalty, rows: PlaneRows, at: _Point, step: Floats) -> _Point:
    """The point along the step at which the value is about least: its derivative grows, and a root of it is bracketed.

    The start itself where the value does not fall: what is left is rounding.
    """
    step = np.where(penalty.free, step, 0.0)
    along = rows.decisions(step)
    slope, bend = float(penalty.plain @ (at.w * step)), 2 * penalty.value(step)

    def derivative(share: float) -> float:
        beta = loss_argument(problem, at.f + share * along + problem.linear, slice(None))
        return slope + share * bend - float(beta @ along)

    def point(share: float) -> _Point:
        return _point(problem, penalty, at.w + share * step, at.f + share * along)

    low, high, below, above = 0.0, 1.0, derivative(0.0), derivative(1.0)
    level = -_LEVEL * below
    if below >= 0:
        return at
    for trial in range(_TRIALS):
        if above <= level:
            found = point(high)
            if above <= 0 or found.value <= at.value:
                return found
            level = 0.0  # so long a step that it falls and rises again
        if (low > 0 and -below <= level) or high - low < 1e-3 * high:
            break
        part = min(max(-below / (above - below), 0.1), 0.9) if trial < _SECANTS else 0.5
        share = low + (high - low) * part
        value = derivative(share)
        low, high, below, above = (share, high, value, above) if value < 0 else (low, share, below, value)
    found = point(low or high)
    return found if found.value < at.value else at


def _certified(
    problem: Problem, penalty: Penalty, rows: PlaneRows, at: _Point, last: PlaneSolution | None
) -> PlaneSolution:
    """The plane, feasible dual coefficients, and the values of the problem itself there; each from an earlier stage
    where it was better, since rounding grows as delta falls."""
    w, f, primal = at.w, at.f, _point(problem, penalty, at.w, at.f).value
    beta = at.beta if penalty.rho > 0 else _balanced(problem, at.beta)
    rest = problem.linear @ beta + problem.tube_or_zero @ np.abs(beta) + 0.5 * (problem.ridge_or_zero * beta) @ beta
    dual = penalty.dual(rows.back(beta)) - float(rest)
    if last is not None and last.dual > dual:
        beta, dual = last.beta, last.dual
    if last is not None and last.primal < primal:
        w, f, primal = np.append(last.w, last.bias[0]), last.f, last.primal
    up, low = slopes(replace(problem, rows=None), beta, f)
    violation = max(float(low.max(initial=0.0)), float(-up.min(initial=0.0)))
    bias, square = float(w[-1]), float(w[:-1] @ w[:-1])
    return PlaneSolution(primal, dual, violation, 0, 0.0, "converged", beta, f, (bias, bias), w[:-1], square)


def _balanced(problem: Problem, beta: Floats) -> Floats:
    """With sum 0: by the coefficients between their bounds, where these suffice, else all of one sign made smaller."""
    excess = float(beta.sum())
    free = between(problem, beta)
    limit = np.where(
        beta > 0, problem.lower if excess > 0 else problem.upper, problem.upper if excess < 0 else problem.lower
    )
    room = np.where(free, np.abs(np.clip(limit, -np.abs(beta), np.abs(beta)) - beta), 0.0)
    if room.sum() > abs(excess):
        return np.asarray(beta - excess * room / room.sum())
    side = beta > 0 if excess > 0 else beta < 0
    return np.where(side, beta * (1 - abs(excess) / np.abs(beta[side]).sum()), beta) if side.any() else beta
