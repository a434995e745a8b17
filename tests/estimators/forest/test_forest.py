"""Forests against scikit-learn's on the same draws, against single trees, and their laws."""

import inspect
import pickle
import warnings
from copy import deepcopy

import numpy as np
import pytest
import sklearn.ensemble as theirs
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import f1_score
from sklearn.utils import check_random_state

import mercer
from mercer.errors import MercerError
from mercer.estimators.common.weights.class_weight import class_factors
from mercer.state import Reader

IRIS, CANCER, DIABETES = (load(return_X_y=True) for load in (load_iris, load_breast_cancer, load_diabetes))
CLASSIFIERS = [mercer.RandomForestClassifier, mercer.ExtraTreesClassifier]
REGRESSORS = [mercer.RandomForestRegressor, mercer.ExtraTreesRegressor]
FORESTS = CLASSIFIERS + REGRESSORS


def mixed(n=120, seed=0):
    """A table with numbers, a category, a text and gaps; a class and a number to predict."""
    rng = np.random.default_rng(seed)
    size, job = rng.normal(size=n), rng.choice(["cook", "clerk", "smith"], n)
    words = rng.choice(["good day", "bad day", "good night"], n)
    score = size + 2 * (job == "cook") + (words == "bad day") + 0.3 * rng.normal(size=n)
    rows = {
        "size": np.where(rng.random(n) < 0.1, np.nan, size),
        "noise": rng.normal(size=n),
        "job": job.astype(object),
        "note": words.astype(object),
    }
    rows["job"][rng.random(n) < 0.1] = None
    return rows, np.where(score > score.mean(), "high", "low"), score


KINDS = {"job": "category", "note": "text"}


def target(forest, labels, numbers):
    return labels if issubclass(forest, tuple(CLASSIFIERS)) else numbers


@pytest.mark.parametrize("forest", FORESTS)
def test_parameters_are_scikit_learns_first_with_its_defaults(forest):
    ours = list(inspect.signature(forest).parameters.values())
    given = list(inspect.signature(getattr(theirs, forest.__name__)).parameters.values())
    assert [(p.name, p.default, p.kind) for p in ours[: len(given)]] == [(p.name, p.default, p.kind) for p in given]
    assert all(p.kind is p.KEYWORD_ONLY for p in ours[1:])


@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["iris", "cancer"])
@pytest.mark.parametrize("forest", CLASSIFIERS)
def test_out_of_bag_accuracy_is_that_of_scikit_learn(forest, data):
    given = {"n_estimators": 40, "oob_score": True, "bootstrap": True, "random_state": 0}
    ours, other = forest(**given).fit(*data), getattr(theirs, forest.__name__)(**given).fit(*data)
    assert abs(ours.oob_score_ - other.oob_score_) < 0.02
    seeded = getattr(theirs, forest.__name__)(**given | {"random_state": 1}).fit(*data)
    noise = abs(seeded.oob_decision_function_ - other.oob_decision_function_).mean()
    assert abs(ours.oob_decision_function_ - other.oob_decision_function_).mean() < 1.2 * noise
    for mine, his in zip(ours.estimators_samples_, other.estimators_samples_, strict=True):
        assert_array_equal(mine, his)


@pytest.mark.parametrize("forest", REGRESSORS)
def test_out_of_bag_r2_is_that_of_scikit_learn(forest):
    given = {"n_estimators": 60, "oob_score": True, "bootstrap": True, "random_state": 1, "min_samples_leaf": 5}
    ours, other = forest(**given).fit(*DIABETES), getattr(theirs, forest.__name__)(**given).fit(*DIABETES)
    assert abs(ours.oob_score_ - other.oob_score_) < 0.03
    assert np.corrcoef(ours.oob_prediction_, other.oob_prediction_)[0, 1] > 0.95
    assert_allclose(ours.feature_importances_, other.feature_importances_, atol=0.03)


@pytest.mark.parametrize("weighted", [False, True])
def test_weighted_rows_are_drawn_as_scikit_learn_draws_them(weighted):
    weight = np.random.default_rng(0).integers(1, 4, len(IRIS[1])).astype(float) if weighted else None
    given = {"n_estimators": 3, "random_state": 5, "max_samples": 0.5}
    ours = mercer.RandomForestClassifier(**given).fit(*IRIS, sample_weight=weight)
    other = theirs.RandomForestClassifier(**given).fit(*IRIS, sample_weight=weight)
    for mine, his in zip(ours.estimators_samples_, other.estimators_samples_, strict=True):
        assert_array_equal(mine, his)
    assert [tree.random_state for tree in ours.estimators_] == [tree.random_state for tree in other.estimators_]


@pytest.mark.parametrize("forest", FORESTS)
def test_one_tree_on_all_rows_and_columns_is_the_decision_tree(forest):
    rows, labels, numbers = mixed()
    y = target(forest, labels, numbers)
    alone = forest(1, bootstrap=False, max_features=None, random_state=3, kinds=KINDS).fit(rows, y)
    seed = check_random_state(3).randint(np.iinfo(np.int32).max)
    maker = mercer.DecisionTreeClassifier if y is labels else mercer.DecisionTreeRegressor
    splitter = "random" if "Extra" in forest.__name__ else "best"
    tree = maker(random_state=seed, splitter=splitter, kinds=KINDS).fit(rows, y)
    for name, array in tree.tree_.arrays().items():
        assert_array_equal(array, alone.trees_[0].arrays()[name])
    assert_array_equal(alone.predict(rows), tree.predict(rows))


@pytest.mark.parametrize("forest", FORESTS)
def test_each_tree_is_the_decision_tree_of_the_rows_it_drew(forest):
    rows, labels, numbers = mixed()
    y = target(forest, labels, numbers)
    model = forest(4, bootstrap=True, random_state=0, kinds=KINDS, max_samples=60).fit(rows, y)
    for tree, drawn in zip(model.estimators_, model.estimators_samples_, strict=True):
        again = type(tree)(**tree.get_params()).fit(rows, y, sample_weight=np.bincount(drawn, minlength=len(y)))
        assert_array_equal(again.predict(rows), tree.predict(rows))


@pytest.mark.parametrize("forest", FORESTS)
def test_threads_change_nothing_and_predictions_are_the_mean_of_the_trees(forest):
    rows, labels, numbers = mixed()
    y = target(forest, labels, numbers)
    one, two = (forest(7, random_state=0, kinds=KINDS, n_jobs=jobs).fit(rows, y) for jobs in (1, 3))
    answer = "predict_proba" if y is labels else "predict"
    assert_array_equal(getattr(one, answer)(rows), getattr(two, answer)(rows))
    each = [getattr(tree, answer)(rows) for tree in one.estimators_]
    assert_allclose(getattr(one, answer)(rows), np.mean(each, axis=0), rtol=1e-12)


@pytest.mark.parametrize("forest", FORESTS)
def test_out_of_bag_answers_are_the_mean_of_the_trees_that_did_not_draw_the_row(forest):
    rows, labels, numbers = mixed(60)
    y = target(forest, labels, numbers)
    model = forest(25, bootstrap=True, oob_score=True, random_state=0, kinds=KINDS).fit(rows, y)
    answer = "predict_proba" if y is labels else "predict"
    each = np.array([getattr(tree, answer)(rows) for tree in model.estimators_])
    free = np.array([~np.isin(np.arange(60), drawn) for drawn in model.estimators_samples_])
    expected = [each[free[:, i], i].mean(axis=0) for i in range(60)]
    found = model.oob_decision_function_ if y is labels else model.oob_prediction_
    assert_allclose(found, expected, rtol=1e-12)


def test_out_of_bag_score_by_a_function_and_rows_that_every_tree_drew():
    model = mercer.RandomForestClassifier(50, oob_score=f1_score, random_state=0).fit(*CANCER)
    assert model.oob_score_ == f1_score(CANCER[1], model.oob_decision_function_.argmax(axis=1))
    with pytest.warns(UserWarning, match="OOB"):
        mercer.RandomForestClassifier(2, oob_score=True, random_state=0).fit(*IRIS)


def test_balanced_subsample_balances_the_rows_that_a_tree_drew():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), (rng.random(200) < 0.1).astype(int)
    model = mercer.RandomForestClassifier(5, class_weight="balanced_subsample", random_state=0).fit(X, y)
    for tree, drawn in zip(model.trees_, model.estimators_samples_, strict=True):
        assert_allclose(tree.answer[0], [0.5, 0.5])
        counts = np.bincount(drawn, minlength=200).astype(float)
        weight = counts * class_factors("balanced", np.array([0, 1]), y, counts)[y]
        assert_allclose(tree.weight[0], weight.sum())
    plain = mercer.RandomForestClassifier(5, class_weight="balanced", bootstrap=False, random_state=0).fit(X, y)
    same = mercer.RandomForestClassifier(5, class_weight="balanced_subsample", bootstrap=False, random_state=0).fit(
        X, y
    )
    assert_array_equal(plain.predict_proba(X), same.predict_proba(X))


@pytest.mark.parametrize("forest", FORESTS)
def test_shuffling_a_column_costs_what_it_is_worth(forest):
    rows, labels, numbers = mixed(200)
    y = target(forest, labels, numbers)
    model = forest(40, bootstrap=True, random_state=0, kinds=KINDS, max_features=None).fit(rows, y)
    found = model.permutation_importances(rows, y)
    worth = dict(zip(model.schema_.names, found.importances_mean, strict=True))
    assert min(worth["size"], worth["job"]) > 3 * abs(worth["noise"])
    assert worth["note"] > abs(worth["noise"])
    assert found.importances.shape == (4, 40)
    assert_allclose(found.importances.std(axis=1), found.importances_std)


def test_mean_decrease_in_accuracy_of_one_tree_by_hand():
    X = np.column_stack([np.repeat([0.0, 1.0], 50), np.zeros(100)])
    y = np.repeat([0, 1], 50)
    model = mercer.RandomForestClassifier(1, random_state=0, max_features=None).fit(X, y)
    free = np.setdiff1d(np.arange(100), model.estimators_samples_[0])
    order = np.random.default_rng([model.seeds_[0], 1]).permutation(len(free))
    expected = 1 - (y[free] == y[free][order]).mean()
    assert_allclose(model.permutation_importances(X, y).importances_mean, [expected, 0.0])


def test_importances_need_the_rows_of_fit_and_draws():
    model = mercer.RandomForestClassifier(5, random_state=0).fit(*IRIS)
    with pytest.raises(MercerError, match="150 rows"):
        model.permutation_importances(IRIS[0][1:], IRIS[1][1:])
    whole = mercer.ExtraTreesClassifier(5, random_state=0).fit(*IRIS)
    with pytest.raises(MercerError, match="bootstrap=True"):
        whole.permutation_importances(*IRIS)


def test_proximity_is_the_share_of_leaves_in_common():
    model = mercer.RandomForestClassifier(11, random_state=0).fit(*IRIS)
    leaves = model.apply(IRIS[0])
    expected = (leaves[:, None, :] == leaves[None, :40, :]).mean(axis=2)
    assert_allclose(model.proximity(IRIS[0], IRIS[0][:40]), expected)
    assert_allclose(np.diag(model.proximity(IRIS[0])), 1)


def test_decision_path_ends_at_the_leaves():
    model = mercer.RandomForestRegressor(3, random_state=0, max_depth=3).fit(*DIABETES)
    passed, start = model.decision_path(DIABETES[0])
    leaves = model.apply(DIABETES[0])
    for k in range(3):
        assert (passed[np.arange(len(leaves)), start[k] + leaves[:, k]] == 1).all()
        assert (passed[:, start[k]].toarray() == 1).all()
    assert passed.sum(axis=1).max() <= 3 * 4


@pytest.mark.parametrize("forest", FORESTS)
def test_warm_start_ends_with_the_forest_of_one_fit(forest):
    rows, labels, numbers = mixed()
    y = target(forest, labels, numbers)
    model = forest(3, warm_start=True, random_state=0, kinds=KINDS).fit(rows, y)
    model.predict(rows)
    model.set_params(n_estimators=8).fit(rows, y)
    whole = forest(8, random_state=0, kinds=KINDS).fit(rows, y)
    assert model.seeds_ == whole.seeds_
    assert_array_equal(model.predict(rows), whole.predict(rows))
    assert_array_equal(model.apply(rows), whole.apply(rows))
    with pytest.warns(UserWarning, match="does not fit new trees"):
        model.fit(rows, y)
    with pytest.raises(MercerError, match="n_estimators=2"):
        model.set_params(n_estimators=2).fit(rows, y)


@pytest.mark.parametrize("forest", FORESTS)
def test_predictions_follow_the_trees(forest):
    rows, labels, numbers = mixed()
    y = target(forest, labels, numbers)
    answer = "predict_proba" if y is labels else "predict"
    model, other = (forest(3, random_state=seed, kinds=KINDS).fit(rows, y) for seed in (0, 1))
    getattr(model, answer)(rows)
    model.trees_[1] = other.trees_[1]
    each = [getattr(tree, answer)(rows) for tree in model.estimators_]
    assert_allclose(getattr(model, answer)(rows), np.mean(each, axis=0), rtol=1e-12)
    for copy in (deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert_array_equal(getattr(copy, answer)(rows), getattr(model, answer)(rows))
    with pytest.raises(ValueError, match="read-only"):
        model.trees_[0].first[0] = 10**6


def test_warm_start_refuses_other_columns_classes_and_outputs():
    model = mercer.RandomForestClassifier(2, warm_start=True, random_state=0).fit(*IRIS)
    with pytest.raises(MercerError, match="classes"):
        model.set_params(n_estimators=3).fit(IRIS[0], IRIS[1] + 1)
    with pytest.raises(MercerError, match="columns"):
        mercer.RandomForestClassifier(2, warm_start=True).fit(*IRIS).set_params(n_estimators=3).fit(*CANCER)


@pytest.mark.parametrize("forest", FORESTS)
def test_stored_and_read_back(forest):
    rows, labels, numbers = mixed()
    y = target(forest, labels, numbers)
    model = forest(20, bootstrap=True, random_state=0, kinds=KINDS, oob_score=y is labels).fit(rows, y)
    again = forest.from_state(Reader(model.to_state()))
    assert_array_equal(again.predict(rows), model.predict(rows))
    assert_array_equal(again.feature_importances_, model.feature_importances_)
    assert getattr(again, "oob_score_", None) == getattr(model, "oob_score_", None)
    with pytest.raises(MercerError, match="read from a file"):
        again.permutation_importances(rows, y)


def test_several_outputs():
    X, y = IRIS
    two = np.column_stack([y == 0, y == 2]).astype(int)
    model = mercer.RandomForestClassifier(40, random_state=0, oob_score=True).fit(X, two)
    assert (model.predict(X) == two).mean() > 0.97
    assert model.oob_decision_function_.shape == (150, 2, 2)
    numbers = np.column_stack([X[:, 0], X[:, 1]])
    both = mercer.ExtraTreesRegressor(20, random_state=0).fit(X[:, 2:], numbers)
    assert both.predict(X[:, 2:]).shape == (150, 2)


def test_a_monotone_column_keeps_its_promise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = X[:, 0] + rng.normal(size=150)
    model = mercer.RandomForestRegressor(10, monotonic_cst=[1, 0], random_state=0).fit(X, y)
    line = np.column_stack([np.linspace(-3, 3, 50), np.zeros(50)])
    assert (np.diff(model.predict(line)) >= -1e-12).all()


@pytest.mark.parametrize("forest", FORESTS)
def test_contributions_add_up_to_the_prediction(forest):
    rows, labels, numbers = mixed(60)
    y = target(forest, labels, numbers)
    model = forest(4, random_state=0, kinds=KINDS, max_depth=4).fit(rows, y)
    found = model._explain_columns(rows)
    expected = model.predict_proba(rows)[:, 1] if y is labels else model.predict(rows)
    assert_allclose(found.base + found.values.sum(axis=1), expected, atol=1e-10)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"bootstrap": False, "max_samples": 5}, "bootstrap=True"),
        ({"bootstrap": False, "oob_score": True}, "Out of bag"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"n_estimators": 10**9}, "n_estimators"),
        ({"max_samples": -1}, "max_samples"),
        ({"max_samples": 1e308}, "max_samples=1e\\+308 draws"),
        ({"max_samples": 10**9}, "at most 134,217,728"),
        ({"oob_score": "yes"}, "oob_score"),
        ({"monotonic_cst": [1, 0, 0, 0]}, "multiclass"),
    ],
)
def test_bad_parameters_are_refused(given, said):
    with pytest.raises(MercerError, match=said):
        mercer.RandomForestClassifier(**given).fit(*IRIS)


def test_pruning_and_row_limits_make_smaller_trees():
    free = mercer.RandomForestClassifier(5, random_state=0).fit(*IRIS)
    pruned = mercer.RandomForestClassifier(5, random_state=0, ccp_alpha=0.02).fit(*IRIS)
    assert all(len(small) < len(large) for small, large in zip(pruned.trees_, free.trees_, strict=True))
    large = mercer.RandomForestClassifier(5, random_state=0, min_samples_leaf=10).fit(*IRIS)
    assert min(tree.rows.min() for tree in large.trees_) >= 10


def test_partial_dependence_by_recursion_is_that_of_the_trees():
    model = mercer.RandomForestRegressor(3, random_state=0, max_depth=3).fit(*DIABETES)
    grid = np.linspace(-0.1, 0.1, 5)[:, None]
    each = [tree.partial_dependence(grid, np.array([2])) for tree in model.trees_]
    assert_allclose(model._compute_partial_dependence_recursion(grid, np.array([2])), np.mean(each, axis=0))


def test_column_vector_is_said():
    with pytest.warns(match="column-vector"):
        model = mercer.RandomForestRegressor(2, random_state=0).fit(DIABETES[0], DIABETES[1][:, None])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(DIABETES[0]).ndim == 1
