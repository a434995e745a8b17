"""Losses of boosting: where the sum of trees starts, its gradient, and the best value of a leaf.

A loss is a function of the target y and the raw prediction f. Trees are grown on gradient and hessian; where the
hessian says nothing (absolute, quantile, huber), the value of a leaf is then found again from its residuals y - f.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mercer._core import boost as core
from mercer.arrays import Floats

Name = Literal["log_loss", "softmax", "squared_error", "absolute_error", "quantile", "poisson", "gamma", "huber"]
NAMES: tuple[Name, ...] = (
    "log_loss",
    "softmax",
    "squared_error",
    "absolute_error",
    "quantile",
    "poisson",
    "gamma",
    "huber",
)
_HUBER_SHARE = 0.9  # of the absolute residuals, which count in full
_LARGEST_LOG_ODDS = 500.0


@dataclass(frozen=True)
class Loss:
    """A loss by name; `quantile` is the share of rows that lie below the answer, for that loss."""

    name: Name
    quantile: float = 0.5
    n_outputs: int = 1

    @property
    def leaves_by_gradient(self) -> bool:
        """Whether gradients and hessians say the best value of a leaf."""
        return self.name not in ("absolute_error", "quantile", "huber")

    def start(self, y: Floats, weight: Floats | None) -> Floats:
        """The best constant raw prediction of each output."""
        if self.name == "softmax":
            shares = np.bincount(y.astype(np.int64), weights=weight, minlength=self.n_outputs)
            logs = np.log(np.maximum(shares / shares.sum(), np.finfo(float).tiny))
            return np.asarray(logs - logs.mean())
        if self.name in ("absolute_error", "huber"):
            return np.array([weighted_quantile(y, weight, 0.5)])
        if self.name == "quantile":
            return np.array([weighted_quantile(y, weight, self.quantile)])
        mean = np.average(y, weights=weight)
        if self.name == "log_loss":
            with np.errstate(divide="ignore"):
                odds = np.log(mean) - np.log1p(-mean)
            return np.array([np.clip(odds, -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS)])
        return np.array([np.log(max(mean, np.finfo(float).tiny)) if self.name in ("poisson", "gamma") else mean])

    def gradients(
        self, raw: Floats, y: Floats, weight: Floats | None, gradient: Floats, hessian: Floats, n_jobs: int
    ) -> None:
        """Fill gradient and hessian, all of shape (n_outputs, n_rows)."""
        parameter = self._cutoff(raw, y, weight) if self.name == "huber" else self.quantile
        core.boost_gradients(NAMES.index(self.name), parameter, raw, y, weight, gradient, hessian, n_jobs)

    def _cutoff(self, raw: Floats, y: Floats, weight: Floats | None) -> float:
        return float(weighted_quantile(np.abs(y - raw[0]), weight, _HUBER_SHARE))

    def leaf_value(self, raw: Floats, y: Floats, weight: Floats | None) -> Callable[[Floats], float] | None:
        """The best value of a leaf, as a function of the numbers of its rows; None where gradients say it already."""
        if self.leaves_by_gradient:
            return None
        left = y - raw[0]
        share = self.quantile if self.name == "quantile" else 0.5
        cutoff = self._cutoff(raw, y, weight) if self.name == "huber" else np.inf

        def value(rows: Floats) -> float:
            own = None if weight is None else weight[rows]
            middle = weighted_quantile(left[rows], own, share)
            if self.name != "huber":
                return middle
            return middle + float(np.average(np.clip(left[rows] - middle, -cutoff, cutoff), weights=own))

        return value

    def mean(self, raw: Floats, y: Floats, weight: Floats | None) -> float:
        """The mean loss of raw predictions, (n_rows, n_outputs)."""
        f = raw[:, 0]
        if self.name == "log_loss":
            values = np.logaddexp(0.0, f) - y * f
        elif self.name == "softmax":
            top = raw.max(axis=1)
            sums = top + np.log(np.exp(raw - top[:, None]).sum(axis=1))
            values = sums - raw[np.arange(len(y)), y.astype(np.int64)]
        elif self.name == "poisson":
            values = np.exp(f) - y * f
        elif self.name == "gamma":
            values = f + y * np.exp(-f)
        elif self.name == "quantile":
            values = np.maximum(self.quantile * (y - f), (self.quantile - 1) * (y - f))
        elif self.name == "squared_error":
            values = (y - f) ** 2 / 2
        else:  # the larger errors of huber are not cut off here, so that rounds can be compared
            values = np.abs(y - f)
        return float(np.average(values, weights=weight))


def weighted_quantile(values: Floats, weight: Floats | None, share: float) -> float:
    """The quantile of values, the lower one between two of them; a row of weight 2 is two rows.

    >>> import numpy as np
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), 0.5)
    2.0
    """
    if weight is None:
        return float(np.quantile(values, share, method="inverted_cdf"))
    order = np.argsort(values, kind="stable")
    mass = np.cumsum(weight[order])
    return float(values[order[min(np.searchsorted(mass, share * mass[-1]), len(values) - 1)]])
