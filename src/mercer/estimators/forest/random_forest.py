"""Random forests: each tree draws rows, each node columns."""

from __future__ import annotations

from mercer.docstrings import shares_docs
from mercer.estimators.forest.classifier import ForestClassifier
from mercer.estimators.forest.parameters import SHARED_DOCS
from mercer.estimators.forest.regressor import ForestRegressor


@shares_docs(**SHARED_DOCS)
class RandomForestClassifier(ForestClassifier):
    """P(c | x) = mean over trees of the share of class c in the leaf of x; each tree draws rows, each node columns.

    A tree is grown on rows drawn with replacement, and each of its tests is the best of some columns drawn at random
    (Breiman 2001). Categories are split as they are, rows with a missing cell go where they lower impurity most, and
    words of texts are counted. The rows that a tree did not draw, out of bag, are test rows for it.

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
    {bootstrap_true}
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
    >>> model = mercer.RandomForestClassifier(oob_score=True, random_state=0).fit(rows, bought)
    >>> model.predict({"age": [30, 50, 50], "job": ["law", "law", "sales"]}).tolist()
    ['no', 'yes', 'no']
    >>> model.oob_score_ > 0.9
    True
    """


@shares_docs(**SHARED_DOCS)
class RandomForestRegressor(ForestRegressor):
    """f(x) = mean over trees of the mean target in the leaf of x; each tree draws rows, each node columns.

    A tree is grown on rows drawn with replacement, and each of its tests is the best of some columns drawn at random
    (Breiman 2001). Categories are split as they are, rows with a missing cell go where they lower the error most, and
    words of texts are counted. The rows that a tree did not draw, out of bag, are test rows for it.

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
    {bootstrap_true}
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
    >>> model = mercer.RandomForestRegressor(random_state=0).fit(rows, rent)
    >>> model.predict({"size": [70, 70], "street": ["a", "b"]}).round(-2).tolist()
    [700.0, 1000.0]
    """
