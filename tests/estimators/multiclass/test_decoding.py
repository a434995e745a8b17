"""Answers of problems into classes and probabilities: closed forms, loops, laws."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mercer.estimators.multiclass.coupling import code_coupling, pairwise_coupling
from mercer.estimators.multiclass.decoding import bit_weights, hamming_scores, loss_scores, weighted_scores
from mercer.estimators.multiclass.designs import design_code, one_vs_one

RNG = np.random.default_rng(3)
CODES = {d: design_code(d, 5, None, np.random.RandomState(0)) for d in ("dense", "sparse", "bch", "one_vs_one")}
P = RNG.dirichlet(np.full(5, 4.0), 20)


@pytest.mark.parametrize("design", CODES)
def test_consistent_answers_give_back_the_class_probabilities(design: str) -> None:
    code = CODES[design]
    positive, negative = P @ (code > 0), P @ (code < 0)
    np.testing.assert_allclose(code_coupling(positive / (positive + negative), code), P, atol=2e-6)


def test_consistent_pairs_give_back_the_class_probabilities() -> None:
    r = np.column_stack([P[:, i] / (P[:, i] + P[:, j]) for i, j in combinations(range(5), 2)])
    np.testing.assert_allclose(pairwise_coupling(r, 5), P, atol=1e-9)


def test_coupling_is_a_minimum() -> None:
    code = CODES["sparse"]
    r = RNG.uniform(0.05, 0.95, (1, code.shape[1]))

    def divergence(p: np.ndarray) -> float:
        share = (p @ (code > 0)) / (p @ np.abs(code))
        return float((r * np.log(r / share) + (1 - r) * np.log((1 - r) / (1 - share))).sum())

    found = code_coupling(r, code)
    others = [found * np.exp(RNG.normal(0, 0.02, found.shape)) for _ in range(200)]
    assert all(divergence(found) <= divergence(p / p.sum()) + 1e-9 for p in others)


@pytest.mark.parametrize("design", CODES)
@pytest.mark.parametrize(
    ("loss", "function"),
    [("hinge", lambda z: max(0, 1 - z)), ("exponential", lambda z: np.exp(-z)), ("squared", lambda z: (1 - z) ** 2)],
)
def test_losses_by_a_loop(design: str, loss: str, function: object) -> None:
    code = CODES[design].astype(float)
    f = RNG.normal(size=(7, code.shape[1]))
    expected = [[-sum(function(m * v) for m, v in zip(row, answers, strict=True)) for row in code] for answers in f]
    np.testing.assert_allclose(loss_scores(f, CODES[design], loss), expected)


def test_hamming_puts_wrong_bits_right_up_to_half_of_the_separation() -> None:
    code = design_code("bch", 6, 15, np.random.RandomState(0))
    for c, row in enumerate(code.astype(float)):
        for wrong in combinations(range(code.shape[1]), 2):
            heard = row.copy()
            heard[list(wrong)] *= -1
            assert np.argmax(hamming_scores(heard[None], code)) == c


def test_equal_hamming_distances_are_decided_by_the_margin() -> None:
    code = one_vs_one(3)
    circle = np.array([[3.0, -1.0, 1.0], [0.5, -1.0, 1.0]])  # 0 beats 1 beats 2 beats 0
    agreement = circle @ code.T
    np.testing.assert_array_equal(np.argmax(hamming_scores(circle, code), axis=1), np.argmax(agreement, axis=1))


def test_weights_are_the_shares_of_right_answers() -> None:
    code = np.array([[1, 1], [1, -1], [-1, 0]], dtype=np.int8)
    classes = np.array([0, 0, 1, 2], dtype=np.int32)
    f = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-2.0, 5.0]])
    weights = bit_weights(f, code, classes, None)
    np.testing.assert_allclose(weights, [[2 / 3, 1 / 3], [0, 1], [1, 0]])
    found = weighted_scores(np.array([[-1.0, 1.0]]), code, weights)
    np.testing.assert_allclose(found, [[-2 / 3, -1.0, 0.0]])
    doubled = bit_weights(f, code, classes, np.array([1.0, 2.0, 1.0, 1.0]))
    np.testing.assert_allclose(doubled[0], [0.75, 0.25])


def test_a_class_that_no_problem_gets_right_weighs_them_alike() -> None:
    code = np.array([[1, 1], [-1, 1], [1, -1]], dtype=np.int8)
    weights = bit_weights(np.array([[-1.0, -1.0]] * 3), code, np.array([0, 1, 2], dtype=np.int32), None)
    np.testing.assert_allclose(weights, [[0.5, 0.5], [1, 0], [0, 1]])
