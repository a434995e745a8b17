"""Trees on plain arrays against scikit-learn's: methods and attributes give what theirs give."""

import inspect

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.inspection import partial_dependence
from sklearn.tree import DecisionTreeClassifier as Rival
from sklearn.tree import DecisionTreeRegressor as RivalRegressor

import mercer
from mercer.errors import BadFile, MercerError
from mercer.state import Reader

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
TREES_OF_NUMBERS = (mercer.DecisionTreeRegressor, RivalRegressor)
PAIRS = [(mercer.DecisionTreeClassifier, Rival, IRIS), (mercer.DecisionTreeRegressor, RivalRegressor, DIABETES)]


@pytest.mark.parametrize(("own", "rival", "data"), PAIRS)
def test_the_parameters_of_scikit_learn_have_its_defaults(own, rival, data):
    mine, theirs = (inspect.signature(c).parameters for c in (own, rival))
    shared = [name for name in theirs if name in mine]
    assert list(mine)[: len(shared)] == shared
    assert [(mine[n].default, mine[n].kind) for n in shared] == [(theirs[n].default, theirs[n].kind) for n in shared]


@pytest.mark.parametrize(("own", "rival", "data"), PAIRS)
def test_paths_of_rows_and_of_pruning(own, rival, data):
    X, y = data
    mine, theirs = own(min_samples_leaf=20).fit(X, y), rival(min_samples_leaf=20, random_state=0).fit(X, y)
    ours, reference = (model.decision_path(X) for model in (mine, theirs))
    assert ours.shape == reference.shape
    np.testing.assert_array_equal(ours.sum(axis=1), reference.sum(axis=1))
    np.testing.assert_array_equal(ours[np.arange(len(X)), mine.apply(X)], 1)
    np.testing.assert_array_equal(np.sort(ours.sum(axis=0)), np.sort(reference.sum(axis=0)))
    ours, reference = (model.cost_complexity_pruning_path(X, y) for model in (mine, theirs))
    np.testing.assert_allclose(ours.ccp_alphas, reference.ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(ours.impurities, reference.impurities, atol=1e-12)


def test_log_probabilities_and_other_names_of_the_criterion():
    X, y = IRIS
    model = mercer.DecisionTreeClassifier(criterion="log_loss", max_depth=2).fit(X, y)
    rival = Rival(criterion="log_loss", max_depth=2, random_state=0).fit(X, y)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.predict_log_proba(X), rival.predict_log_proba(X), rtol=1e-12)
    with pytest.warns(FutureWarning, match="friedman_mse"):
        named = mercer.DecisionTreeRegressor(criterion="friedman_mse", max_depth=3)
    plain = mercer.DecisionTreeRegressor(max_depth=3).fit(X, y)
    np.testing.assert_array_equal(named.fit(X, y).predict(X), plain.predict(X))


def gain(tree, node):
    """The decrease of impurity by the test of a node, times the share of the weight that it sees."""
    spread = tree.weighted_n_node_samples * tree.impurity
    return (spread[node] - spread[tree.children_left[node]] - spread[tree.children_right[node]]) / spread[0]


def assert_same_tree(ours, theirs):
    """Node by node from the root, whatever their numbers. Below two tests that gain alike nothing is compared, and
    where theirs splits a node whose impurity is rounding."""
    pairs, ties = [(0, 0)], 0
    for a, b in pairs:
        assert ours.n_node_samples[a] == theirs.n_node_samples[b]
        for name in ("impurity", "weighted_n_node_samples", "value"):
            np.testing.assert_allclose(getattr(ours, name)[a], getattr(theirs, name)[b], rtol=1e-6, atol=1e-10)
        if ours.children_left[a] < 0:
            assert theirs.children_left[b] < 0 or theirs.impurity[b] < 1e-14
        elif ours.feature[a] != theirs.feature[b] or not np.isclose(ours.threshold[a], theirs.threshold[b]):
            assert gain(ours, a) == pytest.approx(gain(theirs, b), rel=1e-9)
            ties += 1
        else:
            pairs += [(ours.children_left[a], theirs.children_left[b])]
            pairs += [(ours.children_right[a], theirs.children_right[b])]
    assert ties <= 3


X32, Y32 = DIABETES[0].astype(np.float32).astype(float), DIABETES[1]
WEIGHT = np.random.default_rng(0).random(len(Y32)) + 0.2
SIGNS = [1, 0, 1, -1, 0, 0, 0, 0, 1, -1]


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize(
    "options", [{}, {"max_leaf_nodes": 7}, {"monotonic_cst": SIGNS}, {"min_weight_fraction_leaf": 0.1}], ids=str
)
def test_the_regression_tree_is_theirs(options, criterion, weight):
    options = {"criterion": criterion, "min_samples_leaf": 12} | options
    ours = mercer.DecisionTreeRegressor(**options).fit(X32, Y32, weight)
    theirs = RivalRegressor(**options, random_state=0).fit(X32, Y32, weight)
    assert_same_tree(ours.tree_, theirs.tree_)


@pytest.mark.parametrize("criterion", ["gini", "log_loss"])
@pytest.mark.parametrize(
    "options",
    [{"max_leaf_nodes": 6}, {"monotonic_cst": SIGNS}, {"class_weight": {False: 1, True: 3}}, {"ccp_alpha": 0.01}],
    ids=str,
)
def test_the_classification_tree_is_theirs(options, criterion):
    options = {"criterion": criterion, "min_samples_leaf": 12} | options
    ours = mercer.DecisionTreeClassifier(**options).fit(X32, Y32 > 140, WEIGHT)
    theirs = Rival(**options, random_state=0).fit(X32, Y32 > 140, WEIGHT)
    assert_same_tree(ours.tree_, theirs.tree_)


def test_several_outputs_are_theirs():
    labels = np.column_stack([Y32 > 140, np.digitize(X32[:, 2], [-0.02, 0.02])])
    weights = [{0: 1.0, 1: 2.0}, {0: 1.0, 1: 1.0, 2: 0.5}]
    ours = mercer.DecisionTreeClassifier(min_samples_leaf=12, class_weight=weights).fit(X32, labels)
    theirs = Rival(min_samples_leaf=12, class_weight=weights, random_state=0).fit(X32, labels)
    assert_same_tree(ours.tree_, theirs.tree_)
    np.testing.assert_array_equal(ours.predict(X32), theirs.predict(X32))
    for mine, other in zip(ours.predict_proba(X32), theirs.predict_proba(X32), strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-12)
    numbers = np.column_stack([Y32, 100 * X32[:, 2]])
    ours, theirs = (c(min_samples_leaf=12, random_state=0).fit(X32, numbers) for c in TREES_OF_NUMBERS)
    assert_same_tree(ours.tree_, theirs.tree_)
    again = mercer.DecisionTreeRegressor.from_state(Reader(ours.to_state()))
    np.testing.assert_array_equal(again.predict(X32), ours.predict(X32))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("max_features", [1, 3, "sqrt", 0.5])
def test_the_root_looks_at_the_columns_that_theirs_looks_at(max_features, seed):
    options = {"max_depth": 1, "max_features": max_features, "random_state": seed}
    ours, theirs = (c(**options).fit(X32, Y32) for c in TREES_OF_NUMBERS)
    assert ours.max_features_ == theirs.max_features_
    assert_same_tree(ours.tree_, theirs.tree_)


@pytest.mark.parametrize(
    "options", [{"splitter": "random"}, {"max_features": 2}, {"max_features": 2, "max_leaf_nodes": 9}], ids=str
)
def test_what_is_drawn_depends_on_the_seed_alone(options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 4))
    y = X[:, 0] * X[:, 1] + rng.normal(size=6000)
    models = [mercer.DecisionTreeRegressor(**options, random_state=s, n_jobs=j) for s, j in ((1, 1), (1, 2), (2, 1))]
    texts = [model.fit(X, y).to_text(max_depth=6) for model in models]
    assert texts[0] == texts[1] != texts[2]


def test_random_tests_are_spread_evenly_between_the_least_and_the_greatest_value():
    X, y = np.array([[0.0], [1.0]]), [0, 1]
    models = [mercer.DecisionTreeClassifier(splitter="random", random_state=s).fit(X, y) for s in range(300)]
    cuts = [model.tree_.threshold[0] for model in models]
    assert 0 <= min(cuts) < 0.05
    assert 0.95 < max(cuts) < 1
    assert np.mean(cuts) == pytest.approx(0.5, abs=0.05)


def test_partial_dependence_by_the_tree_is_that_of_rows_where_other_columns_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    ours, theirs = (c(max_depth=4, random_state=0).fit(X, np.sin(X[:, 0]) + X[:, 1]) for c in TREES_OF_NUMBERS)
    found = [partial_dependence(m, X, [0], method="recursion")["average"] for m in (ours, theirs)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"answer": lambda a: a * 14}, "do not add up to 1"),
        ({"weight": lambda w: np.where(np.arange(len(w)) == 1, 14.0, w)}, "add up to that of their node"),
        ({"classes": lambda c: c + 1}, "numbers of classes"),
        ({"missing_branch": lambda m: m + 3}, "no such branch"),
        ({"impurity": lambda i: i - 2}, "impurity"),
        ({"threshold": lambda t: t - np.inf}, "minus infinity"),
    ],
)
def test_stored_arrays_that_contradict_each_other_are_refused(change, what):
    state = mercer.DecisionTreeClassifier(max_depth=2).fit(*IRIS).to_state()
    name, damage = next(iter(change.items()))
    tree = state["fitted"]["tree"]
    damaged = state | {"fitted": state["fitted"] | {"tree": tree | {name: damage(tree[name]).astype(tree[name].dtype)}}}
    with pytest.raises(BadFile, match=what):
        mercer.DecisionTreeClassifier.from_state(Reader(damaged))


@pytest.mark.parametrize(
    ("options", "frame", "what"),
    [
        ({"monotonic_cst": [1]}, np.zeros((4, 2)), "monotonic_cst has shape 1 but the input data X has 2 features"),
        ({"monotonic_cst": [1, 2]}, np.zeros((4, 2)), "array-like of -1, 0 or 1"),
        ({"monotonic_cst": [1]}, {"job": ["a", "b", "a", "b"]}, "'job' has no order"),
    ],
)
def test_constraints_that_make_no_sense_are_refused(options, frame, what):
    with pytest.raises(MercerError, match=what):
        mercer.DecisionTreeRegressor(**options).fit(frame, [1.0, 2.0, 3.0, 4.0])
