"""Thresholds against brute force."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

from mercer.errors import MercerError
from mercer.select.thresholds import Costs, choose_threshold, threshold_line


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.2
    return positive, np.clip(0.3 * positive + rng.random(n) * 0.7, 0, 1).round(2)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("costs", [Costs(20, 1), Costs(1, 1), Costs(1, 30)])
def test_no_threshold_costs_less(seed, costs):
    positive, p = rows(seed=seed)
    chosen = threshold_line(positive, p, choose_threshold(positive, p, "cost", costs), costs)
    every = [threshold_line(positive, p, t, costs).cost for t in np.linspace(0, 1.01, 500)]
    assert chosen.cost == pytest.approx(min(every))


@pytest.mark.parametrize("seed", range(5))
def test_no_threshold_has_a_larger_f1(seed):
    positive, p = rows(seed=seed)
    t = choose_threshold(positive, p, "f1")
    best = max(f1_score(positive, p >= other, zero_division=0) for other in np.linspace(0, 1.01, 500))
    assert f1_score(positive, p >= t) == pytest.approx(best)


def test_a_line_is_what_scikit_learn_counts():
    positive, p = rows()
    line = threshold_line(positive, p, 0.4, Costs(5, 2))
    assert line.precision == pytest.approx(precision_score(positive, p >= 0.4))
    assert line.recall == pytest.approx(recall_score(positive, p >= 0.4))
    assert line.flagged == np.mean(p >= 0.4)
    assert line.cost == pytest.approx((5 * line.false_negative + 2 * line.false_positive) / 300)
    nobody = threshold_line(positive, p, 1.1)
    assert (nobody.precision, nobody.recall, nobody.flagged, nobody.cost) == (None, 0.0, 0.0, None)


def test_weights_are_rows():
    positive, p = rows(80)
    weight = np.random.default_rng(3).integers(1, 4, 80)
    costs = Costs(7, 1)
    repeated = choose_threshold(np.repeat(positive, weight), np.repeat(p, weight), "cost", costs)
    assert choose_threshold(positive, p, "cost", costs, weight.astype(float)) == repeated


def test_nobody_is_called_positive_where_alarms_cost_too_much():
    positive, p = rows()
    p[np.flatnonzero(~positive)[:3]] = 0.995
    assert threshold_line(positive, p, choose_threshold(positive, p, "cost", Costs(0.001, 50))).flagged == 0
    p[np.flatnonzero(~positive)[:3]] = 1.0
    assert threshold_line(positive, p, choose_threshold(positive, p, "cost", Costs(0.001, 50))).flagged == 0


@pytest.mark.parametrize(
    ("rule", "words"),
    [("cost", "--cost fn=20,fp=1"), ("best", "'cost', 'f1'"), (1.5, "between 0 and 1"), (-0.1, "between 0 and 1")],
)
def test_rules_that_are_none(rule, words):
    with pytest.raises(MercerError, match=words):
        choose_threshold(*rows(), rule)


@pytest.mark.parametrize(("fn", "fp"), [(-1, 1), (0, 0), (np.inf, 1), (np.nan, 1)])
def test_costs_that_are_none(fn, fp):
    with pytest.raises(MercerError, match="cost"):
        Costs(fn, fp)
