"""Gains, lift and cost: by counting rows one after the other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import mercer
from mercer import plot
from mercer.errors import MercerError

RNG = np.random.default_rng(4)
X = RNG.normal(size=(200, 2))
Y = np.where(X[:, 0] + RNG.normal(size=200) > 1.2, "yes", "no")
MODEL = LogisticRegression().fit(X, Y)
PROBABILITY = MODEL.predict_proba(X)[:, 1]


def counted_by_hand(share):
    first = np.argsort(-PROBABILITY)[: round(200 * share)]
    return (Y[first] == "yes").sum() / (Y == "yes").sum()


def test_gains_are_the_rows_found_among_the_first():
    x, y = plot.gains_curve(MODEL, X, Y).lines[0].get_data()
    for share in (0.1, 0.25, 0.5, 1.0):
        assert y[np.searchsorted(x, share - 1e-9)] == pytest.approx(counted_by_hand(share))


def test_lift_is_gains_over_the_share_of_rows():
    x, y = plot.lift_curve(MODEL, X, Y).lines[0].get_data()
    for share in (0.1, 0.25, 0.5, 1.0):
        assert y[np.searchsorted(x, share - 1e-9)] == pytest.approx(counted_by_hand(share) / share)


@pytest.mark.parametrize(("cost", "fn", "fp"), [("fn=20,fp=1", 20, 1), ({"fn": 3, "fp": 2}, 3, 2), (None, 1, 1)])
def test_cost_is_that_of_the_errors_at_each_threshold(cost, fn, fp):
    ax = plot.cost_curve(MODEL, X, Y, cost=cost)
    x, y = ax.lines[0].get_data()
    called = PROBABILITY[:, None] >= np.asarray(x)
    errors = fn * (~called & (Y == "yes")[:, None]) + fp * (called & (Y == "no")[:, None])
    assert_allclose(y, errors.mean(axis=0))
    least = next(line for line in ax.lines if str(line.get_label()).startswith("least"))
    assert least.get_ydata()[0] == pytest.approx(errors.mean(axis=0).min())


def test_the_result_of_a_training_run_with_costs():
    rows = {"a": X[:, 0], "b": X[:, 1], "answer": Y}
    result = mercer.train(rows, target="answer", learners=["naive_bayes"], cost="fn=20,fp=1")
    held = result.comparison.decision
    for draw, curve in (
        (plot.gains_curve, held.gains),
        (plot.lift_curve, held.lift),
        (plot.cost_curve, held.cost_curve),
    ):
        assert_allclose(draw(result).lines[0].get_xydata(), np.column_stack([curve.x, curve.y]))
        ax = draw(curve)
        assert_allclose(ax.lines[0].get_ydata(), curve.y)
        ends = ax.collections[0].get_paths()[0].vertices[:, 1]
        assert (ends.min(), ends.max()) == pytest.approx((min(curve.low), max(curve.high)))


def test_bad_input():
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    with pytest.raises(MercerError, match="Name it"):
        plot.cost_curve(LogisticRegression().fit(X, three), X, three)
    with pytest.raises(MercerError, match="LinearSVC has no predict_proba"):
        plot.cost_curve(LinearSVC().fit(X, Y), X, Y)
    with pytest.raises(MercerError, match="columns"):
        plot.cost_curve(MODEL, X, Y, cost="fn=amount,fp=1")
    with pytest.raises(MercerError, match="cost"):
        plot.cost_curve(MODEL, X, Y, cost="fn=-1")
    assert len(plot.gains_curve(LogisticRegression().fit(X, three), X, three).lines) == 4
