"""Tuning with shared work finds what an exhaustive search on the same folds finds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC

import mercer
from mercer.errors import MercerError
from mercer.kernels import RBF, Exp, Goodall3, Kernel, Lin, Overlap

GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.003, 0.03, 0.3]}


def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return (X[:300] - X.mean(axis=0)) / X.std(axis=0), y[:300]


def exhaustive(estimator: object, X: np.ndarray, y: np.ndarray, scoring: str, cv: object = 5) -> GridSearchCV:
    return GridSearchCV(estimator, GRID, cv=cv, scoring=scoring).fit(X, y)


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "balanced_accuracy"])
def test_two_classes(scoring: str) -> None:
    X, y = cancer()
    theirs = exhaustive(SVC(tol=1e-5), X, y, scoring)
    ours = mercer.tune(mercer.SVC(tol=1e-5), X, y, GRID, scoring=scoring)
    assert ours.best_params == theirs.best_params_
    assert ours.best_score == pytest.approx(theirs.best_score_, abs=1e-4)
    every = mercer.tune(mercer.SVC(tol=1e-5), X, y, GRID, scoring=scoring, gap=0)
    assert every.exact.all()
    np.testing.assert_allclose(every.mean, theirs.cv_results_["mean_test_score"].reshape(3, 3).T, atol=1e-3)


def test_several_classes_and_the_shape_of_the_scores() -> None:
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    theirs = exhaustive(SVC(), X, names, "accuracy")
    ours = mercer.tune(mercer.SVC(), X, names, GRID)
    assert ours.best_params == theirs.best_params_
    assert ours.scores.shape == (3, 3, 5)
    assert ours.standard_error.shape == (3, 3)
    assert ours.one_se_params["C"] <= ours.best_params["C"]
    assert "accuracy" in str(ours)
    assert set(ours.best_estimator.predict(X)) == set("abc")


def test_regression() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=120)
    folds = KFold(4, shuffle=True, random_state=1)
    theirs = exhaustive(SVR(), X, y, "neg_mean_squared_error", folds)
    ours = mercer.tune(mercer.SVR(), X, y, GRID, cv=folds, scoring="neg_mean_squared_error")
    assert ours.best_params == theirs.best_params_
    assert ours.best_score == pytest.approx(theirs.best_score_, rel=1e-2)


def test_a_mixed_table() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=90), "b": rng.choice(["x", "y", "z"], 90)})
    X.loc[::10, "a"] = np.nan
    y = (X["a"].fillna(0) > 0) ^ (X["b"] == "x")
    found = mercer.tune(mercer.SVC(), X, y.to_numpy(), {"C": [0.1, 10.0], "gamma": [0.1, 1.0]}, cv=3)
    assert found.best_score > 0.8


def mixed_rows(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    return pd.DataFrame({"a": rng.normal(size=n), "b": rng.choice(["x", "y", "z"], n), "c": rng.choice(["u", "v"], n)})


@pytest.mark.parametrize("kernel", [RBF(0.5) + Lin(), RBF(0.5) * Exp(Overlap()), Goodall3()], ids=repr)
def test_composite_and_categorical_kernels_against_their_matrix(kernel: Kernel) -> None:
    X = mixed_rows(120)
    gram = clone(kernel).fit(X).gram(X)
    sign = X["a"] * (X["b"] != "x") + (X["c"] == "u") - 0.5
    noise = np.random.default_rng(3).normal(size=120)
    costs = {"C": [0.03, 0.3, 3.0, 30.0]}
    folds = KFold(4, shuffle=True, random_state=0)
    classes, numbers = np.where(sign + 0.5 * noise > 0, "yes", "no"), (sign + 0.3 * noise).to_numpy()
    for ours, theirs, y in ((mercer.SVC, SVC, classes), (mercer.SVR, SVR, numbers)):
        found = mercer.tune(ours(kernel=kernel, tol=1e-5), X, y, costs, cv=folds)
        whole = GridSearchCV(theirs(kernel="precomputed", tol=1e-5), costs, cv=folds).fit(gram, y)
        assert found.best_params == whole.best_params_
        assert found.best_score == pytest.approx(whole.best_score_, abs=2e-3)
        given = mercer.tune(ours(kernel="precomputed", tol=1e-5), gram, y, costs, cv=folds)
        assert given.best_params == whole.best_params_


def test_regression_over_epsilons_and_in_units_of_the_target() -> None:
    X, noise = mixed_rows(120)[["a"]].to_numpy(), np.random.default_rng(3).normal(size=120)
    y = 50 * np.sin(2 * X[:, 0]) + 5 * noise
    folds = KFold(4, shuffle=True, random_state=0)
    grid = {"C": [5.0, 50.0, 500.0], "epsilon": [0.5, 5.0], "gamma": [0.1, 1.0]}
    ours = mercer.tune(mercer.SVR(tol=1e-4), X, y, grid, cv=folds)
    theirs = GridSearchCV(SVR(tol=1e-4), grid, cv=folds).fit(X, y)
    assert ours.best_params == theirs.best_params_
    unit = float(np.std(y))
    inside = {
        "C": [c / unit for c in grid["C"]],
        "epsilon": [e / unit for e in grid["epsilon"]],
        "gamma": grid["gamma"],
    }
    scaled = mercer.tune(mercer.SVR(relative=True, tol=1e-4), X, y, inside, cv=folds)
    np.testing.assert_allclose(scaled.mean, ours.mean, atol=2e-3)
    assert "r2" in str(scaled)


def test_a_race_finds_the_same_winner() -> None:
    X, y = cancer()
    grid = {"C": [1e-4, 1.0, 10.0], "gamma": [1e-6, 0.03, 30.0]}
    whole, raced = (mercer.tune(mercer.SVC(), X, y, grid, race=race) for race in (False, True))
    assert raced.best_params == whole.best_params
    assert raced.rejected.any()
    assert "(" in str(raced)


def test_a_factor_of_the_gammas_in_a_kernel() -> None:
    X = mixed_rows(90)
    y = (X["a"] > 0) ^ (X["b"] == "x")
    found = mercer.tune(mercer.SVC(kernel=RBF(0.5) + Lin()), X, y, {"C": [1.0, 10.0], "gamma": [0.5, 2.0]})
    assert found.best_estimator.kernel.k1.gamma == 0.5 * found.best_params["gamma"]
    assert found.best_params["C"] == found.best_estimator.C


@pytest.mark.parametrize(
    ("grid", "scoring", "message"),
    [
        ({"c": [1.0]}, None, "Did you mean 'C'"),
        ({"C": [0.0]}, None, "above 0"),
        ({"C": []}, None, "at least one number"),
        ({"gamma": [-1.0]}, None, "at least one number"),
        ({"C": [1.0]}, "roc_auc", "3 classes"),
        ({}, None, "nothing to try"),
        ({"epsilon": [0.1]}, None, "'epsilon' cannot be shared"),
    ],
)
def test_refusals(grid: dict[str, list[float]], scoring: str | None, message: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(MercerError, match=message):
        mercer.tune(mercer.SVC(), X, y, grid, scoring=scoring)


def test_nu_in_place_of_cost() -> None:
    X, y = cancer()
    grid = {"nu": [0.05, 0.2, 0.4], "gamma": [0.003, 0.03]}
    ours = mercer.tune(mercer.NuSVC(tol=1e-5), X, y, grid)
    theirs = GridSearchCV(NuSVC(tol=1e-5), grid, cv=5).fit(X, y)
    assert ours.mean.shape == (2, 3)
    np.testing.assert_allclose(ours.mean.ravel(), theirs.cv_results_["mean_test_score"], atol=5e-3)
    assert ours.best_estimator.get_params()["nu"] == ours.best_params["nu"]
    with pytest.raises(MercerError, match="'C' cannot be shared"):
        mercer.tune(mercer.NuSVC(), X, y, {"C": [1.0]})
    with pytest.raises(MercerError, match="NaiveBayes has none to share"):
        mercer.tune(mercer.NaiveBayes(), X, y, {"C": [1.0]})


def test_linear_svms() -> None:
    X, y = cancer()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    grid = {"C": [0.001, 0.01, 1.0]}
    ours = mercer.tune(mercer.LinearSVC(tol=1e-6, max_iter=10_000), X, y, grid)
    theirs = GridSearchCV(LinearSVC(tol=1e-6, max_iter=10_000), grid, cv=5).fit(X, y)
    np.testing.assert_allclose(ours.mean.ravel(), theirs.cv_results_["mean_test_score"], atol=5e-3)
    assert ours.best_estimator.C == ours.best_params["C"] == theirs.best_params_["C"]
