"""From counts to probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.errors import MercerError
from mercer.likelihoods import Alpha, Categorical, MEstimate
from mercer.likelihoods.smoothing import SMOOTHING, Smoothing, smoothing_rule

COUNTS = np.array([[3.0, 1.0, 0.0], [0.0, 0.0, 2.0]])


@pytest.mark.parametrize(
    ("smoothing", "rule"),
    [("laplace", Alpha(1)), ("none", Alpha(0)), (None, Alpha(0)), (0.5, Alpha(0.5)), (np.float32(2), Alpha(2.0)),
     (MEstimate(2), MEstimate(2))],
    ids=repr,
)  # fmt: skip
def test_what_smoothing_stands_for(smoothing: Smoothing, rule: object) -> None:
    assert SMOOTHING.accepts(smoothing)
    assert smoothing_rule(smoothing) == rule


@pytest.mark.parametrize("smoothing", ["heavy", -1.0, True, float("inf"), [1.0]], ids=repr)
def test_what_smoothing_may_not_be(smoothing: object) -> None:
    with pytest.raises(
        MercerError, match="The 'smoothing' parameter of Categorical must be 'laplace' or 'none' or None"
    ):
        Categorical(smoothing).reset((), 2)


@pytest.mark.parametrize("smoothing", [Alpha(-1), MEstimate(-1), MEstimate(p="prior")], ids=repr)
def test_rules_check_their_own_parameters(smoothing: Smoothing) -> None:
    with pytest.raises(MercerError, match=f"parameter of {type(smoothing).__name__} must be"):
        Categorical(smoothing).reset((), 2)


def test_additive() -> None:
    expected = [[3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5, 0.5 / 5.5], [0.5 / 3.5, 0.5 / 3.5, 2.5 / 3.5, 0.5 / 3.5]]
    np.testing.assert_allclose(np.exp(Alpha(0.5).log_prob(COUNTS)), expected)


def test_m_estimate() -> None:
    uniform = np.exp(MEstimate(3).log_prob(COUNTS))
    np.testing.assert_allclose(uniform, [[4 / 7, 2 / 7, 1 / 7, 1 / 7], [1 / 5, 1 / 5, 3 / 5, 1 / 5]])
    marginal = np.exp(MEstimate(6, "marginal").log_prob(COUNTS))
    np.testing.assert_allclose(marginal, [[6 / 10, 2 / 10, 2 / 10, 1 / 10], [3 / 8, 1 / 8, 4 / 8, 1 / 8]])


@pytest.mark.parametrize("counts", [np.zeros((2, 3)), COUNTS / 100], ids=["no counts", "weights below 1"])
def test_marginal_m_estimate_sums_to_one(counts: np.ndarray) -> None:
    np.testing.assert_allclose(np.exp(MEstimate(2, "marginal").log_prob(counts))[:, :-1].sum(axis=1), 1)


def test_without_smoothing_no_counts_and_unseen_levels_are_no_evidence() -> None:
    found = Alpha(0).log_prob(np.array([[2.0, 0.0], [0.0, 0.0]]))
    np.testing.assert_array_equal(found, [[0, -np.inf, 0], [0, 0, 0]])


def test_a_declared_level_without_rows_is_not_impossible_under_the_marginal_m_estimate() -> None:
    found = np.exp(MEstimate(2, "marginal").log_prob(np.array([[3.0, 0.0], [1.0, 0.0]])))
    np.testing.assert_allclose(found, [[5 / 5, 0.5 / 5, 0.5 / 5], [3 / 3, 0.5 / 3, 0.5 / 3]])
