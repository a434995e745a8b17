"""An interior point method for linear machines whose losses have kinks, on rows that fit in memory.

    minimise 1/2 w'Rw - g'w + sum_i loss_i(w.(z_i, 1)),  loss_i(f) = max over lower <= beta <= upper of -(f + q_i) beta

with R diagonal, at least 0; where it is infinite, w stays 0. Givens: rows z, dense or CSR; q and the box of each; R and
g, both with an entry for the offset behind those of the columns; a w to start from. Result: w and beta, with Rw = g +
sum_i beta_i (z_i, 1) up to rounding. Stop: the complementarity, which bounds the distance from the minimum, is below a
number, or steps become short. A step solves a system of the columns. Reference: Mehrotra 1992; Ferris and Munson 2003,
Interior-point methods for massive support vector machines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as sl

from mercer.arrays import Floats
from mercer.solvers.svm.plane_rows import PlaneRows

_STEPS = 60
_SHORT = 1e-8
_STIFF = 1e200
_BACK = 0.995  # of the way to the boundary


@dataclass(frozen=True)
class BoxLosses:
    """q and the box of each row, R and g."""

    q: Floats
    lower: Floats
    upper: Floats
    ridge: Floats  # R, (n_columns + 1,)
    linear: Floats  # g


@dataclass
class _Point:
    """w, beta, its distances s and t from the box, and their multipliers."""

    w: Floats
    beta: Floats
    s: Floats
    t: Floats
    z: Floats
    v: Floats

    @property
    def complementarity(self) -> float:
        return float(self.s @ self.z + self.t @ self.v)

    def reach(self, step: _Point) -> float:
        """The share of a step after which the first distance or multiplier is 0, at most 1."""
        most = 1.0
        for at, change in ((self.s, step.s), (self.t, step.t), (self.z, step.z), (self.v, step.v)):
            falls = change < 0
            most = min(most, float((-at[falls] / change[falls]).min(initial=most)))
        return most

    def moved(self, step: _Point, share: float) -> _Point:
        return _Point(*(getattr(self, n) + share * getattr(step, n) for n in self.__dataclass_fields__))


def solve_box(rows: PlaneRows, losses: BoxLosses, start: Floats, enough: float) -> tuple[Floats, Floats]:
    """(w, beta), at most `enough` from the minimum."""
    free, half = np.isfinite(losses.ridge), (losses.upper - losses.lower) / 2
    ridge = np.where(free, losses.ridge, _STIFF)
    slope = rows.decisions(start) + losses.q
    unit = float(np.abs(losses.q).max(initial=0.0)) or 1.0
    at = _Point(
        start.copy(), losses.lower + half, half.copy(), half.copy(),
        np.maximum(slope, 0.0) + unit, np.maximum(-slope, 0.0) + unit,
    )  # fmt: skip
    for _ in range(_STEPS):
        slope = rows.decisions(at.w) + losses.q
        left = np.where(free, losses.linear + rows.back(at.beta) - ridge * at.w, 0.0)
        if at.complementarity <= enough and float(left @ left) <= enough * 1e-3:
            break
        share, at = _mehrotra(rows, ridge, at, left, -(slope - at.z + at.v))
        if share < _SHORT:
            break
    return np.where(free, at.w, 0.0), at.beta


def _mehrotra(rows: PlaneRows, ridge: Floats, at: _Point, left: Floats, lack: Floats) -> tuple[float, _Point]:
    """A step that aims at the solution, then one corrected for how far that would have come."""
    diagonal = at.z / at.s + at.v / at.t
    second = rows.curvature(1 / diagonal) + np.diag(ridge)
    unit = np.sqrt(np.maximum(np.diag(second), 1e-300))
    scaled = second / np.outer(unit, unit)
    scaled[np.diag_indices_from(scaled)] += 1e-14
    factor = sl.cho_factor(scaled, overwrite_a=True)

    def step(aim: float, low: Floats, high: Floats) -> _Point:
        """low, high : products of changes that the first step left out."""
        rise, fall = (aim - low) / at.s - at.z, (aim - high) / at.t - at.v
        h = lack + rise - fall
        w = sl.cho_solve(factor, (left + rows.back(h / diagonal)) / unit) / unit
        beta = (h - rows.decisions(w)) / diagonal
        return _Point(w, beta, beta, -beta, rise - at.z / at.s * beta, fall + at.v / at.t * beta)

    zero = np.zeros(len(at.beta))
    first = step(0.0, zero, zero)
    ahead = at.moved(first, at.reach(first)).complementarity
    mean = at.complementarity / (2 * len(zero))
    aim = (ahead / at.complementarity) ** 3 * mean
    second_step = step(aim, first.s * first.z, first.t * first.v)
    share = min(1.0, _BACK * at.reach(second_step))
    return share, at.moved(second_step, share)
