"""Calibration: decision values become probabilities of the positive class, by a sigmoid or isotonic regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from mercer.arrays import Floats
from mercer.errors import BadFile
from mercer.state import Reader, State

Method = Literal["sigmoid", "isotonic"]
_MAX_STEPS = 100


@dataclass(frozen=True)
class Calibrator:
    """P(+1 | decision d): 1 / (1 + exp(-(slope d + offset))), or linear between `knots` when there are any.

    alone : whether the decisions it was fitted to are all on one side of 0: that calls every row alike, and which of
        two classes is the more probable is for the curve alone to say
    """

    slope: float = 0.0
    offset: float = 0.0
    knots: Floats | None = None
    heights: Floats | None = None
    alone: bool = False

    def __call__(self, decision: Floats) -> Floats:
        if self.knots is not None and self.heights is not None:
            return np.interp(decision, self.knots, self.heights)
        found: Floats = expit(self.slope * decision + self.offset)
        return found

    def to_state(self) -> State:
        alone: State = {"alone": True} if self.alone else {}
        if self.knots is not None:
            return {"knots": self.knots, "heights": self.heights} | alone
        return {"slope": float(self.slope), "offset": float(self.offset)} | alone

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        alone = state.has("alone") and state.flag("alone")
        if not state.has("knots"):
            return cls(state.number("slope", 0.0), state.number("offset"), alone=alone)
        knots = state.array("knots", "float64", (None,))
        heights = state.array("heights", "float64", (len(knots),), low=0.0, high=1.0)
        if not len(knots) or (np.diff(knots) < 0).any() or (np.diff(heights) < 0).any():
            raise BadFile(f"{state.where}: heights rise from the first knot to the last.")
        return cls(knots=knots, heights=heights, alone=alone)


def fit_calibrator(decision: Floats, positive: NDArray[np.bool_], weight: Floats, method: Method) -> Calibrator:
    """Fit to decisions on rows that were not trained on; both classes must be among them."""
    if method == "isotonic":
        return _isotonic(decision, positive, weight)
    return _sigmoid(decision, positive, weight)


def _sigmoid(d: Floats, positive: NDArray[np.bool_], weight: Floats) -> Calibrator:
    """Newton's method on the log loss with smoothed targets, on decisions divided by their root mean square.

    Reference: Platt 1999; Lin, Lin and Weng 2007, A note on Platt's probabilistic outputs, algorithm 1.
    """
    plus, minus = float(weight[positive].sum()), float(weight[~positive].sum())
    target = np.where(positive, (plus + 1) / (plus + 2), 1 / (minus + 2))
    unit = float(np.sqrt(np.average(d**2, weights=weight))) or 1.0
    x = np.column_stack([d / unit, np.ones_like(d)])
    w = np.array([0.0, np.log((plus + 1) / (minus + 1))])
    loss = _log_loss(x @ w, target, weight)
    for _ in range(_MAX_STEPS):
        p = expit(x @ w)
        gradient = x.T @ (weight * (p - target))
        hessian = (x.T * (weight * p * (1 - p))) @ x + 1e-10 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-8 and _log_loss(x @ (w - size * step), target, weight) > loss - 1e-4 * size * float(
            gradient @ step
        ):
            size /= 2
        w, before = w - size * step, loss
        loss = _log_loss(x @ w, target, weight)
        if before - loss <= 1e-10 * abs(before):
            break
    return Calibrator(max(float(w[0]), 0.0) / unit, float(w[1]))


def _log_loss(score: Floats, target: Floats, weight: Floats) -> float:
    return float((weight * (np.logaddexp(0.0, score) - target * score)).sum())


def _isotonic(d: Floats, positive: NDArray[np.bool_], weight: Floats) -> Calibrator:
    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(d, positive.astype(np.float64), weight)
    return Calibrator(knots=np.asarray(fitted.X_thresholds_), heights=np.asarray(fitted.y_thresholds_))
