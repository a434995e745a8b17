"""Kernel densities and bins: likelihoods that keep the numbers."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer.errors import BadFile, MercerError
from mercer.likelihoods import Binned, Density
from mercer.likelihoods.density import silverman, weighted_quantiles
from mercer.likelihoods.registry import read_fitted
from mercer.state import Reader


def test_density_is_the_mean_of_normals() -> None:
    model = mercer.NaiveBayes(Density(bandwidth=0.5)).fit([[0.0], [1.0], [3.0]], ["a", "a", "b"])
    scores = model.likelihoods_[0].column_log_prob(mercer.read_table(np.array([[0.2]])))[0, 0]
    normal = lambda d: np.exp(-0.5 * (d / 0.5) ** 2) / (0.5 * np.sqrt(2 * np.pi))  # noqa: E731
    np.testing.assert_allclose(np.exp(scores), [(normal(0.2) + normal(0.8)) / 2, normal(2.8)])


def test_density_on_a_grid_is_the_density() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=5000)[:, None]
    part = mercer.NaiveBayes(Density()).fit(x, np.zeros(5000, int)).likelihoods_[0]
    width = part.widths(part.samples[0])[0]
    queries = np.linspace(-3, 3, 13)
    exact = np.exp(-0.5 * ((queries[:, None] - x.T) / width) ** 2).mean(axis=1) / (width * np.sqrt(2 * np.pi))
    found = part.column_log_prob(mercer.read_table(queries[:, None]))[:, 0, 0]
    np.testing.assert_allclose(np.exp(found), exact, rtol=1e-4)


def test_numbers_that_do_not_vary_take_the_bandwidth_of_all_classes() -> None:
    """0.1 three times has a mean that is not 0.1: rounding is no spread."""
    assert silverman(np.array([0.1]), np.array([3.0])) == 0.0
    x, y = [[0.1], [0.1], [0.1], [2.0], [5.0]], [0, 0, 0, 1, 1]
    density = mercer.NaiveBayes("density").fit(x, y).likelihoods_[0]
    widths = density.widths(density.samples[0])
    assert widths[0] == silverman(np.array([0.1, 2.0, 5.0]), np.array([3.0, 1.0, 1.0]))
    assert widths[0] > 0.1


def test_bandwidth_rules() -> None:
    x = np.array([1.0, 2.0, 4.0, 7.0, 11.0])
    spread, n = x.std(ddof=1), len(x)
    low, high = weighted_quantiles(x, np.ones(n), [0.25, 0.75])
    expected = {
        "root": spread / np.sqrt(n),
        "scott": 1.06 * spread * n**-0.2,
        "silverman": 0.9 * min(spread, (high - low) / 1.34) * n**-0.2,
    }
    for rule, width in expected.items():
        tables = mercer.NaiveBayes(Density(rule)).fit(x[:, None], np.zeros(n, int)).tables()
        assert tables["x0"].rows == ("mean", "bandwidth", "cells")
        np.testing.assert_allclose(tables["x0"].values[:, 0], [5.0, width, 5])


@pytest.mark.parametrize(("cut", "edges"), [("frequency", [2.0, 4.0]), ("width", [4.0, 7.0])])
def test_edges_of_bins(cut: str, edges: list[float]) -> None:
    x = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [10.0]])
    part = mercer.NaiveBayes(Binned(3, cut, "none")).fit(x, [0, 0, 0, 1, 1, 1]).likelihoods_[0]
    found, weights = part.counts(part.samples[0])
    np.testing.assert_allclose(found, edges)
    assert weights.sum() == 6
    beyond = part.column_log_prob(mercer.read_table(np.array([[-50.0], [50.0]])))
    inside = part.column_log_prob(mercer.read_table(np.array([[1.0], [10.0]])))
    np.testing.assert_array_equal(beyond, inside)


def test_one_number_is_one_bin() -> None:
    assert mercer.NaiveBayes("binned").fit([[3.0], [3.0]], [0, 1]).tables()["x0"].rows == ("all",)


@pytest.mark.parametrize(
    ("likelihood", "message"),
    [
        (Density(0.0), "'bandwidth' parameter of Density must be a number above 0 or 'silverman'"),
        (Density("wide"), "'bandwidth'"),
        (Binned(1), "'n_bins' parameter of Binned must be a whole number of at least 2"),
        (Binned(cut="odd"), "'frequency' or 'width'"),
    ],
)
def test_parameters_are_checked(likelihood: object, message: str) -> None:
    with pytest.raises(MercerError, match=message):
        mercer.NaiveBayes(likelihood).fit([[0.0], [1.0]], [0, 1])


def test_a_damaged_sample_is_refused() -> None:
    model = mercer.NaiveBayes("density").fit([[0.0], [1.0]], [0, 1])
    state = model.likelihoods_[0].to_state()
    state["statistics"]["samples"][0]["values"] = np.array([1.0, 0.0])
    with pytest.raises(BadFile, match="must increase"):
        read_fitted(Reader(state), model.schema_, 2)
    state["statistics"]["samples"] = []
    with pytest.raises(BadFile, match="0 samples for 1 columns"):
        read_fitted(Reader(state), model.schema_, 2)
