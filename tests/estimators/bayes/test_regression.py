"""Naive Bayes for numbers: intervals and kernel densities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mercer
from mercer.errors import BadTarget, MercerError
from mercer.likelihoods import Binned, MEstimate
from mercer.likelihoods.density import silverman


@pytest.fixture
def houses() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    n = 600
    size, town = rng.uniform(30, 200, n), rng.choice(["hill", "lake", "port"], n)
    price = 2 * size + pd.Series(town).map({"hill": 0, "lake": 80, "port": 160}).to_numpy() + rng.normal(0, 10, n)
    frame = pd.DataFrame({"size": size, "town": town})
    frame.loc[::11, "size"] = np.nan
    frame.loc[::13, "town"] = None
    return frame, price


@pytest.mark.parametrize("method", ["kernel", "intervals"])
def test_learns(houses: tuple[pd.DataFrame, np.ndarray], method: str) -> None:
    X, y = houses
    model = mercer.NaiveBayesRegressor(method).fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.75
    np.testing.assert_allclose(model.predict_distribution(X[:5]).sum(axis=1), 1)


def test_intervals_predict_midpoints_weighted_by_posteriors() -> None:
    x, y = np.arange(8.0)[:, None], np.array([0.0, 1, 2, 3, 10, 11, 12, 20])
    model = mercer.NaiveBayesRegressor("intervals", n_intervals=2, cut="width").fit(x, y)
    np.testing.assert_allclose(model.points_, [5.0, 15.0])
    classes = (y > 10).astype(int)
    proba = mercer.NaiveBayes().fit(x, classes).predict_proba(x)
    np.testing.assert_allclose(model.predict(x), proba @ [5.0, 15.0])


def test_kernel_method_is_the_ratio_of_kernel_sums() -> None:
    """One numeric column: p(z | x) from the double sum of Frank et al., on the same grid."""
    rng = np.random.default_rng(2)
    x, z = rng.normal(size=4000), rng.normal(size=4000)
    z += x
    model = mercer.NaiveBayesRegressor().fit(x[:, None], z)
    ones = np.ones(4000)
    h_x, h_z = silverman(x, ones), silverman(z, ones)
    kernel = lambda gap, h: np.exp(-0.5 * (gap / h) ** 2)  # noqa: E731
    queries = np.linspace(-1, 1, 5)
    joint = kernel(queries[:, None] - x, h_x) @ kernel(model.points_[None, :] - z[:, None], h_z)
    expected = joint @ model.points_ / joint.sum(axis=1)
    np.testing.assert_allclose(model.predict(queries[:, None]), expected, atol=0.01)


@pytest.mark.parametrize("method", ["kernel", "intervals"])
def test_constant_target_and_unseen_level(method: str) -> None:
    model = mercer.NaiveBayesRegressor(method).fit({"a": ["p", "q", "p"]}, [4.0, 4.0, 4.0])
    assert model.predict({"a": ["never", None]}).tolist() == [4.0, 4.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "knn"}, "'kernel' or 'intervals'"),
        ({"n_intervals": 1}, "at least 2"),
        ({"bandwidth": 1e-320}, "at least 1e-100"),
        ({"cut": "odd"}, "'frequency' or 'width'"),
    ],
)
def test_options_are_checked(options: dict[str, object], message: str) -> None:
    with pytest.raises(MercerError, match=message):
        mercer.NaiveBayesRegressor(**options).fit([[0.0], [1.0]], [0.0, 1.0])


def test_a_target_of_words_is_refused() -> None:
    with pytest.raises(BadTarget, match="must be numbers"):
        mercer.NaiveBayesRegressor().fit([[0.0], [1.0]], ["a", "b"])


@pytest.mark.parametrize(
    "options",
    [
        {"n_intervals": 20, "bandwidth": 2.0, "smoothing": MEstimate(2), "kinds": {"town": ["hill", "lake", "port"]}},
        {"method": "intervals", "cut": "width", "likelihoods": {"size": Binned(4)}, "smoothing": 0.5, "n_jobs": 1},
    ],
    ids=str,
)
def test_a_loaded_model_has_the_parameters_it_was_made_with(
    houses: tuple[pd.DataFrame, np.ndarray], tmp_path: Path, options: dict[str, object]
) -> None:
    X, y = houses
    model = mercer.NaiveBayesRegressor(**options).fit(X, y)
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_new_fit_forgets_the_method_of_the_one_before(houses: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = houses
    model = mercer.NaiveBayesRegressor("intervals").fit(X, y).set_params(method="kernel").fit(X, y)
    np.testing.assert_array_equal(model.predict(X), mercer.NaiveBayesRegressor("kernel").fit(X, y).predict(X))
