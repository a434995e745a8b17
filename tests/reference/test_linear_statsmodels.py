"""Linear and logistic regression against statsmodels and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from sklearn import linear_model

import mercer
from mercer.solvers.linear import logistic

RNG = np.random.default_rng(11)
N = 120
X = RNG.normal(size=(N, 5)) * [1, 10, 0.1, 3, 1] + [0, 2000, 5, 1, -7]
Y = X @ [1.0, -0.2, 3.0, 0.0, 0.5] + RNG.normal(size=N) * (1 + np.abs(X[:, 0]))
W = RNG.uniform(0.2, 3, N)
SCORE = (X - X.mean(0)) / X.std(0) @ [1.0, -1.0, 0.5, 0.0, 0.0]
TWO = (RNG.random(N) < 1 / (1 + np.exp(-SCORE))).astype(int)
THREE = np.digitize(SCORE + RNG.logistic(size=N), [-1, 1])


@pytest.mark.parametrize("method", ["qr", "svd", "normal", "gradient"])
@pytest.mark.parametrize("weight", [None, W], ids=["plain", "weighted"])
@pytest.mark.parametrize("errors", ["classical", "HC0", "HC1", "HC2", "HC3"])
def test_summary_matches_statsmodels(method: str, weight: Any, errors: str) -> None:
    model = mercer.LinearRegression(method=method, errors=errors, tol=1e-14).fit(X, Y, weight)
    rival = sm.WLS(Y, sm.add_constant(X), weights=1.0 if weight is None else weight)
    theirs = rival.fit() if errors == "classical" else rival.fit(cov_type=errors, use_t=True)
    ours = model.summary()
    table = ours.coefficients
    assert_allclose(table.estimate, theirs.params, rtol=1e-8)
    assert_allclose(table.error, theirs.bse, rtol=1e-8)
    assert_allclose(table.statistic, theirs.tvalues, rtol=1e-8)
    assert_allclose(table.p_value, theirs.pvalues, rtol=1e-7, atol=1e-300)
    assert_allclose(table.interval, theirs.conf_int(), rtol=1e-8)
    figures = [ours[k] for k in ("R^2", "adjusted R^2", "F", "p of F", "log likelihood", "AIC", "BIC")]
    expected = [
        theirs.rsquared, theirs.rsquared_adj, theirs.fvalue, theirs.f_pvalue, theirs.llf, theirs.aic, theirs.bic,
    ]  # fmt: skip
    assert_allclose(figures, expected, rtol=1e-8)


def test_no_intercept_matches_statsmodels() -> None:
    ours = mercer.LinearRegression(fit_intercept=False).fit(X, Y).summary()
    theirs = sm.OLS(Y, X).fit()
    assert_allclose(ours.coefficients.estimate, theirs.params, rtol=1e-8)
    assert_allclose(ours.coefficients.error, theirs.bse, rtol=1e-8)
    assert_allclose([ours["R^2"], ours["F"]], [theirs.rsquared, theirs.fvalue], rtol=1e-8)


def test_diagnostics_match_statsmodels() -> None:
    found = mercer.LinearRegression().fit(X, Y).diagnostics(X, Y)
    theirs = sm.OLS(Y, sm.add_constant(X)).fit().get_influence()
    assert_allclose(found.leverage, theirs.hat_matrix_diag, rtol=1e-8)
    assert_allclose(found.standardised, theirs.resid_studentized_internal, rtol=1e-8)
    assert_allclose(found.studentised, theirs.resid_studentized_external, rtol=1e-8)
    assert_allclose(found.cooks_distance, theirs.cooks_distance[0], rtol=1e-8)


@pytest.mark.parametrize("method", ["qr", "normal", "gradient"])
@pytest.mark.parametrize("alpha", [0.1, 10.0])
def test_ridge_matches_scikit_learn(method: str, alpha: float) -> None:
    ours = mercer.LinearRegression(method=method, alpha=alpha, tol=1e-13).fit(X, Y, W)
    theirs = linear_model.Ridge(alpha=alpha, solver="cholesky").fit(X, Y, W)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)


def test_logistic_matches_statsmodels() -> None:
    ours = mercer.LogisticRegression(C=np.inf).fit(X, TWO).summary()
    theirs = sm.Logit(TWO, sm.add_constant(X)).fit(disp=0, tol=1e-12, maxiter=100)
    table = ours.coefficients
    assert_allclose(table.estimate, theirs.params, rtol=1e-7)
    assert_allclose(table.error, theirs.bse, rtol=1e-7)
    assert_allclose(table.statistic, theirs.tvalues, rtol=1e-7)
    assert_allclose(table.p_value, theirs.pvalues, rtol=1e-6)
    assert_allclose(table.interval, theirs.conf_int(), rtol=1e-7)
    assert_allclose(table.odds_ratio[1:], np.exp(theirs.params[1:]), rtol=1e-7)
    keys = ("log likelihood", "without columns", "likelihood ratio", "p of the ratio", "pseudo R^2", "AIC", "BIC")
    expected = [
        theirs.llf, theirs.llnull, theirs.llr, theirs.llr_pvalue, theirs.prsquared, theirs.aic, theirs.bic,
    ]  # fmt: skip
    assert_allclose([ours[k] for k in keys], expected, rtol=1e-7)


def test_multinomial_matches_statsmodels() -> None:
    tables = list(mercer.LogisticRegression(C=np.inf).fit(X, THREE).summary().tables.values())
    scaled = (X - X.mean(0)) / X.std(0)  # its Newton steps fail on columns around 2000
    theirs = sm.MNLogit(THREE, sm.add_constant(scaled)).fit(disp=0, method="newton", tol=1e-12, maxiter=100)
    for k, table in enumerate(tables):
        assert_allclose(table.estimate[1:] * X.std(0), theirs.params[1:, k], rtol=1e-6)
        assert_allclose(table.error[1:] * X.std(0), theirs.bse[1:, k], rtol=1e-6)
        assert_allclose(table.p_value[1:], theirs.pvalues[1:, k], rtol=1e-5)


OPTIONS: list[dict[str, Any]] = [
    {"C": 0.5}, {"C": 2.0, "fit_intercept": False}, {"C": 0.3, "class_weight": "balanced"},
    {"C": 0.2, "l1_ratio": 1.0}, {"C": 0.2, "l1_ratio": 0.5}, {"C": np.inf},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("most", [1500, 0], ids=["few columns", "many columns"])
def test_penalties_match_scikit_learn(
    y: Any, options: dict[str, Any], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logistic, "MAX_COEFFICIENTS", most)  # beyond which there is no Newton's method
    scaled = (X - X.mean(0)) / X.std(0)
    name = "saga" if options.get("l1_ratio") else "newton-cg"
    ours, theirs = (
        kind(solver=name, tol=tol, max_iter=10_000, **options).fit(scaled, y)
        for kind, tol in ((mercer.LogisticRegression, 1e-8), (linear_model.LogisticRegression, 1e-10))
    )
    assert_allclose(ours.predict_proba(scaled), theirs.predict_proba(scaled), atol=2e-6)
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-5)
