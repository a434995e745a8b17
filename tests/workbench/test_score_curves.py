"""Learning and validation curves, and nested cross-validation, against scikit-learn."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.model_selection import validation_curve as sklearn_validation_curve
from sklearn.tree import DecisionTreeClassifier

import mercer
from mercer.errors import MercerError

RNG = np.random.default_rng(0)
N = 150
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] + RNG.normal(size=N) > 0.8).astype(int)
SPLITS = StratifiedKFold(3, shuffle=True, random_state=0)


def test_a_validation_curve_is_scikit_learns() -> None:
    depths = [1, 3, 8]
    tree = DecisionTreeClassifier(random_state=0)
    found = mercer.validation_curve(tree, X, Y, "max_depth", depths, cv=SPLITS, metric="accuracy")
    train, test = sklearn_validation_curve(tree, X, Y, param_name="max_depth", param_range=depths, cv=SPLITS)
    assert [s.value for s in found.train] == pytest.approx(train.mean(axis=1))
    assert [s.value for s in found.test] == pytest.approx(test.mean(axis=1))
    assert found.best == depths[int(test.mean(axis=1).argmax())]
    assert all(s.low < s.value < s.high for s in found.test)
    assert json.loads(json.dumps(found.to_dict()))["values"] == depths


def test_a_learning_curve_ends_at_the_cross_validation() -> None:
    found = mercer.learning_curve(LogisticRegression(), X, Y, cv=SPLITS, sizes=[20, 0.5, 1.0])
    whole = mercer.evaluate(LogisticRegression(), X, Y, cv=SPLITS)
    assert found.sizes == (20, 50, 100)
    assert found.metric.key == "roc_auc"
    assert found.test[-1].value == pytest.approx(whole["roc_auc"].value)
    assert found.train[-1].value == pytest.approx(whole.training["roc_auc"])
    assert "training rows" in str(found) and "<table>" in found._repr_html_()


def test_nested_cross_validation_is_a_search_inside_each_fold() -> None:
    grid, outer = {"C": [0.001, 1.0]}, KFold(3, shuffle=True, random_state=1)
    found = mercer.nested_cv(LogisticRegression(), grid, X, Y, cv=outer, inner=3, scoring="accuracy")
    for k, (train, test) in enumerate(outer.split(X)):
        inner = StratifiedKFold(3, shuffle=True, random_state=0)
        search = GridSearchCV(LogisticRegression(), grid, cv=inner, scoring="accuracy").fit(X[train], Y[train])
        assert found.chosen[k] == search.best_params_
        assert found.inner_scores[k] == pytest.approx(search.best_score_)
        assert found.evaluation.folds["accuracy"][k] == pytest.approx(search.score(X[test], Y[test]))
    assert "Chosen" in str(found) and "<table>" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["scoring"] == "accuracy"


def test_the_search_of_noise_is_no_better_than_chance() -> None:
    """The search sees the best of twelve columns' trees; the outer folds see that it is worth nothing."""
    noise, labels = RNG.normal(size=(60, 12)), np.repeat([0, 1], 30)
    grid = {"max_depth": [1, 2, 4], "random_state": [0, 1, 2]}
    found = mercer.nested_cv(DecisionTreeClassifier(max_features=2), grid, noise, labels, cv=3, inner=3)
    assert np.mean(found.inner_scores) > 0.55
    assert found.evaluation["roc_auc"].low < 0.5 < found.evaluation["roc_auc"].high


def test_numbers_and_mixed_frames() -> None:
    frame = pd.DataFrame({"size": X[:, 0], "job": np.where(X[:, 1] > 0, "it", "law"), "pay": X[:, 0] + X[:, 2]})
    found = mercer.learning_curve(mercer.DecisionTreeRegressor(max_depth=3), frame, "pay", cv=3, sizes=[50, 100])
    assert found.metric.key == "r2"
    assert found.test[0].value is not None
    searched = mercer.nested_cv(mercer.DecisionTreeRegressor(), {"max_depth": [2, 4]}, frame, "pay", cv=2, inner=2)
    assert searched.scoring == "r2"


def test_bad_input() -> None:
    with pytest.raises(MercerError, match="not between 2 and the 100 training rows"):
        mercer.learning_curve(LogisticRegression(), X, Y, cv=3, sizes=[500])
    with pytest.raises(MercerError, match="sizes is empty"):
        mercer.learning_curve(LogisticRegression(), X, Y, cv=3, sizes=[])
    with pytest.raises(MercerError, match="no parameter 'depth'"):
        mercer.validation_curve(DecisionTreeClassifier(), X, Y, "depth", [1])
    with pytest.raises(MercerError, match="values is empty"):
        mercer.validation_curve(DecisionTreeClassifier(), X, Y, "max_depth", [])
    with pytest.raises(MercerError, match="does not score"):
        mercer.validation_curve(Ridge(), X, X[:, 0], "alpha", [1], metric="accuracy")
    with pytest.raises(MercerError, match="grid: Ridge has no parameter 'C'"):
        mercer.nested_cv(Ridge(), {"C": [1]}, X, X[:, 0])
    with pytest.raises(MercerError, match="2 folds or more"):
        mercer.nested_cv(Ridge(), {"alpha": [1]}, X, X[:, 0], inner=1)
