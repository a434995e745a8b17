"""SVDD against OneClassSVM where they coincide, a general solver where they do not, and the laws of a smallest ball."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import mercer
from mercer.errors import MercerError
from mercer.kernels import RBF, Linear, Overlap, Polynomial

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2)) * [1, 3] + [5, -2]
NEW = RNG.normal(size=(60, 2)) * 6


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.9])
def test_a_constant_diagonal_gives_the_one_class_machine(nu: float) -> None:
    ball = mercer.SVDD(gamma=0.1, nu=nu, tol=1e-10).fit(X)
    plane = mercer.OneClassSVM(gamma=0.1, nu=nu, tol=1e-10).fit(X)
    assert_allclose(ball.dual_coef_, plane.dual_coef_ / (nu * len(X)), atol=1e-8)
    assert_allclose(ball.decision_function(NEW), 2 * plane.decision_function(NEW) / (nu * len(X)), atol=1e-7)
    assert (ball.predict(NEW) == plane.predict(NEW)).all()


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(gamma=0.1, degree=2, coef0=1), RBF(0.2) + Linear()], ids=repr)
def test_the_ball_is_that_of_a_general_solver(kernel: Any) -> None:
    model = mercer.SVDD(kernel=kernel, nu=0.3, tol=1e-10).fit(X)
    gram, n = model.kernel_.gram(X), len(X)
    box = [(0.0, 1 / (0.3 * n))] * n
    total = {"type": "eq", "fun": lambda a: a.sum() - 1, "jac": lambda a: np.ones(n)}

    def cost(a: Any) -> tuple[float, Any]:
        return a @ gram @ a - a @ gram.diagonal(), 2 * gram @ a - gram.diagonal()

    found = minimize(cost, np.full(n, 1 / n), jac=True, bounds=box, constraints=total, method="SLSQP", tol=1e-14)
    alpha = np.zeros(n)
    alpha[model.support_] = model.dual_coef_[0]
    assert_allclose(cost(alpha)[0], found.fun, rtol=1e-7)
    assert_allclose(alpha.sum(), 1)
    distance = gram.diagonal() - 2 * gram @ alpha + alpha @ gram @ alpha
    assert_allclose(model.score_samples(X), -distance, rtol=1e-7, atol=1e-9)
    primal = model.radius_**2 + np.maximum(distance - model.radius_**2, 0).sum() / (0.3 * n)
    assert_allclose(primal, -found.fun, rtol=1e-6)  # no duality gap: the radius is the best for this centre


def test_a_hard_ball_holds_all_rows_and_touches_some() -> None:
    model = mercer.SVDD(kernel="linear", nu=1e-6, tol=1e-10).fit(X)
    distance = np.linalg.norm(X - model.dual_coef_ @ X[model.support_], axis=1)
    assert_allclose(distance.max(), model.radius_, rtol=1e-6)
    assert (np.abs(distance[model.support_] - model.radius_) < 1e-5 * model.radius_).all()
    assert (model.predict(X) == 1).all()


def test_nu_bounds_outliers_and_support_vectors() -> None:
    for nu in (0.1, 0.5):
        model = mercer.SVDD(kernel="linear", nu=nu, tol=1e-8).fit(X)
        assert (model.predict(X) == -1).mean() <= nu <= len(model.support_) / len(X)


def test_a_mixed_table_and_a_file(tmp_path: Path) -> None:
    table = {"x": np.where(RNG.random(40) < 0.2, np.nan, X[:, 0]), "c": np.where(X[:, 1] > 0, "a", "b")}
    for kernel in ("mixed", mercer.kernels.Encoded(Linear(on="x")) + Overlap(on="c")):
        model = mercer.SVDD(kernel=kernel, nu=0.2).fit(table)
        mercer.save(model, tmp_path / "model.mercer")
        again = mercer.load(tmp_path / "model.mercer")
        np.testing.assert_array_equal(again.decision_function(table), model.decision_function(table))
        assert again.radius_ == model.radius_


def test_a_precomputed_matrix_is_refused_in_words() -> None:
    with pytest.raises(MercerError, match=r"compares a new row with itself.*OneClassSVM"):
        mercer.SVDD(kernel="precomputed").fit(X @ X.T)
