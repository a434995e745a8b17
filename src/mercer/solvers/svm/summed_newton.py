"""Newton's method for linear support vector machines whose rows are met as sums alone, so that they may be anywhere.

    minimise P(w, b) = 1/2 |w|^2 + 1/2 rho b^2 + sum_i loss_i(w.z_i + b),
    loss_i(f) = max over beta in the box of -((f + r_i) beta + e_i |beta| + 1/2 ridge_i beta^2)

the problems of `smoothed_newton` (rho = 0) and of `coordinate` (rho = 1 / s^2; infinite for no offset). Givens: rho,
and for each `Query` what its `answer` makes of some rows, added up over all of them. Result: w and b. A loss with a
kink is made smooth by a ridge of delta / cost_i; delta falls once a step promises less than what smoothing hides, and
rows near a kink are gathered and solved exactly once they are few (`sifted_rows`). A step that is too long is taken
again with more of the curvature that there would be if every row were at a kink, which bounds the one there is. Stop:
the gap to the dual value at the rows' own beta, which is feasible, is a share of P; a number of steps; or a time.
Reference: Mangasarian 2002 (finite Newton); Chapelle 2007 (training in the primal, Huber's loss for the hinge).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeAlias

import numpy as np

from mercer._core.stopping import Limits, Status
from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats, Longs
from mercer.solvers.svm.plane_rows import Penalty, PlaneRows, solve_scaled
from mercer.solvers.svm.sifted_rows import Answer, Plane, Question, Sifted, near_kinks, sift
from mercer.solvers.svm.smo import Problem
from mercer.solvers.svm.smoothed_newton import between, loss_at, smoothed

_FIRST, _FALL = 2.0, 5.0  # delta at first, in units of the target, and by how much it falls
_LEAST = 1e-12  # delta, in the same units: less is lost in rounding
_STEPS = 300
_HIDDEN = 0.1  # of the loss that smoothing hides: what a step must promise for delta to stay
_DAMPED, _MORE, _LESS = 1e-4, 10.0, 2.0  # share of the curvature of all rows that is added when a step was too long
_NEGLIGIBLE = 1e-8
_BANDS = np.array([2.0, 8.0, 32.0, 128.0])  # deltas from a kink within which a row is near

Course: TypeAlias = Generator[Question, Answer, Plane]


@dataclass(frozen=True)
class Start:
    """Where a solution is near: w, b behind it, and how near in units of a decision, which is delta at first."""

    w: Floats
    delta: float


@dataclass(frozen=True)
class Query:
    """What is asked of the rows: sums at w, b behind it, for losses smoothed by delta."""

    w: Floats
    delta: float
    whole: bool = False  # whether second derivatives are those if every row were at a kink: a bound of them

    @single_blas_thread()
    def answer(self, problem: Problem, z: Any) -> Answer:
        """The sums of `_Sums` over the rows of z, dense or CSR, that the problem has."""
        rows = PlaneRows(z, problem.rows)
        smooth = smoothed(problem, self.delta) if self.delta else problem
        f = rows.decisions(self.w)
        beta, loss = loss_at(smooth, f)
        exact = loss_at(problem, f)[1] if self.delta else loss
        sides = [np.maximum(beta, 0.0), np.minimum(beta, 0.0)]
        linear = [problem.linear @ b + problem.tube_or_zero @ np.abs(b) for b in sides]
        square = [0.5 * (problem.ridge_or_zero * b) @ b for b in sides]
        bend, inside = 1 / smooth.ridge_or_zero, between(smooth, beta)
        moved = 0.5 * self.delta * float(np.abs(beta[(beta != 0) & ~inside]).sum())
        second = rows.curvature(bend if self.whole else np.where(inside, bend, 0.0))
        back, n_bounded = np.array([rows.back(b) for b in sides]), int(problem.at_bound(beta).sum())
        near = np.array([near_kinks(problem, f, band * self.delta).sum() for band in _BANDS])
        return loss, exact, moved, back, np.array(linear), np.array(square), second, n_bounded, near


@dataclass(frozen=True)
class _Sums:
    """Over all rows: the smooth loss and the exact one, and by how much these differ where beta is at a bound, whatever
    w is; sum beta (z, 1), sum r beta + e |beta| and 1/2 sum ridge beta^2 of positive and of negative beta; second
    derivatives; number of beta at their bound, and of rows near a kink."""

    loss: float
    exact: float
    moved: float
    back: Floats  # (2, d + 1)
    linear: Floats  # (2,)
    square: Floats  # (2,)
    curvature: Floats  # (d + 1, d + 1)
    n_bounded: int
    n_near: Longs  # within each band

    def dual(self, penalty: Penalty) -> float:
        """The dual value at beta; where the offset has no penalty, the side of the larger sum is made smaller."""
        share = np.ones(2)
        if penalty.rho == 0:
            mass = np.abs(self.back[:, -1])
            share[int(mass.argmax())] = mass.min() / mass.max() if mass.max() > 0 else 0.0
        return penalty.dual(share @ self.back) - float(share @ self.linear + share**2 @ self.square)


def minimise(
    width: int,
    rho: float,
    limits: Limits,
    *,
    kinks: bool,
    unit: float,
    n_rows: int,
    room: int,
    start: Start | None = None,
) -> Course:
    """Ask for sums of the rows until P is least; the generator's value is the plane.

    width : columns of z. rho : infinite for no offset. limits : iterations are steps, `gap_tol` is a share of P.
    kinks : whether losses have them. unit : the size of a usual r_i. room : rows that may be gathered, of n_rows.
    start : None for w = 0.
    """
    start = Start(np.zeros(width + 1), _FIRST * unit) if start is None else start
    newton, delta = _Newton(Penalty(width, rho), limits), start.delta if kinks else 0.0
    here = Sifted(start.w, np.inf, -np.inf, 0, 0)
    if kinks and n_rows <= room:
        here = yield from sift(here, np.inf, room, newton.penalty, limits.gap_tol)
    while not newton.stops(here):
        here, n_near = yield from newton.stage(here, delta)
        if newton.stops(here) or delta <= _LEAST * unit:
            break
        few = _BANDS[n_near <= room] * delta
        if len(few):
            here = yield from sift(here, float(few[-1]), room, newton.penalty, limits.gap_tol)
        delta /= _FALL
    late = newton.late and not here.closed(limits.gap_tol)
    status: Status = "converged" if here.closed(limits.gap_tol) else "time_limit" if late else "max_iter"
    return here.plane(status, newton.steps + here.rounds, monotonic() - newton.began)


class _Newton:
    """Newton's steps on the smooth problem; one that is too long is taken again with more curvature."""

    def __init__(self, penalty: Penalty, limits: Limits) -> None:
        self.penalty, self.limits, self.began = penalty, limits, monotonic()
        self.most = max(1, limits.max_iter) if limits.max_iter >= 0 else _STEPS
        self.steps, self.damping = 0, 0.0
        self.whole: Floats | None = None  # curvature of all rows, times delta

    @property
    def late(self) -> bool:
        return 0 < self.limits.time_limit < monotonic() - self.began

    def stops(self, here: Sifted) -> bool:
        """Whether the gap is closed, or a limit reached."""
        return here.closed(self.limits.gap_tol) or self.late or self.steps + here.rounds >= self.most

    def stage(self, here: Sifted, delta: float) -> Generator[Question, Answer, tuple[Sifted, Longs]]:
        """From a point to where a step promises less than what smoothing hides; how many rows are near a kink there."""
        penalty, w = self.penalty, here.w
        at = _Sums(*(yield Query(w, delta)))
        while True:
            primal, dual = penalty.value(w) + at.exact, max(here.dual, at.dual(penalty))
            here = Sifted(w, primal, dual, at.n_bounded, here.rounds)
            slope = penalty.slope(w, at.back.sum(axis=0))
            step = _step(at.curvature, slope, penalty)
            promise = -0.5 * float(slope @ step)
            hidden = at.exact - at.loss - at.moved
            if promise <= max(_HIDDEN * hidden, 1e-16 * abs(primal)) or self.stops(here):
                return here, at.n_near
            if self.damping:
                if self.whole is None:
                    self.whole = _Sums(*(yield Query(w, delta, whole=True))).curvature * (delta or 1.0)
                step = _step(at.curvature + self.damping / (delta or 1.0) * self.whole, slope, penalty)
            new, before = _Sums(*(yield Query(w + step, delta))), penalty.value(w) + at.loss
            self.steps += 1
            if penalty.value(w + step) + new.loss <= before + 1e-4 * float(slope @ step) + 1e-14 * abs(before):
                w, at = w + step, new
                self.damping = self.damping / _LESS if self.damping > _NEGLIGIBLE else 0.0
            else:
                self.damping = max(_DAMPED, _MORE * self.damping)


def _step(curvature: Floats, slope: Floats, penalty: Penalty) -> Floats:
    """-(second derivative)^-1 (first derivative)."""
    free, found = penalty.free, np.zeros(len(slope))
    found[free] = -solve_scaled((curvature + np.diag(penalty.plain))[np.ix_(free, free)], slope[free])
    return found
