"""Missing cells as information: a branch learned for them, and "missing or not" as a test."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier as Rival

import mercer
from mercer.state import Reader

from .test_drop_in import assert_same_tree

TREES = (mercer.DecisionTreeClassifier, mercer.DecisionTreeRegressor)


def telling(n=500, seed=0):
    """Twenty columns of noise; in the sixth, being missing says the class, but for one row in twenty."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 20)), np.arange(n) % 2
    X[(y == 1) ^ (rng.random(n) < 0.05), 5] = np.nan
    return X, y


def test_being_missing_is_tested():
    X, y = telling()
    learned, fraction = (mercer.DecisionTreeClassifier(missing=m, max_depth=3) for m in ("learned", "fraction"))
    assert cross_val_score(learned, X, y, cv=5).mean() > 0.9
    assert cross_val_score(fraction, X, y, cv=5).mean() < 0.6
    stump = mercer.DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert np.isposinf(stump.tree_.threshold[0])
    assert sorted(rule.conditions for rule in stump.rules()) == [("x5 is known",), ("x5 is missing",)]
    assert (stump.predict(X) == np.isnan(X[:, 5])).all()


@pytest.mark.parametrize("nominal", ["subset", "multiway"])
def test_being_missing_is_a_level_of_a_category(nominal):
    frame = pd.DataFrame({"job": ["a", "b", None] * 20, "x": np.arange(60.0) % 7})
    y = np.where(frame["job"].isna(), "out", "in")
    model = mercer.DecisionTreeClassifier(nominal=nominal, kinds={"job": "category"}).fit(frame, y)
    assert (model.predict(frame) == y).all()
    assert any("job is missing" in rule.conditions for rule in model.rules())
    copy = mercer.DecisionTreeClassifier.from_state(Reader(model.to_state()))
    assert (copy.predict(frame) == y).all()
    assert copy.to_text() == model.to_text()


def test_missing_cells_go_to_the_side_where_they_gain():
    x = np.array([1.0, 2, 3, 10, 11, 12, np.nan, np.nan])
    for late, text in ((1, "x > 6.5 or missing"), (0, "x <= 6.5 or missing")):
        y = np.array([0, 0, 0, 1, 1, 1, late, late])
        model = mercer.DecisionTreeClassifier().fit({"x": x}, y)
        assert model.get_n_leaves() == 2
        assert (model.predict({"x": x}) == y).all()
        assert text in model.to_text()


@pytest.mark.parametrize("tree", TREES)
def test_without_missing_cells_in_training_the_branch_with_most_rows_is_taken(tree):
    X, y = np.array([[0.0], [1], [2], [8], [9]]), np.array([1, 1, 1, 0, 0])
    assert tree().fit(X, y).predict([[np.nan]]).tolist() == [1]
    assert tree().fit(X[1:], y[1:]).predict([[np.nan]]).tolist() == [0]  # two and two: to the right
    assert tree().fit(X, y).tree_.missing_go_to_left[0] == 1


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_tree_of_scikit_learn_on_missing_cells(criterion, weighted):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 5)).astype(np.float32).astype(float)
    y = np.digitize(X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=400), [0.2, 1.5])
    X[rng.random(X.shape) < 0.2] = np.nan
    X[(y == 2) & (rng.random(400) < 0.5), 4] = np.nan
    weight = rng.random(400) + 0.5 if weighted else None
    options = {"criterion": criterion, "min_samples_leaf": 10}
    ours = mercer.DecisionTreeClassifier(**options).fit(X, y, weight)
    theirs = Rival(**options, random_state=0).fit(X, y, weight)
    assert_same_tree(ours.tree_, theirs.tree_)
    inner = ours.tree_.children_left >= 0
    assert 0 < ours.tree_.missing_go_to_left[inner].sum() < inner.sum()


def test_a_level_never_seen_is_not_a_missing_cell():
    frame = {"job": ["a"] * 30 + ["b"] * 20 + [None] * 10}
    y = [0] * 30 + [1] * 20 + [1] * 10
    model = mercer.DecisionTreeClassifier(kinds={"job": "category"}).fit(frame, y)
    assert model.predict_proba({"job": [None]}).tolist() == [[0, 1]]
    np.testing.assert_allclose(model.predict_proba({"job": ["new"]}), [[0.5, 0.5]])  # in shares down both branches
