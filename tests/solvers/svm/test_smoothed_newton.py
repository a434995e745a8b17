"""Newton's method on smooth losses against SMO on the same kernel, z.z'."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from mercer._core.gram import rows_of_gram
from mercer.solvers.svm import coordinate, duals, plane_rows, smo, smoothed_newton
from mercer.solvers.svm.smo import Limits, Problem


def problem_of(rng: np.random.Generator, z: np.ndarray, cost: float, *, squared: bool, classes: bool) -> Problem:
    y = z[:, 0] + 0.5 * rng.normal(size=len(z))
    weight = cost * rng.uniform(0.2, 2, len(z))
    if classes:
        signs = np.where(y > np.median(y), 1.0, -1.0)
        return duals.svc(signs, weight, squared_slack=squared)
    return duals.svr(y, weight, 0.1, squared_slack=squared)


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    n=st.integers(4, 60),
    d=st.integers(1, 8),
    cost=st.floats(0.01, 100),
    squared=st.booleans(),
    classes=st.booleans(),
)
def test_the_gap_holds_and_the_value_is_that_of_smo(
    seed: int, n: int, d: int, cost: float, squared: bool, classes: bool
) -> None:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, d))
    problem = problem_of(rng, z, cost, squared=squared, classes=classes)
    found = smoothed_newton.solve(problem, z, limits=Limits(1e-9, 1e-4))
    exact = smo.solve(problem, rows_of_gram(z @ z.T), limits=Limits(1e-6, max_iter=1_000_000))
    slack = 1e-6 * abs(exact.primal) + 1e-9
    assert found.dual <= exact.primal + slack  # weak duality, either way round
    assert found.primal >= exact.dual - slack
    assert found.gap <= 1e-4 * abs(found.primal) + slack or found.violation <= 1e-9
    assert_allclose(found.beta.sum(), 0, atol=1e-7 * np.abs(found.beta).sum() + 1e-12)
    assert (found.beta <= problem.upper + 1e-9).all()
    assert (found.beta >= problem.lower - 1e-9).all()


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    n=st.integers(2, 30),
    d=st.integers(1, 40),
    power=st.floats(-3, 4),
    copies=st.booleans(),
    classes=st.booleans(),
)
def test_the_gap_holds_for_few_rows_at_any_cost(
    seed: int, n: int, d: int, power: float, copies: bool, classes: bool
) -> None:
    """The intercept without a penalty moves as the rows near a kink do, however few they are beside the columns."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, d))
    z = z[rng.integers(0, n, n)] if copies else z
    problem = problem_of(rng, z, 10**power, squared=False, classes=classes)
    found = smoothed_newton.solve(problem, z, limits=Limits(-1.0, 1e-4))
    assert found.gap <= 1e-4 * abs(found.primal) + 1e-9


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_some_of_the_rows_a_start_and_limits(dtype: type) -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(500, 6)).astype(dtype)
    rows = np.flatnonzero(np.arange(500) % 3).astype(np.int32)
    part = replace(problem_of(rng, z[rows].astype(np.float64), 1.0, squared=False, classes=True), rows=rows)
    found = smoothed_newton.solve(part, z, limits=Limits(1e-9, 1e-3))
    own = smoothed_newton.solve(replace(part, rows=None), z[rows].copy(), limits=Limits(1e-9, 1e-3))
    assert_allclose(found.w, own.w, atol=1e-4)
    assert found.f.shape == (500,)
    assert_allclose(found.f, z @ found.w, atol=1e-4)
    again = smoothed_newton.solve(part, z, start=found.beta, limits=Limits(1e-9, 1e-3))
    assert again.gap <= 1e-3 * again.primal
    assert smoothed_newton.solve(part, z, limits=Limits(1e-9, 1e-9, max_iter=2)).status == "max_iter"
    assert smoothed_newton.solve(part, z, limits=Limits(1e-9, 1e-9, time_limit=1e-9)).status == "time_limit"


def test_blocks_of_rows_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    z = rng.normal(size=(300, 4))
    problem = problem_of(rng, z, 1.0, squared=False, classes=False)
    whole = smoothed_newton.solve(problem, z, limits=Limits(1e-9, 1e-5))
    monkeypatch.setattr(plane_rows, "_CELLS", 100)
    parts = smoothed_newton.solve(problem, z, limits=Limits(1e-9, 1e-5))
    assert_allclose(parts.w, whole.w, atol=1e-5)


def test_rows_copied_or_gathered_by_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    z, rows = rng.normal(size=(300, 4)), np.arange(0, 300, 2, dtype=np.int32)
    problem = replace(problem_of(rng, z[rows], 1.0, squared=False, classes=True), rows=rows)
    copied = smoothed_newton.solve(problem, z, limits=Limits(1e-9, 1e-5))
    monkeypatch.setattr(plane_rows, "_COPIED", 0)
    assert_allclose(smoothed_newton.solve(problem, z, limits=Limits(1e-9, 1e-5)).w, copied.w, atol=1e-12)


@pytest.mark.parametrize("n_bent", [0, 3, 5, 40])
def test_a_step_by_rows_is_that_by_columns(n_bent: int) -> None:
    rng = np.random.default_rng(3)
    z, curve, slope = rng.normal(size=(50, 4)), np.zeros(50), rng.normal(size=5)
    curve[rng.permutation(50)[:n_bent]] = rng.uniform(0.1, 10, n_bent)
    diagonal, own = np.array([1, 1, 1, 1, 0.5]), np.column_stack([z, np.ones(50)])
    step = smoothed_newton._newton(plane_rows.PlaneRows(z, None), curve, diagonal, slope)
    assert_allclose(step, -np.linalg.solve(np.diag(diagonal) + own.T @ (own * curve[:, None]), slope), rtol=1e-9)


def test_a_start_far_from_every_kink() -> None:
    """No row bends the smooth value there, so that the first step is much too long."""
    rng = np.random.default_rng(4)
    z = rng.normal(size=(200, 3))
    problem = problem_of(rng, z, 1.0, squared=False, classes=True)
    far = np.where(problem.upper > 0, problem.upper, problem.lower) * 50
    found = smoothed_newton.solve(problem, z, start=far, limits=Limits(1e-9, 1e-4))
    exact = smo.solve(problem, rows_of_gram(z @ z.T), limits=Limits(1e-6))
    assert_allclose(found.primal, exact.primal, rtol=2e-4)


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    n=st.integers(4, 60),
    scale=st.sampled_from([0.0, 0.3, 1.0, 20.0]),
    cost=st.floats(0.01, 100),
    classes=st.booleans(),
    csr=st.booleans(),
)
def test_a_penalised_intercept_or_none_has_the_value_of_coordinate_descent(
    seed: int, n: int, scale: float, cost: float, classes: bool, csr: bool
) -> None:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 3)) + 1
    given = problem_of(rng, z, cost, squared=False, classes=classes)
    problem = replace(given, equality=False)
    rho = 1 / scale**2 if scale else np.inf
    found = smoothed_newton.solve(problem, sparse.csr_array(z) if csr else z, rho=rho, limits=Limits(-1.0, 1e-6))
    slow = coordinate.solve(problem, z, offset_scale=scale, limits=Limits(tol=1e-8, max_iter=20_000))
    slack = 1e-6 * abs(slow.primal) + 1e-9
    assert found.status == "converged"
    assert slow.dual - slack <= found.primal <= slow.primal + 2 * slack
    assert found.dual <= slow.primal + slack
    b = found.bias[0]
    assert b == 0 or scale
    losses = smoothed_newton.loss_at(problem, z @ found.w + b)[1]
    assert_allclose(found.primal, 0.5 * (found.w @ found.w + (b * b * rho if scale else 0)) + losses, rtol=1e-9)


def test_columns_of_which_rounding_leaves_one() -> None:
    rng = np.random.default_rng(5)
    column = rng.normal(size=400)
    z = np.column_stack([1e9 * column, 1e9 * column + 1e-3 * rng.normal(size=400), np.ones(400)])
    problem = problem_of(rng, column[:, None], 1.0, squared=False, classes=True)
    one = smoothed_newton.solve(problem, 2**0.5 * 1e9 * column[:, None], limits=Limits(1e-9, 1e-6))
    both = smoothed_newton.solve(problem, z, limits=Limits(1e-9, 1e-6))
    assert_allclose(both.primal, one.primal, rtol=1e-5)
    assert -1e-9 * one.primal <= both.gap <= 1e-3 * both.primal  # of the best stage: at the last one it is 1e15
