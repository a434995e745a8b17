"""Quadratic functions with a lasso: against scikit-learn's Lasso and the conditions of a minimum."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from mercer.solvers.linear.lasso import lasso_quadratic


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("strength", [0.01, 0.1, 0.5])
def test_least_squares_with_a_lasso_is_scikit_learns(seed: int, strength: float) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, 25)) @ rng.normal(size=(25, 25))
    y = x[:, :3].sum(axis=1) + rng.normal(size=60)
    start = rng.normal(size=25) * (rng.random(25) < 0.5)
    h = x.T @ x / 60
    found = lasso_quadratic(h, h @ start - x.T @ y / 60, start, np.full(25, strength), 1e-12)
    theirs = Lasso(strength, fit_intercept=False, tol=1e-14, max_iter=1_000_000).fit(x, y)
    np.testing.assert_allclose(found, theirs.coef_, atol=1e-7)
    assert ((found == 0) == (theirs.coef_ == 0)).all()


def test_collinear_columns_reach_the_least_value() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 6))
    x = np.column_stack([x, x, x @ rng.normal(size=(6, 8))])
    y = rng.normal(size=40) + x[:, 0]
    lasso = np.full(20, 0.3)
    lasso[3] = 0.0  # one without a penalty
    found = lasso_quadratic(x.T @ x, -x.T @ y, np.zeros(20), lasso, 1e-9)
    slope = x.T @ (x @ found - y)
    np.testing.assert_allclose(slope[found != 0], -(lasso * np.sign(found))[found != 0], atol=1e-7)
    assert (np.abs(slope) <= lasso + 1e-7).all()
