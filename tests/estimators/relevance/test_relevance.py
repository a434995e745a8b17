"""Relevance vector machines: evidence by dense formulas, re-estimation as scikit-learn's, mixed tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ARDRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

import mercer
from mercer.errors import MercerError
from mercer.kernels import OF, RBF, Lin
from mercer.select.copies import find_copies
from mercer.select.search import fold_numbers
from mercer.table import read_table

RNG = np.random.default_rng(0)
X = np.linspace(-10, 10, 100)[:, None]
Y = np.sinc(X[:, 0] / np.pi) + RNG.normal(0, 0.1, 100)
TIMES = RNG.integers(1, 4, 100)
MOONS, SIDES = make_moons(120, noise=0.25, random_state=0)
KERNEL = RBF(1 / 18)  # Tipping's width 3
IRIS, SPECIES = load_iris(return_X_y=True)


def dense_evidence(model: Any, phi: Any, y: Any, intercept: bool) -> float:
    if intercept:
        phi, y = phi - phi.mean(axis=0), y - y.mean()
    own = phi[:, model.support_]
    covariance = model.noise_variance_ * np.eye(len(y)) + (own / model.alpha_) @ own.T
    return float(multivariate_normal.logpdf(y, np.zeros(len(y)), covariance))


@pytest.mark.parametrize("intercept", [True, False])
def test_evidence_and_posterior_are_those_of_dense_formulas(intercept: bool) -> None:
    model = mercer.RVR(kernel=KERNEL, fit_intercept=intercept, tol=1e-10).fit(X, Y)
    phi = model.kernel_.gram(X)
    assert_allclose(model.log_marginal_likelihood_, dense_evidence(model, phi, Y, intercept), rtol=1e-8)
    middle = phi.mean(axis=0) if intercept else np.zeros(100)
    own, y = (phi - middle)[:, model.support_], Y - (Y.mean() if intercept else 0)
    sigma = np.linalg.inv(np.diag(model.alpha_) + own.T @ own / model.noise_variance_)
    assert_allclose(model.sigma_, sigma, rtol=1e-5, atol=1e-8)
    assert_allclose(model.dual_coef_[0], sigma @ own.T @ y / model.noise_variance_, rtol=1e-6)
    new = np.array([[0.3], [30.0]])
    number, deviation = model.predict(new, return_std=True)
    at = (model.kernel_.gram(new, X) - middle)[:, model.support_]
    variance = model.noise_variance_ * (1 + intercept / 100) + ((at @ sigma) * at).sum(axis=1)
    assert_allclose(deviation, np.sqrt(variance), rtol=1e-6)
    assert_allclose(number, model.predict(new))


def test_no_precision_and_no_noise_can_be_bettered() -> None:
    model = mercer.RVR(kernel=KERNEL, tol=1e-10).fit(X, Y)
    phi = model.kernel_.gram(X)
    phi, y = phi - phi.mean(axis=0), Y - Y.mean()

    def evidence(precision: Any, noise: float) -> float:
        covariance = noise * np.eye(100) + (phi / precision) @ phi.T
        return float(-(np.linalg.slogdet(covariance)[1] + y @ np.linalg.solve(covariance, y)) / 2)

    full = np.full(100, np.inf)
    full[model.support_] = model.alpha_
    best = evidence(full, model.noise_variance_)
    for row in range(0, 100, 3):
        for value in (1e-2, 1.0, 1e2):
            changed = full.copy()
            changed[row] = value if np.isinf(full[row]) else full[row] * value * 1.1
            assert evidence(changed, model.noise_variance_) <= best + 1e-6
    assert max(evidence(full, model.noise_variance_ * f) for f in (0.99, 1.01)) <= best + 1e-6


def test_slow_re_estimation_of_all_functions_gets_no_further() -> None:
    model = mercer.RVR(kernel=KERNEL, tol=1e-8).fit(X, Y)
    phi = model.kernel_.gram(X)
    own, y = phi - phi.mean(axis=0), Y - Y.mean()
    alpha, beta, used = np.full(100, 1e-4), 1 / (0.1 * Y.std()) ** 2, np.arange(100)
    for _ in range(500):  # MacKay's fixed point, Tipping 2001 eq. 16-18
        sigma = np.linalg.inv(np.diag(alpha) + beta * own[:, used].T @ own[:, used])
        mean = beta * sigma @ own[:, used].T @ y
        share = 1 - alpha * sigma.diagonal()
        alpha = np.maximum(share, 1e-12) / mean**2
        beta = (100 - share.sum()) / np.sum((y - own[:, used] @ mean) ** 2)
        used, alpha = used[alpha < 1e9], alpha[alpha < 1e9]
    covariance = np.eye(100) / beta + (own[:, used] / alpha) @ own[:, used].T
    slow = multivariate_normal.logpdf(y, np.zeros(100), covariance)
    assert model.log_marginal_likelihood_ >= slow - 0.1
    assert len(model.support_) < 10


def test_predictions_are_those_of_ard_regression_on_the_kernel_matrix() -> None:
    model = mercer.RVR(kernel=KERNEL, tol=1e-8).fit(X, Y)
    phi = model.kernel_.gram(X)
    flat = {"alpha_1": 0, "alpha_2": 0, "lambda_1": 0, "lambda_2": 0}  # no priors on precisions, as Tipping's
    theirs = ARDRegression(threshold_lambda=1e9, max_iter=2000, tol=1e-8, **flat).fit(phi, Y)
    assert np.abs(model.predict(X) - theirs.predict(phi)).max() < 0.03
    assert_allclose(model.noise_variance_, 1 / theirs.alpha_, rtol=0.05)
    _, deviation = theirs.predict(phi, return_std=True)
    assert np.abs(model.predict(X, return_std=True)[1] - deviation).max() < 0.01


def test_the_sinc_of_tipping() -> None:
    x, errors, vectors, spreads = np.linspace(-10, 10, 100), [], [], []
    for seed in range(8):
        noise = np.random.default_rng(seed).normal(0, 0.1, 100)
        model = mercer.RVR(kernel=KERNEL).fit(x[:, None], np.sinc(x / np.pi) + noise)
        errors.append(np.sqrt(np.mean((model.predict(x[:, None]) - np.sinc(x / np.pi)) ** 2)))
        vectors.append(len(model.support_))
        spreads.append(np.sqrt(model.noise_variance_))
    assert np.mean(errors) < 0.035 and np.mean(vectors) < 8
    assert_allclose(np.mean(spreads), 0.1, atol=0.01)


def test_the_mode_and_the_evidence_of_classes_are_those_of_dense_formulas() -> None:
    model = mercer.RVC(gamma=1.0, tol=1e-9).fit(MOONS, SIDES)
    phi, posterior = model.kernel_.gram(MOONS), model._posteriors[0]
    places = model.support_[posterior.used]
    own, alpha, m, b = phi[:, places], posterior.precisions, posterior.mean, posterior.intercept
    f = own @ m + b
    p = expit(f)
    assert_allclose(own.T @ (SIDES - p), alpha * m, atol=1e-5)
    assert abs((SIDES - p).sum()) < 1e-5
    curvature = p * (1 - p)
    own = own - (curvature @ own) / curvature.sum()
    hessian = np.diag(alpha) + (own * curvature[:, None]).T @ own
    likelihood = np.log(np.where(SIDES == 1, p, 1 - p)).sum() - alpha @ m**2 / 2
    evidence = likelihood + (np.log(alpha).sum() - np.linalg.slogdet(hessian)[1]) / 2
    assert_allclose(model.log_marginal_likelihood_, evidence, rtol=1e-8)
    sigma = np.linalg.inv(hessian)
    assert_allclose(posterior.covariance, sigma, rtol=1e-5, atol=1e-8)
    assert_allclose(1 - alpha * sigma.diagonal(), alpha * m**2, rtol=1e-3)  # alpha = gamma / m^2: a fixed point
    variance = ((own @ sigma) * own).sum(axis=1) + 1 / curvature.sum()
    assert_allclose(model.predict_proba(MOONS)[:, 1], expit(f / np.sqrt(1 + np.pi * variance / 8)), rtol=1e-6)


def test_several_classes_are_each_told_from_the_rest() -> None:
    names = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
    model = mercer.RVC(gamma=0.1).fit(IRIS, names)
    assert model.score(IRIS, names) > 0.95 and len(model.support_) < 25
    for k, name in enumerate(model.classes_):
        one = mercer.RVC(gamma=0.1).fit(IRIS, names == name)
        assert_allclose(model.decision_function(IRIS)[:, k], one.decision_function(IRIS), atol=1e-8)
    p = model.predict_proba(IRIS)
    assert_allclose(p.sum(axis=1), 1)
    assert (model.classes_[p.argmax(axis=1)] == model.predict(IRIS)).all()


@pytest.mark.parametrize("estimator", [mercer.RVR(), mercer.RVC()], ids=["RVR", "RVC"])
def test_a_matrix_that_does_not_fit_gives_the_same(estimator: Any) -> None:
    y = Y if isinstance(estimator, mercer.RVR) else Y > 0
    whole = estimator.set_params(kernel=KERNEL, tol=1e-8).fit(X, y).predict(X)
    support = estimator.support_
    parts = estimator.set_params(cache_size=1e-3).fit(X, y)
    assert (parts.support_ == support).all()
    assert_allclose(parts.predict(X).astype(float), whole.astype(float), atol=1e-6)


def test_rows_of_weight_zero_are_left_out_also_of_a_precomputed_kernel() -> None:
    weight = np.where(np.arange(100) % 3 == 0, 0.0, TIMES)
    kept = weight > 0
    gram = KERNEL.fit(X).gram(X)
    given = mercer.RVR(kernel="precomputed", tol=1e-8).fit(gram, Y, weight)
    alone = mercer.RVR(kernel=KERNEL, tol=1e-8).fit(X[kept], Y[kept], weight[kept])
    assert_allclose(given.predict(gram, return_std=True), alone.predict(X, return_std=True), atol=1e-6)
    assert kept[given.support_].all()


@pytest.mark.parametrize("estimator", [mercer.RVR(tol=1e-6), mercer.RVC(tol=1e-6)], ids=["RVR", "RVC"])
def test_the_search_is_that_of_leaving_folds_out(estimator: Any) -> None:
    numbers = isinstance(estimator, mercer.RVR)
    rows, y, folds = (X, Y, KFold(3)) if numbers else (MOONS, SIDES, StratifiedKFold(3))
    scoring = "neg_mean_squared_error" if numbers else "neg_log_loss"
    grid = {"gamma": [0.02, 0.1, 0.3, 1.0]}
    ours = mercer.tune(estimator, rows, y, grid, cv=folds, scoring=scoring)
    theirs = GridSearchCV(estimator, grid, cv=folds, scoring=scoring).fit(rows, y)
    assert_allclose(ours.mean.ravel(), theirs.cv_results_["mean_test_score"], rtol=1e-4)
    found = estimator.set_params(gamma="cv", grid=mercer.Grid(**grid, cv=3)).fit(rows, y)
    assert found.tuning_.best_params == {"gamma": found.gamma_}


def test_a_mixed_table_and_a_file(tmp_path: Path) -> None:
    table = {"length": np.where(RNG.random(150) < 0.1, np.nan, IRIS[:, 2]), "wide": np.where(IRIS[:, 3] > 1, "y", "n")}
    for kernel in ("rbf", mercer.kernels.Encoded(RBF(0.5)) + Lin(), OF()):
        for estimator, target in ((mercer.RVC(), SPECIES), (mercer.RVR(), IRIS[:, 0])):
            model = estimator.set_params(kernel=kernel).fit(table, target)
            mercer.save(model, tmp_path / "model.mercer")
            again = mercer.load(tmp_path / "model.mercer")
            assert again.log_marginal_likelihood_ == model.log_marginal_likelihood_
            ask = "predict_proba" if hasattr(model, "classes_") else "predict"
            given = {} if ask == "predict_proba" else {"return_std": True}
            np.testing.assert_array_equal(getattr(again, ask)(table, **given), getattr(model, ask)(table, **given))


def test_odd_targets() -> None:
    constant = mercer.RVR().fit(X, np.full(100, 7.0))
    assert_allclose(constant.predict(X), 7.0)
    assert len(constant.support_) == 0
    far = mercer.RVR(kernel=KERNEL, tol=1e-8).fit(X, 1e6 + 1e-3 * Y)
    near = mercer.RVR(kernel=KERNEL, tol=1e-8).fit(X, Y)
    assert_allclose((far.predict(X) - 1e6) * 1e3, near.predict(X), atol=1e-3)
    exact = mercer.RVR(gamma=0.5).fit(X[:12], X[:12, 0] ** 2)
    assert np.isfinite(exact.log_marginal_likelihood_)
    noise = mercer.RVC().fit(X, RNG.integers(0, 2, 100))
    assert np.isfinite(noise.predict_proba(X)).all()
    apart = mercer.RVC(gamma=5.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert apart.score([[0.0], [3.0]], [0, 1]) == 1


def test_bad_input_is_refused_in_words() -> None:
    with pytest.raises(MercerError, match="too large"):
        mercer.RVR(kernel="linear").fit([[1e200], [1.0]], [0.0, 1.0])
    with pytest.raises(MercerError, match=r"squares of the target are not finite numbers.* Scale it"):
        mercer.RVR().fit(X, 1e300 * Y)
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        mercer.RVC().fit(MOONS, np.zeros(120))
    with pytest.warns(ConvergenceWarning, match="still rises after max_iter=2"):
        mercer.RVR(kernel=KERNEL, max_iter=2).fit(X, Y)


def noisy_line(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A curve with noise of heavy tails, which normal intervals misjudge."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3, 3, size=(n, 2))
    return x, np.sin(x[:, 0]) + 0.3 * rng.standard_t(2.5, size=n)


def test_conformal_scores_are_those_of_refitting_by_hand() -> None:
    x, y = noisy_line(60, 0)
    model = mercer.RVR(gamma=0.5, conformal=True).fit(x, y)
    folds = fold_numbers(5, y, False, 0, find_copies(read_table(x), y))
    expected = np.empty(60)
    for fold in range(5):
        test = folds == fold
        mean, deviation = mercer.RVR(gamma=0.5).fit(x[~test], y[~test]).predict(x[test], return_std=True)
        expected[test] = np.abs(y[test] - mean) / deviation
    assert_allclose(model.conformal_scores_[:, 0], expected, rtol=1e-6)
    assert_allclose(model.conformal_scores_[:, 1], 1.0)


def test_conformal_intervals_hold_their_share_of_new_rows(tmp_path: Path) -> None:
    covered: dict[bool, list[float]] = {False: [], True: []}
    for seed in range(6):
        x, y = noisy_line(700, seed)
        for conformal, found in covered.items():
            model = mercer.RVR(gamma=8.0, conformal=conformal).fit(x[:200], y[:200])
            low, high = model.predict_interval(x[200:], level=0.9).T
            found.append(float(np.mean((low <= y[200:]) & (y[200:] <= high))))
    assert np.mean(covered[False]) < 0.8  # a width this small fits the noise
    assert 0.88 < np.mean(covered[True]) < 0.94
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(again.predict_interval(x[:9]), model.predict_interval(x[:9]))


def test_intervals_without_conformal_are_normal() -> None:
    x, y = noisy_line(80, 1)
    model = mercer.RVR().fit(x, y)
    mean, deviation = model.predict(x, return_std=True)
    assert_allclose(model.predict_interval(x, 0.95), np.column_stack(norm.interval(0.95, mean, deviation)))


def test_conformal_precomputed_and_weights() -> None:
    x, y = noisy_line(50, 2)
    gram = rbf_kernel(x, gamma=0.5)
    named, given = (mercer.RVR(kernel=k, gamma=0.5, conformal=True) for k in ("rbf", "precomputed"))
    weight = np.where(np.arange(50) < 5, 0.0, 1.0)
    a = named.fit(x, y, sample_weight=weight).predict_interval(x)
    b = given.fit(gram, y, sample_weight=weight).predict_interval(gram)
    assert len(named.conformal_scores_) == 45
    assert_allclose(a.mean(axis=1), b.mean(axis=1), rtol=1e-5)


def test_bad_intervals() -> None:
    with pytest.raises(MercerError, match="5 rows"):
        mercer.RVR(conformal=True).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    model = mercer.RVR().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    for level in (0.0, 1.0, float("nan"), 90):
        with pytest.raises(MercerError, match="level"):
            model.predict_interval([[0.0]], level=level)
