"""Parameters of forests: what each may be, and its entry in the docstrings of the four classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT, ClassWeight
from mercer.estimators.tree.parameters import SHARED_DOCS as TREE_DOCS
from mercer.estimators.tree.parameters import SHARED_PARAMETERS as TREE_PARAMETERS
from mercer.parameters import VERBOSE, Choice, Either, Flag, ListOf, Number, Parameters, Unstored

Criterion = Literal["gini", "entropy", "log_loss", "gain_ratio", "error"]
OutOfBag: TypeAlias = bool | Callable[[Any, Any], float]
ForestClassWeight: TypeAlias = ClassWeight | Literal["balanced_subsample"]

FOREST_CLASS_WEIGHT = Either(Choice(("balanced_subsample",)), CLASS_WEIGHT, ListOf(CLASS_WEIGHT))

SHARED_PARAMETERS: Parameters = {
    **{name: kind for name, kind in TREE_PARAMETERS.items() if name not in ("splitter", "nominal", "oblique")},
    "n_estimators": Number(1, 100_000, whole=True),
    "bootstrap": Flag(),
    "oob_score": Either(Flag(), Unstored("a callable", callable, instead=True)),
    "verbose": VERBOSE,
    "warm_start": Flag(),
    "max_samples": Either(Number(1, whole=True, optional=True), Number(0, above=True, fraction=True)),
}

SHARED_DOCS = {
    **TREE_DOCS,
    "oob_decision_function_": """
        oob_decision_function_ : ndarray of shape (n_rows, n_classes) or (n_rows, n_classes, n_outputs)
            Mean share of each class over the trees that did not draw the row, with `oob_score`.""",
    "n_estimators": """
        n_estimators : int, default 100
            How many trees, at most 100,000.""",
    "criterion_classes": """
        criterion : {"gini", "entropy", "log_loss", "gain_ratio", "error"}, default "gini"
            Impurity that tests lower: Gini's index, entropy (information gain; "log_loss" is another name), entropy
            with the gain divided by the entropy of the branches, or the share of misclassified rows.""",
    "criterion_numbers": """
        criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default "squared_error"
            Impurity that tests lower: the variance of the target; the mean absolute error around its median, which then
            is the answer of a leaf; or half the mean Poisson deviance, for counts. "friedman_mse" orders tests as
            "squared_error" does and is deprecated.""",
    "max_features_sqrt": """
        max_features : int, float, "sqrt", "log2" or None, default "sqrt"
            How many columns, drawn at random, are looked at in each node, or their share; None for all. Columns that
            are constant there count, but looking goes on until one is not.""",
    "max_features_all": """
        max_features : int, float, "sqrt", "log2" or None, default 1.0
            How many columns, drawn at random, are looked at in each node, or their share; None for all. Columns that
            are constant there count, but looking goes on until one is not.""",
    "bootstrap_true": """
        bootstrap : bool, default True
            Whether each tree is grown on rows drawn with replacement, in proportion to their weights; otherwise on all
            rows.""",
    "bootstrap_false": """
        bootstrap : bool, default False
            Whether each tree is grown on rows drawn with replacement, in proportion to their weights; otherwise on all
            rows.""",
    "oob_score": """
        oob_score : bool or callable, default False
            Whether each row is predicted by the trees that did not draw it, and these predictions scored: by accuracy
            or R2, or by a function of the true and the predicted values (of classes, their codes).""",
    "random_state": """
        random_state : int, RandomState or None, default None
            Seed of what is drawn: rows, columns and random tests; None draws afresh in every fit.""",
    "warm_start": """
        warm_start : bool, default False
            Whether another `fit` keeps the trees and adds those that `n_estimators` asks for beyond them.""",
    "forest_class_weight": """
        class_weight : dict, "balanced", "balanced_subsample", None, or list of dicts, default None
            Weight of each class, times that of the row; "balanced" makes the classes weigh alike in sum, and
            "balanced_subsample" among the rows that each tree drew. A list has one for each output.""",
    "ccp_alpha": """
        ccp_alpha : float, default 0.0
            Penalty per leaf of cost-complexity pruning of each tree.""",
    "max_samples": """
        max_samples : int, float or None, default None
            With `bootstrap`, how many rows each tree draws, or their share; None for as many as there are.""",
    "trees_": """
        trees_ : list of Tree
            The trees as flat arrays.""",
    "seeds_": """
        seeds_ : list of int
            The `random_state` of each tree.""",
    "estimators_": """
        estimators_ : list of DecisionTreeClassifier or DecisionTreeRegressor
            The trees as estimators of their own, which know the classes by their labels.""",
    "estimators_samples_": """
        estimators_samples_ : list of ndarray
            The rows that each tree was grown on, drawn again from its seed; not after a model file was read.""",
    "feature_importances_": """
        feature_importances_ : ndarray of shape (n_columns,)
            Share of the total decrease of impurity that each column of `schema_` brought, mean over the trees. It
            favours columns of many values: see `permutation_importances`.""",
    "oob_score_": """
        oob_score_ : float
            Score of the out-of-bag predictions, with `oob_score`.""",
    "forest_missing_": """
        missing_ : str
            Where rows with a missing cell go.""",
}  # fmt: skip
