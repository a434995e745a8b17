"""Costs in the comparison of learners: ranking, class weights, decisions, their figures and their curves."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import confusion_matrix

from mercer.estimators.registry import learners
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.curves import calibration, cost_curve, gains_curve, lift_curve, roc_curve
from mercer.evaluation.decisions.decision import slider_steps
from mercer.evaluation.decisions.scores import CostSearchScore, choose_rule, pooled, with_decisions
from mercer.evaluation.metrics import class_report
from mercer.evaluation.options import ComparisonOptions
from mercer.evaluation.run.learner import run_learner
from mercer.evaluation.uncertainty.paired import mean_difference
from mercer.select.costs import Costs
from mercer.select.thresholds import Operating, RowCosts, threshold_line
from mercer.table import Task, open_source


def payments(n=500, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = np.digitize(x + rng.logistic(0, 0.5, n), [1.5] if classes == 2 else [-0.5, 1.0])
    amount = rng.exponential(30, n).round(2)
    return {"x": x.tolist(), "z": rng.normal(size=n).tolist(), "amount": amount.tolist(), "y": y.tolist()}


def context(data=None, **options):
    settings = {"repeats": 1, "learners": ("linear", "baseline"), "folds": 3, **options}
    return prepare(open_source(data or payments()), "y", ComparisonOptions(**settings))


def compared(data=None, **options):
    return compare_learners(context(data, **options), lambda what, share: None)


def test_learners_are_ranked_by_what_their_decisions_cost():
    found = compared(costs="fn=20,fp=1")
    assert found.metric.key == "cost"
    assert found.best.key == "linear"
    base = found.leaderboard[1]
    y = np.array(payments()["y"])
    assert base.cross_validated["cost"].value == pytest.approx(min(20 * y.mean(), 1 - y.mean()), rel=0.1)
    for entry in found.leaderboard:
        for scores in (entry.cross_validated, entry.held_out):
            assert scores["cost"].low < scores["cost"].value < scores["cost"].high
    assert compared(costs="fn=20,fp=1", metric="roc_auc").metric.key == "roc_auc"


def test_the_cost_of_a_fold_is_decided_by_the_other_folds():
    where = context(costs={"fn": 20, "fp": 1})
    folds = list(run_learner(learners(Task.CLASSIFICATION, ["linear"])[0], where, lambda what: None).folds)
    grid = np.linspace(0, 1, 3001)
    for i, fold in enumerate(folds):
        others = folds[:i] + folds[i + 1 :]
        p = np.concatenate([t.predicted[:, 1] for t in others])
        truth = where.target.codes[np.concatenate([t.rows for t in others])] == 1
        totals = [20 * np.sum(truth & (p < t)) + np.sum(~truth & (p >= t)) for t in grid]
        best = grid[np.flatnonzero(totals == np.min(totals))]
        called = fold.predicted[:, 1][:, None] >= best
        positive = (where.target.codes[fold.rows] == 1)[:, None]
        costs = np.where(positive, 20 * ~called, called).mean(axis=0)
        assert costs.min() - 1e-9 <= fold.scores["cost"] <= costs.max() + 1e-9
    assert with_decisions(folds, context()) == folds


def test_the_decision_says_what_it_and_the_usual_one_cost():
    found = compared(costs="fn=20,fp=1").decision
    chosen, usual = found.cross_validated[:2]
    cost = found.cost_cross_validated
    assert (chosen.threshold, usual.threshold) == (found.threshold, 0.5)
    assert cost.chosen.value > chosen.cost  # the threshold of a fold is not chosen on it
    assert cost.usual.value == pytest.approx(usual.cost, rel=1e-3)  # a mean over the folds, one over the rows
    assert cost.saved.value == pytest.approx(cost.usual.value - cost.chosen.value)
    assert 0 < cost.saved.low < cost.saved.high
    assert found.threshold == pytest.approx(1 / 21, abs=0.06)  # of calibrated probabilities
    assert found.cost_held_out.chosen.value == pytest.approx(found.held_out[0].cost)


def test_the_cost_of_the_decision_is_that_of_the_ranking_where_folds_are_dealt_again():
    found = compared(costs="fn=20,fp=1", repeats=3)
    cost = found.decision.cost_cross_validated
    assert len(found.best.folds["cost"]) > found.splits.n_folds
    assert cost.chosen == found.best.cross_validated["cost"]
    assert cost.saved.value == pytest.approx(cost.usual.value - cost.chosen.value)


def test_a_precision_that_few_rows_reach_is_said():
    found = compared(threshold="precision=0.97", learners=("linear",)).decision
    called = found.cross_validated[0].true_positive + found.cross_validated[0].false_positive
    assert called < 30
    assert "'precision=0.97' is" in found.statement
    assert compared(threshold="precision=0.2", learners=("linear",)).decision.statement == ""


def test_class_weights_are_used_only_where_they_pay():
    found = compared(costs="fn=20,fp=1")
    told = found.best.weighting
    assert told.startswith("fitted with class") == (found.decision.stored.class_weights is not None)
    assert "1 to 20" in told
    assert compared(costs="fn=2,fp=2").best.weighting == ""
    assert compared(threshold="f1").best.weighting == ""


def test_class_weights_that_pay_are_fitted_stored_and_taken_out_again():
    """A tree that never splits off few positive rows gains by weights."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(900, 3))
    risk = 0.02 + 0.12 * (x[:, 0] > 0.7) + 0.08 * (x[:, 1] > 1)
    y = np.where(rng.random(900) < risk, "bad", "good")
    data = {**{f"x{j}": x[:, j].tolist() for j in range(3)}, "y": y.tolist()}
    where = context(data, costs="fn=30,fp=1", learners=("tree",))
    found = compare_learners(where, lambda what, share: None)
    weights = found.decision.stored.class_weights
    assert (weights is None) == (found.best_model.get_params()["class_weight"] is None)
    if weights is not None:
        assert found.best_model.get_params()["class_weight"] == {"bad": 30.0, "good": 1.0}
        rule = found.decision.in_order_of(found.best_model.classes_)
        proba = rule.probabilities(found.best_model.predict_proba(data))
        assert proba[:, list(rule.classes).index("bad")].mean() == pytest.approx(np.mean(y == "bad"), abs=0.02)


def test_several_classes_are_decided_by_expected_cost():
    costs = [[0, 1, 1], [1, 0, 1], [8, 8, 0]]
    where = context(payments(classes=3), costs=costs)
    found = compare_learners(where, lambda what, share: None)
    cost = found.decision.cost_cross_validated
    assert found.decision.rule == "expected cost"
    assert cost.saved.low > 0
    assert found.best.cross_validated["cost"].value == pytest.approx(cost.chosen.value, rel=0.02)


def test_costs_of_each_row():
    data = payments()
    where = context(data, costs={"fn": "amount", "fp": 3})
    run = run_learner(learners(Task.CLASSIFICATION, ["linear"])[0], where, lambda what: None)
    rows, proba = pooled(list(run.folds))
    rule, chosen = choose_rule(where, rows, proba)
    amount = np.array(data["amount"])[rows]
    positive = np.array(data["y"])[rows] == 1
    called = proba[:, 1] * amount > (1 - proba[:, 1]) * 3
    np.testing.assert_array_equal(rule.decide(proba, {"amount": amount}) == 1, called)
    expected = np.where(positive, np.where(called, 0, amount), np.where(called, 3, 0))
    found = compare_learners(where, lambda what, share: None)
    assert found.decision.cost_cross_validated.chosen.value == pytest.approx(expected.mean(), rel=0.05)
    every = [threshold_line(positive, proba[:, 1], t, RowCosts(np.where(positive, 0, 3), np.where(positive, amount, 0)))
             for t in np.linspace(0, 1, 2001)]  # fmt: skip
    costs = RowCosts(np.where(positive, 0, 3), np.where(positive, amount, 0))
    ours = threshold_line(positive, proba[:, 1], chosen.value, costs).cost
    assert ours == pytest.approx(min(line.cost for line in every))


@pytest.mark.parametrize("positive", [0, 1])
def test_a_search_by_cost_scores_the_least_cost_over_thresholds(positive):
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=200), rng.integers(0, 2, 200)

    class Fixed:
        classes_ = np.array([0, 1])

        def decision_function(self, X):
            return scores

        def predict(self, X):
            return (scores > 0).astype(int)

    matrix = Costs(7, 2).matrix(("0", "1"), positive)
    found = CostSearchScore(matrix, np.array([0, 1]), positive)(Fixed(), None, y)
    called = [(scores >= t).astype(int) for t in np.append(scores, 99)]
    assert found == pytest.approx(-min(matrix.incurred(y, one).mean() for one in called))
    several = CostSearchScore(matrix, np.array([0, 1]), None)(Fixed(), None, y)
    assert several == pytest.approx(-matrix.incurred(y, Fixed().predict(None)).mean())


def ranked(n=400, seed=0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.3
    return positive, np.clip(rng.normal(0.4 + 0.2 * positive, 0.2), 0, 1)


def test_gains_and_lift_count_the_most_probable_rows():
    positive, p = ranked()
    order = np.argsort(-p)
    gains = gains_curve(positive, p, "yes", 0, 0.95)
    for share in (0.25, 0.5, 1.0):
        first = positive[order][: round(share * 400)].sum() / positive.sum()
        assert np.interp(share, gains.x, gains.y) == pytest.approx(first)
    lift = lift_curve(positive, p, "yes", 0, 0.95)
    np.testing.assert_allclose(lift.y, np.array(gains.y[1:]) / lift.x)
    assert lift.y[-1] == pytest.approx(1)
    for curve in (gains, lift):
        assert np.mean((np.array(curve.low) <= curve.y) & (curve.y <= np.array(curve.high))) > 0.9


def test_the_cost_curve_is_the_cost_of_each_threshold():
    positive, p = ranked()
    costs = RowCosts(np.where(positive, 0.0, 1.0), np.where(positive, 9.0, 0.0))
    curve = cost_curve(positive, p, costs, "yes", 0, 0.95)
    for x, y in zip(curve.x[::17], curve.y[::17], strict=True):
        assert y == pytest.approx(threshold_line(positive, p, x, costs).cost)
    assert all(low <= high for low, high in zip(curve.low, curve.high, strict=True))


def test_weights_are_rows_in_curves_and_counts():
    positive, p = ranked(120)
    p = p.round(2)
    weight = np.random.default_rng(1).integers(1, 4, 120)
    many = np.repeat(np.arange(120), weight)
    w = weight.astype(float)
    costs = RowCosts(np.where(positive, 0.0, 1.0), np.where(positive, 9.0, 0.0))
    again = RowCosts(costs.positive[many], costs.negative[many])
    rest = ("yes", 0, 0.95)
    pairs = [
        (gains_curve(positive, p, *rest, w), gains_curve(positive[many], p[many], *rest)),
        (roc_curve(positive, p, *rest, w), roc_curve(positive[many], p[many], *rest)),
        (cost_curve(positive, p, costs, *rest, w), cost_curve(positive[many], p[many], again, *rest)),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours.y, theirs.y)
    lines, matrix = class_report(positive.astype(int), (p > 0.5).astype(int), ("no", "yes"), w)
    np.testing.assert_allclose(matrix, confusion_matrix(positive[many], p[many] > 0.5))
    assert lines[1].recall == pytest.approx(np.mean(p[many][positive[many]] > 0.5))
    share = sum(b.observed * b.n_rows for b in calibration(positive, p, 0.95, w))
    assert share == pytest.approx(positive[many].sum())


def test_weighted_rows_weigh_in_the_diagnostics():
    data = payments()
    data["w"] = np.random.default_rng(2).integers(1, 5, 500).tolist()
    where = context(data, weight="w")
    found = compare_learners(where, lambda what, share: None)
    assert np.sum(found.diagnostics.confusion) == pytest.approx(where.weight[where.plan.test].sum())
    assert sum(found.diagnostics.separation.positive) == pytest.approx(
        where.weight[where.plan.test][where.target.codes[where.plan.test] == 1].sum()
    )


def test_steps_of_a_slider_are_few_and_hold_the_ends_and_the_chosen():
    positive, p = ranked(5000)
    points = Operating(positive, p)
    steps = slider_steps(points, 0.37)
    assert len(steps.thresholds) < 210
    for place, t in ((steps.chosen, 0.37), (steps.usual, 0.5)):
        line = threshold_line(positive, p, t)
        assert (steps.true[place], steps.false[place]) == (line.true_positive, line.false_positive)
    assert (steps.true[0], steps.true[-1]) == (0, positive.sum())


def test_a_mean_difference_is_a_paired_t_interval():

    rng = np.random.default_rng(0)
    a, b = rng.normal(1, 1, 50), rng.normal(0, 1, 50)
    found = mean_difference(a, b, 0.95)
    low, high = stats.ttest_rel(a, b).confidence_interval(0.95)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    weighted = mean_difference(a, b, 0.95, np.full(50, 3.0))
    assert (weighted.low, weighted.high) == (pytest.approx(low), pytest.approx(high))


def test_a_cost_of_nothing_is_not_certain():
    """Rows decided rightly leave open how many of the next are not: 30 of them more than 300."""
    highs = []
    for n in (60, 600):
        x = [float(i % 2) for i in range(n)]
        data = {"x": x, "z": list(range(n)), "y": ["yes" if v else "no" for v in x]}
        found = compared(data, costs="fn=20,fp=1", learners=("tree",)).best
        for scores in (found.cross_validated, found.held_out):
            assert (scores["cost"].value, scores["cost"].low) == (0, 0)
            assert 0 < scores["cost"].high < 20
        highs.append(found.cross_validated["cost"].high)
    upper = [stats.binomtest(0, n // 2).proportion_ci(0.95, "exact").high for n in (48, 480)]
    assert highs[0] > highs[1]
    np.testing.assert_allclose(highs, [np.hypot(20, 1) / 2 * u for u in upper], rtol=0.45)
