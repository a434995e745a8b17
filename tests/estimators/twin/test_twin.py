"""TwinSVC against a general solver of its planes, closed forms of the squared loss, crossing lines, mixed tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.datasets import load_iris, make_moons

import mercer
from mercer.errors import MercerError, TooLarge
from mercer.kernels import RBF, Lin

RNG = np.random.default_rng(0)
X, Y = make_moons(40, noise=0.2, random_state=0)
WEIGHT = RNG.uniform(0.2, 2, 40)
IRIS, SPECIES = load_iris(return_X_y=True)


@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_planes_of_a_linear_kernel_are_those_of_a_general_solver(loss: Any) -> None:
    model = mercer.TwinSVC(2.0, alpha=0.1, loss=loss, kernel="linear", tol=1e-9).fit(X, Y, WEIGHT)
    for code in (0, 1):
        near, far = code == Y, code != Y

        def primal(at: Any, near: Any = near, far: Any = far) -> float:
            f = X @ at[:2] + at[2]
            e = 1 + f[far]
            each = np.maximum(e, 0) if loss == "hinge" else e**2 / 2
            return float(WEIGHT[near] @ f[near] ** 2 / 2 + 2.0 * WEIGHT[far] @ each + 0.1 / 2 * at @ at)

        own = np.append(model.dual_coef_[code] @ X[model.support_], model.intercept_[code])
        found = minimize(primal, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
        assert primal(own) <= found.fun * (1 + 1e-7)
        assert_allclose(own, found.x, atol=1e-3)
        assert_allclose(model.norms_[code], np.linalg.norm(own[:2]), rtol=1e-8)
    assert 0 <= model.duality_gap_ < 1e-6


def test_the_kernel_form_is_the_linear_form_in_the_space_of_the_kernel() -> None:
    gram = RBF(0.7).fit(X).gram(X)
    values, vectors = np.linalg.eigh(gram)
    features = vectors * np.sqrt(np.maximum(values, 0))
    for loss in ("hinge", "squared"):
        given = {"alpha": 0.05, "loss": loss, "tol": 1e-9}
        kernel = mercer.TwinSVC(kernel=RBF(0.7), **given).fit(X, Y)
        linear = mercer.TwinSVC(kernel="linear", **given).fit(features, Y)
        precomputed = mercer.TwinSVC(kernel="precomputed", **given).fit(gram, Y)
        assert_allclose(kernel.decision_function(X), linear.decision_function(features), atol=1e-5)
        assert_allclose(kernel.decision_function(X), precomputed.decision_function(gram), atol=1e-8)


def test_squared_planes_are_ridge_regressions() -> None:
    model = mercer.TwinSVC(3.0, alpha=0.2, loss="squared", kernel=RBF(1.0)).fit(X, Y, WEIGHT)
    for code in (0, 1):
        weight = np.where(code == Y, WEIGHT, 3.0 * WEIGHT)
        ridge = mercer.KernelRidge(0.2, kernel=RBF(1.0) + mercer.kernels.Polynomial(degree=0))
        expected = ridge.fit(X, np.where(code == Y, 0.0, -1.0), weight).predict(X)
        gram = model.kernel_.gram(X)[:, model.support_]
        assert_allclose(gram @ model.dual_coef_[code] + model.intercept_[code], expected, atol=1e-8)


def test_each_class_has_the_line_along_which_it_lies() -> None:
    t = RNG.uniform(0, 1, 60)
    rows = np.r_[np.c_[t, t], np.c_[t, -t / 3]] + RNG.normal(0, 0.01, (120, 2))
    sides = np.repeat([0, 1], 60)
    for loss in ("hinge", "squared"):
        model = mercer.TwinSVC(C=0.02, alpha=1e-4, kernel="linear", loss=loss).fit(rows, sides)
        slopes = -model.dual_coef_ @ rows[model.support_]
        assert_allclose(slopes[:, 0] / slopes[:, 1], [-1, 1 / 3], atol=0.1)
        assert model.score(rows, sides) > 0.9


@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_several_classes_and_a_mixed_table_and_a_file(loss: Any, tmp_path: Path) -> None:
    names = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
    model = mercer.TwinSVC(loss=loss, alpha=0.1).fit(IRIS, names)
    assert model.score(IRIS, names) > 0.95 and model.decision_function(IRIS).shape == (150, 3)
    table = {"length": np.where(RNG.random(150) < 0.1, np.nan, IRIS[:, 2]), "wide": np.where(IRIS[:, 3] > 1, "y", "n")}
    for kernel in ("rbf", mercer.kernels.Encoded(RBF(0.5)) + Lin()):
        model = mercer.TwinSVC(loss=loss, alpha=0.1, kernel=kernel, class_weight="balanced").fit(table, names)
        assert model.score(table, names) > 0.85
        mercer.save(model, tmp_path / "model.mercer")
        again = mercer.load(tmp_path / "model.mercer")
        np.testing.assert_array_equal(again.decision_function(table), model.decision_function(table))


def test_bad_input_is_refused_in_words() -> None:
    with pytest.raises(TooLarge, match="holds the kernel matrix"):
        mercer.TwinSVC(cache_size=1e-3).fit(X, Y)
    with pytest.raises(MercerError, match="not positive definite"):
        mercer.TwinSVC(kernel="precomputed", loss="squared", alpha=1e-3).fit(-np.eye(40), Y)
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        mercer.TwinSVC().fit(X, np.zeros(40))
