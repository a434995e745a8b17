"""Boosted trees for numbers, on mixed tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter, BadTarget
from mercer.estimators.boosting.base import LOGARITHMIC, BaseBoosting
from mercer.estimators.boosting.parameters import (
    FIT_DOCS,
    SHARED_DOCS,
    SHARED_PARAMETERS,
    EarlyStopping,
    Growth,
    LeafRows,
    RandomState,
    Restraint,
    Scoring,
)
from mercer.estimators.boosting.training.rounds import number_score
from mercer.estimators.boosting.training.rows import LabelledRows, TableRows
from mercer.estimators.common.base import TableRegressor
from mercer.parameters import Choice, Number, Parameters, check_parameters
from mercer.solvers.boost.losses import Loss
from mercer.state import Reader

RegressionLoss = Literal["squared_error", "absolute_error", "gamma", "poisson", "quantile", "huber"]


@shares_docs(**SHARED_DOCS)
class HistGradientBoostingRegressor(TableRegressor, BaseBoosting):
    """f(x) = start + rate (v_1(x) + v_2(x) + ...), a sum of trees; with loss="poisson" and "gamma", exp of it.

    Each tree lowers the loss at the sum of those before it, by its gradient and hessian (Friedman 2001; Ke et al.
    2017). Columns are binned; levels are split in two sets in the order of their gradients, missing cells go where they
    gain, words of texts are counted. Sums are of integers: threads and the order of rows change nothing.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "gamma", "poisson", "quantile", "huber"}, default "squared_error"
        What is minimised; "huber" counts errors beyond the 90 % smallest in proportion, not squared.
    quantile : float or None, default None
        From 0 to 1: which quantile is predicted, for loss="quantile".
    {learning_rate}
    {max_iter}
    {max_leaf_nodes}
    {max_depth}
    {min_samples_leaf}
    {l2_regularization}
    {max_features}
    {max_bins}
    {categorical_features}
    {monotonic_cst}
    {interaction_cst}
    {warm_start}
    {early_stopping}
    {scoring}
    {validation_fraction}
    {n_iter_no_change}
    {tol}
    {verbose}
    {random_state}
    {growth}
    {subsample}
    {keep_best}
    {words}
    {kinds}
    {n_jobs}

    Attributes
    ----------
    {forest_}
    {binning_}
    {columns_}
    {n_iter_}
    {n_trees_per_iteration_}
    {do_early_stopping_}
    {train_score_}
    {validation_score_}
    {is_categorical_}
    {feature_importances_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = mercer.HistGradientBoostingRegressor().fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.05)
    True
    """

    settled: ClassVar[tuple[str, ...]] = ("loss",)
    parameters: ClassVar[Parameters] = {
        "loss": Choice(RegressionLoss),
        "quantile": Number(0, 1, optional=True),
        **SHARED_PARAMETERS,
    }

    def __init__(
        self,
        loss: RegressionLoss = "squared_error",
        *,
        quantile: float | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: LeafRows = 20,
        l2_regularization: Restraint = 0.0,
        max_features: Restraint = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        warm_start: bool = False,
        early_stopping: EarlyStopping = "auto",
        scoring: Scoring = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: RandomState = None,
        growth: Growth = "leaf",
        subsample: float = 1.0,
        keep_best: bool = False,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.growth = growth
        self.subsample = subsample
        self.keep_best = keep_best
        self.words = words
        self.kinds = kinds
        self.n_jobs = n_jobs

    @shares_docs(**FIT_DOCS)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Add trees round by round.

        Parameters
        ----------
        {X}
        {y_number}
        {sample_weight_counts}
        {X_val}
        {y_val}
        {sample_weight_val}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        table = self._boost_table(X)
        target = self._fit_target(y, len(table))
        held = self._held_rows(X_val, y_val, sample_weight_val, self._fit_target)
        self._boost_numbers(TableRows(target, self._weights(sample_weight, len(table)), table), held)
        return self

    def _boost_numbers(self, rows: LabelledRows, held: LabelledRows | None = None) -> None:
        """Add trees for numbers."""
        if self.loss == "quantile" and self.quantile is None:
            raise BadParameter("loss='quantile' asks which quantile is wanted: for example quantile=0.9.")
        _expect_allowed(self.loss, rows.y)
        loss = Loss(self.loss, 0.5 if self.quantile is None else self.quantile)
        self._boost(rows, loss, number_score(self.scoring, self._numbers), held, stratify=False)

    def _numbers(self, raw: Floats) -> Floats:
        values: Floats = raw[:, 0]
        return np.exp(values) if self.loss in LOGARITHMIC else values

    @shares_docs()
    def predict(self, X: Any) -> Floats:
        """The number predicted for each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        {numbers}
        """
        return self._numbers(self._raw_predict(X))

    @shares_docs()
    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """`predict` after each round.

        Parameters
        ----------
        {X}

        Yields
        ------
        numbers : ndarray of shape (n_rows,)
            After one round more.
        """
        for raw in self._staged_raw(X):
            yield self._numbers(raw)

    def _restore_fitted(self, state: Reader) -> None:
        self._restore_boosting(state, 1)


def _expect_allowed(loss: str, target: Floats) -> None:
    """BadTarget for a target that a loss cannot have."""
    if loss == "gamma" and (target <= 0).any():
        raise BadTarget("loss='gamma' requires strictly positive y: it is for amounts above 0. Use 'squared_error'.")
    if loss == "poisson" and ((target < 0).any() or target.sum() <= 0):
        raise BadTarget("loss='poisson' requires non-negative y and sum(y) > 0: it is for counts. Use 'squared_error'.")
