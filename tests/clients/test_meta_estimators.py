"""scikit-learn's own estimators of estimators, on a mixed frame with missing cells where they take one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import make_pipeline

import mercer
from mercer.encode import Impute

from .people import NUMBERS, N, X, Y

BOTH = np.column_stack([Y == "yes", NUMBERS["pay"] > 20]).astype(int)


def test_calibration() -> None:
    for model in (mercer.SVC(), mercer.LinearSVC(), mercer.NaiveBayes()):
        found = CalibratedClassifierCV(model, cv=3).fit(X, Y).predict_proba(X)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert ((found[:, 1] > 0.5) == (Y == "yes")).mean() > 0.7


def test_bagging_draws_samples_without_a_class() -> None:
    rare = np.where(np.arange(N) < 3, "rare", Y)
    for labels in (rare, np.where(np.arange(N) < 2, "rare", "common")):
        found = BaggingClassifier(mercer.LogisticRegression(), max_samples=20, random_state=0).fit(NUMBERS, labels)
        assert found.predict_proba(NUMBERS).shape == (N, len(set(labels)))


def test_a_frozen_model_is_not_fitted_again() -> None:
    model = mercer.SVC().fit(X, Y)
    before = model.decision_function(X)
    frozen = CalibratedClassifierCV(FrozenEstimator(model), cv=3).fit(X[:40], Y[:40])
    np.testing.assert_array_equal(model.decision_function(X), before)
    order = np.argsort(before)
    assert (np.diff(frozen.predict_proba(X)[order, 1]) >= -1e-12).all()  # calibration keeps the order


def test_stacking_and_voting() -> None:
    models = [
        ("bayes", mercer.NaiveBayes()),
        ("svc", mercer.SVC()),
        ("tree", mercer.DecisionTreeClassifier(max_depth=3)),
    ]
    stack = StackingClassifier(models, mercer.LogisticRegression(), cv=3).fit(X, Y)
    assert stack.score(X, Y) > 0.75 and stack.final_estimator_.coef_.shape == (1, 3)
    first = [m for name, m in models if name != "svc"]
    vote = VotingClassifier([(type(m).__name__, m) for m in first], voting="soft").fit(X, Y)
    codes = (Y == "yes").astype(int)  # what the voters are fitted to
    expected = np.mean([clone(m).fit(X, codes).predict_proba(X) for m in first], axis=0)
    np.testing.assert_allclose(vote.predict_proba(X), expected)


def test_bagging_is_the_mean_of_its_models() -> None:
    bag = BaggingClassifier(mercer.DecisionTreeClassifier(max_depth=3), 4, random_state=0).fit(NUMBERS, Y)
    rows = NUMBERS.to_numpy()
    np.testing.assert_allclose(
        bag.predict_proba(NUMBERS), np.mean([m.predict_proba(rows) for m in bag.estimators_], axis=0)
    )
    assert BaggingClassifier(mercer.NaiveBayes(), 4, random_state=0).fit(X, Y).score(X, Y) > 0.7


@pytest.mark.parametrize("learner", [mercer.DecisionTreeClassifier(max_depth=1), mercer.NaiveBayes()])
def test_boosting(learner: Any) -> None:
    boosted = AdaBoostClassifier(learner, n_estimators=8, random_state=0).fit(NUMBERS, Y)
    alone = clone(learner).fit(NUMBERS, Y)
    assert boosted.score(NUMBERS, Y) >= alone.score(NUMBERS, Y) and len(boosted.estimators_) > 1


def test_several_targets() -> None:
    many = MultiOutputClassifier(mercer.NaiveBayes()).fit(X, BOTH)
    for j, found in enumerate(many.predict_proba(X)):
        np.testing.assert_array_equal(found, mercer.NaiveBayes().fit(X, BOTH[:, j]).predict_proba(X))
    chain = ClassifierChain(mercer.LogisticRegression()).fit(NUMBERS, BOTH)
    first = mercer.LogisticRegression().fit(NUMBERS, BOTH[:, 0])
    np.testing.assert_allclose(chain.predict_proba(NUMBERS)[:, 0], first.predict_proba(NUMBERS)[:, 1])


def test_one_against_the_rest() -> None:
    rows = X.drop(columns="size")
    found = OneVsRestClassifier(mercer.NaiveBayes()).fit(rows, X["size"])
    alone = mercer.NaiveBayes().fit(rows, (X["size"] == found.classes_[0]).astype(int))
    share = found.estimators_[0].predict_proba(rows)
    np.testing.assert_array_equal(share, alone.predict_proba(rows))


@pytest.mark.parametrize(
    "model",
    [
        mercer.LinearSVC(),
        mercer.LogisticRegression(),
        mercer.SVC(kernel="linear"),
        mercer.DecisionTreeClassifier(max_depth=3),
    ],
)
def test_selection_by_coefficients_and_importances(model: Any) -> None:
    scaled = (NUMBERS - NUMBERS.mean()) / NUMBERS.std()
    assert RFE(clone(model), n_features_to_select=1).fit(scaled, Y).support_.tolist() == [True, False]
    assert SelectFromModel(clone(model), max_features=1).fit(scaled, Y).get_support().tolist() == [True, False]


def test_cross_validated_predictions_and_curves() -> None:
    folds = StratifiedKFold(3)
    found = cross_val_predict(mercer.SVC(), X, Y, cv=folds, method="decision_function")
    for train, test in folds.split(X, Y):
        model = mercer.SVC().fit(X.iloc[train], Y[train])
        np.testing.assert_allclose(found[test], model.decision_function(X.iloc[test]))
    _, _, scores = learning_curve(mercer.NaiveBayes(), X, Y, cv=folds, train_sizes=[0.5, 1.0])
    np.testing.assert_allclose(scores[-1], cross_val_score(mercer.NaiveBayes(), X, Y, cv=folds))


def test_a_search_in_two_processes_finds_what_one_finds() -> None:
    grid = {"C": [0.1, 1.0, 10.0], "kernel": ["rbf", "linear"]}
    one, two = (GridSearchCV(mercer.SVC(), grid, cv=3, n_jobs=jobs).fit(X, Y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_a_threshold_is_tuned() -> None:
    found = TunedThresholdClassifierCV(mercer.NaiveBayes(), cv=3).fit(X, Y)
    share = found.estimator_.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(found.predict(X) == "yes", share >= found.best_threshold_)


def test_a_transformed_target() -> None:
    model = TransformedTargetRegressor(mercer.SVR(), func=np.log, inverse_func=np.exp).fit(X[["age", "job"]], X["pay"])
    expected = np.exp(mercer.SVR().fit(X[["age", "job"]], np.log(X["pay"])).predict(X[["age", "job"]]))
    np.testing.assert_allclose(model.predict(X[["age", "job"]]), expected, rtol=1e-6)


def test_weights_are_routed_through_a_pipeline() -> None:
    weight = np.where(np.arange(N) % 3, 1.0, 0.0)
    with config_context(enable_metadata_routing=True):
        learner = mercer.SVC().set_fit_request(sample_weight=True)
        accuracy = get_scorer("accuracy").set_score_request(sample_weight=True)
        model = make_pipeline(Impute(), learner).fit(X, Y, sample_weight=weight)
        scores = cross_validate(model, X, Y, params={"sample_weight": weight}, scoring=accuracy, cv=3)["test_score"]
    kept = weight > 0
    filled = Impute().fit(X).transform(X)
    expected = mercer.SVC().fit(filled[kept], Y[kept])
    np.testing.assert_array_equal(model[-1].n_support_, expected.n_support_)
    assert scores.shape == (3,) and np.isfinite(scores).all()
