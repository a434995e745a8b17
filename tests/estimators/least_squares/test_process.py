"""Intervals of KernelRidge against scikit-learn's Gaussian process, and its scores against machines fitted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as Covariance
from sklearn.gaussian_process.kernels import ConstantKernel
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer.errors import MercerError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = 30 * np.sin(X[:, 0]) + RNG.normal(size=60)
ALPHA, GAMMA = 0.2, 0.3


def noisy_line(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-4, 4, size=(n, 1))
    return x, np.sin(x[:, 0]) + 0.3 * rng.standard_t(2.5, size=n)


def ridge(**settings: Any) -> mercer.KernelRidge:
    return mercer.KernelRidge(ALPHA, kernel="rbf", gamma=GAMMA, **settings)


def process(square: float) -> GaussianProcessRegressor:
    kernel = ConstantKernel(square) * Covariance(np.sqrt(0.5 / GAMMA))
    return GaussianProcessRegressor(kernel, alpha=square * ALPHA, optimizer=None).fit(X, Y)


def test_normal_intervals_are_those_of_the_gaussian_process_of_largest_marginal_likelihood() -> None:
    model = ridge().fit(X, Y)
    square = float(model.scale_[0] ** 2)
    likelihoods = [process(factor * square).log_marginal_likelihood_value_ for factor in (0.9, 1.0, 1.1)]
    assert likelihoods[1] > max(likelihoods[0], likelihoods[2])
    new = RNG.normal(size=(7, 2)) * 2
    mean, deviation = process(square).predict(new, return_std=True)
    expected = norm.interval(0.8, mean, np.sqrt(deviation**2 + square * ALPHA))
    assert_allclose(model.predict_interval(new, level=0.8), np.column_stack(expected), rtol=1e-6)


def by_hand(x: np.ndarray, y: np.ndarray, weight: np.ndarray, out: np.ndarray, row: int, scale: float) -> float:
    """|y - mean| / deviation of a row, the rows `out` left out."""
    model = ridge().fit(x[~out], y[~out], weight[~out])
    mean, function = model.predict(x[row : row + 1], return_std=True)
    return float(np.abs(y[row] - mean[0]) / (scale * np.sqrt(function[0] ** 2 + ALPHA)))


def test_scores_are_those_of_machines_fitted_without_the_row() -> None:
    weight = RNG.uniform(0.5, 2, 60)
    model = ridge(conformal=True).fit(X, Y, weight)
    rows = np.arange(60)
    expected = [by_hand(X, Y, weight, rows == i, i, model.scale_[0]) for i in range(60)]
    assert_allclose(model.conformal_scores_, np.column_stack([expected, weight]), rtol=1e-7)


def test_copies_are_left_out_together_and_are_weights() -> None:
    counts = np.where(np.arange(60) < 15, 3, 1)
    model = ridge(conformal=True).fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts))
    weighted = ridge(conformal=True).fit(X, Y, counts.astype(float))
    assert_allclose(model.scale_, weighted.scale_)
    assert_allclose(model.conformal_scores_[:, 0], np.repeat(weighted.conformal_scores_[:, 0], counts), rtol=1e-6)
    new = X[:5] + 0.1
    assert_allclose(model.predict_interval(new), weighted.predict_interval(new), rtol=1e-6)


def test_conformal_intervals_hold_their_share_of_new_rows() -> None:
    covered: dict[bool, list[float]] = {False: [], True: []}
    for seed in range(6):
        x, y = noisy_line(700, seed)
        for conformal, found in covered.items():
            model = mercer.KernelRidge(1e-4, kernel="rbf", gamma=0.5, conformal=conformal).fit(x[:200], y[:200])
            low, high = model.predict_interval(x[200:], level=0.9).T
            found.append(float(np.mean((low <= y[200:]) & (y[200:] <= high))))
    assert 0.87 < np.mean(covered[True]) < 0.93
    assert abs(np.mean(covered[False]) - 0.9) > 0.02  # heavy tails: a normal deviation is too wide


def test_targets_with_columns_have_intervals_each(tmp_path: Path) -> None:
    both = np.column_stack([Y, 2 * Y])
    for alpha in (ALPHA, [ALPHA, 3.0]):
        model = mercer.KernelRidge(alpha, kernel="rbf", gamma=GAMMA, conformal=True).fit(X, both)
        first = ridge(conformal=True).fit(X, Y)
        assert model.predict_interval(X).shape == (60, 2, 2)
        assert_allclose(model.predict_interval(X)[:, 0], first.predict_interval(X), rtol=1e-7)
        mercer.save(model, tmp_path / "model.mercer")
        np.testing.assert_array_equal(
            mercer.load(tmp_path / "model.mercer").predict_interval(X), model.predict_interval(X)
        )


def test_a_target_of_zeros_and_rows_of_no_weight() -> None:
    weight = (np.arange(60) >= 9).astype(float)
    model = ridge(conformal=True).fit(X, np.zeros(60), weight)
    assert len(model.conformal_scores_) == 51
    np.testing.assert_array_equal(model.predict_interval(X), np.zeros((60, 2)))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"approximation": "nystroem", "rank": 9}, "conformal=True needs the kernel matrix of all training rows"),
        ({"kernel": "precomputed"}, "needs k"),
        ({"cache_size": 0.02}, "Raise cache_size"),
    ],
)
def test_what_has_no_matrix_is_refused(settings: dict[str, Any], said: str) -> None:
    given = {"kernel": "rbf", **settings}
    rows = rbf_kernel(X) if given["kernel"] == "precomputed" else X
    with pytest.raises(MercerError, match=said):
        mercer.KernelRidge(ALPHA, conformal=True, **given).fit(rows, Y)
    if "approximation" in settings:
        with pytest.raises(MercerError, match="predict_interval needs the kernel matrix"):
            mercer.KernelRidge(ALPHA, **given).fit(X, Y).predict_interval(X)


def test_levels_are_shares() -> None:
    for level in (0.0, 1.0, float("nan"), 90):
        with pytest.raises(MercerError, match="level"):
            ridge().fit(X, Y).predict_interval(X, level=level)
