"""Every rule for a threshold against brute force over all of them."""

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    make_scorer,
    matthews_corrcoef,
    precision_score,
    recall_score,
)
from sklearn.model_selection import TunedThresholdClassifierCV

from mercer.errors import MercerError
from mercer.select.thresholds import METRIC_RULES, Operating, RowCosts, Threshold, choose_threshold, threshold_line

BY_METRIC = {
    "f1": partial(f1_score, zero_division=0),
    "mcc": matthews_corrcoef,
    "accuracy": accuracy_score,
    "balanced_accuracy": balanced_accuracy_score,
    "f1_macro": partial(f1_score, average="macro", zero_division=0),
    "f1_weighted": partial(f1_score, average="weighted", zero_division=0),
}
EVERY = np.linspace(0, 1.01, 500)  # probabilities below have two digits: no threshold is between these


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.2
    return positive, np.clip(0.3 * positive + rng.random(n) * 0.7, 0, 1).round(2)


def costs_of(positive, fn, fp):
    return RowCosts(np.where(positive, 0.0, fp), np.where(positive, fn, 0.0))


def line_of(positive, p, rule, costs=None):
    return threshold_line(positive, p, choose_threshold(positive, p, rule, costs).value, costs)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("fn", "fp"), [(20, 1), (1, 1), (1, 30)])
def test_no_threshold_costs_less(seed, fn, fp):
    positive, p = rows(seed=seed)
    costs = costs_of(positive, fn, fp)
    every = [threshold_line(positive, p, t, costs).cost for t in EVERY]
    assert line_of(positive, p, "cost", costs).cost == pytest.approx(min(every))


@pytest.mark.parametrize("seed", range(5))
def test_costs_of_each_row_are_added_up(seed):
    positive, p = rows(seed=seed)
    rng = np.random.default_rng(seed)
    costs = RowCosts(np.where(positive, 0.3, 2.0) * rng.random(300), np.where(positive, 20, 0.1) * rng.random(300))
    every = [np.where(p >= t, costs.positive, costs.negative).mean() for t in EVERY]
    assert line_of(positive, p, "cost", costs).cost == pytest.approx(min(every))


@pytest.mark.parametrize("seed", range(5))
def test_no_threshold_has_a_larger_f1(seed):
    positive, p = rows(seed=seed)
    best = max(f1_score(positive, p >= other, zero_division=0) for other in EVERY)
    assert f1_score(positive, p >= choose_threshold(positive, p, "f1").value) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(5))
def test_no_threshold_has_a_larger_youden_index(seed):
    positive, p = rows(seed=seed)

    def index(t):
        return np.mean(p[positive] >= t) - np.mean(p[~positive] >= t)

    assert index(choose_threshold(positive, p, "youden").value) == pytest.approx(max(map(index, EVERY)))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rule", METRIC_RULES)
def test_no_threshold_has_a_larger_value_of_the_metric(rule, seed):
    positive, p = rows(seed=seed)
    best = max(BY_METRIC[rule](positive, p >= other) for other in EVERY)
    assert BY_METRIC[rule](positive, p >= choose_threshold(positive, p, rule).value) == pytest.approx(best)
    assert Operating(positive, p).goal(rule).max() == pytest.approx(best)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("least", [0.3, 0.75, 0.9, 1.0])
def test_the_largest_precision_with_a_recall_and_the_other_way_round(seed, least):
    positive, p = rows(seed=seed)
    every = [threshold_line(positive, p, t) for t in EVERY]
    found = line_of(positive, p, f"recall={least}")
    assert found.recall >= least
    assert found.precision == pytest.approx(max(o.precision for o in every if o.recall >= least))
    able = [o.recall for o in every if o.precision is not None and o.precision >= least]
    found = choose_threshold(positive, p, f"precision={least}")
    assert found.reached == bool(able)
    if able:
        assert threshold_line(positive, p, found.value).precision >= least
        assert threshold_line(positive, p, found.value).recall == pytest.approx(max(able))


def test_a_precision_that_nobody_has_gives_the_largest():
    positive, p = rows()
    p[np.flatnonzero(~positive)[:10]] = 1.0
    found = choose_threshold(positive, p, "precision=0.99")
    assert not found.reached
    every = [threshold_line(positive, p, t).precision or 0 for t in EVERY]
    assert threshold_line(positive, p, found.value).precision == pytest.approx(max(every))


@pytest.mark.parametrize("count", [1, 7, 300])
def test_the_top_rows_are_those_of_largest_probability(count):
    rng = np.random.default_rng(count)
    positive, p = rows()[0], rng.random(300)
    called = p >= choose_threshold(positive, p, f"top={count}").value
    assert set(np.flatnonzero(called)) == set(np.argsort(-p)[:count])


def test_more_rows_than_there_are_is_refused():
    with pytest.raises(MercerError, match="there are 300 rows"):
        choose_threshold(*rows(), "top=301")


def test_exact_probabilities_give_the_threshold_of_bayes():
    rng = np.random.default_rng(1)
    p = rng.random(200_000)
    positive = rng.random(200_000) < p
    for fn, fp in ((4, 1), (1, 1), (1, 3)):
        found = choose_threshold(positive, p, "cost", costs_of(positive, fn, fp)).value
        assert found == pytest.approx(fp / (fp + fn), abs=0.03)


def test_scikit_learn_tunes_to_the_same_cost():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(400, 2))
    positive = rng.random(400) < 1 / (1 + np.exp(2 - 2 * x[:, 0]))

    def saved(y, predicted):
        return -(10 * np.sum((y == 1) & (predicted == 0)) + np.sum((y == 0) & (predicted == 1)))

    model = LogisticRegression().fit(x, positive.astype(int))
    p = model.predict_proba(x)[:, 1]
    tuned = TunedThresholdClassifierCV(
        model, scoring=make_scorer(saved), cv="prefit", refit=False, thresholds=np.unique(p)
    ).fit(x, positive.astype(int))
    costs = costs_of(positive, 10, 1)
    ours = line_of(positive, p, "cost", costs).cost
    assert ours == pytest.approx(threshold_line(positive, p, tuned.best_threshold_, costs).cost)


def test_a_line_is_what_scikit_learn_counts():
    positive, p = rows()
    line = threshold_line(positive, p, 0.4, costs_of(positive, 5, 2))
    assert line.precision == pytest.approx(precision_score(positive, p >= 0.4))
    assert line.recall == pytest.approx(recall_score(positive, p >= 0.4))
    assert line.flagged == np.mean(p >= 0.4)
    assert line.cost == pytest.approx((5 * line.false_negative + 2 * line.false_positive) / 300)
    nobody = threshold_line(positive, p, 1.1)
    assert (nobody.precision, nobody.recall, nobody.flagged, nobody.cost) == (None, 0.0, 0.0, None)


@pytest.mark.parametrize("rule", ["cost", "f1", "youden", "recall=0.8", "precision=0.4", *METRIC_RULES])
def test_weights_are_rows(rule):
    positive, p = rows(80)
    weight = np.random.default_rng(3).integers(1, 4, 80)
    repeated = np.repeat(positive, weight)
    expected = choose_threshold(repeated, np.repeat(p, weight), rule, costs_of(repeated, 7, 1))
    assert choose_threshold(positive, p, rule, costs_of(positive, 7, 1), weight.astype(float)) == expected


def test_every_threshold_has_its_line():
    positive, p = rows()
    costs = costs_of(positive, 20, 1)
    points = Operating(positive, p, costs)
    for i in (0, 3, len(points.thresholds) // 2, len(points.thresholds) - 1):
        line = threshold_line(positive, p, points.thresholds[i], costs)
        assert (line.true_positive, line.false_positive) == (points.true[i], points.false[i])
        assert line.cost == pytest.approx(points.cost[i])


def test_nobody_is_called_positive_where_alarms_cost_too_much():
    positive, p = rows()
    p[np.flatnonzero(~positive)[:3]] = 0.995
    assert line_of(positive, p, "cost", costs_of(positive, 0.001, 50)).flagged == 0
    p[np.flatnonzero(~positive)[:3]] = 1.0
    assert line_of(positive, p, "cost", costs_of(positive, 0.001, 50)).flagged == 0


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0.25", Threshold("given", 0.25)),
        (0.25, Threshold("given", 0.25)),
        (" recall = 0.9 ", Threshold("recall", 0.9)),
        ("top=100", Threshold("top", 100)),
        ("youden", Threshold("youden")),
        ("f1_macro", Threshold("f1_macro")),
        (Threshold("f1"), Threshold("f1")),
        (None, None),
    ],
)
def test_thresholds_as_written(written, meant):
    assert Threshold.read(written) == meant
    assert meant is None or Threshold.read(str(meant)) == meant


@pytest.mark.parametrize(
    "rule",
    ["best", 1.5, -0.1, "nan", "recall", "recall=0", "precision=1.2", "top=0", "top=1.5", "top", "f1=2", "", "="],
)
def test_rules_that_are_none(rule):
    with pytest.raises(MercerError, match=r"a number from 0 to 1, or one of cost, f1, mcc, .*, youden, recall=0\.9"):
        Threshold.read(rule)


def test_least_cost_needs_costs():
    with pytest.raises(MercerError, match="--cost fn=20,fp=1"):
        choose_threshold(*rows(), "cost")


@pytest.mark.parametrize(
    ("given", "same"), [("F1", "f1"), ("Recall=0.9", "recall=0.9"), ("recall=90%", "recall=0.9"), ("30%", "0.3")]
)
def test_capitals_and_percentages(given, same):
    assert Threshold.read(given) == Threshold.read(same)


@pytest.mark.parametrize("given", ["recall=900%", "%", "f1%", "top=50%"])
def test_percentages_that_are_none(given):
    with pytest.raises(MercerError, match="give a number from 0 to 1"):
        Threshold.read(given)
