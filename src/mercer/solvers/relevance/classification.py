"""Relevance vector classification of two classes: log odds f = Phi m + b, by Laplace's approximation.

    log p(t | alpha) ~ log p(t | m*, b*) - 1/2 m*'A m* + 1/2 log|A| - 1/2 log|A + Phi'B Phi|,  B = w p (1 - p)

with m*, b* the mode for given precisions and Phi centred by B, that is at the best intercept. Around the mode it is the
Gaussian problem of `mercer.solvers.relevance.evidence` with weights B and noise of precision 1, in which several steps
are taken before the mode is found anew (Newton's method, steps halved). They are kept where the evidence at the new
mode is larger, else fewer are tried, and a single step that makes nothing better is barred until another one does.
Stop: no step gains more than `tol` by the Gaussian problem and in truth, 50 in a row do not, or a number of steps.
Reference: Tipping and Faul 2003, section 4; Tipping 2001, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from mercer.arrays import Floats
from mercer.solvers.relevance.basis import Basis
from mercer.solvers.relevance.evidence import EvidenceAscent
from mercer.solvers.relevance.regression import RelevanceSolution

_NEWTON_STEPS = 50
_HALVINGS = 40
_AT_ONCE = 16  # steps taken before the mode is found anew, at most
_IN_VAIN = 50  # steps in a row that were no better than they looked
_FLAT = 1e-10  # smallest curvature of a row, so that its target is finite


@dataclass(frozen=True)
class _Mode:
    """Coefficients, intercept, log odds and the penalised log likelihood at its maximum."""

    mean: Floats
    offset: float
    odds: Floats
    value: float


def solve(basis: Basis, y: Floats, weight: Floats, *, intercept: bool, tol: float, max_iter: int) -> RelevanceSolution:
    """Maximise the approximate marginal likelihood for classes y of 0 and 1; `weight` are numbers of rows, above 0."""
    problem = _Classes(basis, y, weight, intercept)
    now, steps, at_once = problem.laplace([], np.empty(0), np.zeros(0), 0.0), 0, _AT_ONCE
    barred: list[int] = []
    in_vain = 0
    while True:
        gain, place, precision = now.ascent.best_step(barred)
        if gain <= tol or steps >= max_iter or in_vain == _IN_VAIN:
            break
        trial = now.ascent.copy()
        if at_once > 1:
            steps += max(1, trial.climb(max(tol, gain / 10), min(at_once, max_iter - steps))[0])
        else:
            trial.take(place, precision)
            steps += 1
        found = problem.laplace(trial.used, trial.a, trial.mean, now.offset)
        if found.evidence > now.evidence + tol / 10:
            now, barred, in_vain = found, [], 0
        elif at_once > 1:
            at_once //= 2
        else:
            barred += now.ascent.copies_of(place).tolist()
            in_vain += 1
    ascent, used = now.ascent, np.array(now.ascent.used, dtype=np.int64)
    unsure = intercept and 0 < float(weight @ y) < float(weight.sum())  # of one class alone the curvature vanishes
    return RelevanceSolution(
        used, now.mean, ascent.covariance, ascent.means[used], ascent.a, now.offset, 0.0,
        1 / float(ascent.weight.sum()) if unsure else 0.0, now.evidence, max(steps, 1), steps < max_iter,
    )  # fmt: skip


@dataclass(frozen=True)
class _Laplace:
    """The approximation for given precisions: the mode, its evidence, and the Gaussian problem around it."""

    mean: Floats
    offset: float
    evidence: float
    ascent: EvidenceAscent


@dataclass(frozen=True)
class _Classes:
    basis: Basis
    y: Floats
    weight: Floats
    intercept: bool

    def laplace(self, used: list[int], a: Floats, mean: Floats, offset: float) -> _Laplace:
        """At the mode, which is looked for from `mean` and `offset`.

        The Gaussian problem has the target z = f + B^-1 w (y - p), so that Phi'B(z - f) = Phi'w(y - p).
        """
        columns = self.basis.columns(np.array(used, dtype=np.int64))
        mode = _find_mode(columns, a, self.y, self.weight, self.intercept, mean, offset)
        p = expit(mode.odds)
        curvature = np.maximum(self.weight * p * (1 - p), _FLAT)
        target = mode.odds + self.weight * (self.y - p) / curvature
        ascent = EvidenceAscent(self.basis, curvature, target, self.intercept, used=list(used), a=a.copy())
        evidence = mode.value + float(np.log(a).sum() + np.linalg.slogdet(ascent.covariance)[1]) / 2
        return _Laplace(mode.mean, mode.offset, evidence, ascent)


def _find_mode(
    columns: Floats, a: Floats, y: Floats, weight: Floats, intercept: bool, mean: Floats, offset: float
) -> _Mode:
    """max sum_i w_i log p(y_i) - 1/2 m'A m over m and b, by Newton's method."""
    design = np.column_stack([columns, np.ones(len(y))]) if intercept else columns
    penalty = np.append(a, 0.0) if intercept else a
    at = np.append(mean, offset) if intercept else mean.copy()
    odds = design @ at
    value = _value(odds, at, penalty, y, weight)
    for _ in range(_NEWTON_STEPS):
        p = expit(odds)
        slope = design.T @ (weight * (y - p)) - penalty * at
        bent = (design * np.maximum(weight * p * (1 - p), _FLAT)[:, None]).T @ design
        bent[np.diag_indices_from(bent)] += penalty + 1e-14 * bent.diagonal()
        step = np.linalg.lstsq(bent, slope, rcond=None)[0] if len(at) else slope
        expected, length = float(slope @ step), 1.0
        for _ in range(_HALVINGS):
            new = at + length * step
            new_odds = design @ new
            found = _value(new_odds, new, penalty, y, weight)
            if found >= value:
                break
            length /= 2
        else:
            break
        at, odds, value = new, new_odds, found
        if expected <= 1e-12 * max(1.0, abs(value)):
            break
    mean, offset = (at[:-1], float(at[-1])) if intercept else (at, 0.0)
    return _Mode(mean, offset, odds, value)


def _value(odds: Floats, at: Floats, penalty: Floats, y: Floats, weight: Floats) -> float:
    return float(weight @ (y * odds - np.logaddexp(0.0, odds)) - penalty @ at**2 / 2)
