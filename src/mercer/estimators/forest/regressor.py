"""Forests for numbers, on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadTarget
from mercer.estimators.forest.base import BaseForest, ForestTarget
from mercer.estimators.forest.parameters import SHARED_DOCS, SHARED_PARAMETERS, OutOfBag
from mercer.estimators.tree.parameters import FRIEDMAN, MaxFeatures, Missing, RandomState, RegressionCriterion
from mercer.estimators.tree.regressor import LARGEST_OUTPUTS, DecisionTreeRegressor
from mercer.estimators.tree.target import Weights, read_numbers
from mercer.parameters import Choice, Parameters, check_parameters
from mercer.state import Reader, State


class ForestRegressor(RegressorMixin, BaseForest):
    """Base of forests for numbers."""

    _tree_class = DecisionTreeRegressor
    parameters: ClassVar[Parameters] = {"criterion": Choice(RegressionCriterion), **SHARED_PARAMETERS}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: RegressionCriterion = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: MaxFeatures = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: OutOfBag = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Sequence[int] | NDArray[Any] | None = None,
        missing: Missing = "learned",
        min_samples_level: float | None = None,
        set_penalty: float = 1.0,
        max_bins: int = 0,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(criterion, str) and criterion == "friedman_mse":
            warn(FRIEDMAN, FutureWarning, stacklevel=2)
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.missing = missing
        self.min_samples_level = min_samples_level
        self.set_penalty = set_penalty
        self.max_bins = max_bins
        self.words = words
        self.kinds = kinds

    @shares_docs(**SHARED_DOCS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        {X}
        {y_numbers}
        {sample_weight_counts}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        outputs = self.n_outputs_ if self._goes_on else None
        table = self._forest_table(X, y)
        numbers = read_numbers(y, len(table), self.criterion)
        if outputs not in (None, numbers.shape[1]):
            raise BadTarget(f"warm_start=True goes on with {outputs} outputs, but y has {numbers.shape[1]}.")
        weights = Weights.of(self._weights(sample_weight, len(table)))
        found = self._fit_forest(table, ForestTarget(numbers, (0,) * numbers.shape[1], weights))
        if found is not None:
            alone = self.n_outputs_ == 1
            self.oob_prediction_ = found[0][:, 0] if alone else found[0]
            score = self.oob_score if callable(self.oob_score) else r2_score
            self.oob_score_ = score(numbers[:, 0] if alone else numbers, self.oob_prediction_)
        return self

    @shares_docs(**SHARED_DOCS)
    def predict(self, X: Any) -> Floats:
        """The mean over the trees of the answer of the leaf that each row reaches.

        Parameters
        ----------
        {X}

        Returns
        -------
        numbers : ndarray of shape (n_rows,) or (n_rows, n_outputs)
            The number predicted for each row.
        """
        values = self._values(X)
        return values if self.n_outputs_ > 1 else values[:, 0]

    @shares_docs(**SHARED_DOCS)
    def permutation_importances(self, X: Any, y: Any, max_rows: int | None = 2000) -> Bunch:
        """Mean decrease in accuracy: mean over trees of A - A(column shuffled), on their out-of-bag rows.

        A is minus the mean squared error of a tree on the rows that it did not draw (Breiman 2001).

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, dict of columns or Table, of shape (n_rows, n_columns)
            The rows of `fit`, in their order.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            Their numbers.
        max_rows : int or None, default 2000
            Out-of-bag rows of a tree that are looked at, drawn at random where there are more; None for all.

        Returns
        -------
        importances : Bunch
            `importances_mean` and `importances_std` over the trees, of shape (n_columns,), and `importances` of each
            tree, (n_columns, n_trees).
        """
        check_is_fitted(self)
        table = self._predict_table(X)
        numbers = read_numbers(y, len(table), self.criterion)
        target = ForestTarget(numbers, (0,) * numbers.shape[1], Weights(None))
        return self._permutation_importances(table, target, max_rows)

    def _compute_partial_dependence_recursion(self, grid: Floats, target_features: NDArray[np.intp]) -> Floats:
        """The mean answer for values of some columns: `sklearn.inspection` asks forests for it."""
        numbers = np.asarray(grid, dtype=np.float64)
        each: Floats = np.array([tree.partial_dependence(numbers, target_features) for tree in self.trees_])
        mean: Floats = each.mean(axis=0)
        return mean

    def _fitted_state(self) -> State:
        return {"n_outputs": self.n_outputs_, **super()._fitted_state()}

    def _restore_fitted(self, state: Reader) -> None:
        self._restore_forest(state, [0] * state.integer("n_outputs", 1, LARGEST_OUTPUTS))
