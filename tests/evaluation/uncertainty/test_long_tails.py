"""Intervals of errors of numbers, where few rows have most of the errors or of the spread."""

import numpy as np
import pytest

from mercer.evaluation.uncertainty.held_out import score_intervals
from mercer.table import Task


def intervals(truth, predicted):
    return score_intervals(Task.REGRESSION, truth, predicted, None, 0.95)


def covered(draw, key, n, expected):
    rng, hits = np.random.default_rng(0), 0
    for _ in range(400):
        found = intervals(*draw(rng, n))[key]
        hits += found.low <= expected <= found.high
    return hits / 400


def amounts(rng, n):
    """Log-normal, as prices and incomes are, predicted by their expected value."""
    known = rng.normal(size=n) * np.sqrt(0.8)
    return np.exp(known + rng.normal(size=n) * np.sqrt(0.2)), np.exp(known + 0.1)


def far_errors(rng, n):
    known = rng.normal(size=n)
    return known + rng.standard_t(3, size=n), known


@pytest.mark.parametrize("n", [30, 100])
def test_r2_of_amounts_is_covered(n):
    e = np.exp(1)
    assert covered(amounts, "r2", n, 1 - (e - np.exp(0.8)) / (e - 1)) >= 0.92  # .83 and .84 by usual degrees


def test_errors_with_long_tails_are_covered_more_often():
    assert covered(far_errors, "mse", 100, 3.0) >= 0.82  # .77 by usual degrees


def test_one_row_that_has_all_of_the_spread_does_not_make_r2_sure():
    truth = np.append(np.random.default_rng(0).normal(size=99), 1000.0)
    found = intervals(truth, np.append(np.zeros(99), 300.0))["r2"]
    assert found.high - found.low > 0.25  # .02 where the row is not weighed against the others
