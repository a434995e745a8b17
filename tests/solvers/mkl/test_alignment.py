"""Weights by alignment, against loops, a QP of scipy, and figures of MKLpy 0.6."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from mercer.solvers.mkl.alignment import align, alignf, alignments
from mercer.solvers.mkl.grams import Grams, centred_products, spread

ONES = np.ones(40)


def centred(gram, weight=None):
    share = np.ones(len(gram)) / len(gram) if weight is None else weight / weight.sum()
    centre = np.eye(len(gram)) - share[None, :]
    return centre @ gram @ centre.T


def in_blocks(stack, size):
    """The same matrices, a few rows at a time."""
    n = stack.shape[1]
    return Grams(
        n, lambda: [(slice(i, i + size), stack[:, i : i + size]) for i in range(0, n, size)], np.ones(len(stack))
    )


def test_products_are_those_of_centred_matrices(stack, signs):
    weight = 1 + np.arange(40) % 3.0
    for grams in (Grams.held(stack), in_blocks(stack, 7)):
        found = centred_products(grams, weight, signs[:, None])
        both = np.outer(weight, weight)
        target = centred(np.outer(signs, signs), weight)
        inner = [centred(k, weight) for k in stack]
        assert_allclose(found.pairs, [[(a * b * both).sum() for b in inner] for a in inner], rtol=1e-10)
        assert_allclose(found.target, [(a * target * both).sum() for a in inner], rtol=1e-10)
        assert_allclose(found.target_norm, np.sqrt((target**2 * both).sum()))


def test_a_weight_of_two_is_two_rows(stack, signs):
    weight = 1 + np.arange(40) % 2.0
    twice = np.repeat(np.arange(40), weight.astype(int))
    once = centred_products(Grams.held(stack), weight, signs[:, None])
    copies = centred_products(Grams.held(stack[:, twice][:, :, twice]), np.ones(len(twice)), signs[twice, None])
    assert_allclose(once.pairs, copies.pairs)
    assert_allclose(once.target, copies.target)
    ours, theirs = (
        spread(Grams.held(stack), weight),
        spread(Grams.held(stack[:, twice][:, :, twice]), np.ones(len(twice))),
    )
    assert_allclose(ours.variance, theirs.variance)


def test_a_kernel_is_aligned_with_itself_by_one(signs):
    columns = np.column_stack([signs, np.arange(40) / 40])
    found = centred_products(Grams.held((columns @ columns.T)[None]), ONES, columns)
    assert_allclose(alignments(found), 1)


def test_sums_products_and_forms_are_the_same_in_blocks(stack):
    weights, vectors = np.array([0.2, 0.0, 0.8]), np.column_stack([np.arange(40.0), np.cos(np.arange(40))])
    for unscaled in (Grams.held(stack), in_blocks(stack, 9)):
        grams = unscaled.scaled(np.array([2.0, 1.0, np.inf]))
        assert_allclose(grams.weighted(weights), 0.1 * stack[0])
        assert_allclose(grams.times(vectors)[0], stack[0] @ vectors / 2)
        assert_allclose(
            grams.forms(vectors)[:, 1],
            [vectors[:, 1] @ k @ vectors[:, 1] / s for k, s in zip(stack, (2, 1, np.inf), strict=True)],
        )
        assert_allclose(grams.uniform(), [0.5, 0.5, 0])


def test_alignf_is_the_best_aligned_sum(stack, signs):
    products = centred_products(Grams.held(stack), ONES, signs[:, None])

    def badness(w):
        return -(w @ products.target) / np.sqrt(w @ products.pairs @ w)

    found = alignf(products)
    best = minimize(badness, np.ones(3) / 3, bounds=[(0, None)] * 3, tol=1e-12)
    assert_allclose(found.weights, best.x / best.x.sum(), atol=1e-4)
    assert found.gap < 1e-6
    assert_allclose(found.objective * products.target_norm, -best.fun, rtol=1e-8)


def test_alignf_and_align_agree_with_mklpy(stack, signs):
    products = centred_products(Grams.held(stack), ONES, signs[:, None])
    cka = np.array([0.9976090474746667, 0.012100756388566798, 0.06804234043235763])  # of length 1
    assert_allclose(alignf(products).weights, cka / cka.sum(), atol=1e-6)
    theirs = np.array([0.7437570191555481, 0.029620515880028207, 0.11414397463944755])  # the target not centred
    assert_allclose(align(products).weights, theirs / theirs.sum(), atol=1e-6)


@pytest.mark.parametrize("method", [align, alignf])
def test_equal_kernels_get_equal_weights_and_zeros_none(method, stack, signs):
    four = np.stack([stack[0], stack[1], stack[0], np.zeros((40, 40))])
    found = method(centred_products(Grams.held(four), ONES, signs[:, None])).weights
    assert_allclose(found[0], found[2], rtol=1e-6)
    assert found[3] == 0
    assert_allclose(found.sum(), 1)


def test_a_kernel_against_the_target_gets_none(stack, signs):
    against = np.stack([stack[0], 2 - np.outer(signs, signs)])
    for method in (align, alignf):
        assert_allclose(method(centred_products(Grams.held(against), ONES, signs[:, None])).weights, [1, 0])
