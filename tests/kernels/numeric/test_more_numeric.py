"""Periodic, spline, arc-cosine and count kernels, and the map of polynomial ones, against their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from sklearn.gaussian_process.kernels import ExpSineSquared

from mercer.errors import BadTable, TooLarge
from mercer.kernels import ArcCosine, Hellinger, Periodic, Polynomial, Spline, polynomial_map

X = np.random.default_rng(4).normal(size=(7, 2))


def test_periodic_is_scikit_learns_in_one_column():
    x = X[:, :1]
    theirs = ExpSineSquared(length_scale=0.8, periodicity=1.7)
    assert_allclose(Periodic(1.7, 0.8).fit(x).gram(x), theirs(x), rtol=1e-10)
    assert_allclose(Periodic(1.7).fit(x).gram(x, x + 5 * 1.7), Periodic(1.7).fit(x).gram(x), rtol=1e-9)


def test_spline_is_its_integral():
    def by_hand(a, b):
        knots = quad(lambda t: max(a - t, 0) * max(b - t, 0), 0, 10, points=sorted({abs(a), abs(b)}), limit=200)[0]
        return 1 + a * b + knots

    expected = [[np.prod([by_hand(*pair) for pair in zip(a, b, strict=True)]) for b in X] for a in X]
    found = Spline().fit(X).gram(X)
    assert_allclose(found, expected, rtol=1e-7, atol=1e-8)
    assert_allclose(Spline().fit(X).diag(X), found.diagonal())


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_arc_cosine_is_the_mean_over_random_units(degree):
    weights = np.random.default_rng(0).normal(size=(400_000, 2))
    units = np.maximum(X @ weights.T, 0) ** degree if degree else (X @ weights.T > 0).astype(float)
    expected = 2 * units @ units.T / len(weights)
    assert_allclose(ArcCosine(degree).fit(X).gram(X), expected, atol=0.02 * np.abs(expected).max())
    assert_allclose(ArcCosine(degree).fit(X).gram(X).diagonal(), (X**2).sum(axis=1) ** degree * (1, 1, 3)[degree])


def test_a_row_of_zeros_has_a_value():
    zeros = np.zeros((2, 2))
    assert_allclose(ArcCosine(1).fit(X).gram(zeros, X), 0)
    assert np.isfinite(ArcCosine(0).fit(X).gram(zeros)).all()


def test_hellinger_is_an_rbf_of_square_roots():
    counts = np.random.default_rng(1).poisson(4.0, size=(6, 3)).astype(float)
    roots = np.sqrt(counts)
    apart = ((roots[:, None] - roots[None]) ** 2).sum(axis=2)
    kernel = Hellinger().fit(counts)
    assert_allclose(kernel.gamma_, 1 / (3 * roots.var()))
    assert_allclose(kernel.gram(counts), np.exp(-kernel.gamma_ * apart), rtol=1e-9)
    with pytest.raises(BadTable, match="Hellinger compares counts"):
        Hellinger().fit(-counts)


def test_the_quadratic_map_of_two_columns():
    """The map (x1^2, sqrt(2) x1 x2, x2^2) of (a . b)^2, as lectures give it."""
    features, monomials = polynomial_map(X)
    assert monomials == [(0, 0), (0, 1), (1, 1)]
    assert_allclose(features, np.column_stack([X[:, 0] ** 2, np.sqrt(2) * X[:, 0] * X[:, 1], X[:, 1] ** 2]))
    assert_allclose(features @ features.T, (X @ X.T) ** 2)


def test_the_quadratic_map_with_a_constant_has_six_dimensions():
    features, monomials = polynomial_map(X, 2, coef0=1.0)
    x, y = X.T
    root = np.sqrt(2)
    expected = np.column_stack([np.ones(7), root * x, root * y, x * x, root * x * y, y * y])
    assert monomials == [(), (0,), (1,), (0, 0), (0, 1), (1, 1)]
    assert_allclose(features, expected)


@pytest.mark.parametrize(("degree", "gamma", "coef0"), [(1, 1.0, 0.0), (3, 0.5, 0.0), (3, 0.7, 1.5), (4, 2.0, 0.1)])
def test_products_of_the_map_are_the_polynomial_kernel(degree, gamma, coef0):
    features, _ = polynomial_map(X, degree, gamma=gamma, coef0=coef0)
    assert_allclose(features @ features.T, Polynomial(gamma, coef0, degree).fit(X).gram(X), rtol=1e-10, atol=1e-14)


def test_maps_that_are_too_large_or_undefined():
    with pytest.raises(TooLarge, match="Use Polynomial"):
        polynomial_map(np.ones((1, 300)), 4)
    for wrong in ({"degree": 0}, {"gamma": 0.0}, {"coef0": -1.0}):
        with pytest.raises(ValueError, match="polynomial_map takes"):
            polynomial_map(X, **wrong)
