"""QuantileSVR against scikit-learn's quantile regression, a general solver, the laws of quantiles and expectiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.stats import expectile as sample_expectile
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import mean_pinball_loss
from sklearn.svm import SVR

import mercer
from mercer.errors import MercerError
from mercer.kernels import RBF, Lin
from mercer.select.search import fold_numbers

RNG = np.random.default_rng(0)
X = np.sort(RNG.uniform(0, 5, 80))[:, None]
Y = np.sin(X[:, 0]) + RNG.normal(0, 0.1 + 0.1 * X[:, 0])
WEIGHT = RNG.uniform(0.2, 2, 80)


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.8])
def test_a_linear_kernel_of_large_cost_gives_quantile_regression(tau: float) -> None:
    ours = mercer.QuantileSVR(tau, kernel="linear", C=1e4, tol=1e-6).fit(X, Y, WEIGHT)
    theirs = QuantileRegressor(quantile=tau, alpha=0.0).fit(X, Y, WEIGHT)
    found, best = (mean_pinball_loss(Y, m.predict(X), sample_weight=WEIGHT, alpha=tau) for m in (ours, theirs))
    assert best * (1 - 1e-9) <= found <= best * (1 + 1e-4)


def test_the_median_is_libsvms_regression_without_a_tube() -> None:
    ours = mercer.QuantileSVR(0.5, kernel="rbf", gamma=0.5, C=2.0, tol=1e-8).fit(X, Y, WEIGHT)
    theirs = SVR(gamma=0.5, C=1.0, epsilon=0.0, tol=1e-8).fit(X, Y, WEIGHT)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-5)


@pytest.mark.parametrize("loss", ["pinball", "expectile"])
@pytest.mark.parametrize("tau", [0.25, 0.9])
def test_the_solution_is_that_of_a_general_solver(loss: Any, tau: float) -> None:
    rows, y, weight = X[::4], Y[::4], WEIGHT[::4]
    model = mercer.QuantileSVR(tau, loss=loss, kernel=RBF(0.5), C=3.0, tol=1e-8).fit(rows, y, weight)
    gram, n, power = model.kernel_.gram(rows), len(y), 1 if loss == "pinball" else 2

    def primal(coef: Any, bias: float) -> float:
        e = y - gram @ coef - bias
        each = tau * np.maximum(e, 0) ** power + (1 - tau) * np.maximum(-e, 0) ** power
        return float(coef @ gram @ coef / 2 + 3.0 * weight @ each)

    coef = np.zeros(n)
    coef[model.support_] = model.dual_coef_[0]
    ours = primal(coef, model.intercept_[0])
    assert_allclose(ours, model.primal_, rtol=1e-6)
    assert 0 <= model.duality_gap_ <= 1e-5 * model.primal_
    start = np.append(coef, model.intercept_[0]) + RNG.normal(0, 1e-3, n + 1)
    found = minimize(lambda at: primal(at[:-1], at[-1]), start, method="BFGS")
    assert ours <= found.fun * (1 + 1e-6)


def test_the_share_of_rows_below_a_line_is_its_quantile() -> None:
    taus = [0.1, 0.25, 0.5, 0.75, 0.9]
    model = mercer.QuantileSVR(taus, kernel=RBF(0.3), C=20.0, tol=1e-6).fit(X, Y)
    below = (Y[:, None] < model.predict(X) - 1e-4).mean(axis=0)
    on_or_below = (Y[:, None] <= model.predict(X) + 1e-4).mean(axis=0)
    assert (below <= taus).all() and (taus <= on_or_below).all()  # exactly, as for a sample's quantile
    for k, tau in enumerate(taus):
        alone = mercer.QuantileSVR(tau, kernel=RBF(0.3), C=20.0, tol=1e-6).fit(X, Y)
        assert_allclose(model.predict(X)[:, k], alone.predict(X), atol=1e-3)


def test_without_a_function_lines_are_those_of_the_sample() -> None:
    far = mercer.QuantileSVR([0.3, 0.7], loss="expectile", C=1e-9, tol=1e-9).fit(X, Y)
    assert_allclose(far.predict(X)[0], [sample_expectile(Y, alpha=t) for t in (0.3, 0.7)], atol=1e-6)
    half = mercer.QuantileSVR(0.5, loss="expectile", kernel=RBF(0.5), C=2.0, tol=1e-9).fit(X, Y)
    ridge = mercer.LSSVR(C=2.0, kernel=RBF(0.5)).fit(X, Y)  # its loss is C / 2 e^2, as C (e^2 / 2) here
    assert_allclose(half.predict(X), ridge.predict(X), atol=1e-5)


def test_lines_that_cross_are_put_in_order() -> None:
    taus = [0.9, 0.1, 0.5, 0.55]
    crossing = mercer.QuantileSVR(taus, kernel=RBF(1.0), C=10.0).fit(X, Y)
    model = mercer.QuantileSVR(taus, kernel=RBF(1.0), C=10.0, noncrossing=True).fit(X, Y)
    order = np.argsort(taus)
    assert (np.diff(crossing.predict(X)[:, order], axis=1) < 0).any()
    found = model.predict(X)
    assert (np.diff(found[:, order], axis=1) >= 0).all()
    assert_allclose(np.sort(found, axis=1), np.sort(crossing.predict(X), axis=1), atol=1e-9)

    def loss(lines: Any) -> float:
        return sum(mean_pinball_loss(Y, lines[:, k], alpha=tau) for k, tau in enumerate(taus))

    assert loss(found) <= loss(crossing.predict(X)) + 1e-9


@pytest.mark.parametrize("loss", ["pinball", "expectile"])
def test_a_mixed_table_and_a_file(loss: Any, tmp_path: Path) -> None:
    table = {"x": np.where(RNG.random(80) < 0.1, np.nan, X[:, 0]), "c": np.where(X[:, 0] > 2, "a", "b")}
    model = mercer.QuantileSVR((0.2, 0.8), loss=loss, kernel=mercer.kernels.Encoded(RBF(0.5)) + Lin()).fit(table, Y)
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(again.predict(table), model.predict(table))
    assert again.predict(table).shape == (80, 2)


def test_bad_input_is_refused_in_words() -> None:
    for quantile in (0, 1.0, [0.5, 1.0], [], "half"):
        with pytest.raises(ValueError, match="quantile"):
            mercer.QuantileSVR(quantile).fit(X, Y)
    with pytest.raises(MercerError, match="score takes one quantile"):
        mercer.QuantileSVR([0.1, 0.9]).fit(X, Y).score(X, Y)


def test_conformal_shifts_are_those_of_refitting_by_hand() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(60, 2))
    y = x[:, 0] + rng.normal(size=60)
    model = mercer.QuantileSVR([0.1, 0.9], gamma=0.5, C=10.0, tol=1e-8, conformal=True).fit(x, y)
    plain = mercer.QuantileSVR([0.1, 0.9], gamma=0.5, C=10.0, tol=1e-8).fit(x, y)
    assert_allclose(model.intercept_ - plain.intercept_, model.shifts_, atol=1e-6)
    folds = fold_numbers(5, y, False, 0)
    beyond = np.empty((60, 2))
    for f in range(5):
        beyond[folds == f] = y[folds == f, None] - plain.fit(x[folds != f], y[folds != f]).predict(x[folds == f])
    ordered = np.sort(beyond, axis=0)  # the 6th of 60 from below, 6 <= 0.1 * 61; the 55th, 55 >= 0.9 * 61
    assert_allclose(model.shifts_, [ordered[5, 0], ordered[54, 1]], atol=1e-4)


def test_conformal_quantiles_hold_their_share_of_new_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, size=(1500, 3))
    y = np.sin(x[:, 0]) + (0.3 + np.abs(x[:, 1])) * rng.normal(size=1500)
    shares = {}
    for conformal in (False, True):
        model = mercer.QuantileSVR([0.05, 0.95], C=300.0, gamma=1.0, conformal=conformal).fit(x[:400], y[:400])
        shares[conformal] = (y[400:, None] < model.predict(x[400:])).mean(axis=0)
    assert shares[False][1] - shares[False][0] < 0.8  # too narrow: fitted to the noise
    assert_allclose(shares[True], [0.05, 0.95], atol=0.03)
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert_allclose(again.predict(x[:5]), model.predict(x[:5]))
    assert_allclose(again.shifts_, model.shifts_)


def test_an_expectile_is_no_share_of_rows() -> None:
    with pytest.raises(MercerError, match="an expectile is not a share of rows"):
        mercer.QuantileSVR(loss="expectile", conformal=True).fit([[0.0], [1.0]], [0.0, 1.0])
