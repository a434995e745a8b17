"""How much areas vary where the scores of both classes are normal, with one standard deviation and means d apart.

With survival functions S1(x) = Phi(d - x) of the m positive rows, a share s of all, and S0(x) = Phi(-x) of n others:

    area under the ROC curve A = Phi(d / sqrt(2)),   average precision P = int pi dF1,   pi = s S1 / (s S1 + (1-s) S0)
"""

from __future__ import annotations

import numpy as np
from scipy import integrate, optimize, special, stats

from mercer.arrays import Floats

_FARTHEST = 12.0  # standard deviations between the classes: no row of a table is at the wrong place
_PLACES = 401  # at which integrands are taken: variances to 1 %


def area_variance(area: float, m: float, n: float) -> float:
    """[A (1 - A) + (m + n - 2) (Q - A^2)] / (m n): Q is the chance that two rows of a class both beat one other row.

    With A = Phi(h), Q = Phi2(h, h; 1/2) = A - 2 T(h, 1 / sqrt(3)), T of Owen (1956).
    """
    both = area - 2 * float(special.owens_t(special.ndtri(area), 3**-0.5))
    return (area * (1 - area) + max(m + n - 2, 0.0) * (both - area * area)) / (m * n)


def precision_ratio(precision: float, share: float) -> float:
    """m v / (P (1 - P)): the variance v of average precision P of m positive rows, a share s of all, over the binomial.

    A positive row at x moves P by phi1(x) = pi(x) + int^x g S0 and another row by phi0(x) = -int^x g S1, where
    g = s (1-s) F1' / D^2 and D = s S1 + (1-s) S0; a share that varies moves it by P' = int S0 S1 / D^2 dF1 as much. So

        m v = Var1(phi1) + s / (1-s) Var0(phi0) + s^2 (1-s) P'^2.

    Parameters
    ----------
    precision : float
        P; taken for s where it is less, that of rows in a random order.
    share : float
        s, between 0 and 1.

    Returns
    -------
    float
        2 s where rows are in a random order, 0 where none is at the wrong place; never more than 1.

    Examples
    --------
    >>> [round(precision_ratio(precision, 0.02), 2) for precision in (0.02, 0.05, 0.3, 0.8)]
    [0.04, 0.27, 1.0, 0.77]
    """
    nearest = _Separated(0.0, share)
    if precision <= nearest.precision:
        return nearest.ratio()
    if precision >= _Separated(_FARTHEST, share).precision:
        return 0.0
    apart = optimize.brentq(lambda d: _Separated(d, share).precision - precision, 0.0, _FARTHEST, xtol=1e-3)
    return _Separated(float(apart), share).ratio()


class _Separated:
    """Scores d apart: what they give at places x."""

    def __init__(self, d: float, share: float) -> None:
        self.share = share
        self.x = np.linspace(-8.0, 8.0 + d, _PLACES)
        self.density = stats.norm.pdf(self.x - d), stats.norm.pdf(self.x)
        self.above = special.ndtr(d - self.x), special.ndtr(-self.x)
        self.called = share * self.above[0] + (1 - share) * self.above[1]
        self.at = share * self.above[0] / self.called
        self.precision = self._mean(self.at, 0)

    def ratio(self) -> float:
        s, (ours, others) = self.share, self.above
        slope = self.density[0] / self.called**2
        moved = s * (1 - s) * slope
        phi1 = self.at + integrate.cumulative_trapezoid(moved * others, self.x, initial=0.0)
        phi0 = integrate.cumulative_trapezoid(moved * ours, self.x, initial=0.0)
        by_share = float(integrate.trapezoid(slope * ours * others, self.x))
        variance = self._variance(phi1, 0) + s / (1 - s) * self._variance(phi0, 1) + s**2 * (1 - s) * by_share**2
        return min(variance / (self.precision * (1 - self.precision)), 1.0)

    def _mean(self, values: Floats, side: int) -> float:
        return float(integrate.trapezoid(values * self.density[side], self.x))

    def _variance(self, values: Floats, side: int) -> float:
        return self._mean(np.square(values - self._mean(values, side)), side)
