"""CoreVectorMachine against LIBLINEAR, the exact ball by SVDD and by least squares, mixed tables, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import nnls
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import mercer
from mercer.errors import MercerError
from mercer.kernels import RBF, Lin, Linear, Normalise

RNG = np.random.default_rng(0)
X, Y = make_moons(80, noise=0.25, random_state=0)
SIGNS = np.where(Y == 1, 1.0, -1.0)
WEIGHT = RNG.uniform(0.2, 3, 80)
IRIS, SPECIES = load_iris(return_X_y=True)


def ball_matrix(gram: Any, cost: Any) -> Any:
    """M of the dual min a'Ma over the simplex."""
    return np.outer(SIGNS, SIGNS) * (gram + 1) + np.diag(1 / cost)


def exact_value(matrix: Any) -> float:
    """min a'Ma by non-negative least squares: with M = L L', min_a |L'a|^2 + m (sum(a) - 1)^2, then scaled to sum 1."""
    factor = np.linalg.cholesky(matrix)
    found, _ = nnls(np.vstack([factor.T, np.ones((1, len(matrix)))]), np.append(np.zeros(len(matrix)), 1.0))
    found /= found.sum()
    return float(found @ matrix @ found)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["alike", "weighted"])
def test_a_linear_kernel_gives_the_plane_of_liblinear(weight: Any) -> None:
    model = mercer.CoreVectorMachine(2.0, kernel="linear", tol=1e-11).fit(X, Y, weight)
    liblinear = LinearSVC(C=1.0, tol=1e-10, max_iter=200_000).fit(X, Y, weight)  # whose loss has no half
    assert_allclose(model.dual_coef_ @ X[model.support_], liblinear.coef_, atol=1e-6)
    assert_allclose(model.intercept_, liblinear.intercept_, atol=1e-6)


def test_any_kernel_is_the_linear_machine_in_its_space() -> None:
    gram = RBF(0.7).fit(X).gram(X)
    values, vectors = np.linalg.eigh(gram)
    features = vectors * np.sqrt(np.maximum(values, 0))
    liblinear = LinearSVC(C=2.5, tol=1e-10, max_iter=200_000).fit(features, Y)
    for rows, kernel in ((X, RBF(0.7)), (gram, "precomputed")):
        model = mercer.CoreVectorMachine(5.0, kernel=kernel, tol=1e-11).fit(rows, Y)
        assert_allclose(model.decision_function(rows), liblinear.decision_function(features), atol=1e-5)


@pytest.mark.parametrize("tol", [0.1, 1e-2, 1e-4, 1e-8])
@pytest.mark.parametrize("kernel", [RBF(2.0), Normalise(Linear()), Linear()], ids=["rbf", "normalised", "linear"])
def test_the_exact_ball_is_within_the_measured_guarantee(kernel: Any, tol: float) -> None:
    model = mercer.CoreVectorMachine(3.0, kernel=kernel, tol=tol).fit(X, Y, WEIGHT)
    matrix = ball_matrix(model.kernel_.gram(X), 3.0 * WEIGHT)
    radius, guarantee = model.radius_[0], model.guarantee_[0]
    exact = np.sqrt(matrix.diagonal().max() - exact_value(matrix))
    assert 0 <= guarantee <= tol
    assert radius <= exact * (1 + 1e-9) and exact <= (1 + guarantee) * radius * (1 + 1e-9)
    a = np.zeros(80)
    a[model.support_] = np.abs(model.dual_coef_[0]) / np.abs(model.dual_coef_[0]).sum()
    distance = np.sqrt(matrix.diagonal().max() + a @ matrix @ a - 2 * matrix @ a)
    assert_allclose(distance.max() / radius - 1, guarantee, atol=1e-9)


def test_the_ball_is_that_of_svdd_where_the_diagonal_is_constant() -> None:
    model = mercer.CoreVectorMachine(2.0, kernel=RBF(1.0), tol=1e-10).fit(X, Y)
    features = np.linalg.cholesky(ball_matrix(model.kernel_.gram(X), np.full(80, 2.0)))
    ball = mercer.SVDD(kernel="linear", nu=1e-6, tol=1e-9).fit(features)
    assert_allclose(model.radius_[0], ball.radius_, rtol=1e-6)


def test_a_looser_ball_has_a_smaller_core_set_and_samples_find_it_in_a_long_table() -> None:
    rows, sides = make_moons(3000, noise=0.1, random_state=1)
    loose, tight = (
        mercer.CoreVectorMachine(gamma=2.0, C=100.0, tol=tol, random_state=0).fit(rows, sides) for tol in (1e-2, 1e-4)
    )
    assert loose.n_core_[0] < tight.n_core_[0] < 1000
    assert loose.guarantee_[0] <= 1e-2 and tight.guarantee_[0] <= 1e-4
    assert tight.score(rows, sides) > 0.99
    again = mercer.CoreVectorMachine(gamma=2.0, C=100.0, tol=1e-4, random_state=0).fit(rows, sides)
    np.testing.assert_array_equal(again.support_, tight.support_)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_several_classes_and_a_mixed_table_and_a_file(multi_class: Any, tmp_path: Path) -> None:
    names = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
    model = mercer.CoreVectorMachine(multi_class=multi_class).fit(IRIS, names)
    assert model.score(IRIS, names) > 0.95 and model.decision_function(IRIS).shape == (150, 3)
    table = {"length": np.where(RNG.random(150) < 0.1, np.nan, IRIS[:, 2]), "wide": np.where(IRIS[:, 3] > 1, "y", "n")}
    for kernel in ("rbf", mercer.kernels.Encoded(RBF(0.5)) + Lin()):
        model = mercer.CoreVectorMachine(multi_class=multi_class, kernel=kernel, class_weight="balanced")
        model.fit(table, names)
        assert model.score(table, names) > 0.85
        mercer.save(model, tmp_path / "model.mercer")
        again = mercer.load(tmp_path / "model.mercer")
        np.testing.assert_array_equal(again.decision_function(table), model.decision_function(table))
        for name in ("n_core_", "radius_", "guarantee_", "n_iter_", "n_support_"):
            np.testing.assert_array_equal(getattr(again, name), getattr(model, name))


@pytest.mark.parametrize("limit", [{"max_iter": 3}, {"time_limit": 1e-9}, {"cache_size": 1e-3}], ids=str)
def test_a_limit_leaves_a_usable_model_and_says_how_far_it_is(limit: Any) -> None:
    with pytest.warns(ConvergenceWarning, match="of the radius beyond it"):
        model = mercer.CoreVectorMachine(**limit).fit(X, Y)
    assert model.guarantee_[0] > 1e-6 and model.n_core_[0] < 20
    assert model.predict(X).shape == (80,)


def test_rows_of_no_weight_and_a_weight_next_to_nothing_count_as_nothing() -> None:
    weight = np.where(np.arange(80) % 3 == 0, 0.0, 1.0)
    left_out = mercer.CoreVectorMachine(gamma=1.0, tol=1e-10).fit(X[weight > 0], Y[weight > 0])
    for least in (0.0, 1e-12, 1e-300):
        model = mercer.CoreVectorMachine(gamma=1.0, tol=1e-10).fit(X, Y, np.maximum(weight, least))
        assert_allclose(model.decision_function(X), left_out.decision_function(X), atol=1e-6)


def test_bad_input_is_refused_in_words() -> None:
    for gram in (-3 * np.eye(80), 10 * np.eye(80) - 5):
        with pytest.raises(MercerError, match="is not positive semi-definite: no ball"):
            mercer.CoreVectorMachine(kernel="precomputed").fit(gram, Y)
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        mercer.CoreVectorMachine().fit(X, np.zeros(80))
    with pytest.raises(MercerError, match="multi_class"):
        mercer.CoreVectorMachine(multi_class="all").fit(X, Y)  # type: ignore[arg-type]
