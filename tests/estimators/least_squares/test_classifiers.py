"""KernelRidgeClassifier, LSSVC and LSSVR against closed forms, rows left out in truth, and on mixed tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_predict

import mercer
from mercer.errors import MercerError
from mercer.kernels import RBF, Lin

IRIS, SPECIES = load_iris(return_X_y=True)
ROWS = np.r_[0:10, 50:62, 100:113]
X, Y = IRIS[ROWS], np.array(["setosa", "versicolor", "virginica"])[SPECIES[ROWS]]
RNG = np.random.default_rng(0)
WEIGHT = RNG.uniform(0.5, 2, len(X))


def test_a_linear_kernel_gives_ridge_with_and_without_an_intercept() -> None:
    plain = mercer.KernelRidgeClassifier(0.5, kernel="linear").fit(X, Y, WEIGHT)
    assert_allclose(
        plain.decision_function(X),
        RidgeClassifier(0.5, fit_intercept=False).fit(X, Y, WEIGHT).decision_function(X),
        atol=1e-8,
    )
    shifted = mercer.LSSVC(2.0, kernel="linear").fit(X, Y, WEIGHT)
    theirs = RidgeClassifier(0.5).fit(X, Y, WEIGHT)
    assert_allclose(shifted.decision_function(X), theirs.decision_function(X), atol=1e-8)
    assert_allclose(shifted.intercept_, theirs.intercept_, atol=1e-8)
    number = mercer.LSSVR(2.0, kernel="linear").fit(X[:, 1:], X[:, 0], WEIGHT)
    assert_allclose(number.predict(X[:, 1:]), Ridge(0.5).fit(X[:, 1:], X[:, 0], WEIGHT).predict(X[:, 1:]), atol=1e-8)


def test_the_coefficients_solve_the_bordered_system() -> None:
    two = Y != "virginica"
    model = mercer.LSSVC(3.0, gamma=0.5).fit(X[two], Y[two])
    gram = RBF(0.5).fit(X[two]).gram(X[two])
    n = len(gram)
    matrix = np.block([[gram + np.eye(n) / 3, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    expected = np.linalg.solve(matrix, np.append(np.where(Y[two] == "versicolor", 1.0, -1.0), 0.0))
    assert_allclose(model.dual_coef_[0], expected[:n], atol=1e-9)
    assert_allclose(model.intercept_, expected[n:], atol=1e-9)
    assert model.residual_ < 1e-12 and abs(model.dual_coef_.sum()) < 1e-9


@pytest.mark.parametrize("strategy", ["ovr", "ovo", "ecoc"])
def test_accuracy_of_the_search_is_that_of_leaving_out_each_row(strategy: Any) -> None:
    grid = mercer.Grid(C=[0.01, 1.0], gamma=[0.1])
    found = mercer.LSSVC("cv", gamma="cv", multi_class=strategy, grid=grid).fit(X, Y)
    for place, cost in enumerate((0.01, 1.0)):
        alone = mercer.LSSVC(cost, gamma=0.1, multi_class=strategy)
        left_out = cross_val_predict(alone, X, Y, cv=LeaveOneOut())
        assert found.tuning_.mean[0, place] == pytest.approx(np.mean(left_out == Y))


def test_tune_leaves_out_folds_of_each_strategy() -> None:
    for strategy in ("ovr", "ovo"):
        model = mercer.LSSVC(multi_class=strategy)
        found = mercer.tune(model, X, Y, {"C": [0.1, 10.0], "gamma": [0.1]}, cv=3)
        alone = [clone(model).set_params(C=c, gamma=0.1) for c in (0.1, 10.0)]
        from_outside = [[e.fit(X[tr], Y[tr]).score(X[te], Y[te]) for tr, te in _folds()] for e in alone]
        assert_allclose(found.scores[0], from_outside)


def _folds() -> Any:
    return StratifiedKFold(3).split(X, Y)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_probabilities_agree_with_the_class(method: Any) -> None:
    for model in (
        mercer.LSSVC(probability=method),
        mercer.LSSVC(probability=method, multi_class="ovo"),
        mercer.KernelRidgeClassifier(0.1, probability=method),
    ):
        found = model.fit(X, Y).predict_proba(X)
        assert_allclose(found.sum(axis=1), 1)
        assert (model.classes_[found.argmax(axis=1)] == model.predict(X)).all()
    with pytest.raises(AttributeError, match="probability='sigmoid'"):
        mercer.LSSVC().fit(X, Y).predict_proba(X)
    with pytest.raises(MercerError, match="probability needs a factorisation"):
        mercer.LSSVC(probability=method, solver="cg").fit(X, Y)


def test_a_mixed_table_with_missing_cells_comes_back_from_a_file(tmp_path: Path) -> None:
    table = {"length": np.where(RNG.random(len(X)) < 0.1, np.nan, X[:, 2]), "wide": np.where(X[:, 3] > 1, "y", "n")}
    for model in (
        mercer.LSSVC(C="cv", gamma="cv", probability="sigmoid", multi_class="ecoc"),
        mercer.KernelRidgeClassifier("cv", kernel=mercer.kernels.Encoded(RBF(0.5)) + Lin()),
    ):
        model.fit(table, Y)
        assert model.score(table, Y) > 0.8
        mercer.save(model, tmp_path / "model.mercer")
        again = mercer.load(tmp_path / "model.mercer")
        np.testing.assert_array_equal(again.decision_function(table), model.decision_function(table))


def test_machines_in_a_library_are_fitted_by_themselves() -> None:
    library = mercer.ModelLibrary([(f"{c}", mercer.LSSVC(C=c, probability="sigmoid")) for c in (1.0, 10.0)], cv=2)
    found = mercer.EnsembleSelection(library).fit(X, Y)
    assert found.score(X, Y) > 0.8
