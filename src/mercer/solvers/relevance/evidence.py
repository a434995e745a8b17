"""The marginal likelihood of a linear model of many basis functions, raised one prior precision at a time.

    t = Phi m + b 1 + noise,  m_j ~ N(0, 1 / alpha_j),  noise_i ~ N(0, 1 / (beta w_i));  alpha_j = infinity: left out

    maximise over alpha (and beta, where it is not known)   log p(t | alpha, beta), at its best b where there is one

Givens: a `Basis`, the weights w (numbers of rows), the target t. Functions and target are centred by w where there is
an intercept b, which is the same as its best value. With a_j = alpha_j / beta the best beta for given a is N / E,
E = t'(W^-1 + Phi diag(1/a) Phi')^-1 t, so that no step has to estimate the noise: with s_j and q_j as in the reference
(of the model without j), r = q^2 / s and v = s / (a + s), the part of the evidence that depends on a_j is

    known noise (beta = 1)    1/2 [log(1 - v) + r v]                     best v = 1 - 1 / r
    noise to be found         1/2 [log(1 - v) - N log(E_-j - r v)]       best v = (N r - E_-j) / ((N - 1) r)

and j stays out where the best v is not above 0. Each step takes the j that gains most, at the cost of n times the
number of functions in use. Stop: no step gains more than `tol`. Reference: Tipping and Faul 2003, Fast marginal
likelihood maximisation for sparse Bayesian models, eq. 15-25; the noise is taken out of the problem as stated above.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.errors import MercerError
from mercer.solvers.relevance.basis import Basis

_DEPENDENT = 1e-6  # of the square of a function: so little of it is new that rounding would decide
_REFRESH = 50  # steps after which everything is computed anew from the precisions


@dataclass
class EvidenceAscent:
    """A model in use: functions `used`, their precisions a (over beta), posterior mean and covariance (times beta).

    basis, weight : the functions and the weight of each row, (n,)
    target : t, (n,)
    centred : whether there is an intercept
    n_rows : number of rows N where the noise is to be found, None where beta = 1
    floor : N times the smallest noise variance
    used, a : functions to start from and their precisions; without these the one that suits all of them best
    """

    basis: Basis
    weight: Floats
    target: Floats
    centred: bool
    n_rows: float | None = None
    floor: float = 0.0
    used: list[int] = field(default_factory=list)
    a: Floats = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        total, columns = float(self.weight.sum()), self.basis.columns(np.array(self.used, dtype=np.int64))
        raw = self.basis.squares(self.weight)
        self.offset = float(self.weight @ self.target) / total if self.centred else 0.0
        own = self.target - self.offset
        self.size = float(self.weight @ own**2)
        both = self.basis.products(self.weight[:, None] * np.column_stack([np.ones(len(own)), own, columns]))
        self.means = both[:, 0] / total if self.centred else np.zeros(self.basis.n)
        self.projections = both[:, 1]
        self.squares = np.maximum(raw - total * self.means**2, 0.0)
        self.least = _DEPENDENT * raw
        self.cross = np.asfortranarray(both[:, 2:] - total * np.outer(self.means, self.means[self.used]))
        if len(self.a) < len(self.used):
            self._start()
        self.refresh()

    def _start(self) -> None:
        """One precision for all functions in use, without those that the intercept explains: they have none."""
        kept = np.flatnonzero(self.squares[self.used] > self.least[self.used])
        self.used, self.cross = [self.used[k] for k in kept], np.asfortranarray(self.cross[:, kept])
        self.a = np.full(len(kept), self._common_precision() if len(kept) else 0.0)

    def _common_precision(self) -> float:
        """The one precision of all functions in use that has the largest evidence, by a grid."""
        own = self.cross[self.used]
        values, vectors = np.linalg.eigh((own + own.T) / 2)
        values, parts = np.maximum(values, 0.0), (vectors.T @ self.projections[self.used]) ** 2
        grid = max(float(values.max()), np.finfo(np.float64).tiny) * np.logspace(-10, 2, 49)
        found = np.empty(len(grid))
        for g, a in enumerate(grid):
            residual = max(self.size - float((parts / (a + values)).sum()), 0.0) + self.floor
            fit = residual if self.n_rows is None else self.n_rows * np.log(residual)
            found[g] = (np.log(a) - np.log(a + values)).sum() - fit
        return float(grid[np.argmax(found)])

    def refresh(self) -> None:
        """Posterior, and S and Q of all functions, from the precisions."""
        own = self.cross[self.used]
        try:
            factor = np.linalg.cholesky(np.diag(self.a) + (own + own.T) / 2)
        except np.linalg.LinAlgError:
            raise MercerError(
                "The evidence has no value: weights of rows or values of the kernel are too large or too small beside "
                "each other. Scale them, or use another kernel."
            ) from None
        half = np.linalg.solve(factor, np.eye(len(self.a)))
        self.covariance = half.T @ half
        self.mean = self.covariance @ self.projections[self.used]
        self.S = self.squares - np.square(self.cross @ half.T).sum(axis=1)
        self.Q = self.projections - self.cross @ self.mean

    @property
    def residual(self) -> float:
        """E, with the floor."""
        return max(self.size - float(self.projections[self.used] @ self.mean), 0.0) + self.floor

    @property
    def log_evidence(self) -> float:
        """log p(t | alpha, beta) without what does not depend on the model: N / 2 log(2 pi), and of the weights."""
        own = self.cross[self.used]
        curvature = np.linalg.slogdet(np.diag(self.a) + own)[1]
        rest = float(np.log(self.a).sum() - curvature) / 2
        if self.n_rows is None:
            return rest - self.residual / 2
        variance = self.residual / self.n_rows
        return rest - self.n_rows / 2 * np.log(variance) - (self.residual - self.floor) / (2 * variance)

    def copy(self) -> Self:
        """The same model, to go on from."""
        found = copy(self)
        found.used, found.a, found.mean = list(self.used), self.a.copy(), self.mean.copy()
        found.covariance, found.S, found.Q = self.covariance.copy(), self.S.copy(), self.Q.copy()
        return found

    def best_step(self, barred: Sequence[int] = ()) -> tuple[float, int, float]:
        """(gain, function, its new precision; infinity takes it out), of functions that are not barred."""
        s, q, v = self.S.copy(), self.Q.copy(), np.zeros(self.basis.n)
        deviation = self.covariance.diagonal()
        s[self.used], q[self.used] = 1 / deviation - self.a, self.mean / deviation
        v[self.used] = np.clip(1 - self.a * deviation, 0.0, 1 - 1e-15)
        usable = s > self.least
        r = np.zeros(self.basis.n)
        r[usable] = q[usable] ** 2 / s[usable]
        best, gain = self._known(r, v) if self.n_rows is None else self._profiled(r, v)
        gain[~usable] = -np.inf
        gain[list(barred)] = -np.inf
        place = int(np.argmax(gain))
        precision = np.inf if best[place] <= 0 else s[place] * (1 - best[place]) / best[place]
        return float(gain[place]), place, float(precision)

    def _known(self, r: Floats, v: Floats) -> tuple[Floats, Floats]:
        """(best v, gain) of each function where beta = 1."""
        best = np.where(r > 1, 1 - 1 / np.maximum(r, 1.0), 0.0)
        return best, (np.log1p(-best) - np.log1p(-v) + r * (best - v)) / 2

    def _profiled(self, r: Floats, v: Floats) -> tuple[Floats, Floats]:
        """(best v, gain) of each function where the noise is at its best for every v."""
        assert self.n_rows is not None
        now, n = self.residual, self.n_rows
        without = np.full(len(r), now)
        without[self.used] += self.mean**2 / self.covariance.diagonal()
        with np.errstate(divide="ignore", invalid="ignore"):
            best = np.where(n * r > without, (n * r - without) / ((n - 1) * r), 0.0)
        best = np.minimum(best, 1 - 1e-15)
        then = np.maximum(without - r * best, self.floor)
        return best, (np.log1p(-best) - np.log1p(-v) - n * np.log(then / now)) / 2

    def copies_of(self, place: int) -> Longs:
        """The functions that are the same at all rows, as those of equal rows are."""
        same = [np.isclose(v, v[place], rtol=1e-9, atol=0) for v in (self.squares, self.projections, self.means)]
        return np.flatnonzero(same[0] & same[1] & same[2])

    def take(self, place: int, precision: float) -> None:
        """Give a function this precision: put it in, change it, or take it out."""
        if place not in self.used:
            self._add(place, precision)
            return
        j = self.used.index(place)
        column, own = self.covariance[:, j].copy(), self.covariance[j, j]
        change = 1 / own if np.isinf(precision) else 1 / (own + 1 / (precision - self.a[j]))
        c = self.cross @ column
        self.S += change * c**2
        self.Q += change * self.mean[j] * c
        self.mean -= change * self.mean[j] * column
        self.covariance -= change * np.outer(column, column)
        self.a[j] = precision
        if np.isinf(precision):
            self._drop(j)

    def _add(self, place: int, precision: float) -> None:
        column = self.basis.products(self.weight[:, None] * self.basis.columns(np.array([place])))[:, 0]
        column -= float(self.weight.sum()) * self.means * self.means[place]
        b = self.covariance @ self.cross[place]
        own = 1 / (precision + self.S[place])
        mean = own * self.Q[place]
        e = column - self.cross @ b
        self.S -= own * e**2
        self.Q -= mean * e
        covariance = self.covariance + own * np.outer(b, b)
        self.covariance = np.block([[covariance, -own * b[:, None]], [-own * b[None], np.array([[own]])]])
        self.mean = np.append(self.mean - mean * b, mean)
        self.a = np.append(self.a, precision)
        self.used.append(place)
        self.cross = np.asfortranarray(np.column_stack([self.cross, column]))

    def _drop(self, j: int) -> None:
        keep = np.arange(len(self.used)) != j
        del self.used[j]
        self.a, self.mean = self.a[keep], self.mean[keep]
        self.covariance, self.cross = self.covariance[np.ix_(keep, keep)], np.asfortranarray(self.cross[:, keep])

    def climb(self, tol: float, max_steps: int) -> tuple[int, bool]:
        """Steps until none gains more than `tol`: (steps taken, whether that was reached)."""
        fresh, last = True, -np.inf
        for step in range(max_steps):
            gain, place, precision = self.best_step()
            if gain <= tol and fresh:
                return step, True
            if gain > tol:
                self.take(place, precision)
                fresh = False
            if gain <= tol or step % _REFRESH == _REFRESH - 1:
                self.refresh()
                fresh, before, last = True, last, self.log_evidence
                if last <= before + tol:  # what the steps gained since was rounding
                    return step + 1, True
        self.refresh()
        return max_steps, False
