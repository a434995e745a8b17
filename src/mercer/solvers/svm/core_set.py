"""A support vector machine as a smallest enclosing ball, found on a core set of rows.

    minimise  1/2 (|w|^2 + b^2) + 1/2 sum_i cost_i xi_i^2  with y_i (w.x_i + b) >= 1 - xi_i

Its dual over a >= 0, sum(a) = 1 is min a'Ma, M_ij = y_i y_j (k_ij + 1) + [i = j] / cost_i: the centre c of the smallest
ball around points of inner products M, all lifted by one more coordinate to the length sqrt(eta), eta = max_i M_ii,

    R^2 = eta - a'Ma,    |x_i - c|^2 = eta + a'Ma - 2 (Ma)_i,

where only centres without that coordinate are allowed. No row is lifted when the diagonal of M is constant. Givens: y,
costs, the kernel's diagonal and its products with the core set (`KernelProducts`). Result: the machine's coefficients
y_i a_i / a'Ma, R, and the measured guarantee g: all rows are within (1 + g) R, so that the radius R* of the smallest
ball around all rows is in [R, (1 + g) R], and min a'Ma = eta - R*^2.

The core set is solved by `mercer.solvers.svm.smo`, from the last solution, and grows by up to half of its size: by the
farthest rows of a sample as large as it is, of at least 59 rows (of which one is among the farthest twentieth with
probability 0.95), and of all rows once a sample has few that are too far. Growing by single rows, as in the reference,
solves many more problems and sees many more kernel values. Stop: no row is further than (1 + tol) R, with
eta = min_i M_ii, which is stricter; or a number of rounds or of rows in the core set, or a time.
Reference: Tsang, Kwok and Cheung 2005 (constant diagonal); Tsang, Kwok and Zurada 2006 (any).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import numpy as np

from mercer._core.gram import rows_of_gram
from mercer.arrays import Array, Floats, Longs
from mercer.solvers.svm.duals import svc
from mercer.solvers.svm.smo import Limits, solve

_SAMPLE = 59  # 1 - 0.95^59 = 0.95
_LONG = 2_000  # rows above which samples come first
_GROWTH = 2  # a round adds one row, and one more for each 2 in the core set: rounds grow with its logarithm
_FEW = 20  # a sample of which less than a twentieth is too far is followed by a look at all rows
_BLOCK = 256  # rows of the transpose
_FINEST = 1e-11  # the tightest stop of the inner solver, in margins


class NotPositive(ArithmeticError):
    """The kernel is not positive semi-definite."""


@dataclass(frozen=True)
class KernelProducts:
    """Of numbered rows: between(a, b) is their kernel matrix, product(a, b, coef) is K_ab coef."""

    between: Callable[[Longs, Longs], Array]
    product: Callable[[Longs, Longs, Floats], Floats]
    diagonal: Floats


@dataclass(frozen=True)
class CoreBall:
    """f(x) = sum_i coef_i (k(x, x_i) + 1) over the rows `core`; stopped: by a limit, before (1 + tol)."""

    core: Longs
    coef: Floats
    radius: float
    guarantee: float
    rounds: int
    stopped: bool


class _CoreSet:
    """The rows of the core set, their kernel matrix plus 1, and the machine on them: f = matrix coef."""

    def __init__(self, y: Floats, cost: Floats, products: KernelProducts, n_jobs: int) -> None:
        self.y, self.cost, self.products, self.n_jobs = y, cost, products, n_jobs
        self.rows = np.empty(0, dtype=np.int64)
        self.gram: Array = np.empty((0, 0))
        self.coef, self.f = np.empty(0), np.empty(0)
        self.tol = _FINEST

    def grow(self, new: Longs, f: Floats) -> None:
        """By rows with these values of f."""
        m, old = len(self.rows), self.gram
        self.rows = np.concatenate([self.rows, new])
        more = self.products.between(new, self.rows)
        self.gram = np.empty((len(self.rows), len(self.rows)), dtype=more.dtype)
        np.add(more, more.dtype.type(1), out=self.gram[m:])
        for rows in (slice(i, min(i + _BLOCK, m)) for i in range(0, m, _BLOCK)):  # a blocked transpose
            self.gram[rows, :m], self.gram[rows, m:] = old[rows], self.gram[m:, rows].T
        self.coef, self.f = np.concatenate([self.coef, np.zeros(len(new))]), np.concatenate([self.f, f])

    def solve(self, time_limit: float) -> None:
        problem = svc(self.y[self.rows], self.cost[self.rows], squared_slack=True, bias=False)
        limits = Limits(tol=self.tol, max_iter=max(1_000_000, 100 * len(self.rows)), time_limit=time_limit)
        source = rows_of_gram(self.gram)
        found = solve(problem, source, start=self.coef, start_f=self.f, limits=limits, n_jobs=self.n_jobs)
        self.coef, self.f = found.beta, found.f

    @property
    def total(self) -> float:
        return float(np.abs(self.coef).sum())

    @property
    def margins(self) -> Floats:
        """(M |coef|)_i of the rows of the core set: y f(x) plus the slack that their coefficient pays."""
        found: Floats = self.y[self.rows] * self.f + np.abs(self.coef) / self.cost[self.rows]
        return found

    @property
    def value(self) -> float:
        """a'Ma, a = |coef| / total."""
        if not self.total <= 2 * self.cost[self.rows].sum():  # a'Ma >= 1 / sum(cost), and is 1 / total where solved
            raise NotPositive
        return float(np.abs(self.coef) @ self.margins) / self.total**2

    def values_of(self, rows: Longs) -> Floats:
        """f of other rows."""
        used = self.coef != 0
        return self.products.product(rows, self.rows[used], self.coef[used]) + self.coef.sum()


def core_ball(
    y: Floats,
    cost: Floats,
    products: KernelProducts,
    *,
    tol: float,
    max_iter: int,
    max_rows: int,
    time_limit: float | None,
    rng: np.random.Generator,
    n_jobs: int,
) -> CoreBall:
    """Grow a core set until all rows are within (1 + tol) of the radius of its ball; max_iter is of rounds, or -1.

    max_rows : of the core set
    """
    own = products.diagonal + 1 + 1 / cost
    found, rounds, slack = _CoreSet(y, cost, products, n_jobs), 0, tol * (2 + tol) / 2
    end = np.inf if time_limit is None else monotonic() + time_limit
    if not own.min() > 0:
        raise NotPositive
    new = _first_rows(y, own)
    new_f, look_at_all = np.zeros(len(new)), len(y) <= _LONG
    while True:
        found.grow(new, new_f)
        found.solve(0.0 if time_limit is None else max(end - monotonic(), 1e-3))
        rounds += 1
        value = found.value
        allowed = slack * max(float(own.min()) - value, 0.0)
        lowest = (value - allowed) * found.total  # margins below it are too far
        found.tol = min(max(allowed * found.total / 4, _FINEST), 0.1)
        stopped = rounds == max_iter or len(found.rows) >= max_rows or monotonic() > end
        new = np.empty(0, dtype=np.int64)
        if not (look_at_all or stopped):
            new, new_f, look_at_all = _farthest_of_some(found, lowest, rng)
        if not len(new):
            margins, new, new_f = _farthest(found, lowest)
            if stopped or not len(new):
                break
    eta = float(own.max())
    squared = max(eta - value, 0.0)
    furthest = eta + value - 2 * float(margins.min()) / found.total
    guarantee = np.sqrt(max(furthest / squared, 1.0)) - 1 if squared > 0 else 0.0
    return CoreBall(found.rows, found.coef, squared**0.5, float(guarantee), rounds, stopped and bool(len(new)))


def _first_rows(y: Floats, own: Floats) -> Longs:
    """The row of each sign that is lifted most: those of low weight come in only where they count."""
    signs = [np.flatnonzero(y == s) for s in (-1.0, 1.0) if (y == s).any()]
    return np.array([rows[np.argmin(own[rows])] for rows in signs], dtype=np.int64)


def _farthest_of_some(found: _CoreSet, lowest: float, rng: np.random.Generator) -> tuple[Longs, Floats, bool]:
    """(rows of a sample that are too far, the farthest first, their f, whether to look at all rows from now on)."""
    n, size = len(found.y), max(len(found.rows), _SAMPLE)
    if 2 * size >= n:
        return np.empty(0, dtype=np.int64), np.empty(0), True
    some = np.setdiff1d(rng.choice(n, size, replace=False), found.rows)
    f = found.values_of(some)
    margins = found.y[some] * f
    far = _lowest(margins, lowest, 1 + len(found.rows) // _GROWTH)
    return some[far], f[far], bool((margins < lowest).sum() * _FEW < len(some))


def _farthest(found: _CoreSet, lowest: float) -> tuple[Floats, Longs, Floats]:
    """(margins of all rows, the farthest outside the core set that are too far, their f)."""
    outside = np.setdiff1d(np.arange(len(found.y)), found.rows)
    f = found.values_of(outside)
    margins = found.y[outside] * f
    far = _lowest(margins, lowest, 1 + len(found.rows) // _GROWTH)
    return np.concatenate([margins, found.margins]), outside[far], f[far]


def _lowest(values: Floats, below: float, most: int) -> Longs:
    """Places of the smallest values below a bound."""
    order = np.argsort(values, kind="stable")[:most]
    found: Longs = order[values[order] < below]
    return found
