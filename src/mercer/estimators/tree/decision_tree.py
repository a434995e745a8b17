"""Decision trees on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.estimators.common.base import TableClassifier, TableRegressor
from mercer.estimators.common.class_weight import CLASS_WEIGHT, ClassWeight, class_weighted
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.sample_weight import row_counts, same_sum
from mercer.estimators.tree.base import BaseDecisionTree
from mercer.estimators.tree.parameters import (
    FRIEDMAN,
    SHARED_DOCS,
    SHARED_PARAMETERS,
    Algorithm,
    Criterion,
    Missing,
    Nominal,
    Prune,
    RandomState,
    RegressionAlgorithm,
    RegressionCriterion,
    RegressionPrune,
)
from mercer.parameters import Choice, Number, Parameters, check_parameters
from mercer.state import Reader, State


@shares_docs(**SHARED_DOCS)
class DecisionTreeClassifier(TableClassifier, BaseDecisionTree):
    """P(c | x) = share of class c in the leaf of x; each test lowers the impurity of its node most (Hunt's algorithm).

    Categories are split as they are, ordinal columns respect their order, rows with a missing cell go down every
    branch in fractions (or the branch that surrogate tests point to). Every threshold between two values is tried.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "gain_ratio", "error"}, default "gini"
        Impurity that tests lower: Gini's index, entropy (information gain; "log_loss" is another name), entropy with
        the gain divided by the entropy of the branches (C4.5), or the share of misclassified rows.
    {max_depth}
    {min_samples_split}
    {min_samples_leaf}
    {min_weight_fraction_leaf}
    {random_state_unused}
    {min_impurity_decrease}
    {class_weight}
    {ccp_alpha}
    algorithm : {"id3", "c4.5", "cart"} or None, default None
        A textbook algorithm, which sets `criterion`, `nominal`, `missing` and `prune` in place of their parameters.
    {nominal}
    {missing}
    {min_samples_level}
    {set_penalty}
    {oblique}
    prune : {"pessimistic", "cv"} or None, default None
        "pessimistic" replaces a subtree by a leaf, or by its largest branch (with missing="fraction"), where the upper
        confidence limit of its errors is not higher (C4.5); "cv" prunes by cost-complexity, with the penalty per leaf
        whose probabilities have the least squared error in five folds (CART).
    confidence : float, default 0.25
        Of pessimistic pruning, above 0 and up to 0.5; smaller prunes more.
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
    {feature_importances_}
    {classes_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"refund": ["yes", "no", "no", "yes", "no", "yes"], "income": [60.0, 100.0, 70.0, 75.0, 80.0, 90.0]}
    >>> model = mercer.DecisionTreeClassifier().fit(rows, ["no", "no", "cheat", "no", "cheat", "no"])
    >>> print(model.to_text())
    all rows: no 67% (6 rows)
    |   refund = no: cheat 67% (3 rows)
    |   |   income <= 90: cheat 100% (2 rows)
    |   |   income > 90: no 100% (1 rows)
    |   refund = yes: no 100% (3 rows)
    """

    parameters: ClassVar[Parameters] = {
        "criterion": Choice(Criterion),
        "algorithm": Choice(Algorithm),
        "prune": Choice(Prune),
        "confidence": Number(0, 0.5, above=True),
        "class_weight": CLASS_WEIGHT,
        **SHARED_PARAMETERS,
    }

    def __init__(
        self,
        *,
        criterion: Criterion = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        random_state: RandomState = None,
        min_impurity_decrease: float = 0.0,
        class_weight: ClassWeight = None,
        ccp_alpha: float = 0.0,
        algorithm: Algorithm = None,
        nominal: Nominal = "subset",
        missing: Missing = "fraction",
        min_samples_level: float | None = None,
        set_penalty: float = 1.0,
        oblique: bool = False,
        prune: Prune = None,
        confidence: float = 0.25,
        max_bins: int = 0,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.random_state = random_state
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.algorithm = algorithm
        self.nominal = nominal
        self.missing = missing
        self.min_samples_level = min_samples_level
        self.set_penalty = set_penalty
        self.oblique = oblique
        self.prune = prune
        self.confidence = confidence
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
        {y_class}
        {sample_weight_counts}
        {check_input}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        counts = row_counts(self._weights(sample_weight, len(table)))
        weight = same_sum(class_weighted(self.class_weight, self.classes_, codes, counts), counts)
        self._fit_tree(table, codes, weight, len(self.classes_))
        return self

    @shares_docs(**SHARED_DOCS)
    def predict_proba(self, X: Any, check_input: bool = True) -> Floats:
        """Share of each class in the leaves that a row reaches.

        Parameters
        ----------
        {X}
        {check_input}

        Returns
        -------
        {probabilities}
        """
        check_is_fitted(self)
        if len(self.classes_) == 1:
            return np.ones((len(self._predict_table(X)), 1))
        return self._values(X)

    @shares_docs(**SHARED_DOCS)
    def predict(self, X: Any, check_input: bool = True) -> NDArray[Any]:
        """The class with the largest share in the leaves that a row reaches.

        Parameters
        ----------
        {X}
        {check_input}

        Returns
        -------
        {classes}
        """
        return super().predict(X)

    @shares_docs(**SHARED_DOCS)
    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of the share of each class in the leaves that a row reaches.

        Parameters
        ----------
        {X}

        Returns
        -------
        log_probabilities : ndarray of shape (n_rows, n_classes)
            Minus infinity for a class that no training row of the leaf has.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _fitted_state(self) -> State:
        return {"classes": labels_state(self.classes_), **super()._fitted_state()}

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = labels_from_state(state.child("classes"))
        self._restore_tree(state, len(self.classes_))


@shares_docs(**SHARED_DOCS)
class DecisionTreeRegressor(TableRegressor, BaseDecisionTree):
    """f(x) = mean of the training targets in the leaf of x; each test lowers the squared error most.

    Categories are split as they are: the best two sets of levels are found exactly, by ordering levels by their mean.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse"}, default "squared_error"
        Impurity that tests lower: the variance of the target. "friedman_mse" orders tests alike and is deprecated.
    {max_depth}
    {min_samples_split}
    {min_samples_leaf}
    {min_weight_fraction_leaf}
    {random_state_unused}
    {min_impurity_decrease}
    {ccp_alpha}
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
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        random_state: RandomState = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        algorithm: RegressionAlgorithm = None,
        nominal: Nominal = "subset",
        missing: Missing = "fraction",
        min_samples_level: float | None = None,
        set_penalty: float = 1.0,
        oblique: bool = False,
        prune: RegressionPrune = None,
        max_bins: int = 0,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        if criterion == "friedman_mse":
            warn(FRIEDMAN, FutureWarning, stacklevel=2)
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.random_state = random_state
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
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
        {y_number}
        {sample_weight_counts}
        {check_input}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        self._fit_tree(table, target, row_counts(self._weights(sample_weight, len(table))), 0)
        return self

    @shares_docs(**SHARED_DOCS)
    def predict(self, X: Any, check_input: bool = True) -> Floats:
        """The mean of the leaves that each row reaches.

        Parameters
        ----------
        {X}
        {check_input}

        Returns
        -------
        {numbers}
        """
        return self._values(X)[:, 0]

    def _restore_fitted(self, state: Reader) -> None:
        self._restore_tree(state, 1)
