"""Linear systems of a kernel matrix: three ways to one solution, and rows left out in truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from mercer.solvers.ridge import cholesky, conjugate_gradient
from mercer.solvers.ridge.conjugate_gradient import Limits, Products
from mercer.solvers.ridge.spectrum import Spectrum
from mercer.solvers.ridge.truncated import Truncated, choice_is_right


def problem(seed: int, n: int = 25, columns: int = 2, targets: int = 2) -> tuple[Any, Any, Any]:
    """(kernel matrix, weights, targets)."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, columns))
    gram = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    return gram, random.uniform(0.5, 2, n), random.normal(size=(n, targets))


def direct(gram: Any, noise: Any, targets: Any, intercept: bool) -> tuple[Any, Any]:
    """By the bordered matrix as it is written."""
    n = len(gram)
    if not intercept:
        return np.linalg.solve(gram + np.diag(noise), targets), np.zeros(targets.shape[1])
    border = np.ones((n, 1))
    matrix = np.block([[gram + np.diag(noise), border], [border.T, np.zeros((1, 1))]])
    found = np.linalg.solve(matrix, np.vstack([targets, np.zeros((1, targets.shape[1]))]))
    return found[:n], found[n]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), intercept=st.booleans(), lam=st.floats(1e-3, 10))
def test_three_ways_give_one_solution(seed: int, intercept: bool, lam: float) -> None:
    gram, weight, targets = problem(seed)
    coef, b = direct(gram, lam / weight, targets, intercept)
    solved, factor = cholesky.solve(gram.copy(), lam / weight, targets, intercept=intercept)
    spectral = Spectrum.of(gram, weight, lam).coefficients(lam, targets, intercept=intercept)
    products = Products(lambda v: gram @ v, gram.diagonal(), lambda rows: gram[rows])
    limits = Limits(1e-12, 500)
    iterated = conjugate_gradient.solve(products, lam / weight, targets, intercept=intercept, limits=limits, rank=5)
    assert factor is not None and solved.residual < 1e-12 and iterated.converged and iterated.residual < 1e-10
    for found in ((solved.coef, solved.intercept), spectral, (iterated.coef, iterated.intercept)):
        assert_allclose(found[0], coef, rtol=1e-6, atol=1e-7)
        assert_allclose(found[1], b, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("intercept", [False, True])
def test_rows_left_out_in_closed_form_are_rows_left_out(intercept: bool) -> None:
    gram, weight, targets = problem(3)
    lambdas = np.array([0.01, 0.3, 5.0])
    path = Spectrum.of(gram, weight, 0.01).path(lambdas, targets, intercept=intercept)
    for m, lam in enumerate(lambdas):
        solved, factor = cholesky.solve(gram.copy(), lam / weight, targets, intercept=intercept)
        assert factor is not None
        assert_allclose(cholesky.leave_one_out(factor, solved, intercept=intercept), path.residuals[m], atol=1e-8)
        for i in (0, 7, 24):
            kept = np.arange(len(gram)) != i
            coef, b = direct(gram[np.ix_(kept, kept)], lam / weight[kept], targets[kept], intercept)
            assert_allclose(path.residuals[m, i], targets[i] - gram[i, kept] @ coef - b, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("intercept", [False, True])
def test_gcv_is_that_of_the_hat_matrix(intercept: bool) -> None:
    gram, _, targets = problem(4, targets=1)
    n, lam = len(gram), 0.2
    hat = np.column_stack([
        gram @ coef[:, 0] + b[0]
        for coef, b in (direct(gram, np.full(n, lam), np.eye(n)[:, i : i + 1], intercept) for i in range(n))
    ])  # fmt: skip
    errors = targets - hat @ targets
    path = Spectrum.of(gram, np.ones(n), lam).path(np.array([lam]), targets, intercept=intercept)
    assert_allclose(path.gcv, n * (errors**2).sum() / (n - np.trace(hat)) ** 2)


def test_the_evidence_is_the_density_of_the_targets() -> None:
    gram, weight, targets = problem(5)
    cov = gram + np.diag(0.3 / weight)
    expected = sum(multivariate_normal(np.zeros(len(gram)), cov).logpdf(y) for y in targets.T)
    path = Spectrum.of(gram, weight, 0.3).path(np.array([0.3]), targets, intercept=False)
    solved, _ = cholesky.solve(gram.copy(), 0.3 / weight, targets, intercept=False)
    assert_allclose([path.log_evidence[0], solved.log_evidence], expected)


@pytest.mark.parametrize("intercept", [False, True])
def test_a_matrix_of_low_rank_needs_few_eigenvectors(intercept: bool) -> None:
    gram, weight, targets = problem(6, n=80, columns=1)
    lambdas = np.array([0.1, 1.0])
    low = Spectrum.of(gram, weight, 0.1)
    full = Spectrum(*np.linalg.eigh(gram * np.sqrt(weight) * np.sqrt(weight)[:, None]), np.sqrt(weight))
    assert low.vectors.shape[1] < 27
    found, expected = (s.path(lambdas, targets, intercept=intercept) for s in (low, full))
    assert_allclose(found.residuals, expected.residuals, rtol=2e-4, atol=1e-5)
    assert_allclose(found.gcv, expected.gcv, rtol=2e-4)
    assert_allclose(found.log_evidence, expected.log_evidence, rtol=2e-4)


def test_a_singular_system_has_the_solution_of_least_norm() -> None:
    row = np.array([1.0, 2.0, 3.0])
    solved, factor = cholesky.solve(np.outer(row, row), np.zeros(3), row[:, None], intercept=False)
    assert factor is None and solved.rank == 1
    assert_allclose(solved.coef[:, 0], np.linalg.pinv(np.outer(row, row)) @ row)


def test_a_matrix_that_is_not_positive_is_solved_and_has_no_path_below_its_eigenvalues() -> None:
    gram, targets = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0], [2.0]])
    solved, factor = cholesky.solve(gram.copy(), np.full(2, 0.5), targets, intercept=False)
    assert factor is None
    assert_allclose((gram + 0.5 * np.eye(2)) @ solved.coef, targets)
    spectrum = Spectrum.of(gram, np.ones(2), 0.5)
    path = spectrum.path(np.array([0.5, 2.0]), targets, intercept=False)
    assert np.isnan(path.residuals[0]).all() and np.isfinite(path.residuals[1]).all()
    assert spectrum.smallest_solvable == pytest.approx(1.0)


def test_limits_stop_conjugate_gradients_with_a_residual() -> None:
    gram, weight, targets = problem(7, n=60)
    products = Products(lambda v: gram @ v, gram.diagonal(), lambda rows: gram[rows])
    for limits in (Limits(1e-12, 2), Limits(1e-12, 100, time_limit=1e-9)):
        found = conjugate_gradient.solve(products, 1e-4 / weight, targets, intercept=False, limits=limits, rank=1)
        assert not found.converged and found.residual > 1e-12 and np.isfinite(found.coef).all()


def test_a_target_of_zeros_is_solved_by_zeros() -> None:
    gram, weight, _ = problem(8)
    products = Products(lambda v: gram @ v, gram.diagonal(), lambda rows: gram[rows])
    zeros = np.zeros((25, 1))
    found = conjugate_gradient.solve(products, 1 / weight, zeros, intercept=False, limits=Limits(1e-8, 10))
    assert found.converged and not found.coef.any() and found.residual == 0


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_left_out_by_conjugate_gradients_are_those_of_the_whole_spectrum(intercept: bool, weighted: bool) -> None:
    gram, weight, targets = problem(7, n=200)
    weight = weight if weighted else np.ones(200)
    truncated, lambdas, rows = Truncated.of(gram, weight), np.array([0.003, 0.1, 2.0]), np.array([0, 5, 77, 119])
    assert truncated is not None and truncated.spectrum.vectors.shape[1] <= 66
    whole = Spectrum(*np.linalg.eigh(gram * np.sqrt(weight) * np.sqrt(weight)[:, None]), np.sqrt(weight))
    expected = whole.path(lambdas, targets, intercept=intercept).residuals
    near = truncated.spectrum.path(lambdas, targets, intercept=intercept).residuals
    exact = truncated.residuals_of(rows, lambdas, targets, intercept=intercept)
    assert exact is not None
    assert_allclose(exact, expected[:, rows], rtol=2e-4, atol=1e-4)  # the residual of the system is 1e-5
    assert_allclose(near[1:], expected[1:], atol=0.01)
    assert np.abs(near[0] - expected[0]).max() > 1e-4  # it is not exact, or the test would say nothing


def test_a_choice_by_large_eigenvalues_is_refused_where_the_small_ones_matter() -> None:
    """A wave without noise that is short beside the kernel's width: by large eigenvalues no penalty is of use."""
    x, lambdas = np.linspace(0, 1, 300)[:, None], np.geomspace(1e-6, 100, 30)
    truncated = Truncated.of(np.exp(-50 * (x - x.T) ** 2), np.ones(300))
    assert truncated is not None
    noise = 0.1 * np.random.default_rng(0).normal(size=(300, 1))
    for targets, right in ((np.sin(6 * x) + noise, True), (np.sin(60 * x), False)):
        path = truncated.spectrum.path(lambdas, targets, intercept=False)
        best = lambdas[np.argmin((path.residuals**2).mean(axis=(1, 2)))]
        assert choice_is_right(truncated, path, float(best), targets, intercept=False) == right


def test_a_matrix_of_high_rank_or_that_is_not_positive_is_not_truncated() -> None:
    gram, weight, _ = problem(9, n=60)
    assert Truncated.of(np.eye(60), weight) is None
    assert Truncated.of(gram - 2 * np.ones((60, 60)), weight) is None
