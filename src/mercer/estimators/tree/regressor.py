"""Decision trees for numbers, on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor as TheirDecisionTreeRegressor

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.estimators.common.base import TableRegressor
from mercer.estimators.tree.base import BaseDecisionTree
from mercer.estimators.tree.parameters import (
    FRIEDMAN,
    SHARED_DOCS,
    SHARED_PARAMETERS,
    MaxFeatures,
    Missing,
    Nominal,
    RandomState,
    RegressionAlgorithm,
    RegressionCriterion,
    RegressionPrune,
    Splitter,
)
from mercer.estimators.tree.target import Weights, read_numbers
from mercer.parameters import Choice, Parameters, check_parameters
from mercer.state import Reader, State

LARGEST_OUTPUTS = 1 << 16  # a file with more is refused before anything is built for them


@shares_docs(**SHARED_DOCS)
class DecisionTreeRegressor(TableRegressor, BaseDecisionTree):
    """f(x) = mean of the training targets in the leaf of x; each test lowers the squared error most.

    Categories are split as they are: the best two sets of levels are found exactly, by ordering levels by their mean.
    Rows with a missing cell go where they lower the error most, and being missing can be tested.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default "squared_error"
        Impurity that tests lower: the variance of the target; the mean absolute error around its median, which then is
        the answer of a leaf; or half the mean Poisson deviance, for counts. "friedman_mse" orders tests as
        "squared_error" does and is deprecated.
    {splitter}
    {max_depth}
    {min_samples_split}
    {min_samples_leaf}
    {min_weight_fraction_leaf}
    {max_features}
    {random_state}
    {max_leaf_nodes}
    {min_impurity_decrease}
    {ccp_alpha}
    {monotonic_cst}
    algorithm : {"cart"} or None, default None
        "cart" sets nominal="subset", missing="surrogate", set_penalty=0 and prune="cv" in place of their parameters.
    {nominal}
    {missing}
    {min_samples_level}
    {set_penalty}
    {oblique}
    prune : {"cv"} or None, default None
        "cv" prunes by cost-complexity, with the penalty per leaf that has the least squared error in five folds.
    {max_bins}
    {words}
    {kinds}
    {n_jobs}

    Attributes
    ----------
    {tree_}
    {columns_}
    {combinations_}
    {alpha_}
    {missing_}
    {max_features_}
    {n_outputs_}
    {feature_importances_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"size": [50.0, 60.0, 120.0, 130.0], "street": ["a", "b", "a", "b"]}
    >>> model = mercer.DecisionTreeRegressor(max_depth=1).fit(rows, [1.0, 1.2, 2.4, 2.6])
    >>> model.predict({"size": [125.0], "street": ["c"]})
    array([2.5])
    """

    parameters: ClassVar[Parameters] = {
        "criterion": Choice(RegressionCriterion),
        "algorithm": Choice(RegressionAlgorithm),
        "prune": Choice(RegressionPrune),
        **SHARED_PARAMETERS,
    }

    def __init__(
        self,
        *,
        criterion: RegressionCriterion = "squared_error",
        splitter: Splitter = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: MaxFeatures = None,
        random_state: RandomState = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Sequence[int] | NDArray[Any] | None = None,
        algorithm: RegressionAlgorithm = None,
        nominal: Nominal = "subset",
        missing: Missing = "learned",
        min_samples_level: float | None = None,
        set_penalty: float = 1.0,
        oblique: bool = False,
        prune: RegressionPrune = None,
        max_bins: int = 0,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        if isinstance(criterion, str) and criterion == "friedman_mse":
            warn(FRIEDMAN, FutureWarning, stacklevel=2)
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.algorithm = algorithm
        self.nominal = nominal
        self.missing = missing
        self.min_samples_level = min_samples_level
        self.set_penalty = set_penalty
        self.oblique = oblique
        self.prune = prune
        self.max_bins = max_bins
        self.words = words
        self.kinds = kinds
        self.n_jobs = n_jobs

    @shares_docs(**SHARED_DOCS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow a tree and prune it.

        Parameters
        ----------
        {X}
        {y_numbers}
        {sample_weight_counts}
        {check_input}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        table = self._fit_table(X)
        target = read_numbers(y, len(table), self.criterion)
        weights = Weights.of(self._weights(sample_weight, len(table)))
        self._fit_tree(table, target, weights, (0,) * target.shape[1])
        return self

    @shares_docs(**SHARED_DOCS)
    def predict(self, X: Any, check_input: bool = True) -> Floats:
        """The mean (or median) of the leaf that each row reaches.

        Parameters
        ----------
        {X}
        {check_input}

        Returns
        -------
        numbers : ndarray of shape (n_rows,) or (n_rows, n_outputs)
            The number predicted for each row.
        """
        values = self._values(X)
        return values if self.n_outputs_ > 1 else values[:, 0]

    def _compute_partial_dependence_recursion(self, grid: Floats, target_features: NDArray[np.intp]) -> Floats:
        """The mean answer for values of some columns: `sklearn.inspection` asks trees for it."""
        return self.tree_.partial_dependence(np.asarray(grid, dtype=np.float64), target_features)

    def _fitted_state(self) -> State:
        return {"n_outputs": self.n_outputs_, **super()._fitted_state()}

    def _restore_fitted(self, state: Reader) -> None:
        self._restore_tree(state, [0] * state.integer("n_outputs", 1, LARGEST_OUTPUTS))


TheirDecisionTreeRegressor.register(DecisionTreeRegressor)  # scikit-learn's readers of trees ask for its class
