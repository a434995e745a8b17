"""Locally weighted regression on mixed tables."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats
from mercer.distances import Distance, Euclidean
from mercer.encode.design import Design
from mercer.errors import MercerError, MercerWarning
from mercer.estimators.common.base import TableRegressor
from mercer.estimators.neighbours.model import KCurve, NeighbourModel, is_count
from mercer.solvers.local_linear import local_planes
from mercer.state import Reader, State
from mercer.table import Kind, Table

KERNELS: dict[str, Callable[[Floats], Floats]] = {
    "tricube": lambda u: np.clip(1 - np.minimum(u, 1) ** 3, 0, None) ** 3,
    "epanechnikov": lambda u: np.clip(1 - np.minimum(u, 1) ** 2, 0, None),
    "gaussian": lambda u: np.exp(-(np.minimum(u, 40) ** 2) / 2),
    "uniform": lambda u: (u <= 1).astype(np.float64),
}
FEW_ROWS = 30  # asked when n_neighbors="auto"
MOST_NEIGHBOURS = 200  # largest k that "cv" tries
_TRIED = 8  # numbers of neighbours that "cv" tries, each a like factor above the last
_JUDGED = 2000  # rows predicted without themselves by "cv"
_CELLS = 500_000  # of the neighbours' rows held at once: 4 MB


@dataclass(frozen=True)
class LocalFit:
    """Why one row was answered so: the rows it was fitted to, what each weighs, and the plane through them."""

    rows: NDArray[np.int64]
    distances: Floats
    weights: Floats  # sum to 1
    targets: Floats
    prediction: float
    columns: tuple[str, ...]  # terms of the plane; empty for a local mean
    slopes: Floats  # change of the prediction for one unit of the term


@dataclass(frozen=True)
class _Around:
    """Some queries, and the rows that each is fitted to: numbers, distances and weights, (n_queries, k)."""

    queries: NDArray[np.intp]
    row: NDArray[Any]
    distance: Floats
    weight: Floats


class LocallyWeightedRegression(TableRegressor, NeighbourModel):
    """f(x) = a of the plane around x,  (a, b) = argmin sum_i w_i (y_i - a - (z_i - z)'b)^2 + ridge s^2 |b|^2.

    w_i is K(d(x, x_i) / h), made to sum to 1; z are the columns in units of their deviation, levels as dummies; s^2 is
    the variance of z under w, mean over columns. h is the distance of the k-th nearest row (Cleveland 1979), or a fixed
    `bandwidth`. degree = 0 leaves b out: a local mean (Nadaraya 1964, Watson 1964). For curves in few columns.
    Nothing is assumed of their form, and the model keeps the training rows. Missing cells are the distance's business;
    in z they are the median, and a column says where they were.

    A query further than the bandwidth from every row, and one whose rows all lie at h, is answered by the mean of its
    nearest rows. A row of weight w counts as w rows.

    Parameters
    ----------
    n_neighbors : k; "auto" for 30, or all rows when there are fewer; "cv" for the one of eight values up to 200
        with the least squared error, leaving one out (on at most 2000 rows)
    bandwidth : h, above 0, in units of the distance; None to use n_neighbors
    kernel : K(u): "tricube" (1 - u^3)^3, "epanechnikov" 1 - u^2, "gaussian" exp(-u^2 / 2), "uniform"; 0 beyond u = 1
        but for the gaussian, which with n_neighbors weighs the k nearest rows alone
    degree : 1 for a plane, 0 for a mean
    ridge : penalty on the slope, at least 0; keeps the plane steady where rows are fewer than columns, or alike
    metric : "auto" (Euclid's with each column divided by its range; HEOM for mixed tables), a name or a Distance
    terms : how many columns of z the plane takes at most, those that correlate most with y; the distance has them all
    words : how many of the commonest words of a text column are counted
    kinds : column -> kind, overriding what is inferred from a data frame
    n_jobs : threads; None for all. Results do not depend on it.

    Attributes
    ----------
    n_neighbors_ : as given, or as chosen
    taken_ : which columns of the design the plane takes
    curve_ : squared error of every k tried, when it was chosen
    schema_, distance_

    Examples
    --------
    >>> import mercer, numpy as np
    >>> x = np.linspace(0, 6, 60)
    >>> model = mercer.LocallyWeightedRegression(12).fit(x[:, None], np.sin(x))
    >>> model.predict([[1.5], [3.0]]).round(2), model.explain([[3.0]])[0].slopes.round(1)
    (array([0.97, 0.14]), array([-0.9]))
    """

    def __init__(
        self,
        n_neighbors: int | str = "auto",
        *,
        bandwidth: float | None = None,
        kernel: str = "tricube",
        degree: int = 1,
        ridge: float = 0.1,
        metric: str | Distance = "auto",
        terms: int = 30,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.degree = degree
        self.ridge = ridge
        self.metric = metric
        self.terms = terms
        self.words = words
        self.kinds = kinds
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows; a row of weight w counts as w rows."""
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        table = self._fit_rows(table, None, self._weights(sample_weight, len(table)))
        self.target_ = np.ascontiguousarray(target[self.kept_])
        self.design_ = Design.learn(table, self.weight_)
        plain = _dense(self.design_.matrix(table))
        mean = np.average(plain, axis=0, weights=self.weight_)
        spread = np.sqrt(np.average((plain - mean) ** 2, axis=0, weights=self.weight_))
        self.unit_ = np.where(spread > 0, spread, 1.0)
        self.taken_ = _telling(plain - mean, self.target_, self.weight_, self.terms)
        self.unit_ = self.unit_[self.taken_]
        self.z_ = plain[:, self.taken_] / self.unit_
        self._choose_k()
        return self

    @property
    def _given(self) -> bool:
        return False  # a plane needs columns

    def _distance(self, table: Table) -> Distance:
        plain = len(table.schema.of_kind(Kind.NUMERIC)) == len(table.schema)
        return Euclidean(scale="range") if self.metric == "auto" and plain else super()._distance(table)

    def _check_options(self) -> None:
        k = self.n_neighbors
        if not is_count(k) and not (isinstance(k, str) and k in ("auto", "cv")):
            raise MercerError(f"n_neighbors={k!r} must be a whole number of at least 1, 'auto' or 'cv'.")
        if self.bandwidth is not None and not 0 < self.bandwidth < np.inf:
            raise MercerError(f"bandwidth={self.bandwidth!r} must be a number above 0, or None for n_neighbors.")
        if self.kernel not in KERNELS:
            raise MercerError(f"kernel={self.kernel!r} is not one of {', '.join(KERNELS)}.")
        if self.degree not in (0, 1):
            raise MercerError(f"degree={self.degree!r} must be 0 (a local mean) or 1 (a local plane).")
        if not is_count(self.terms):
            raise MercerError(f"terms={self.terms!r} must be a whole number of at least 1.")
        if not 0 <= self.ridge < np.inf:
            raise MercerError(f"ridge={self.ridge!r} must be a number of at least 0.")

    def _choose_k(self) -> None:
        """Set `n_neighbors_`, by leaving one out when it is "cv"; every k tried is answered from one search."""
        self.curve_ = None
        n = len(self.target_)
        mass = float(n if self.weight_ is None else self.weight_.sum())
        if self.n_neighbors != "cv" or self.bandwidth is not None or n < 3:
            automatic = isinstance(self.n_neighbors, str)
            self.n_neighbors_ = max(1, int(min(FEW_ROWS, mass))) if automatic else int(self.n_neighbors)
            return
        judged = np.linspace(0, n - 1, min(n, _JUDGED)).astype(np.int32)
        most = min(n - 1, MOST_NEIGHBOURS)
        own = np.arange(n, dtype=np.int32)
        queries = self.cells_.take(judged)
        found = self.distance_.nearest(self.cells_, queries, most, groups=(own, judged), n_jobs=self._jobs)
        tried = np.unique(np.geomspace(min(3, most), most, _TRIED).astype(np.int64))
        counted = None if self.weight_ is None else self.weight_[judged]
        errors = []
        for k in tried:
            row, distance = found.row[:, :k], found.distance[:, :k]
            weight = self._count(distance, np.ones_like(distance) if self.weight_ is None else self.weight_[row])
            parts = self._parts(_Around(np.arange(len(judged)), row, distance, weight))
            answer = np.concatenate([self._solve(part, self.z_[judged])[0] for part in parts])
            errors.append(np.average((answer - self.target_[judged]) ** 2, weights=counted))
        self.n_neighbors_ = int(tried[int(np.argmin(errors))])
        self.curve_ = KCurve(tried, {self.kernel: np.array(errors)}, 0)

    def _count(self, distance: Floats, mass: Floats) -> Floats:
        """mass x K(d / h), h the distance of the last row that counts; the nearest rows when K leaves none."""
        h = np.where((mass > 0) & np.isfinite(distance), distance, 0.0).max(axis=1, keepdims=True)
        return self._kernel(distance, h, mass)

    def _kernel(self, distance: Floats, h: Floats | float, mass: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            u = np.where(distance > 0, distance / h, 0.0)
        weight = KERNELS[self.kernel](u) * mass
        nearest = distance == np.where(mass > 0, distance, np.inf).min(axis=1, keepdims=True)
        return np.where(weight.sum(axis=1, keepdims=True) > 0, weight, nearest * mass)

    def _around(self, queries: Any) -> Iterator[_Around]:
        """The queries in blocks, with the rows that each is fitted to."""
        if self.bandwidth is None:
            found, weight = self._votes(queries)
            yield from self._parts(_Around(np.arange(len(queries)), found.row, found.distance, weight))
            return
        mass = np.ones(len(self.cells_)) if self.weight_ is None else self.weight_
        size = max(1, _CELLS // len(self.cells_))
        for start in range(0, len(queries), size):
            distance = self.distance_.between(queries.take(slice(start, start + size)), self.cells_, n_jobs=self._jobs)
            weight = self._kernel(distance, float(self.bandwidth), np.broadcast_to(mass, distance.shape))
            for i, (d, w) in enumerate(zip(distance, weight, strict=True)):
                row = np.flatnonzero(w)
                yield _Around(np.array([start + i]), row[None], d[None, row], w[None, row])

    def _parts(self, around: _Around) -> Iterator[_Around]:
        size = max(1, _CELLS // (around.row.shape[1] * max(self.z_.shape[1], 1)))
        for start in range(0, len(around.row), size):
            part = slice(start, start + size)
            yield _Around(around.queries[part], around.row[part], around.distance[part], around.weight[part])

    def _solve(self, around: _Around, z: Floats) -> tuple[Floats, Floats]:
        """Prediction and slopes, (n_queries,) and (n_queries, n_terms), for queries z."""
        y = self.target_[around.row]
        if self.degree == 0:
            share = around.weight / around.weight.sum(axis=1, keepdims=True)
            return (share * y).sum(axis=1), np.zeros((len(y), 0))
        at = z[around.queries]
        return local_planes(self.z_[around.row], y, around.weight, at, float(self.ridge))

    def _z(self, table: Table) -> Floats:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MercerWarning)  # a level never seen is far by the distance, which is enough
            return _dense(self.design_.matrix(table)[:, self.taken_]) / self.unit_

    def predict(self, X: Any) -> Floats:
        """The value of the plane around each row, at the row."""
        check_is_fitted(self)
        table = self._query_table(X)
        z = self._z(table)
        parts = [self._solve(part, z)[0] for part in self._around(self.distance_.cells(table))]
        return np.concatenate([np.zeros(0), *parts])

    def explain(self, X: Any) -> list[LocalFit]:
        """For each row the rows it was fitted to, with distance, weight and target, and the slope of every term."""
        check_is_fitted(self)
        table = self._query_table(X)
        z, found = self._z(table), []
        columns = tuple(self.design_.names[j] for j in self.taken_) if self.degree else ()
        for part in self._around(self.distance_.cells(table)):
            value, slopes = self._solve(part, z)
            share = part.weight / part.weight.sum(axis=1, keepdims=True)
            slopes = slopes / self.unit_[: slopes.shape[1]]
            for i, row in enumerate(part.row):
                rows, y = self.kept_[row], self.target_[row]
                found.append(LocalFit(rows, part.distance[i], share[i], y, float(value[i]), columns, slopes[i]))
        return found

    def to_state(self) -> State:
        return self._cells_state() | {
            "n_neighbors": self.n_neighbors_, "design": self.design_.to_state(), "taken": self.taken_,
            "unit": self.unit_, "z": self.z_, "target": self.target_,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        n = model._restore_cells(state)
        model.n_neighbors_, model.curve_ = state.integer("n_neighbors", 1), None
        model.design_ = Design.from_state(state.child("design"), model.distance_.schema_)
        model.taken_ = state.array("taken", "int64", (None,), low=0, high=len(model.design_.names) - 1)
        m = len(model.taken_)
        model.unit_ = state.array("unit", "float64", (m,), low=0)
        model.z_ = state.array("z", "float64", (n, m))
        model.target_ = state.array("target", "float64", (n,))
        if not (model.unit_ > 0).all():
            raise state.refuse("unit", "numbers above 0")
        state.finish()
        return model


def _telling(centred: Floats, y: Floats, weight: Floats | None, most: int) -> NDArray[np.int64]:
    """The columns that correlate most with y, in their order; equal ones: the first."""
    w = np.ones(len(y)) if weight is None else weight
    rest = y - np.average(y, weights=w)
    size = np.sqrt(w @ centred**2) * np.sqrt(w @ rest**2)
    together = np.abs((w * rest) @ centred) / np.where(size > 0, size, 1.0)
    best = np.argsort(-together.round(12), kind="stable")[:most]  # rounding must not choose among equals
    return np.sort(best).astype(np.int64)


def _dense(matrix: Any) -> Floats:
    cells = matrix.toarray() if sp.issparse(matrix) else matrix
    return np.asarray(cells, dtype=np.float64)
