"""Class probabilities made wrong by as little as gives their losses another mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import optimize, special

from mercer.arrays import Floats, Longs

_MOST_LOSSES = 20_000  # of rows and classes; of more rows, as many of them by the rank of their expected loss
_FEWEST_ROWS = 500
_PRECISE = 1e-4  # of the last step, to which h is found
_NO_VARIANCE = 1e-24  # of losses between 0 and 1: one of them has all of the weight


class Moments(NamedTuple):
    """Of one loss."""

    mean: float
    variance: float
    skewness: float
    kurtosis: float


class Tilted:
    """P_h(row, class) proportional to p exp(h L): of all distributions with their mean loss, the nearest to p / n.

    Nearest by the divergence of Kullback and Leibler (1951); p are the probabilities of a row's classes, L their
    losses. h = 0 are the probabilities themselves. Of log loss, p exp(h L) = p^(1 - h): they are too sure where h > 0
    and too timid where h < 0, and rows of such losses are as much more, or less, frequent. The mean grows with h, by
    the variance for each unit.

    Parameters
    ----------
    shares : ndarray of shape (n_rows, n_classes)
        Probabilities, more than 0.
    losses : ndarray of shape (n_rows, n_classes)
        Loss of the row where the class is the true one.

    Attributes
    ----------
    unit : float
        Of h: 1 over the largest loss less the least; 0 where all are the same.
    """

    def __init__(self, shares: Floats, losses: Floats) -> None:
        kept = _spread(shares, losses)
        self._losses = losses[kept].ravel().astype(np.float64)
        self._log_shares = np.log(shares[kept].ravel().astype(np.float64))
        most, reach = float(self._losses.max()), float(np.ptp(self._losses))
        self.unit = 1 / reach if reach > 1e-9 * most else 0.0

    def moments(self, tilt: float) -> Moments:
        """Of the loss under P_h."""
        weight = self._log_shares + tilt * self._losses
        weight = np.exp(weight - weight.max())
        weight /= weight.sum()
        mean = float(weight @ self._losses)
        off = self._losses - mean
        weight *= np.square(off)
        variance = float(weight.sum())
        weight *= off
        third, fourth = float(weight.sum()), float(weight @ off)
        scale = max(variance, 1e-300)
        return Moments(mean, variance, third / scale / scale**0.5, fourth / scale / scale)

    def tilt_to(self, mean: float) -> float:
        """h of this mean; where the mean is the least or the largest loss, one that comes near."""
        now = self.moments(0.0)
        return self.root(lambda at: at.mean - mean, 0.0, (mean - now.mean) / max(now.variance, 1e-300))

    def root(self, function: Callable[[Moments], float], start: float, step: float) -> float:
        """Where a function that is below 0 at small h and above 0 at large h is 0, sought from `start` by such steps.

        Where it is past that at `start`, `start`; where it stays before it as long as losses vary, the last h tried.
        """
        way, step = np.sign(step), np.clip(step, -4 * self.unit, 4 * self.unit)
        near = start
        while function(self.moments(near)) * way < 0:
            far = near + step
            at = self.moments(far)
            if at.variance * self.unit**2 < _NO_VARIANCE:
                return near
            if function(at) * way >= 0:
                return float(
                    optimize.brentq(lambda h: function(self.moments(h)), near, far, xtol=_PRECISE * abs(far - near))
                )
            near, step = far, 2 * step
        return near


def pearson_quantile(share: float, skewness: float) -> float:
    """Quantile of Pearson's type III distribution, a gamma distribution with mean 0, variance 1 and this skewness.

    Parameters
    ----------
    share : float
        Between 0 and 1.
    skewness : float
        Taken for 2, an exponential distribution's, where it is more, for -2 where it is less.

    Returns
    -------
    float
        Quantile; that of the normal distribution where the skewness is 0.
    """
    size = float(np.clip(abs(skewness), 1e-3, 2.0))
    shape, sign = 4 / size**2, 1 if skewness >= 0 else -1
    place = float(special.gammaincinv(shape, share if sign > 0 else 1 - share))
    return sign * (place - shape) / shape**0.5


def _spread(shares: Floats, losses: Floats) -> Longs:
    """Rows: all, or some spread evenly over the order of their expected losses."""
    n_rows = max(_MOST_LOSSES // shares.shape[1], _FEWEST_ROWS)
    if len(shares) <= n_rows:
        return np.arange(len(shares), dtype=np.int64)
    order = np.argsort((shares * losses).sum(axis=1), kind="stable")
    places: Longs = ((np.arange(n_rows) + 0.5) * len(order) / n_rows).astype(np.int64)
    return order[places].astype(np.int64)
