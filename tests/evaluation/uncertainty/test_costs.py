"""Intervals of the mean cost of a row, where errors that cost much are rare."""

import numpy as np
import pytest

import mercer
from mercer.evaluation.intervals import share
from mercer.evaluation.uncertainty.costs import cost_interval
from mercer.select.costs import CostMatrix

MISSED, ALARM = 20.0, 1.0
TWO = CostMatrix(("no", "yes"), np.array([[0.0, ALARM], [MISSED, 0.0]]))
BY_AMOUNT = CostMatrix(TWO.classes, np.array([[0.0, 10.0], [1.0, 0.0]]), ((1, 0, "amount"),))


def classes(rng, n, positive, missed, alarms):
    truth = (rng.random(n) < positive).astype(np.int64)
    called = np.where(truth == 1, rng.random(n) >= missed, rng.random(n) < alarms).astype(np.int64)
    return truth, called


def covered(matrix, setting, n, expected, amounts=False):
    rng, hits = np.random.default_rng(0), 0
    for _ in range(400):
        truth, called = classes(rng, n, *setting)
        by_row = {"amount": np.exp(rng.normal(4, 1, n))} if amounts else None
        found = cost_interval(matrix, truth, called, by_row, 0.95)
        assert found.value == pytest.approx(matrix.incurred(truth, called, by_row).mean())
        hits += found.low <= expected <= found.high
    return hits / 400


@pytest.mark.parametrize("n", [100, 300, 1000])
def test_rare_dear_errors_are_covered(n):
    positive, missed, alarms = setting = 0.02, 0.5, 0.05
    expected = positive * missed * MISSED + (1 - positive) * alarms * ALARM
    assert covered(TWO, setting, n, expected) >= 0.93


@pytest.mark.parametrize("n", [100, 300, 1000])
def test_rare_errors_that_cost_what_a_column_says_are_covered(n):
    positive, missed, alarms = setting = 0.05, 0.4, 0.05
    expected = positive * missed * np.exp(4.5) + (1 - positive) * alarms * 10
    assert covered(BY_AMOUNT, setting, n, expected, amounts=True) >= 0.92


def test_what_a_dear_error_would_cost_counts_where_none_was_seen():
    truth = np.repeat([0, 1], [95, 5])
    called = truth.copy()
    called[:5] = 1
    found = cost_interval(TWO, truth, called, None, 0.95)
    assert found.value == pytest.approx(0.05)
    assert found.high > MISSED * share(0, 100).high > 0.5


def test_errors_of_one_cost_are_the_share_of_errors():
    truth, called = classes(np.random.default_rng(1), 200, 0.4, 0.2, 0.2)
    found, errors = cost_interval(CostMatrix("ab", 3 - 3 * np.eye(2)), truth, called, None, 0.95), truth != called
    expected = share(errors.sum(), 200)
    assert [found.value, found.low, found.high] == pytest.approx(
        [3 * expected.value, 3 * expected.low, 3 * expected.high]
    )


def test_a_row_written_twice_says_no_more():
    truth, called = classes(np.random.default_rng(2), 80, 0.3, 0.3, 0.1)
    once, twice = (
        cost_interval(TWO, np.tile(truth, k), np.tile(called, k), None, 0.95, groups=np.tile(np.arange(80), k))
        for k in (1, 2)
    )
    assert [twice.value, twice.low, twice.high] == pytest.approx([once.value, once.low, once.high])


def test_weights_that_differ_widen():
    truth, called = classes(np.random.default_rng(3), 300, 0.3, 0.3, 0.1)
    weight = np.where(np.arange(300) % 2, 1.0, 0.1)
    plain, even, uneven = (cost_interval(TWO, truth, called, None, 0.95, w) for w in (None, np.full(300, 2.0), weight))
    assert [even.value, even.low, even.high] == pytest.approx([plain.value, plain.low, plain.high])
    assert uneven.value == pytest.approx(np.average(TWO.incurred(truth, called), weights=weight))
    assert uneven.high - uneven.low > 1.2 * (plain.high - plain.low)


def test_a_column_that_costs_nothing_and_a_class_without_rows():
    truth, called = np.zeros(50, dtype=np.int64), np.zeros(50, dtype=np.int64)
    nothing = cost_interval(BY_AMOUNT, truth, called, {"amount": np.zeros(50)}, 0.95)
    assert nothing.value == nothing.low == 0
    assert 0 < nothing.high < 10
    some = cost_interval(BY_AMOUNT, truth, called, {"amount": np.full(50, 400.0)}, 0.95)
    assert some.high > nothing.high


def test_compared_predictions_say_what_unseen_errors_may_cost():
    truth = np.repeat(["no", "yes"], [195, 5])
    p = np.where(truth == "yes", 0.9, 0.1)
    p[:10] = 0.8
    found = mercer.compare_predictions(truth, p, 1 - p, kind="probabilities", cost="fn=20,fp=1", positive="yes")
    cost = found.evaluations[0].scores["cost"]
    assert cost.value == pytest.approx(0.05)
    assert cost.high > 0.3
