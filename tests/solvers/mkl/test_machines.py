"""Weights and machines together: brute force over the simplex, closed forms, and slopes by differences."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from mercer.solvers.mkl.grams import Grams
from mercer.solvers.mkl.machines import Machines, relative_gap
from mercer.solvers.mkl.norm import best_weights, lp_norm
from mercer.solvers.mkl.simple import simple
from mercer.solvers.svm import duals

COST = 2.0


@pytest.fixture
def machines(stack, signs):
    numbers = np.sin(np.arange(40.0))
    return {
        "classes": Machines(Grams.held(stack), [duals.svc(signs, np.full(40, COST))]),
        "numbers": Machines(Grams.held(stack), [duals.svr(numbers, np.full(40, COST), 0.1)]),
        "rows": Machines(Grams.held(stack), [duals.one_class(np.ones(40), 0.5)]),
        "pairs": Machines(Grams.held(stack), [_pair(signs, 0, 30), _pair(signs, 10, 40)]),
    }


def _pair(signs, low, high):
    rows = np.arange(low, high)
    return replace(duals.svc(signs[rows], np.full(len(rows), COST)), rows=rows.astype(np.int32))


TASKS = ("classes", "numbers", "rows", "pairs")


@pytest.mark.parametrize("task", TASKS)
def test_slope_and_curvature_are_those_of_differences(task, machines):
    one, d, h = machines[task], np.array([0.3, 0.3, 0.4]), 0.01
    point = one.at(d)
    for k in range(3):
        step = h * np.eye(3)[k]
        up, down = one.at(d + step, point), one.at(d - step, point)
        assert_allclose(point.slope[k], (up.value - down.value) / (2 * h), rtol=2e-2)
    if task == "classes":
        moved = [(one.at(d + h * e, point).slope - one.at(d - h * e, point).slope) / (2 * h) for e in np.eye(3)]
        assert_allclose(one.curvature(point, 100), moved, rtol=0.3, atol=0.1 * np.abs(moved).max())


@pytest.mark.parametrize("task", TASKS)
def test_simple_finds_what_a_grid_over_the_simplex_finds(task, machines):
    one = machines[task]
    found = simple(one, tol=1e-4)
    grid = [np.array([i, j, 20 - i - j]) / 20 for i in range(21) for j in range(21 - i)]
    values = [one.at(d).value for d in grid]
    assert found.converged
    assert found.gap <= 1e-4
    assert_allclose(found.weights.sum(), 1)
    assert (found.weights >= 0).all()
    assert found.objective <= min(values) + 1e-3 * abs(min(values))
    bound = found.objective - found.gap * abs(found.objective)
    assert min(values) >= bound - 1e-9  # the certificate holds for every point


def test_simple_with_two_kernels_finds_the_minimum_on_a_line(stack, signs):
    one = Machines(Grams.held(stack[:2]), [duals.svc(signs, np.full(40, COST))])
    values = [one.at(np.array([t, 1 - t])).value for t in np.linspace(0, 1, 101)]
    found = simple(one, tol=1e-4)
    assert abs(found.objective - min(values)) <= 1e-3 * min(values)
    assert abs(found.weights[0] - np.argmin(values) / 100) <= 0.03


def test_one_kernel_has_all_the_weight_and_the_value_of_its_machine(stack, signs):
    one = Machines(Grams.held(stack[:1]), [duals.svc(signs, np.full(40, COST))])
    for found in (simple(one), lp_norm(one, 2.0)):
        assert_allclose(found.weights, [1])
        assert_allclose(found.objective, one.at(np.ones(1)).value)
        assert found.gap < 1e-3


def test_equal_kernels_share_and_zeros_get_nothing(stack, signs):
    many = np.stack([stack[0], stack[2], stack[0], np.zeros((40, 40))])
    one = Machines(Grams.held(many), [duals.svc(signs, np.full(40, COST))])
    alone = simple(Machines(Grams.held(stack[[0, 2]]), one.problems))
    found = simple(one)
    assert found.weights[0] == found.weights[2]
    assert found.weights[3] == 0
    assert_allclose(found.objective, alone.objective, rtol=2e-3)
    normed = lp_norm(one, 1.5).weights
    assert_allclose(normed[0], normed[2], rtol=1e-6)
    assert normed[3] < 1e-9


@pytest.mark.parametrize("task", TASKS)
def test_simple_finds_the_same_from_any_start(task, machines):
    one = machines[task]
    found, near = simple(one, tol=1e-4), simple(one, start=np.array([0.0, 0.9, 0.1]), tol=1e-4)
    assert near.converged
    assert_allclose(near.objective, found.objective, rtol=2e-4)


def test_curvature_in_single_precision_is_close(machines, monkeypatch):
    one = machines["classes"]
    point = one.at(np.array([0.3, 0.3, 0.4]))
    double = one.curvature(point, 100)
    monkeypatch.setattr("mercer.solvers.mkl.machines._LARGE", 0)
    assert_allclose(one.curvature(point, 100), double, rtol=0.05, atol=0.05 * np.abs(double).max())


def test_weights_of_a_norm_are_the_closed_form():
    lengths = np.array([0.5, 2.0, 1.0])
    for p in (1.2, 2.0, 4.0):
        found = best_weights(lengths, p)
        assert_allclose((found**p).sum(), 1)
        norm = {"type": "eq", "fun": lambda d, p=p: (d**p).sum() - 1}
        start = np.full(3, 3 ** (-1 / p))
        best = minimize(lambda d: (lengths**2 / d).sum(), start, bounds=[(1e-3, 1)] * 3, constraints=[norm], tol=1e-12)
        assert_allclose(found, best.x, atol=1e-4)


@pytest.mark.parametrize("p", [1.3, 2.0, 5.0])
@pytest.mark.parametrize("task", TASKS)
def test_lp_norm_has_a_gap_that_holds_and_norm_one(task, p, machines):
    one = machines[task]
    found = lp_norm(one, p, tol=1e-4)
    assert found.converged
    assert_allclose(np.linalg.norm(found.weights, p), 1)
    draw = np.random.default_rng(0)
    bound = found.objective - found.gap * abs(found.objective)
    for d in draw.dirichlet(np.ones(3), size=20):
        assert one.at(d / np.linalg.norm(d, p)).value >= bound - 1e-9


def test_the_limit_of_the_norm_is_simple(machines):
    one = machines["classes"]
    near, exact = lp_norm(one, 1.01, tol=1e-3), simple(one, tol=1e-4)
    assert_allclose(near.objective, exact.objective, rtol=0.02)


def test_an_indefinite_kernel_is_weighed_all_the_same(stack, signs):
    odd = np.stack([stack[0], stack[1] - 0.5 * np.eye(40)])
    found = simple(Machines(Grams.held(odd), [duals.svc(signs, np.full(40, COST))]), max_iter=30)
    assert np.isfinite(found.weights).all()
    assert_allclose(found.weights.sum(), 1)


def test_a_gap_is_a_part_of_the_value():
    assert relative_gap(10.0, 9.0) == pytest.approx(0.1)
    assert relative_gap(-2.0, -3.0) == pytest.approx(0.5)
    assert relative_gap(1.0, 2.0) == 0
