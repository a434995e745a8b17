"""Newton's method for squared losses against coordinate descent, LIBLINEAR and the optimality conditions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer._core.reference import svm as reference_svm
from mercer._core.stopping import Limits
from mercer.solvers.svm import coordinate, finite_newton
from mercer.solvers.svm.smo import Problem

RNG = np.random.default_rng(4)
X = RNG.normal(size=(200, 6))
X[np.abs(X) < 0.3] = 0.0
Z = X @ RNG.normal(size=6) + 0.5 * RNG.normal(size=200) + 0.4
Y = np.where(Z > 0, 1.0, -1.0)
COST = 0.2 + np.arange(200) / 100


def problems(cost: np.ndarray) -> list[Problem]:
    return [coordinate.hinge(Y, cost, squared=True), coordinate.insensitive(Z, cost, 0.2, squared=True)]


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("scale", [1.0, 0.0, 3.0])
def test_the_solution_of_coordinate_descent(which: int, scale: float) -> None:
    problem = problems(COST)[which]
    slow = coordinate.solve(problem, X, offset_scale=scale, limits=Limits(tol=1e-8, max_iter=200_000))
    for rows in (X, sparse.csr_array(X), X.astype(np.float32)):
        found = finite_newton.solve(problem, rows, offset_scale=scale, limits=Limits(tol=1e-7, max_iter=1000))
        assert found.status == "converged" and found.iterations < 20
        assert_allclose([found.primal, found.dual], slow.primal, rtol=1e-6)
        assert_allclose(found.coef, slow.coef, atol=1e-5)
        assert_allclose(found.offset, slow.offset, atol=1e-5)
        up, low = reference_svm.slopes(problem, found.beta, np.asarray(rows @ found.coef) + found.offset)
        assert max((-up).max(), low.max()) <= 1e-6
        assert_allclose(found.coef, rows.T @ found.beta, atol=1e-4)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.integers(1, 8), st.floats(-4, 6), st.integers(0, 10_000), st.booleans())
def test_optimal_whatever_the_rows(n: int, d: int, power: float, seed: int, twins: bool) -> None:
    """Few rows, columns that repeat, and costs from tiny to huge: the gap closes."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 3, size=d)
    x = np.column_stack([x, x]) if twins else x
    y, cost = np.where(rng.random(n) < 0.5, 1.0, -1.0), np.full(n, 10.0**power)
    for problem in (
        coordinate.hinge(y, cost, squared=True),
        coordinate.insensitive(rng.normal(size=n), cost, 0.1, squared=True),
    ):
        found = finite_newton.solve(problem, x, limits=Limits(tol=1e-6, max_iter=1000))
        if found.status == "converged":
            assert -1e-9 * abs(found.primal) <= found.gap <= 1e-4 * max(abs(found.primal), 1.0)
        else:  # too badly scaled for tol: the estimator goes on by passes over the rows
            assert found.iterations == 50


def test_start_limits_and_when_it_suits() -> None:
    problem = problems(COST)[0]
    cold = finite_newton.solve(problem, X, limits=Limits(tol=1e-7, max_iter=1000))
    assert finite_newton.solve(problem, X, start=cold.beta, limits=Limits(tol=1e-6, max_iter=1000)).iterations == 0
    short = finite_newton.solve(problem, X, limits=Limits(tol=1e-7, max_iter=1))
    assert (short.status, short.iterations) == ("max_iter", 1) and short.gap > 0
    assert (
        finite_newton.solve(problem, X, limits=Limits(tol=1e-7, time_limit=1e-12, max_iter=1000)).status == "time_limit"
    )
    assert finite_newton.suits(problem, X)
    assert not finite_newton.suits(problem, np.ones((200, 201)))
    assert not finite_newton.suits(problem, np.ones((5, 6)))
    assert not finite_newton.suits(coordinate.hinge(Y, COST), X)


@pytest.mark.parametrize("cost", [0.01, 1.0, 100.0])
def test_estimators_are_liblinears_primal(cost: float) -> None:
    ours = mercer.LinearSVC(C=cost).fit(X, Y)
    theirs = svm.LinearSVC(C=cost, dual=False, tol=1e-8).fit(X, Y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    assert ours.n_iter_ < 20 and abs(ours.duality_gap_) < 1e-3 * len(X) * cost
    tube = {"C": cost, "epsilon": 0.1}
    ours = mercer.LinearSVR(loss="squared_epsilon_insensitive", **tube).fit(X, Z)
    theirs = svm.LinearSVR(loss="squared_epsilon_insensitive", dual=False, tol=1e-8, **tube).fit(X, Z)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)


def test_what_newton_cannot_do_passes_can(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = mercer.LinearSVC(C=0.1, tol=1e-6, max_iter=10_000).fit(X, Y)
    monkeypatch.setattr(finite_newton, "_STEPS", 1)
    again = mercer.LinearSVC(C=0.1, tol=1e-6, max_iter=10_000).fit(X, Y)
    assert_allclose(again.coef_, whole.coef_, atol=1e-5)
    assert again.n_iter_ > 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        mercer.LinearSVC(C=0.1, tol=1e-3, max_iter=10_000).fit(X, Y)
