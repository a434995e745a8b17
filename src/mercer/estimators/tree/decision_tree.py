"""Decision trees on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.estimators.common.base import TableClassifier, TableRegressor
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.tree.model import TreeModel
from mercer.state import Reader, State


class DecisionTreeClassifier(TableClassifier, TreeModel):
    """Hunt's algorithm: split the rows by the test that lowers impurity most, then the rows of each branch.

    Categories are split as they are, ordinal columns respect their order, rows with a missing cell go down every
    branch in fractions (or the branch that surrogate tests point to). Every threshold between two values is tried.

    Parameters
    ----------
    criterion : "gini", "entropy" (information gain), "gain_ratio" (C4.5) or "error"
    algorithm : None, or "id3", "c4.5" or "cart", which set criterion, nominal, missing and prune as the textbooks do
    nominal : categories: "subset", two sets of levels (the best pair for two classes), or "multiway", a branch a level
    missing : "fraction" or "surrogate"
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_impurity_decrease : when to stop,
        as in scikit-learn
    min_samples_level : with nominal="subset", levels of fewer rows are joined, and levels never seen with them; None
        for min_samples_leaf
    set_penalty : two sets of n levels are compared with other tests by gain - set_penalty (n - 1) bits / rows, because
        the more pairs of sets there are, the better the best one fits by chance; 0 compares gains
    oblique : also cut sums of several numeric columns, a.x <= t, where that gains more than its coefficients cost
        (slower: each node is looked at in Python); needs missing="fraction"
    prune : None, "pessimistic" (C4.5, with `confidence`; subtrees are raised if missing="fraction") or
        "cv" (cost-complexity, with the penalty that lets the probabilities of five folds err least)
    confidence : of pessimistic pruning, in (0, 0.5]; smaller prunes more
    ccp_alpha : penalty per leaf, when `prune` is not "cv"
    class_weight : None, "balanced", or class -> weight
    max_bins : 0 tries every threshold; otherwise numbers are first joined in as many bins
    words : how many of the commonest words of a text column are counted
    kinds : column -> kind, overriding what is inferred from a data frame
    n_jobs : threads; None for all. Results do not depend on it.

    Attributes
    ----------
    tree_ : the tree as flat arrays
    combinations_ : coefficients of the sums that are cut, (n, numeric columns); they come after the numbers in tests
    classes_, schema_, feature_importances_

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

    def __init__(
        self,
        criterion: str = "gini",
        *,
        algorithm: str | None = None,
        nominal: str = "subset",
        missing: str = "fraction",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        min_samples_level: float | None = None,
        set_penalty: float = 1.0,
        oblique: bool = False,
        prune: str | None = None,
        confidence: float = 0.25,
        ccp_alpha: float = 0.0,
        class_weight: str | Mapping[Any, float] | None = None,
        max_bins: int = 0,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.algorithm = algorithm
        self.nominal = nominal
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_samples_level = min_samples_level
        self.set_penalty = set_penalty
        self.oblique = oblique
        self.prune = prune
        self.confidence = confidence
        self.ccp_alpha = ccp_alpha
        self.class_weight = class_weight
        self.max_bins = max_bins
        self.words = words
        self.kinds = kinds
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow and prune a tree on a table X and labels y."""
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        weight = self._weights(sample_weight, len(table))
        if self.class_weight is not None:
            scale = compute_sample_weight(self.class_weight, self.classes_[codes])
            weight = scale if weight is None else weight * scale
        if self.criterion == "squared_error":
            raise MercerError("criterion='squared_error' is for numbers. Use DecisionTreeRegressor.")
        self._grow(table, codes, weight, len(self.classes_))
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Share of each class in the leaves a row reaches, (n_rows, n_classes)."""
        check_is_fitted(self)
        if len(self.classes_) == 1:
            return np.ones((len(self._predict_table(X)), 1))
        return self._values(X)

    def _target_state(self) -> State:
        return {"classes": labels_state(self.classes_)}

    def _restore_target(self, state: Reader) -> int:
        self.classes_ = labels_from_state(state.child("classes"))
        return len(self.classes_)


class DecisionTreeRegressor(TableRegressor, TreeModel):
    """f(x) = mean of the training targets in the leaf of x; tests lower the squared error most.

    Categories are split as they are: the best two sets of levels are found exactly, by ordering levels by their mean.

    Parameters
    ----------
    criterion : "squared_error"
    algorithm : None, or "cart" (surrogates, cost-complexity pruning by five folds)
    nominal, missing, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf,
    min_impurity_decrease, min_samples_level, set_penalty, oblique, ccp_alpha, max_bins, words, kinds, n_jobs : as for
        DecisionTreeClassifier
    prune : None or "cv"

    Examples
    --------
    >>> import mercer
    >>> rows = {"size": [50.0, 60.0, 120.0, 130.0], "street": ["a", "b", "a", "b"]}
    >>> model = mercer.DecisionTreeRegressor(max_depth=1).fit(rows, [1.0, 1.2, 2.4, 2.6])
    >>> model.predict({"size": [125.0], "street": ["c"]})
    array([2.5])
    """

    def __init__(
        self,
        criterion: str = "squared_error",
        *,
        algorithm: str | None = None,
        nominal: str = "subset",
        missing: str = "fraction",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        min_samples_level: float | None = None,
        set_penalty: float = 1.0,
        oblique: bool = False,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        max_bins: int = 0,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.algorithm = algorithm
        self.nominal = nominal
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_samples_level = min_samples_level
        self.set_penalty = set_penalty
        self.oblique = oblique
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.max_bins = max_bins
        self.words = words
        self.kinds = kinds
        self.n_jobs = n_jobs

    confidence = 0.25

    def _preset(self) -> dict[str, Any]:
        preset = super()._preset()
        if self.algorithm not in (None, "cart"):
            raise MercerError(f"algorithm={self.algorithm!r} is for classes. Use None or 'cart'.")
        return preset | ({"criterion": "squared_error"} if preset else {})

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow and prune a tree on a table X and numbers y."""
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        if self.criterion != "squared_error":
            raise MercerError(
                f"criterion={self.criterion!r} is not for numbers; DecisionTreeRegressor has 'squared_error'."
            )
        self._grow(table, target, self._weights(sample_weight, len(table)), 0)
        return self

    def predict(self, X: Any) -> Floats:
        """The mean of the leaves each row reaches."""
        return self._values(X)[:, 0]
