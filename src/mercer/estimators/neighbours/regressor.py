"""k nearest neighbours for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._core.neighbours import mean_curve
from mercer.arrays import Floats
from mercer.distances import Neighbours
from mercer.distances.search import Algorithm
from mercer.docstrings import shares_docs
from mercer.estimators.common.base import TableRegressor
from mercer.estimators.common.weights.sample_weight import row_counts
from mercer.estimators.neighbours.metric import MetricLike
from mercer.estimators.neighbours.model import (
    NEIGHBOUR_DOCS,
    NEIGHBOUR_PARAMETERS,
    NeighbourModel,
    NeighbourWeights,
)
from mercer.estimators.neighbours.votes import NeighbourExplanation
from mercer.parameters import Parameters, check_parameters
from mercer.state import Reader, State
from mercer.table.missingness import MissingIndicator
from mercer.table.target import target_columns


@shares_docs(**NEIGHBOUR_DOCS)
class KNeighborsRegressor(TableRegressor, NeighbourModel):
    """f(x) = mean of the targets of the k rows nearest to x, weighted by their votes.

    How missing cells compare is up to the distance. Equal distances go to the row that came first. The model keeps the
    training rows. "cv" minimises the squared error. Several targets, the columns of y, are predicted from one search;
    "cv" then minimises the mean of their squared errors, each divided by the variance of the target.

    Parameters
    ----------
    {n_neighbors}
    {weights}
    {algorithm}
    {leaf_size}
    {p}
    {metric}
    {metric_params}
    {n_jobs}
    {max_neighbors}
    {cv}
    {words}
    {kinds}
    {missing_indicator}

    Attributes
    ----------
    {outputs_2d_}
    {n_neighbors_}
    {weights_}
    {curve_}
    {recall_}
    {distance_}
    {rows_}
    targets_ : list of ndarray of shape (n_kept,)
        For each target the numbers of the rows of `rows_`.
    {effective_metric_}
    {effective_metric_params_}
    {n_samples_fit_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> mercer.KNeighborsRegressor(2).fit([[0.0], [1.0], [2.0], [10.0]], [0.0, 1.0, 2.0, 10.0]).predict([[1.6]])
    array([1.5])
    """

    parameters: ClassVar[Parameters] = NEIGHBOUR_PARAMETERS

    def __init__(
        self,
        n_neighbors: int | Literal["cv"] = 5,
        *,
        weights: NeighbourWeights = "uniform",
        algorithm: Algorithm = "auto",
        leaf_size: int = 30,
        p: float | None = 2,
        metric: MetricLike = "minkowski",
        metric_params: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        max_neighbors: int = 100,
        cv: Any = "loo",
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.max_neighbors = max_neighbors
        self.cv = cv
        self.words = words
        self.kinds = kinds
        self.missing_indicator = missing_indicator

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows and, with "cv", choose k.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The number to predict for each row; a column for each of several targets.
        {sample_weight_counts}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        table = self._fit_table(X)
        columns = target_columns(y, len(table))
        self.outputs_2d_ = columns is not None
        targets = [self._fit_target(c, len(table)) for c in ([y] if columns is None else columns)]
        rows = self._fit_rows(table, targets, row_counts(self._weights(sample_weight, len(table))))
        self.targets_ = [np.ascontiguousarray(target[rows.kept]) for target in targets]
        self._choose_k(self.targets_[0], self._squared_errors)
        return self

    def _squared_errors(self, found: Neighbours) -> Floats:
        """Mean squared error of 1, 2, ... neighbours for votes 1, 1/d, 1/d^2, (3, k); the mean over several targets."""
        weight = self.rows_.weight
        mass = len(self.rows_) if weight is None else weight.sum()
        errors = []
        for y in self.targets_:
            error = mean_curve(found.row, found.distance, y, None, y, weight, self._jobs) / mass
            variance = np.var(y) if self.outputs_2d_ else 1.0
            errors.append(error / (variance if variance > 0 else 1.0))
        mean: Floats = np.mean(errors, axis=0)
        return mean

    @shares_docs(**NEIGHBOUR_DOCS)
    def predict(self, X: Any = None) -> Floats:
        """The mean of the neighbours' targets, weighted by their votes.

        Parameters
        ----------
        {X_or_None}

        Returns
        -------
        numbers : ndarray of shape (n_rows,) or (n_rows, n_targets)
            The number predicted for each row; of two dimensions when y had them.
        """
        found, votes = self._votes(self._queries(X))
        total = votes.sum(axis=1)
        return self._stack([(votes * y[found.row]).sum(axis=1) / total for y in self.targets_])

    def _stack(self, columns: list[Floats]) -> Floats:
        """A number for each row, or a row of them when y had columns."""
        return np.column_stack(columns) if self.outputs_2d_ else columns[0]

    @shares_docs(**NEIGHBOUR_DOCS)
    def explain(self, X: Any) -> list[NeighbourExplanation]:
        """The neighbours of each row, with their votes and targets.

        Parameters
        ----------
        {X}

        Returns
        -------
        {explanations}
        """
        check_is_fitted(self)
        return self._explain(X, self._stack(self.targets_))

    def _fitted_state(self) -> State:
        targets = {"target": np.column_stack(self.targets_), "outputs_2d": self.outputs_2d_}
        return super()._fitted_state() | targets

    def _restore_fitted(self, state: Reader) -> None:
        super()._restore_fitted(state)
        target = state.array("target", "float64", (len(self.rows_), None))
        self.outputs_2d_ = state.flag("outputs_2d")
        if target.shape[1] < 1 or (target.shape[1] > 1 and not self.outputs_2d_):
            raise state.refuse("target", "a column for each target")
        self.targets_ = [np.ascontiguousarray(column) for column in target.T]
