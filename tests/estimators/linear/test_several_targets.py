"""Linear regression of several targets, and with coefficients held at or above 0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model

import mercer
from mercer.errors import BadFile, BadTarget, MercerError, MercerWarning
from mercer.state import Reader

from .states import changed

RNG = np.random.default_rng(8)
X = RNG.normal(2.0, 1.0, size=(80, 5))
Y = X @ RNG.normal(size=(5, 3)) + RNG.normal(size=(80, 3)) + [0.0, 5.0, -3.0]
WEIGHT = RNG.uniform(0.5, 2.0, 80)
TOWNS = pd.DataFrame({"size": X[:, 0], "town": RNG.choice(["Bonn", "Ulm"], 80), "age": X[:, 1]})


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("method", ["auto", "normal"])
def test_nonnegative_least_squares_is_scikit_learns(method: str, intercept: bool) -> None:
    for k in range(3):
        ours = mercer.LinearRegression(method=method, positive=True, fit_intercept=intercept).fit(X, Y[:, k], WEIGHT)
        theirs = linear_model.LinearRegression(positive=True, fit_intercept=intercept).fit(X, Y[:, k], WEIGHT)
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)
        assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-9)
        assert (ours.coef_ == 0).any()
        sparse = mercer.LinearRegression(method=method, positive=True, fit_intercept=intercept).fit(
            sp.csr_array(X), Y[:, k], WEIGHT
        )
        assert_allclose(sparse.coef_, ours.coef_, atol=1e-9)


def test_nonnegative_least_squares_with_a_penalty() -> None:
    ours = mercer.LinearRegression(positive=True, alpha=3.0).fit(X, Y[:, 0], WEIGHT)
    theirs = linear_model.Ridge(3.0, positive=True, tol=1e-12, max_iter=100_000).fit(X, Y[:, 0], WEIGHT)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.integers(1, 6), st.integers(0, 10_000), st.booleans())
def test_nonnegative_least_squares_is_optimal(n: int, d: int, seed: int, twins: bool) -> None:
    """b >= 0, no slope below 0, and no slope where b > 0; also when columns repeat, or are each other's negatives."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, d)), rng.normal(size=n)
    x = np.column_stack([x, -x, x[:, 0]]) if twins else x
    model = mercer.LinearRegression(positive=True).fit(x, y)
    slope = -(x - x.mean(axis=0)).T @ (y - model.predict(x))
    assert (model.coef_ >= 0).all() and slope.min() > -1e-7
    assert_allclose(slope[model.coef_ > 0], 0.0, atol=1e-7)
    if twins:  # both signs of every column are there: nothing is held back
        free = mercer.LinearRegression(method="svd").fit(x[:, :d], y) if n > d else None
        assert free is None or np.allclose(free.predict(x[:, :d]), model.predict(x), atol=1e-6)


def test_a_summary_without_errors_says_so() -> None:
    model = mercer.LinearRegression(positive=True).fit(X, Y[:, 0])
    summary = model.summary()
    assert np.isnan(summary.coefficients.error).all() and np.isnan(summary["p of F"])
    assert_allclose(summary["R^2"], model.score(X, Y[:, 0]))
    assert_allclose(summary["degrees of freedom"], 80 - 1 - (model.coef_ > 0).sum())
    assert "no standard errors" in summary.title
    assert "standard errors, tests and intervals do not hold" in repr(summary)


def test_nonnegative_least_squares_by_parts_and_constant_columns() -> None:
    with pytest.warns(MercerWarning, match="'x1' = 1"):
        found = mercer.LinearRegression(positive=True).fit(np.column_stack([X[:, 0], np.ones(80)]), X[:, 0])
    assert_allclose(found.coef_, [1.0, 0.0], atol=1e-12)
    whole = mercer.LinearRegression(positive=True).fit(X, Y[:, 1])
    parts = mercer.LinearRegression(positive=True).fit(X[:30], Y[:30, 1]).partial_fit(X[30:], Y[30:, 1])
    assert_allclose(parts.coef_, whole.coef_, atol=1e-9)
    assert np.isnan(parts.summary().coefficients.error).all()


@pytest.mark.parametrize(
    "options", [{"method": "svd"}, {"method": "gradient"}, {"errors": "HC3"}, {"outliers": 3.0}], ids=repr
)
def test_options_that_do_not_go_with_positive(options: dict[str, Any]) -> None:
    with pytest.raises(MercerError, match="positive=True with"):
        mercer.LinearRegression(positive=True, **options).fit(X, Y[:, 0])


def test_no_leverage_with_positive() -> None:
    with pytest.raises(MercerError, match="positive=False"):
        mercer.LinearRegression(positive=True).fit(X, Y[:, 0]).diagnostics(X, Y[:, 0])


@pytest.mark.parametrize("options", [{}, {"method": "normal"}, {"alpha": 2.0}, {"method": "svd"}, {"positive": True}])
def test_several_targets_are_as_many_models(options: dict[str, Any]) -> None:
    model = mercer.LinearRegression(**options).fit(TOWNS, Y, WEIGHT)
    single = [mercer.LinearRegression(**options).fit(TOWNS, y, WEIGHT) for y in Y.T]
    assert model.coef_.shape == (3, 3) and model.intercept_.shape == (3,)
    assert_allclose(model.coef_, [m.coef_ for m in single], atol=1e-10)
    assert_allclose(model.predict(TOWNS), np.column_stack([m.predict(TOWNS) for m in single]), atol=1e-9)
    assert_allclose(model.models_[1].summary()["R^2"], single[1].summary()["R^2"])
    assert_allclose(model.models_[2].fit_.inference.covariance, single[2].fit_.inference.covariance, atol=1e-9)
    scores = [m.score(TOWNS, y, WEIGHT) for m, y in zip(single, Y.T, strict=True)]
    assert_allclose(model.score(TOWNS, Y, WEIGHT), np.mean(scores))


def test_targets_as_scikit_learn_gives_them() -> None:
    theirs = linear_model.LinearRegression().fit(X, Y)
    for targets in (Y, pd.DataFrame(Y, columns=["a", "b", "c"])):
        ours = mercer.LinearRegression().fit(X, targets)
        assert_allclose(ours.coef_, theirs.coef_)
        assert_allclose(ours.intercept_, theirs.intercept_)
        assert_allclose(ours.predict(X), theirs.predict(X))
    one = mercer.LinearRegression().fit(X, Y[:, :1])
    assert one.coef_.shape == (1, 5) and one.predict(X).shape == (80, 1)
    flat = one.fit(X, Y[:, 0])  # an earlier fit leaves nothing behind
    assert flat.coef_.shape == (5,) and not hasattr(flat, "models_")
    assert not hasattr(flat.fit(X, Y), "fit_")


def test_methods_for_one_target_name_models_in_their_error() -> None:
    model = mercer.LinearRegression().fit(X, Y)
    asked = {
        "summary": (), "explain": (X,), "diagnostics": (X, Y), "partial_fit": (X, Y), "merge": (model,), "blank": ()
    }  # fmt: skip
    for name, args in asked.items():
        with pytest.raises(MercerError, match=rf"{name} is about one target.*3 targets.*models_\[0\]\.{name}"):
            getattr(model, name)(*args)
    with pytest.raises(MercerError, match="fit one target at a time"):
        mercer.LinearRegression(outliers=3.0).fit(X, Y)
    with pytest.raises(BadTarget, match="NaN or infinity"):
        mercer.LinearRegression().fit(X, np.where(Y > 4, np.nan, Y))
    with pytest.warns(MercerWarning, match="1 of 2 coefficients") as told:
        mercer.LinearRegression(method="qr").fit(X[:, [0, 0]], Y)
    assert len(told) == 1


@pytest.mark.parametrize("targets", [Y, Y[:, 0]])
def test_stored_and_read_back(targets: np.ndarray, tmp_path: Path) -> None:
    model = mercer.LinearRegression(positive=True, alpha=0.5).fit(TOWNS, targets)
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert_array_equal(again.predict(TOWNS), model.predict(TOWNS))
    assert (again.positive, again.alpha) == (True, 0.5)
    one = [(m.models_[0] if targets.ndim == 2 else m) for m in (again, model)]
    assert repr(one[0].summary()) == repr(one[1].summary())


def test_a_state_without_or_with_unlike_targets_is_refused() -> None:
    state = mercer.LinearRegression().fit(TOWNS, Y).to_state()
    targets = state["fitted"]["targets"]
    other = mercer.LinearRegression(terms=["age^2"]).fit(TOWNS, Y[:, 0]).to_state()["fitted"]["targets"]
    for wrong in ([], 3, [targets[0] | {"coef": np.zeros(9)}], [*targets, *other]):
        with pytest.raises(BadFile):
            mercer.LinearRegression.from_state(Reader(changed(state, "fitted", targets=wrong)))
