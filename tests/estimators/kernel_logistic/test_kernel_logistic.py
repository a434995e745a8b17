"""Kernel logistic regression against scikit-learn's with a linear kernel, its certificate, its search, mixed tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import mercer
from mercer.errors import MercerError
from mercer.kernels import RBF, Lin

IRIS, SPECIES = load_iris(return_X_y=True)
ROWS = np.r_[0:12, 50:64, 100:115]
X, Y = IRIS[ROWS], np.array(["setosa", "versicolor", "virginica"])[SPECIES[ROWS]]
RNG = np.random.default_rng(0)
WEIGHT = RNG.uniform(0.2, 2, len(X))
KERNEL = RBF(0.5)


@pytest.mark.parametrize("cost", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("y", [Y, Y == "virginica"], ids=["three classes", "two"])
def test_a_linear_kernel_gives_logistic_regression(cost: float, y: Any) -> None:
    ours = mercer.KernelLogisticRegression(cost, kernel="linear", tol=1e-12).fit(X, y, WEIGHT)
    theirs = LogisticRegression(C=cost, tol=1e-10, max_iter=10_000).fit(X, y, WEIGHT)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    assert_allclose(ours.dual_coef_ @ X, theirs.coef_, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("y", [Y, Y == "virginica"], ids=["three classes", "two"])
def test_the_solution_has_the_slope_of_the_losses_as_coefficients(y: Any) -> None:
    model = mercer.KernelLogisticRegression(3.0, kernel=KERNEL, tol=1e-14).fit(X, y, WEIGHT)
    p = model.predict_proba(X)
    classes = (np.asarray(y)[:, None] == model.classes_).astype(float)
    expected = (3.0 * WEIGHT[:, None] * (classes - p))[:, 1 if p.shape[1] == 2 else 0 :]
    assert_allclose(model.dual_coef_.T, expected, atol=1e-6)
    assert_allclose(expected.sum(axis=0), 0, atol=1e-9)
    assert 0 <= model.duality_gap_ <= 1e-14 * model.primal_


def test_the_gap_bounds_what_is_left_to_gain() -> None:
    best = mercer.KernelLogisticRegression(10.0, kernel=KERNEL, tol=1e-14).fit(X, Y).primal_
    for steps in (1, 2, 3):
        with pytest.warns(ConvergenceWarning, match=r"stopped after .* duality gap of .*max_iter"):
            early = mercer.KernelLogisticRegression(10.0, kernel=KERNEL, tol=1e-14, max_iter=steps).fit(X, Y)
        assert early.primal_ - best <= early.duality_gap_ * (1 + 1e-9)


def test_classes_that_separate_have_a_finite_solution() -> None:
    model = mercer.KernelLogisticRegression(1e6, gamma=5.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert np.isfinite(model.dual_coef_).all() and model.score([[0.0], [3.0]], [0, 1]) == 1


def test_products_of_a_matrix_that_does_not_fit() -> None:
    whole = mercer.KernelLogisticRegression(5.0).fit(X, Y)
    parts = mercer.KernelLogisticRegression(5.0, cache_size=1e-3).fit(X, Y)
    assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-6)


def test_rows_of_weight_zero_are_left_out_also_of_a_precomputed_kernel() -> None:
    weight = np.where(np.arange(len(X)) % 3 == 0, 0.0, WEIGHT)
    kept = weight > 0
    gram = KERNEL.fit(X).gram(X)
    given = mercer.KernelLogisticRegression(kernel="precomputed", tol=1e-12).fit(gram, Y, weight)
    alone = mercer.KernelLogisticRegression(kernel=KERNEL, tol=1e-12).fit(X[kept], Y[kept], weight[kept])
    assert_allclose(given.predict_proba(gram), alone.predict_proba(X), atol=1e-6)
    assert (given.support_ == np.flatnonzero(kept)).all()


def test_the_search_is_that_of_leaving_folds_out() -> None:
    grid, folds = {"C": [0.1, 10.0], "gamma": [0.1, 1.0]}, StratifiedKFold(3)
    model = mercer.KernelLogisticRegression(tol=1e-10)
    ours = mercer.tune(model, X, Y, grid, cv=folds, scoring="neg_log_loss")
    theirs = GridSearchCV(model, grid, cv=folds, scoring="neg_log_loss").fit(X, Y)
    assert_allclose(ours.mean.T.ravel(), theirs.cv_results_["mean_test_score"], rtol=1e-4)
    assert ours.best_params == theirs.best_params_
    found = clone(model).set_params(C="cv", gamma="cv", grid=mercer.Grid(**grid, cv=3)).fit(X, Y)
    assert found.tuning_.best_params == {"C": found.C_, "gamma": found.gamma_}


def test_a_mixed_table_and_a_file(tmp_path: Path) -> None:
    table = {"length": np.where(RNG.random(len(X)) < 0.1, np.nan, X[:, 2]), "wide": np.where(X[:, 3] > 1, "y", "n")}
    for kernel in ("rbf", mercer.kernels.Encoded(RBF(0.5)) + Lin()):
        model = mercer.KernelLogisticRegression("cv", kernel=kernel, class_weight="balanced").fit(table, Y)
        assert model.score(table, Y) > 0.8
        mercer.save(model, tmp_path / "model.mercer")
        again = mercer.load(tmp_path / "model.mercer")
        np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
        assert again.duality_gap_ == model.duality_gap_


def test_bad_input_is_refused_in_words() -> None:
    with pytest.raises(MercerError, match="too large to compare"):
        mercer.KernelLogisticRegression(kernel="linear").fit([[1e200], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        mercer.KernelLogisticRegression().fit(X, np.zeros(len(X)))


@pytest.mark.parametrize("weight", [1e-300, 1e-200, 1e-30])
def test_a_class_without_weight_among_rows_of_tiny_weights_has_no_share(weight: float) -> None:
    rows = np.arange(12.0)[:, None]
    labels = np.repeat(["a", "b", "c"], [3, 4, 5])
    model = mercer.KernelLogisticRegression(class_weight={"a": 0.0})
    found = model.fit(rows, labels, sample_weight=np.full(12, weight)).predict_proba(rows)
    np.testing.assert_allclose(found, np.tile([0, 4 / 9, 5 / 9], (12, 1)), atol=1e-8)
