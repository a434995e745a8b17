"""Naive Bayes for a numeric target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np

from mercer._core import softmax_rows
from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadFile
from mercer.estimators.bayes.column_likelihoods import LIKELIHOODS_PARAMETER, Likelihoods
from mercer.estimators.bayes.naive_bayes import NaiveBayes
from mercer.estimators.common.base import TableRegressor
from mercer.estimators.common.weights.sample_weight import row_counts
from mercer.likelihoods.binned import BinRule
from mercer.likelihoods.density import weighted_quantiles
from mercer.likelihoods.smoothing import SMOOTHING, Smoothing
from mercer.likelihoods.target_grid import TargetGrid
from mercer.parameters import Choice, Dictionary, Number, Parameters, check_parameters
from mercer.state import Reader, State
from mercer.table import Kind, Table
from mercer.table.missingness import MISSING_INDICATOR, MissingIndicator

TargetMethod = Literal["kernel", "intervals"]
_POINTS = {"kernel": 64, "intervals": 10}  # when n_intervals is None


@shares_docs()
class NaiveBayesRegressor(TableRegressor):
    """f(x) = sum_k z_k P(z_k | x), with P(z | x) proportional to p(z) * prod_j p(x_j | z).

    `method="intervals"` cuts the target into q intervals, takes them as classes and their midpoints as z_k.
    `method="kernel"` lets z run over a fine grid and estimates p(z) and p(x_j | z) by kernel densities
    (Frank, Trigg, Holmes & Witten 1999), which leaves no steps in the prediction.

    Parameters
    ----------
    method : {"kernel", "intervals"}, default "kernel"
        Kernel densities over a grid of target values, or classes made of intervals.
    n_intervals : int or None, default None
        Intervals of the target, or points of the kernel method's grid, from 2 up; None for 10 intervals or 64 points.
    cut : {"frequency", "width"}, default "frequency"
        Intervals of equal weight, or of equal width.
    {likelihoods}
    {smoothing}
    bandwidth : float, default 1.0
        Factor on Silverman's bandwidths of the kernel method, at least 1e-100.
    {kinds}
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    points_ : ndarray of shape (n_points,)
        The target values z_k.
    classifier_ : NaiveBayes
        The classifier of the intervals, with method="intervals".
    grid_ : TargetGrid
        p(z_k) and p(x_j | z_k) on the grid, with method="kernel"; it does not use `likelihoods`.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer, numpy as np
    >>> x = np.linspace(0, 1, 200).reshape(-1, 1)
    >>> model = mercer.NaiveBayesRegressor().fit(x, 3 * x.ravel())
    >>> bool(abs(model.predict([[0.5]])[0] - 1.5) < 0.05)
    True
    """

    parameters: ClassVar[Parameters] = {
        "method": Choice(TargetMethod),
        "n_intervals": Number(2, 1_000_000, whole=True, optional=True),
        "cut": Choice(BinRule),
        "likelihoods": LIKELIHOODS_PARAMETER,
        "smoothing": SMOOTHING,
        "bandwidth": Number(1e-100),
        "kinds": Dictionary(),
        "missing_indicator": MISSING_INDICATOR,
        "n_jobs": Number(whole=True, optional=True),
    }
    points_: Floats
    classifier_: NaiveBayes | None
    grid_: TargetGrid | None

    def __init__(
        self,
        method: TargetMethod = "kernel",
        *,
        n_intervals: int | None = None,
        cut: BinRule = "frequency",
        likelihoods: Likelihoods = None,
        smoothing: Smoothing = "laplace",
        bandwidth: float = 1.0,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.method = method
        self.n_intervals = n_intervals
        self.cut = cut
        self.likelihoods = likelihoods
        self.smoothing = smoothing
        self.bandwidth = bandwidth
        self.kinds = kinds
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Estimate p(z) and p(x_j | z) from a table X and numbers y.

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
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        weight = row_counts(self._weights(sample_weight, len(table)))
        table = self._flag_missing(table, [target], weight, Kind.BINARY)
        self.classifier_ = self.grid_ = None
        if self.method == "intervals":
            self._fit_intervals(table, target, weight)
        else:
            self._fit_grid(table, target, weight)
        return self

    def _n_points(self) -> int:
        return _POINTS[self.method] if self.n_intervals is None else self.n_intervals

    def _fit_intervals(self, table: Table, target: Floats, weight: Floats | None) -> None:
        edges = interval_edges(target, weight, self._n_points(), self.cut)
        interval = np.clip(np.searchsorted(edges, target, side="left") - 1, 0, max(len(edges) - 2, 0))
        self.classifier_ = NaiveBayes(
            self.likelihoods, smoothing=self.smoothing, n_jobs=self.n_jobs, missing_indicator=False
        )
        self.classifier_.fit(table, interval, weight)
        midpoints = (edges[:-1] + edges[1:]) / 2 if len(edges) > 1 else edges
        self.points_ = midpoints[self.classifier_.classes_]

    def _fit_grid(self, table: Table, target: Floats, weight: Floats | None) -> None:
        weight = np.ones(len(target)) if weight is None else weight
        if not weight.all():  # rows without weight must not stretch the grids
            table, target, weight = table.take(weight > 0), target[weight > 0], weight[weight > 0]
        self.grid_ = TargetGrid.fit(table, target, weight, self._n_points(), self.smoothing, self.bandwidth)
        self.points_ = self.grid_.points

    @shares_docs()
    def predict(self, X: Any) -> Floats:
        """The posterior mean of the target.

        Parameters
        ----------
        {X}

        Returns
        -------
        {numbers}
        """
        mean: Floats = self.predict_distribution(X) @ self.points_
        return mean

    @shares_docs()
    def predict_distribution(self, X: Any) -> Floats:
        """P(z_k | x).

        Parameters
        ----------
        {X}

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_points)
            The probability of each target value of `points_`.
        """
        table = self._predict_table(X)
        if self.classifier_ is not None:
            return self.classifier_.predict_proba(table)
        assert self.grid_ is not None
        scores = self.grid_.log_joint(table)
        softmax_rows(scores, self._jobs)
        return scores

    def _fitted_state(self) -> State:
        if self.classifier_ is not None:
            return {"classifier": self.classifier_.to_state(), "points": self.points_}
        assert self.grid_ is not None
        return {"grid": self.grid_.to_state()}

    def _restore_fitted(self, state: Reader) -> None:
        self.classifier_ = self.grid_ = None
        if state.has("grid"):
            self.grid_ = TargetGrid.from_state(state.child("grid"), self._learned_schema)
            self.points_ = self.grid_.points
            return
        self.classifier_ = NaiveBayes.from_state(state.child("classifier"))
        self.points_ = state.array("points", "float64", self.classifier_.classes_.shape)
        if (np.diff(self.points_) < 0).any():
            raise state.refuse("points", "values in increasing order")
        if self.classifier_.schema_ != self._learned_schema:
            raise BadFile(f"{state.where}.classifier does not have the columns of the model.")


def interval_edges(target: Floats, weight: Floats | None, n_intervals: int, cut: BinRule) -> Floats:
    """Edges of at most `n_intervals` intervals, first and last included; a constant target is one point."""
    order = np.argsort(target, kind="stable")
    values, weights = target[order], (np.ones(len(target)) if weight is None else weight[order])
    values, weights = values[weights > 0], weights[weights > 0]
    low, high = values[0], values[-1]
    if low == high:
        return np.array([low])
    if cut == "width":
        return np.linspace(low, high, n_intervals + 1)
    shares = (np.arange(1, n_intervals) / n_intervals).tolist()
    return np.unique([low, *weighted_quantiles(values, weights, shares), high])
