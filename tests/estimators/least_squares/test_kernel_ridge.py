"""KernelRidge against scikit-learn, as a Gaussian process, on mixed tables, from files, and with bad input."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.kernel_ridge
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as Covariance
from sklearn.svm import SVR

import mercer
from mercer.errors import BadParameter, BadTable, MercerError, MercerWarning
from mercer.kernels import RBF, Lin

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 3))
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2])
WEIGHT = RNG.uniform(0.5, 2, 50)
MIXED = {
    "age": np.where(RNG.random(50) < 0.1, np.nan, RNG.normal(40, 9, 50)),
    "job": RNG.choice(["clerk", "cook", None], 50),
    "town": RNG.choice(["Ulm", "Bonn"], 50),
}


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "polynomial", "sigmoid", "laplacian", "cosine", "chi2"])
@pytest.mark.parametrize("y", [Y, Y[:, 0]], ids=["two targets", "one"])
def test_what_scikit_learn_gives(kernel: str, y: Any) -> None:
    rows = np.abs(X) if kernel == "chi2" else X
    gamma = 0.7 if kernel == "chi2" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the sigmoid
        ours = mercer.KernelRidge(0.5, kernel=kernel, gamma=gamma).fit(rows, y, WEIGHT)
        theirs = sklearn.kernel_ridge.KernelRidge(0.5, kernel=kernel, gamma=gamma).fit(rows, y, WEIGHT)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-8, atol=1e-10)
    assert_allclose(ours.predict(rows[:5]), theirs.predict(rows[:5]), rtol=1e-8, atol=1e-10)
    assert_allclose(ours.X_fit_, theirs.X_fit_)


def _power(a: Any, b: Any, degree: int = 1) -> float:
    return float((a @ b + 1) ** degree)


def test_functions_of_two_rows_and_penalties_by_target_as_in_scikit_learn() -> None:
    given = {"alpha": [0.1, 2.0], "kernel": _power, "kernel_params": {"degree": 2}}
    ours, theirs = mercer.KernelRidge(**given).fit(X, Y), sklearn.kernel_ridge.KernelRidge(**given).fit(X, Y)
    assert_allclose(ours.predict(X[:4]), theirs.predict(X[:4]), rtol=1e-7)
    with pytest.raises(MercerError, match="Number of targets and number of penalties do not correspond"):
        mercer.KernelRidge(alpha=[1.0, 2.0, 3.0]).fit(X, Y)


def test_the_gaussian_process_view() -> None:
    theirs = GaussianProcessRegressor(Covariance(np.sqrt(0.5 / 0.3)), alpha=0.2, optimizer=None).fit(X, Y[:, 0])
    ours = mercer.KernelRidge(0.2, kernel="rbf", gamma=0.3).fit(X, Y[:, 0])
    mean, deviation = ours.predict(X[:5] + 0.5, return_std=True)
    expected = theirs.predict(X[:5] + 0.5, return_std=True)
    assert_allclose(mean, expected[0])
    assert_allclose(deviation, expected[1])
    assert ours.log_marginal_likelihood_ == pytest.approx(theirs.log_marginal_likelihood_value_)


def test_weights_are_the_noise_of_rows() -> None:
    noise = 0.2 / WEIGHT
    theirs = GaussianProcessRegressor(Covariance(1.0), alpha=noise, optimizer=None).fit(X, Y[:, 0])
    ours = mercer.KernelRidge(0.2, kernel="rbf", gamma=0.5).fit(X, Y[:, 0], WEIGHT)
    assert_allclose(ours.predict(X[:3], return_std=True), theirs.predict(X[:3], return_std=True), rtol=1e-7)
    assert ours.log_marginal_likelihood_ == pytest.approx(theirs.log_marginal_likelihood_value_)


def test_each_penalty_has_its_deviation() -> None:
    both = mercer.KernelRidge([0.1, 2.0], kernel="rbf").fit(X, Y)
    alone = [mercer.KernelRidge(a, kernel="rbf").fit(X, y) for a, y in zip((0.1, 2.0), Y.T, strict=True)]
    deviation = both.predict(X[:4], return_std=True)[1]
    assert_allclose(deviation, np.column_stack([m.predict(X[:4], return_std=True)[1] for m in alone]))


def test_noisy_sine_by_svr_and_by_ridge_as_scikit_learn() -> None:
    random = np.random.default_rng(5)
    x = np.sort(5 * random.random(100))[:, None]
    y = np.sin(x[:, 0]) + 0.3 * random.normal(size=100)
    truth = np.sin(x[:, 0])

    def errors(svr: Any, ridge: Any) -> list[float]:
        return [float(np.mean((m.fit(x, y).predict(x) - truth) ** 2)) for m in (svr, ridge)]

    svr, ridge = {"gamma": 5.0, "C": 10, "epsilon": 0.1, "tol": 1e-8}, {"kernel": "rbf", "gamma": 5.0, "alpha": 0.1}
    ours = errors(mercer.SVR(**svr), mercer.KernelRidge(**ridge))
    theirs = errors(SVR(**svr), sklearn.kernel_ridge.KernelRidge(**ridge))
    assert_allclose(ours, theirs, rtol=1e-4)
    assert max(ours) < 0.05


def test_a_mixed_table_and_a_kernel_expression() -> None:
    y = np.nan_to_num(MIXED["age"], nan=40) / 10 + (MIXED["town"] == "Ulm")
    named = mercer.KernelRidge(0.1, kernel="rbf").fit(MIXED, y)
    written = mercer.KernelRidge(0.1, kernel=mercer.kernels.Encoded(RBF(0.5)) + Lin()).fit(MIXED, y)
    for model in (named, written):
        assert model.score(MIXED, y) > 0.9
        assert np.isfinite(model.predict({"age": [None], "job": ["pilot"], "town": [None]}, return_std=True)).all()


def test_conjugate_gradients_when_the_matrix_does_not_fit() -> None:
    exact = mercer.KernelRidge(0.1, kernel="rbf").fit(X, Y, WEIGHT)
    small = mercer.KernelRidge(0.1, kernel="rbf", cache_size=1e-3).fit(X, Y, WEIGHT)
    assert exact.n_iter_ == 1 and small.n_iter_ > 1 and small.residual_ < 1e-7
    assert_allclose(small.predict(X), exact.predict(X), atol=1e-6)
    assert np.isnan(small.log_marginal_likelihood_)
    with pytest.warns(ConvergenceWarning, match=r"after 1 iterations with a relative residual of .*max_iter"):
        mercer.KernelRidge(1e-6, kernel="rbf", gamma=50.0, solver="cg", tol=1e-20, max_iter=1).fit(X, Y)
    with pytest.raises(MercerError, match="one penalty above 0"):
        mercer.KernelRidge(0, kernel="rbf", solver="cg").fit(X, Y)


def test_a_file_gives_the_same_numbers_and_deviations(tmp_path: Path) -> None:
    model = mercer.KernelRidge(0.1, kernel=RBF(0.5)).fit(X, Y, WEIGHT)
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    for ours, theirs in zip(again.predict(X, return_std=True), model.predict(X, return_std=True), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert again.log_marginal_likelihood_ == model.log_marginal_likelihood_ and again.residual_ == model.residual_


def test_a_penalty_of_zero_interpolates_or_has_the_least_norm() -> None:
    through = mercer.KernelRidge(0, kernel="laplacian").fit(X, Y)
    assert_allclose(through.predict(X), Y, atol=1e-8)
    with pytest.warns(MercerWarning, match=r"not positive definite \(rank 3 of 50\).*raise the penalty"):
        least = mercer.KernelRidge(0).fit(X, Y)
    assert_allclose(least.predict(X), X @ np.linalg.lstsq(X, Y, rcond=None)[0], atol=1e-8)
    with pytest.raises(MercerError, match="not positive definite, so there is no variance"):
        least.predict(X, return_std=True)


def test_a_precomputed_matrix_that_is_not_positive_is_said_to_be_none() -> None:
    gram = np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.warns(MercerWarning, match="not positive definite"):
        model = mercer.KernelRidge(0.5, kernel="precomputed").fit(gram, [1.0, 2.0])
    assert_allclose(model.dual_coef_, np.linalg.solve(gram + 0.5 * np.eye(2), [1.0, 2.0]), atol=1e-12)
    with pytest.raises(MercerError, match=r"return_std needs k\(x, x\)"):
        model.predict(gram, return_std=True)


@pytest.mark.parametrize(
    ("rows", "settings", "error", "said"),
    [
        ([[np.nan, 1.0], [1.0, 0.0]], {"kernel": "precomputed"}, ValueError, "NaN"),
        ([[1e200, 1.0], [1.0, 0.0]], {}, MercerError, "too large to compare"),
        ([[0.0, 1.0], [1.0, 0.0]], {"alpha": -1.0}, BadParameter, "'alpha' parameter of KernelRidge must be"),
        ([[0.0, 1.0], [1.0, 0.0]], {"solver": "lu"}, BadParameter, "'solver' parameter of KernelRidge must be"),
        ([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], {"kernel": "precomputed"}, BadTable, "square"),
    ],
)
def test_bad_input_is_refused_in_words(rows: Any, settings: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        mercer.KernelRidge(**settings).fit(rows, np.arange(len(rows)) / 2)


def test_weights_of_zero_leave_rows_out_and_negative_ones_are_refused() -> None:
    weight = np.where(np.arange(50) < 10, 0.0, WEIGHT)
    ours = mercer.KernelRidge(0.3, kernel="rbf", gamma=0.5)
    assert_allclose(
        ours.fit(X, Y, weight).predict(X[:3]), ours.fit(X[10:], Y[10:], weight[10:]).predict(X[:3]), rtol=1e-9
    )
    gram = RBF(0.5).fit(X).gram(X)
    given = mercer.KernelRidge(0.3, kernel="precomputed").fit(gram, Y, weight)
    assert_allclose(given.predict(gram[:3]), ours.predict(X[:3]), rtol=1e-9)
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        ours.fit(X, Y, -weight)
