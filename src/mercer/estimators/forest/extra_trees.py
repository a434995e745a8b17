"""Extremely randomised trees: each node draws columns, and one test of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from mercer.docstrings import shares_docs
from mercer.estimators.common.weights.class_weight import ClassWeight
from mercer.estimators.forest.classifier import ForestClassifier
from mercer.estimators.forest.parameters import SHARED_DOCS, Criterion, ForestClassWeight, OutOfBag
from mercer.estimators.forest.regressor import ForestRegressor
from mercer.estimators.tree.parameters import MaxFeatures, Missing, RandomState, RegressionCriterion


@shares_docs(**SHARED_DOCS)
class ExtraTreesClassifier(ForestClassifier):
    """P(c | x) = mean over trees of the share of class c in the leaf of x; tests are drawn at random.

    Each node draws some columns and one test of each, and takes the best of these (Geurts et al. 2006). Every tree is
    grown on all rows, unless `bootstrap` says otherwise. Categories, missing cells and texts are taken as they are.

    Parameters
    ----------
    {n_estimators}
    {criterion_classes}
    {max_depth}
    {min_samples_split}
    {min_samples_leaf}
    {min_weight_fraction_leaf}
    {max_features_sqrt}
    {max_leaf_nodes}
    {min_impurity_decrease}
    {bootstrap_false}
    {oob_score}
    {n_jobs}
    {random_state}
    {verbose_0}
    {warm_start}
    {forest_class_weight}
    {ccp_alpha}
    {max_samples}
    {monotonic_cst}
    {missing}
    {min_samples_level}
    {set_penalty}
    {max_bins}
    {words}
    {kinds}

    Attributes
    ----------
    {trees_}
    {seeds_}
    {estimators_}
    {estimators_samples_}
    {columns_}
    {forest_missing_}
    {max_features_}
    {n_outputs_}
    {feature_importances_}
    {oob_score_}
    {oob_decision_function_}
    {classes_of_outputs}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"age": [*range(20, 60)] * 2, "job": ["sales"] * 40 + ["law"] * 40}
    >>> bought = ["yes" if age > 40 and job == "law" else "no" for age, job in zip(rows["age"], rows["job"])]
    >>> model = mercer.ExtraTreesClassifier(random_state=0).fit(rows, bought)
    >>> model.predict({"age": [30, 50, 50], "job": ["law", "law", "sales"]}).tolist()
    ['no', 'yes', 'no']
    """

    _splitter = "random"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Criterion = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: MaxFeatures = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: OutOfBag = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: ForestClassWeight | Sequence[ClassWeight] = None,
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
        super().__init__(
            n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            max_samples=max_samples,
            monotonic_cst=monotonic_cst,
            missing=missing,
            min_samples_level=min_samples_level,
            set_penalty=set_penalty,
            max_bins=max_bins,
            words=words,
            kinds=kinds,
        )


@shares_docs(**SHARED_DOCS)
class ExtraTreesRegressor(ForestRegressor):
    """f(x) = mean over trees of the mean target in the leaf of x; tests are drawn at random.

    Each node draws some columns and one test of each, and takes the best of these (Geurts et al. 2006). Every tree is
    grown on all rows, unless `bootstrap` says otherwise. Categories, missing cells and texts are taken as they are.

    Parameters
    ----------
    {n_estimators}
    {criterion_numbers}
    {max_depth}
    {min_samples_split}
    {min_samples_leaf}
    {min_weight_fraction_leaf}
    {max_features_all}
    {max_leaf_nodes}
    {min_impurity_decrease}
    {bootstrap_false}
    {oob_score}
    {n_jobs}
    {random_state}
    {verbose_0}
    {warm_start}
    {ccp_alpha}
    {max_samples}
    {monotonic_cst}
    {missing}
    {min_samples_level}
    {set_penalty}
    {max_bins}
    {words}
    {kinds}

    Attributes
    ----------
    {trees_}
    {seeds_}
    {estimators_}
    {estimators_samples_}
    {columns_}
    {forest_missing_}
    {max_features_}
    {n_outputs_}
    {feature_importances_}
    {oob_score_}
    oob_prediction_ : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        Mean answer of the trees that did not draw the row, with `oob_score`.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"size": [*range(40, 100)] * 2, "street": ["a"] * 60 + ["b"] * 60}
    >>> rent = [10.0 * size + (300 if street == "b" else 0) for size, street in zip(rows["size"], rows["street"])]
    >>> model = mercer.ExtraTreesRegressor(random_state=0).fit(rows, rent)
    >>> model.predict({"size": [70, 70], "street": ["a", "b"]}).round(-2).tolist()
    [700.0, 1000.0]
    """

    _splitter = "random"

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
        bootstrap: bool = False,
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
        super().__init__(
            n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
            ccp_alpha=ccp_alpha,
            max_samples=max_samples,
            monotonic_cst=monotonic_cst,
            missing=missing,
            min_samples_level=min_samples_level,
            set_penalty=set_penalty,
            max_bins=max_bins,
            words=words,
            kinds=kinds,
        )
