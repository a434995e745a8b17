"""KernelRidge on features of the kernel: beside the exact machine, with its evidence, from stored state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score

from mercer import Grid, KernelRidge
from mercer.errors import MercerError
from mercer.state import Reader

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=120)
BOTH = np.column_stack([Y, X[:, 1] ** 2])
MIXED = pd.DataFrame({"a": np.where(RNG.random(120) < 0.1, np.nan, X[:, 0]), "b": RNG.choice(["x", "y", None], 120)})


@pytest.mark.parametrize("alpha", [0.1, [0.1, 2.0]], ids=["one", "each"])
def test_all_rows_as_landmarks_give_the_exact_machine(alpha: Any) -> None:
    weight = RNG.uniform(0.5, 2, 120)
    exact = KernelRidge(alpha, kernel="rbf").fit(X, BOTH, weight)
    found = KernelRidge(alpha, kernel="rbf", approximation="nystroem", rank=120).fit(X, BOTH, weight)
    assert_allclose(found.predict(X), exact.predict(X), atol=1e-5)
    assert found.residual_ < 1e-9
    assert found.approximation_error_ < 1e-6
    if alpha == 0.1:
        assert_allclose(found.log_marginal_likelihood_, exact.log_marginal_likelihood_, rtol=1e-4)


def test_what_scikit_learn_finds_on_the_same_landmarks() -> None:
    found = KernelRidge(0.3, kernel="rbf", gamma=0.5, approximation="nystroem", rank=20).fit(X, Y)
    z = Nystroem(gamma=0.5, n_components=20, random_state=0).fit(X)
    ridge = Ridge(0.3, fit_intercept=False).fit(z.transform(X), Y)
    assert_array_equal(found.support_, z.component_indices_)
    assert_allclose(found.predict(X), ridge.predict(z.transform(X)), atol=1e-6)


@pytest.mark.parametrize("approximation", ["nystroem", "features"])
def test_mixed_tables_paths_and_stored_state(approximation: Any) -> None:
    model = KernelRidge("cv", kernel="rbf", approximation=approximation, rank=60).fit(MIXED, BOTH)
    exact = KernelRidge("cv", kernel="rbf").fit(MIXED, BOTH)
    assert 0.1 < model.alpha_ / exact.alpha_ < 10
    assert abs(model.score(MIXED, BOTH) - exact.score(MIXED, BOTH)) < 0.1
    again = KernelRidge.from_state(Reader(model.to_state()))
    assert_array_equal(again.predict(MIXED), model.predict(MIXED))
    assert again.approximation_error_ == model.approximation_error_


@pytest.mark.parametrize("criterion", ["loo", "gcv", "evidence"])
def test_a_search_sees_the_approximate_kernel(criterion: Any) -> None:
    weight = RNG.choice([0.0, 1.0, 2.0], 120)
    grid = Grid(alpha=[0.01, 0.1, 1.0], gamma=[0.1, 1.0])
    given = {"alpha": "cv", "kernel": "rbf", "gamma": "cv", "criterion": criterion, "grid": grid}
    exact = KernelRidge(**given).fit(X, Y, weight)
    whole = KernelRidge(**given, approximation="nystroem", rank=120).fit(X, Y, weight)
    assert_allclose(whole.tuning_.mean, exact.tuning_.mean, atol=1e-4, rtol=1e-4)
    few = KernelRidge(0.1, kernel="rbf", gamma=1.0, approximation="nystroem", rank=10)
    found = KernelRidge("cv", kernel="rbf", gamma=1.0, approximation="nystroem", rank=10, grid=Grid(alpha=[0.1])).fit(
        X, Y
    )
    z = Nystroem(gamma=1.0, n_components=10, random_state=0).fit(X).transform(X)
    left_out = [
        Ridge(0.1, fit_intercept=False).fit(np.delete(z, i, 0), np.delete(Y, i)).predict(z[i : i + 1])[0]
        for i in range(120)
    ]
    assert_allclose(found.tuning_.mean.ravel(), r2_score(Y, left_out), rtol=1e-4)
    assert_allclose(few.fit(X, Y).predict(X), found.predict(X))


@pytest.mark.parametrize("solver", ["cholesky", "cg"])
@pytest.mark.parametrize("approximation", ["nystroem", "features"])
def test_polishing_solves_the_system_with_the_penalty_of_the_search(approximation: Any, solver: Any) -> None:
    given = {"kernel": "rbf", "approximation": approximation, "rank": 30, "solver": solver}
    low = KernelRidge("cv", **given).fit(MIXED, BOTH)
    model = KernelRidge("cv", **given, polish=True).fit(MIXED, BOTH)
    exact = KernelRidge(low.alpha_, kernel="rbf").fit(MIXED, BOTH)
    assert model.alpha_ == low.alpha_
    assert model.approximation_error_ == low.approximation_error_ > 0
    assert_allclose(model.predict(MIXED), exact.predict(MIXED), atol=1e-6)
    assert_allclose(model.predict(MIXED, return_std=True)[1], exact.predict(MIXED, return_std=True)[1], atol=1e-6)
    again = KernelRidge.from_state(Reader(model.to_state()))
    assert_array_equal(again.predict(MIXED), model.predict(MIXED))
    assert model.set_params(polish=False).fit(MIXED, BOTH).dual_coef_.shape == low.dual_coef_.shape


def test_what_an_approximation_cannot_do_is_said() -> None:
    model = KernelRidge(kernel="rbf", approximation="nystroem", rank=9).fit(X, Y)
    with pytest.raises(MercerError, match="without approximation"):
        model.predict(X, return_std=True)
    with pytest.raises(MercerError, match="penalty above 0"):
        KernelRidge(0, approximation="nystroem").fit(X, Y)
