"""Relevance vector regression: t = Phi m + b + noise of a variance that is found as well.

Problem, steps and stop rule are those of `mercer.solvers.relevance.evidence`. There are many local maxima: the better
of two is kept, reached from no function and from many that differ, all of one precision. On Tipping's sinc, eight draws
of 100 rows, the first alone ends up to 10 below the evidence of scikit-learn's ARDRegression, the better of both within
0.4 of it but for one draw (1.9). Result: the functions in use, the mean and covariance of their coefficients, the
variance of the noise, the intercept, the log marginal likelihood. The noise is taken to be at least a thousandth of the
target's standard deviation, without which the evidence of a perfect fit has no maximum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.errors import TooLarge
from mercer.solvers.relevance.basis import Basis, spread_functions
from mercer.solvers.relevance.evidence import EvidenceAscent

_LEAST_NOISE = 1e-6  # variance, in that of the target
_RICH = 100  # functions of the second start, at most,
_SPREAD = 1e-8  # each of which has at least this share of the largest that those before it leave unexplained


@dataclass(frozen=True)
class RelevanceSolution:
    """f(x) = sum_j mean_j phi_j(x) + intercept over the functions `used`.

    covariance : of the coefficients
    centres : what is taken from phi_j(x) before the covariance is applied, (k,): their means, where there is an
        intercept
    noise : variance of the noise of a row of weight 1; 0 of classes
    offset_variance : of the intercept, once functions are centred; 0 without one
    precisions : alpha
    """

    used: Longs
    mean: Floats
    covariance: Floats
    centres: Floats
    precisions: Floats
    intercept: float
    noise: float
    offset_variance: float
    log_evidence: float
    iterations: int
    converged: bool

    def function(self, phi: Floats) -> Floats:
        """f at rows where the functions in use have the values `phi`, (n_rows, k)."""
        return phi @ self.mean + self.intercept

    def variance(self, phi: Floats) -> Floats:
        """Of f there, (n_rows,), without the noise."""
        own = phi - self.centres
        return np.maximum(((own @ self.covariance) * own).sum(axis=1) + self.offset_variance, 0.0)


def solve(
    basis: Basis, target: Floats, weight: Floats, *, intercept: bool, tol: float, max_iter: int
) -> RelevanceSolution:
    """Maximise the marginal likelihood; `weight` are numbers of rows, all above 0."""
    total = float(weight.sum())
    middle = float(weight @ target) / total
    with np.errstate(over="ignore", invalid="ignore"):
        variance = float(weight @ (target - middle) ** 2) / total
    if not np.isfinite(variance):
        raise TooLarge("The squares of the target are not finite numbers: it is too large. Scale it.")
    floor = total * _LEAST_NOISE * (variance or middle**2 or 1.0)
    starts: list[list[int]] = [[], spread_functions(basis, _RICH, _SPREAD).tolist()]
    best, steps, converged = -np.inf, 0, False
    for start in starts:
        begun = EvidenceAscent(basis, weight, target, intercept, total, floor, start)
        more, done = begun.climb(tol, max_iter)
        steps += more
        if begun.log_evidence > best:
            ascent, best, converged = begun, begun.log_evidence, done
    used = np.array(ascent.used, dtype=np.int64)
    noise = ascent.residual / total
    return RelevanceSolution(
        used,
        ascent.mean,
        noise * ascent.covariance,
        ascent.means[used],
        ascent.a / noise,
        ascent.offset - float(ascent.means[used] @ ascent.mean),
        noise,
        noise / total if intercept else 0.0,
        best - total / 2 * np.log(2 * np.pi),
        max(steps, 1),
        converged,
    )
