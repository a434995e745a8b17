"""Locally weighted regression on mixed tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.distances import METRIC, Euclidean, Neighbours
from mercer.docstrings import shares_docs
from mercer.errors import BadTable, MercerError
from mercer.estimators.common.base import TableRegressor
from mercer.estimators.common.weights.sample_weight import row_counts
from mercer.estimators.neighbours.choose_k import KCurve
from mercer.estimators.neighbours.local.fit import (
    CELLS,
    LocalFit,
    LocalKernel,
    Neighbourhoods,
    PlaneColumns,
    kernel_weights,
)
from mercer.estimators.neighbours.metric import MetricLike, distance_for, is_precomputed
from mercer.estimators.neighbours.model import NEIGHBOUR_DOCS
from mercer.estimators.neighbours.training_rows import TrainingRows
from mercer.parameters import Choice, Dictionary, Number, Parameters, check_parameters
from mercer.solvers.local_linear import local_planes
from mercer.state import Reader, State
from mercer.table.missingness import MISSING_INDICATOR, MissingIndicator

AUTO_NEIGHBOURS = 30  # when n_neighbors="auto"
MOST_NEIGHBOURS = 200  # largest k that "cv" tries
_N_TRIED = 8  # numbers of neighbours that "cv" tries, in geometric progression
_CV_ROWS = 2000  # rows that are left out one by one for "cv"


@shares_docs(**NEIGHBOUR_DOCS)
class LocallyWeightedRegression(TableRegressor):
    """f(x) = a of the plane around x,  (a, b) = argmin sum_i w_i (y_i - a - (z_i - z)'b)^2 + ridge s^2 |b|^2.

    w_i is K(d(x, x_i) / h), made to sum to 1; z are the columns in units of their deviation, levels as dummies; s^2 is
    the variance of z under w, mean over columns. h is the distance of the k-th nearest row (Cleveland 1979), or a fixed
    `bandwidth`. degree = 0 leaves b out: a local mean (Nadaraya 1964, Watson 1964). For curves in few columns.
    Nothing is assumed of their form, and the model keeps the training rows. How missing cells compare is up to the
    distance; in z they are filled with the median, and a column indicates where they were.

    A query further than the bandwidth from every row, and one whose rows all lie at h, is predicted by the mean of its
    nearest rows. A row of weight w counts as w rows.

    Parameters
    ----------
    n_neighbors : int, "auto" or "cv", default "auto"
        k. "auto" is 30, or all rows when there are fewer. "cv" takes the one of eight values up to 200 with the least
        squared error under leave-one-out, on at most 2000 rows.
    bandwidth : float or None, default None
        h, above 0, in units of the distance; None to use `n_neighbors`.
    kernel : {"tricube", "epanechnikov", "gaussian", "uniform"}, default "tricube"
        K(u): (1 - u^3)^3, 1 - u^2, exp(-u^2 / 2) or 1; 0 beyond u = 1 except for the gaussian, which with
        `n_neighbors` weighs the k nearest rows alone.
    degree : {0, 1}, default 1
        1 for a plane, 0 for a mean.
    ridge : float, default 0.1
        Penalty on the slope, at least 0; keeps the plane stable where rows are fewer than columns, or alike.
    metric : str, Distance or callable, default "auto"
        "auto" is Euclid's distance with each column divided by its range, HEOM for mixed tables; or a name, a Distance
        or a function of two rows of numbers.
    terms : int, default 30
        Largest number of columns of z in the plane, those that correlate most with y; the distance has them all.
    {words}
    {kinds}
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    n_neighbors_ : int
        k, as given or as chosen.
    curve_ : KCurve or None
        Squared error of every k tried, when it was chosen.
    {distance_}
    {rows_}
    columns_ : PlaneColumns
        The columns of the plane.
    z_ : ndarray of shape (n_kept, n_terms)
        The columns of the plane, of the rows of `rows_`.
    target_ : ndarray of shape (n_kept,)
        Their targets.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer, numpy as np
    >>> x = np.linspace(0, 6, 60)
    >>> model = mercer.LocallyWeightedRegression(12).fit(x[:, None], np.sin(x))
    >>> model.predict([[1.5], [3.0]]).round(2), model.explain([[3.0]])[0].slopes.round(1)
    (array([0.97, 0.14]), array([-0.9]))
    """

    parameters: ClassVar[Parameters] = {
        "n_neighbors": Number(1, whole=True, words=("auto", "cv")),
        "bandwidth": Number(0, above=True, optional=True),
        "kernel": Choice(LocalKernel),
        "degree": Number(0, 1, whole=True),
        "ridge": Number(0),
        "metric": METRIC,
        "terms": Number(1, whole=True),
        "words": Number(1, whole=True),
        "kinds": Dictionary(),
        "missing_indicator": MISSING_INDICATOR,
        "n_jobs": Number(whole=True, optional=True),
    }

    def __init__(
        self,
        n_neighbors: int | Literal["auto", "cv"] = "auto",
        *,
        bandwidth: float | None = None,
        kernel: LocalKernel = "tricube",
        degree: Literal[0, 1] = 1,
        ridge: float = 0.1,
        metric: MetricLike = "auto",
        terms: int = 30,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
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
        self.missing_indicator = missing_indicator

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows and, with "cv", choose k.

        Parameters
        ----------
        {X}
        {y_number}
        {sample_weight_counts}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        if is_precomputed(self.metric):
            raise MercerError("metric='precomputed': a plane needs columns, not distances. Use KNeighborsRegressor.")
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        choose = partial(distance_for, metric=self.metric, numeric=Euclidean(scale="range"))
        weight = row_counts(self._weights(sample_weight, len(table)))
        table = self._flag_missing(table, [target], weight)
        self.rows_, table = TrainingRows.fit(table, choose, weight, n_words=self.words)
        self.distance_, self.target_ = self.rows_.distance, np.ascontiguousarray(target[self.rows_.kept])
        self.columns_, self.z_ = PlaneColumns.fit(table, self.target_, self.rows_.weight, self.terms)
        self._choose_k()
        return self

    def _choose_k(self) -> None:
        """Set `n_neighbors_` and, for "cv", `curve_`: leave-one-out of every k tried, from one search."""
        n, weight = len(self.rows_), self.rows_.weight
        self.curve_ = None
        if self.n_neighbors != "cv" or self.bandwidth is not None or n < 3:
            total = float(n if weight is None else weight.sum())
            automatic = isinstance(self.n_neighbors, str)
            self.n_neighbors_ = max(1, int(min(AUTO_NEIGHBOURS, total))) if automatic else int(self.n_neighbors)
            return
        tested = np.linspace(0, n - 1, min(n, _CV_ROWS)).astype(np.int32)
        most = min(n - 1, MOST_NEIGHBOURS)
        tried = np.unique(np.geomspace(min(3, most), most, _N_TRIED).astype(np.int64))
        cells, groups = self.rows_.cells, (np.arange(n, dtype=np.int32), tested)
        found = self.distance_.nearest(cells, cells.take(tested), most, groups=groups, n_jobs=self._jobs)
        errors = np.array([self._squared_error(tested, found, k) for k in tried])
        self.n_neighbors_ = int(tried[int(np.argmin(errors))])
        self.curve_ = KCurve(tried, {self.kernel: errors}, 0)

    def _squared_error(self, tested: Ints, found: Neighbours, k: int) -> float:
        """Mean squared error on training rows, each predicted from the first k of the neighbours found for it."""
        weight, row, distance = self.rows_.weight, found.row[:, :k], found.distance[:, :k]
        mass = np.ones_like(distance) if weight is None else weight[row]
        around = Neighbourhoods(np.arange(len(tested)), row, distance, kernel_weights(self.kernel, distance, mass))
        parts = around.blocks(self.z_.shape[1])
        predicted = np.concatenate([self._solve(part, self.z_[tested])[0] for part in parts])
        squared = (predicted - self.target_[tested]) ** 2
        return float(np.average(squared, weights=None if weight is None else weight[tested]))

    def _neighbourhoods(self, queries: Any) -> Iterator[Neighbourhoods]:
        """The queries in blocks, with the rows that each is fitted to."""
        rows = self.rows_
        if self.bandwidth is None:
            found, mass = rows.nearest_by_weight(queries, self.n_neighbors_, n_jobs=self._jobs)
            weight = kernel_weights(self.kernel, found.distance, mass)
            around = Neighbourhoods(np.arange(len(queries)), found.row, found.distance, weight)
            yield from around.blocks(self.z_.shape[1])
            return
        mass = np.ones(len(rows)) if rows.weight is None else rows.weight
        size = max(1, CELLS // len(rows))
        for start in range(0, len(queries), size):
            block = queries.take(slice(start, start + size))
            distance = self.distance_.between(block, rows.cells, n_jobs=self._jobs)
            masses = np.broadcast_to(mass, distance.shape)
            weight = kernel_weights(self.kernel, distance, masses, float(self.bandwidth))
            for i, (d, w) in enumerate(zip(distance, weight, strict=True)):
                row = np.flatnonzero(w)
                yield Neighbourhoods(np.array([start + i]), row[None], d[None, row], w[None, row])

    def _solve(self, around: Neighbourhoods, z: Floats) -> tuple[Floats, Floats]:
        """Prediction and slopes, (n_queries,) and (n_queries, n_terms), for queries z."""
        y = self.target_[around.row]
        if self.degree == 0:
            share = around.weight / around.weight.sum(axis=1, keepdims=True)
            return (share * y).sum(axis=1), np.zeros((len(y), 0))
        return local_planes(self.z_[around.row], y, around.weight, z[around.queries], float(self.ridge))

    def _local_fits(self, X: Any) -> Iterator[tuple[Neighbourhoods, Floats, Floats]]:
        """The rows of X in blocks: their neighbourhoods, predictions and slopes."""
        table = self._predict_table(X)
        table = self.rows_.encode(table)
        z = self.columns_.z(table)
        for around in self._neighbourhoods(self.distance_.cells(table)):
            with np.errstate(over="ignore", invalid="ignore"):
                value, slopes = self._solve(around, z)
            if not np.isfinite(value).all():
                row = int(around.queries[int((~np.isfinite(value)).argmax())])
                raise BadTable(
                    f"Row {row + 1} lies so far from the training rows that the plane around it overflows there. "
                    "Use degree=0, a local mean."
                )
            yield around, value, slopes

    @shares_docs()
    def predict(self, X: Any) -> Floats:
        """The value of the plane around each row, at the row.

        Parameters
        ----------
        {X}

        Returns
        -------
        {numbers}
        """
        return np.concatenate([np.zeros(0), *(value for _, value, _ in self._local_fits(X))])

    @shares_docs()
    def explain(self, X: Any) -> list[LocalFit]:
        """The local fit around each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        explanations : list of LocalFit
            For each row the rows it was fitted to, with distance, weight and target, and the slope of every term.
        """
        explanations = []
        for around, value, slopes in self._local_fits(X):
            share = around.weight / around.weight.sum(axis=1, keepdims=True)
            per_unit = slopes / self.columns_.unit[: slopes.shape[1]]
            columns = self.columns_.names if self.degree else ()
            for i, row in enumerate(around.row):
                rows, y = self.rows_.kept[row], self.target_[row]
                fit = LocalFit(rows, around.distance[i], share[i], y, float(value[i]), columns, per_unit[i])
                explanations.append(fit)
        return explanations

    def _fitted_state(self) -> State:
        return {
            "rows": self.rows_.to_state(), "n_neighbors": self.n_neighbors_, "columns": self.columns_.to_state(),
            "z": self.z_, "target": self.target_,
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        self.rows_ = TrainingRows.from_state(state.child("rows"), self._learned_schema)
        self.distance_, self.curve_ = self.rows_.distance, None
        most = int(self.rows_.mass) if self.bandwidth is None else 2**53
        self.n_neighbors_ = state.integer("n_neighbors", 1, most)
        self.columns_ = PlaneColumns.from_state(state.child("columns"), self.rows_.distance.schema_)
        n = len(self.rows_)
        self.z_ = state.array("z", "float64", (n, len(self.columns_.taken)))
        self.target_ = state.array("target", "float64", (n,))
