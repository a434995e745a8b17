"""Second derivatives of sparse rows are those of the same rows held dense."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.solvers.linear.logistic import Logit
from mercer.solvers.linear.sparse_products import products_pay


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_derivatives_are_those_of_dense_rows(n_classes: int, intercept: bool, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    n, d = 5000, 40
    X = sp.csr_array(sp.random(n, d, density=0.08, random_state=0))
    codes = rng.integers(0, n_classes, n).astype(np.int32)
    weight = rng.uniform(0, 2, n) if weighted else None
    mean = X.mean(axis=0) if intercept else np.zeros(d)
    given = codes, weight, n_classes, n_classes - 1, mean, rng.uniform(0.1, 3, d), intercept
    B = rng.normal(size=(n_classes - 1, d + 1)) * 0.3
    assert products_pay(X, mean, given[-2])
    for ours, theirs in zip(
        Logit(X, *given).value_gradient_hessian(B),
        Logit(X.toarray(), *given).value_gradient_hessian(B),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-9)


def test_dense_products_where_they_are_quicker_or_more_exact() -> None:
    sparse, ones = sp.csr_array(sp.random(100, 20, density=0.05, random_state=0)), np.ones(20)
    assert products_pay(sparse, ones, ones)
    assert not products_pay(sparse.toarray(), ones, ones)
    assert not products_pay(sp.csr_array(sp.random(100, 20, density=0.5, random_state=0)), ones, ones)
    assert not products_pay(sparse, 1e5 * ones, ones)
    doubled = sp.csr_array((np.ones(2), np.array([3, 3]), np.array([0, 2])), shape=(1, 20))
    assert not products_pay(doubled, ones, ones)
