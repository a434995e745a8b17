"""Linear machines with kinks in their losses, exactly: rows far from a kink keep their side, the others are gathered.

A row whose decision is further than `band` from a kink has a linear loss there, beta_i at 0 or at a bound. The rows
near a kink are few; with the sums of the others they make a problem that agrees with P while no row crosses the band,
and an interior point method solves it, which gives a dual feasible beta of all rows, too.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp

from mercer._core.reference.svm import loss_argument
from mercer._core.stopping import Report, Status
from mercer._core.threads import single_blas_thread
from mercer.arrays import Bools, Floats
from mercer.solvers.svm.interior_point import BoxLosses, solve_box
from mercer.solvers.svm.plane_rows import Penalty, PlaneRows
from mercer.solvers.svm.smo import Problem
from mercer.solvers.svm.smoothed_newton import loss_at

Answer: TypeAlias = tuple[Any, ...]
_AT_BOUND = 1e-6  # of the box


class Question(Protocol):
    """What is asked of the rows; plain data that any process can be sent."""

    def answer(self, problem: Problem, z: Any) -> Answer:
        """Of some rows: values that add up over all."""


@dataclass(frozen=True)
class Plane(Report):
    """w : (n_columns,), the offset, and how many rows have a dual coefficient at its bound."""

    w: Floats
    offset: float
    n_bounded: int


def near_kinks(problem: Problem, f: Floats, band: float) -> Bools:
    """The rows whose dual coefficient would change within the band."""
    below, above = (loss_argument(problem, f + problem.linear + way, slice(None)) for way in (-band, band))
    return np.asarray(below != above)


@dataclass(frozen=True)
class Gathered:
    """Rows near a kink, dropped when they are more than `room`: z, and r, e and the box of each."""

    n_rows: int
    room: int
    z: Any = None
    cells: Floats = field(default_factory=lambda: np.empty((4, 0)))  # r, e, lower, upper

    def __add__(self, other: Gathered) -> Gathered:
        n = self.n_rows + other.n_rows
        if n > self.room:
            return Gathered(n, self.room)
        z = sp.vstack([self.z, other.z], format="csr") if sp.issparse(self.z) else np.vstack([self.z, other.z])
        return Gathered(n, self.room, z, np.hstack([self.cells, other.cells]))


@dataclass(frozen=True)
class Gather:
    """The rows within a band of a kink at w, and the sums over the others."""

    w: Floats
    band: float
    room: int

    @single_blas_thread()
    def answer(self, problem: Problem, z: Any) -> Answer:
        """(loss of all rows, sum of beta (z, 1), sum of r beta + e |beta|, beta at their bound, rows)."""
        rows = PlaneRows(z, problem.rows)
        f = rows.decisions(self.w)
        beta, loss = loss_at(problem, f)
        near = near_kinks(problem, f, self.band)
        n, beta = int(near.sum()), np.where(near, 0.0, beta)
        rest = float(problem.linear @ beta + problem.tube_or_zero @ np.abs(beta))
        gathered = Gathered(n, self.room)
        if n <= self.room:
            cells = (problem.linear, problem.tube_or_zero, problem.lower, problem.upper)
            gathered = Gathered(n, self.room, z[problem.kernel_rows[near]], np.array([c[near] for c in cells]))
        return loss, rows.back(beta), rest, int(problem.at_bound(beta).sum()), gathered


@dataclass(frozen=True)
class Sifted:
    """w, the values of P and of the dual problem there, how many beta are at their bound, and rounds."""

    w: Floats
    primal: float
    dual: float
    n_bounded: int
    rounds: int

    def closed(self, gap_tol: float) -> bool:
        """Whether the gap is at most a share of P."""
        return bool(np.isfinite(self.primal)) and self.primal - self.dual <= gap_tol * abs(self.primal)

    def plane(self, status: Status, steps: int, seconds: float) -> Plane:
        """As the result of a solver."""
        gap = self.primal - self.dual
        return Plane(
            self.primal, self.dual, gap, steps, seconds, status, self.w[:-1], float(self.w[-1]), self.n_bounded
        )


def sift(here: Sifted, band: float, room: int, penalty: Penalty, gap_tol: float) -> Generator[Question, Answer, Sifted]:
    """Gather and solve from a point while that closes the gap, up to a share of P; of all rows at once."""
    loss, *fixed = yield Gather(here.w, band, room)
    at = replace(here, primal=penalty.value(here.w) + loss)
    while fixed[-1].n_rows <= room:
        found, value, dual, n_bounded = _solve_gathered(fixed, at.w, penalty, gap_tol * abs(at.primal))
        last, at = at, replace(at, dual=max(at.dual, dual), n_bounded=n_bounded, rounds=at.rounds + 1)
        if np.isinf(band):  # no row is left out
            return replace(at, w=found, primal=value)
        loss, *fixed = yield Gather(found, band, room)
        primal = penalty.value(found) + loss
        at = replace(at, w=found, primal=primal) if primal < at.primal else at
        if at.closed(gap_tol) or at.primal - at.dual > (last.primal - last.dual) / 2:
            break
    return at


@single_blas_thread()
def _solve_gathered(fixed: list[Any], w: Floats, penalty: Penalty, gap: float) -> tuple[Floats, float, float, int]:
    """(w, P, dual value, beta at their bound) where the other rows keep their side; a tube's sides are two rows."""
    back, rest, at_bound, gathered = fixed
    r, e, lower, upper = gathered.cells
    z = None if gathered.z is None else gathered.z.astype(np.float64, copy=False)  # steps of single precision stall
    rows, zero = PlaneRows(z, None), np.zeros(len(r))
    if not len(r):
        return w, penalty.value(w) - float(back @ w) - rest, penalty.dual(back) - rest, at_bound
    losses = BoxLosses(r, lower, upper, penalty.ridge, back)
    if e.any():
        rows = PlaneRows(z, np.tile(np.arange(len(r), dtype=np.int32), 2))
        box = np.concatenate([zero, lower]), np.concatenate([upper, zero])
        losses = replace(losses, q=np.concatenate([r + e, r - e]), lower=box[0], upper=box[1])
    found, beta = solve_box(rows, losses, w, gap / 10)
    slope = rows.decisions(found) + losses.q
    primal = penalty.value(found) - float(back @ found) - rest
    primal += float(np.maximum(-slope * losses.upper, -slope * losses.lower).sum())
    dual = penalty.dual(back + rows.back(beta)) - rest - float(losses.q @ beta)
    full = np.where(losses.upper > -losses.lower, losses.upper - beta, beta - losses.lower)
    n_bounded = at_bound + int((full <= _AT_BOUND * (losses.upper - losses.lower)).sum())
    return found, primal, dual, n_bounded
