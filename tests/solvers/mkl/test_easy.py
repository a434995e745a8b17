"""EasyMKL, against figures of MKLpy 0.6, a QP of scipy and the closed form of ridge regression."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from mercer.solvers.mkl.easy import easy, easy_numbers, margin_problem
from mercer.solvers.mkl.grams import Grams

ONES, ALL = np.ones(40), np.arange(40)
MKLPY = {
    0.05: [0.41305094957351685, 0.10985492914915085, 0.4770941138267517],
    0.5: [0.5741333365440369, 0.08145773410797119, 0.3444089889526367],
    0.9: [0.8267720341682434, 0.04731372743844986, 0.12591427564620972],
}


@pytest.mark.parametrize("lam", MKLPY)
def test_weights_are_those_of_mklpy(lam, stack, signs):
    found = easy(Grams.held(stack), [margin_problem(ALL, signs, ONES, lam)])
    assert_allclose(found.weights, MKLPY[lam], atol=1e-4)
    assert found.gap < 1e-3


def test_the_plane_is_that_of_a_quadratic_program(stack, signs):
    lam, summed = 0.3, stack.sum(axis=0)
    matrix = (1 - lam) * np.outer(signs, signs) * summed + lam * np.eye(40)
    sums = [{"type": "eq", "fun": lambda g, s=s: g[signs == s].sum() - 1} for s in (1.0, -1.0)]
    start = np.where(signs > 0, 1 / (signs > 0).sum(), 1 / (signs < 0).sum())
    best = minimize(
        lambda g: g @ matrix @ g, start, jac=lambda g: 2 * matrix @ g, bounds=[(0, 1)] * 40, constraints=sums, tol=1e-12
    )
    sizes = [(best.x * signs) @ k @ (best.x * signs) for k in stack]
    found = easy(Grams.held(stack), [margin_problem(ALL, signs, ONES, lam)])
    assert_allclose(found.weights, sizes / np.sum(sizes), atol=1e-3)


def test_lam_of_one_takes_the_means_of_the_classes(stack, signs):
    means = np.where(signs > 0, 1 / (signs > 0).sum(), -1 / (signs < 0).sum())
    sizes = np.array([means @ k @ means for k in stack])
    found = easy(Grams.held(stack), [margin_problem(ALL, signs, ONES, 1.0)])
    assert_allclose(found.weights, sizes / sizes.sum(), atol=1e-4)


def test_a_weight_of_two_is_two_rows(stack, signs):
    weight = 1 + np.arange(40) % 2.0
    twice = np.repeat(ALL, weight.astype(int))
    once = easy(Grams.held(stack), [margin_problem(ALL, signs, weight, 0.2)])
    copies = easy(
        Grams.held(stack[:, twice][:, :, twice]),
        [margin_problem(np.arange(len(twice)), signs[twice], np.ones(len(twice)), 0.2)],
    )
    assert_allclose(once.weights, copies.weights, atol=1e-3)


def test_equal_kernels_get_equal_weights_and_zeros_none(stack, signs):
    many = np.stack([stack[0], stack[1], stack[0], np.zeros((40, 40))])
    problems = [margin_problem(ALL, signs, ONES, 0.1), margin_problem(ALL[:20], signs[:20], ONES[:20], 0.1)]
    found = easy(Grams.held(many), problems).weights
    assert found[0] == found[2]
    assert found[3] == 0
    assert_allclose(found.sum(), 1)


def test_rows_alone_are_held_against_the_origin(stack):
    found = easy(Grams.held(stack), [margin_problem(ALL, ONES, ONES, 1.0)])
    sizes = np.array([k.mean() for k in stack])
    assert_allclose(found.weights, sizes / sizes.sum(), atol=1e-4)


def test_numbers_take_the_plane_of_ridge_regression(stack):
    z = np.sin(np.arange(40.0))[:, None]
    plane = np.linalg.solve(0.7 * stack.sum(axis=0) + 0.3 * np.eye(40), z)[:, 0]
    sizes = np.array([plane @ k @ plane for k in stack])
    assert_allclose(easy_numbers(Grams.held(stack), z, ONES, 0.3).weights, sizes / sizes.sum())
    indefinite = np.stack([stack[0], -20 * np.eye(40)])
    assert np.isfinite(easy_numbers(Grams.held(indefinite), z, ONES, 0.01).weights).all()
