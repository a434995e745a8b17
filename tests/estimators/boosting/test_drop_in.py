"""In scikit-learn's place: its parameters and their words, rows to judge rounds by, frames, infinity, its trees."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import ensemble
from sklearn.datasets import load_diabetes, load_iris, make_friedman1
from sklearn.inspection import partial_dependence, permutation_importance

import mercer
from mercer import HistGradientBoostingClassifier as Classifier
from mercer import HistGradientBoostingRegressor as Regressor
from mercer.errors import BadColumn, BadParameter, BadTarget
from mercer.solvers.boost.binning import Binning
from mercer.solvers.tree.tree import Columns

RNG = np.random.default_rng(3)
BOTH = [
    (mercer.HistGradientBoostingClassifier, ensemble.HistGradientBoostingClassifier),
    (mercer.HistGradientBoostingRegressor, ensemble.HistGradientBoostingRegressor),
]
X, Y = make_friedman1(300, random_state=0)


@pytest.mark.parametrize(("ours", "theirs"), BOTH)
def test_their_parameters_come_first_with_their_defaults(ours: Any, theirs: Any) -> None:
    for method in ("__init__", "fit"):
        expected, found = (inspect.signature(getattr(kind, method)).parameters for kind in (theirs, ours))
        assert list(found)[: len(expected)] == list(expected)
        for key, parameter in expected.items():
            assert (found[key].default, found[key].kind) == (parameter.default, parameter.kind)
        extra = [found[key] for key in list(found)[len(expected) :]]
        assert all(p.kind is p.KEYWORD_ONLY for p in extra)


def test_rounds_are_counted_and_judged_as_theirs() -> None:
    rounded = np.round(X, 2)  # fewer than 255 values a column: both have the same bins
    options: Any = {"early_stopping": True, "max_iter": 300, "learning_rate": 0.2, "random_state": 4, "tol": 0.05}
    ours, theirs = Regressor(**options).fit(rounded, Y), BOTH[1][1](**options).fit(rounded, Y)
    assert ours.n_iter_ == theirs.n_iter_ < 300
    assert_allclose(ours.validation_score_, theirs.validation_score_, rtol=0.02)


def test_rows_to_judge_by_are_those_given() -> None:
    train, test = slice(0, 200), slice(200, None)
    model = Regressor(early_stopping=True, max_iter=20).fit(X[train], Y[train], X_val=X[test], y_val=Y[test])
    last = -((model.predict(X[test]) - Y[test]) ** 2).mean() / 2
    assert_allclose(model.validation_score_[-1], last)
    assert len(model.train_score_) == 21
    with pytest.raises(BadTarget, match="y_val holds the class 3"):
        Classifier(early_stopping=True).fit(X, Y > 14, X_val=X[:2], y_val=[0, 3])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_categories_as_arrays_of_codes(library: str) -> None:
    number, code = RNG.random(800), RNG.integers(0, 30, 800)
    y = (code % 3 == 0) & (number > 0.2)
    frame: Any = pd.DataFrame({"number": number, "code": pd.Categorical([f"c{c:02}" for c in code])})
    if library == "polars":
        frame = pytest.importorskip("polars").from_pandas(frame)
    by_code = Classifier(max_iter=10, categorical_features=[1]).fit(np.column_stack([number, code]), y)
    by_type = Classifier(max_iter=10).fit(frame, y)
    assert_array_equal(
        by_type.predict_proba(frame), by_code.predict_proba(np.column_stack([number, code])), "the same trees"
    )
    assert_array_equal(by_type.is_categorical_, [False, True])


def test_numbers_below_zero_are_missing_categories() -> None:
    code = RNG.integers(-1, 4, 500).astype(float)
    y = (code % 2).astype(int)
    gaps = np.where(code < 0, np.nan, code)
    found = [Classifier(max_iter=5, categorical_features=[0]).fit(rows[:, None], y) for rows in (code, gaps)]
    assert_array_equal(found[0].predict_proba(code[:, None]), found[1].predict_proba(gaps[:, None]))
    frame = pd.DataFrame({"code": code})
    named = Classifier(max_iter=5, categorical_features=["code"]).fit(frame, y)
    assert_array_equal(named.predict_proba(frame), found[0].predict_proba(code[:, None]))


def test_a_table_says_itself_what_its_columns_are() -> None:
    table = mercer.read_table({"code": [1, 2, 3, 4] * 20, "other": RNG.normal(size=80)})
    with pytest.raises(BadParameter, match="kinds of a Table are known already"):
        Classifier(categorical_features=["code"]).fit(table, [0, 1] * 40)


def test_infinity_is_the_largest_number() -> None:
    rows, y = np.array([-np.inf, 0, 1, np.inf, np.nan])[:, None], np.array([0, 0, 1, 2, 3])
    model = Regressor(min_samples_leaf=1).fit(rows, y)
    assert_allclose(model.predict(rows), y, atol=0.01)
    assert_allclose(model.predict([[1e308], [-1e308]]), [1, 0], atol=0.01)
    with pytest.raises(ValueError, match="infinity"):
        mercer.DecisionTreeRegressor().fit(rows, y)


def test_warm_start_asks_for_the_same_columns_and_classes() -> None:
    model = Classifier(max_iter=2, warm_start=True).fit(X, Y > 14)
    with pytest.raises(BadParameter, match="other classes"):
        model.fit(X, np.digitize(Y, [10, 18]))
    with pytest.raises(ValueError, match="features"):
        model.fit(X[:, :3], Y > 14)
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    named = Classifier(max_iter=2, warm_start=True).fit(frame, Y > 14)
    with pytest.raises(BadColumn, match="b"):
        named.fit(frame[["a"]], Y > 14)


def test_a_warm_start_after_the_best_round_drops_the_scores_of_the_others() -> None:
    options: Any = {"early_stopping": True, "random_state": 0, "keep_best": True, "warm_start": True}
    model = Regressor(max_iter=400, learning_rate=0.5, **options).fit(X, Y)
    best = model.n_iter_
    model.fit(X, Y)
    assert model.n_iter_ >= best
    assert int(np.argmax(model.validation_score_)) == model.n_iter_


def test_bins_of_weighted_rows_are_those_of_repeated_rows() -> None:
    cells, weight = RNG.normal(size=(2000, 1)), RNG.integers(1, 4, 2000)
    none = np.zeros((2000, 0), dtype=np.int32)
    repeated = Columns.of(np.repeat(cells, weight, axis=0), np.repeat(none, weight, axis=0), [], [])
    weighted = Binning.fit(Columns.of(cells, none, [], []), 50, weight=weight.astype(float))
    assert_array_equal(weighted.edges[0], Binning.fit(repeated, 50).edges[0])


def test_their_trees_walk_to_our_answers() -> None:
    """`_predictors` has trees of theirs: their own code gives the same sum."""
    rows = X.copy()
    rows[RNG.random(rows.shape) < 0.1] = np.nan
    model = Regressor(max_iter=5, max_leaf_nodes=8, max_depth=4).fit(rows, Y)
    no_levels = np.zeros((0, 8), dtype=np.uint32)
    places = np.zeros(rows.shape[1], dtype=np.uint32)
    total = model.forest_.start[0] + sum(
        tree.predict(np.ascontiguousarray(rows), no_levels, places, 1) for (tree,) in model._predictors
    )
    assert_allclose(total, model.predict(rows))
    assert all(2 <= tree.get_max_depth() <= 4 and tree.get_n_leaf_nodes() <= 8 for (tree,) in model._predictors)


def test_levels_in_their_trees_are_bits_by_place() -> None:
    code = RNG.integers(0, 6, 600)
    model = Classifier(max_iter=1, max_depth=1, categorical_features=[0]).fit(code[:, None], code % 2 == 0)
    ((tree,),) = model._predictors
    assert tree.raw_left_cat_bitsets[0, 0] in (0b010101, 0b101010)
    assert tree.nodes["is_categorical"].tolist() == [1, 0, 0]


@pytest.mark.parametrize("method", ["auto", "brute"])
def test_partial_dependence_is_the_mean_of_what_it_predicts(method: Any) -> None:
    model = Regressor(max_iter=10).fit(X, Y)
    found = partial_dependence(model, X, [3], method=method, grid_resolution=4)
    for value, mean in zip(found["grid_values"][0], found["average"][0], strict=True):
        rows = X.copy()
        rows[:, 3] = value
        assert_allclose(mean, model.predict(rows).mean())


def test_permutation_importance_of_theirs() -> None:
    iris = load_iris()
    model = Classifier(max_iter=10).fit(iris.data, iris.target)
    found = permutation_importance(model, iris.data, iris.target, n_repeats=3, random_state=0)
    assert found.importances_mean[2:].max() > 0.2


def test_scores_know_the_weights() -> None:
    rows, target = load_diabetes(return_X_y=True)
    weight = RNG.random(len(target))
    model = Regressor(early_stopping=True, validation_fraction=None, scoring="r2", max_iter=5)
    model.fit(rows, target, sample_weight=weight)
    assert_allclose(model.train_score_[-1], model.score(rows, target, sample_weight=weight))
    assert not np.isclose(model.train_score_[-1], model.score(rows, target))
