"""A metric that depends on a threshold chooses it: for ranking, searches and decisions alike."""

import numpy as np
import pytest
from sklearn.metrics import f1_score
from tests.select.test_thresholds import BY_METRIC as METRIC

from mercer.estimators.registry import learners
from mercer.evaluation.comparison import compare_learners
from mercer.evaluation.decisions.scores import pooled
from mercer.evaluation.metrics import METRICS, SearchScore
from mercer.evaluation.run.learner import run_learner
from mercer.table import Task

from .test_costs import context, payments


def linear(where):
    return run_learner(learners(Task.CLASSIFICATION, ["linear"])[0], where, lambda what: None)


def values(metric, where, rows, predicted, thresholds):
    """The metric at each threshold, by scikit-learn."""
    return np.array([METRIC[metric](where.target.codes[rows], predicted[:, 1] >= t) for t in thresholds])


def best_thresholds(metric, where, rows, predicted):
    """Every threshold of these rows that is best, by brute force, each by the rows that it calls positive."""
    levels = np.append(np.unique(predicted[:, 1]), 1.1)
    found = values(metric, where, rows, predicted, levels)
    return levels[found >= found.max() - 1e-12], found.max()


@pytest.mark.parametrize("metric", METRIC)
def test_the_threshold_is_the_best_one_on_rows_held_out_in_cross_validation(metric):
    where = context(metric=metric, learners=("linear",))
    found = compare_learners(where, lambda what, share: None).decision
    run = linear(where)
    rows, predicted = pooled(list(run.folds))
    _, best = best_thresholds(metric, where, rows, predicted)
    assert found.rule == metric
    assert found.stored.threshold == found.threshold
    assert values(metric, where, rows, predicted, [found.threshold])[0] == pytest.approx(best)
    usual = np.mean([values(metric, where, f.rows, f.predicted, [0.5])[0] for f in run.folds])
    assert found.score_cross_validated.usual.value == pytest.approx(usual)
    chosen = found.score_cross_validated.chosen
    assert chosen.low <= chosen.value <= best  # a fold is not called by the threshold that is best on itself
    test = where.plan.test, run.predicted
    for score, t in ((found.score_held_out.chosen, found.threshold), (found.score_held_out.usual, 0.5)):
        assert score.value == pytest.approx(values(metric, where, *test, [t])[0])
    both = found.score_held_out
    assert both.saved.value == pytest.approx(both.chosen.value - both.usual.value)


@pytest.mark.parametrize("metric", METRIC)
def test_a_fold_is_called_by_the_threshold_that_is_best_on_the_others(metric):
    where = context(metric=metric)
    folds = list(linear(where).folds)
    for i, fold in enumerate(folds):
        best, _ = best_thresholds(metric, where, *pooled(folds[:i] + folds[i + 1 :]))
        # a threshold lies between two rows of the other folds: rows of this one may be between them too
        levels = np.sort(np.concatenate([t.predicted[:, 1] for t in folds if t is not fold]))
        below = [levels[np.searchsorted(levels, t) - 1] if t > levels[0] else 0.0 for t in best]
        able = [np.linspace(low, high, 21)[1:] for low, high in zip(below, best, strict=True)]
        reached = values(metric, where, fold.rows, fold.predicted, np.concatenate(able))
        assert reached.min() - 1e-12 <= fold.scores[metric] <= reached.max() + 1e-12
        called = METRIC[metric](where.target.codes[fold.rows], fold.guess == where.target.positive)
        assert fold.scores[metric] == pytest.approx(called)


def test_ranking_and_importance_are_by_the_decisions():
    found = compare_learners(context(metric="balanced_accuracy"), lambda what, share: None)
    assert [entry.key for entry in found.leaderboard] == ["linear", "baseline"]
    assert found.leaderboard[1].cross_validated["balanced_accuracy"].value == pytest.approx(0.5)
    assert found.best.behind is None
    assert found.diagnostics.importance[0].column == "x"
    assert found.decision.threshold < 0.5  # positives are rare


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "log_loss", "brier", "recall", "precision", None])
def test_other_metrics_choose_none(metric):
    assert compare_learners(context(metric=metric), lambda what, share: None).decision is None


def test_several_classes_are_called_the_most_probable_one():
    where = context(payments(classes=3), metric="f1_macro")
    assert compare_learners(where, lambda what, share: None).decision is None
    fold = linear(where).folds[0]
    expected = f1_score(where.target.codes[fold.rows], fold.predicted.argmax(axis=1), average="macro")
    assert fold.scores["f1_macro"] == pytest.approx(expected)


@pytest.mark.parametrize(("asked", "rule"), [({"threshold": "recall=0.9"}, "recall"), ({"costs": "fn=20"}, "cost")])
def test_what_was_asked_for_goes_before_the_metric(asked, rule):
    where = context(metric="f1_macro", **asked)
    found = compare_learners(where, lambda what, share: None)
    assert found.decision.rule == rule
    line = found.decision.held_out[0]
    f1 = 2 * line.true_positive / (2 * line.true_positive + line.false_positive + line.false_negative)
    other = 2 * line.true_negative / (2 * line.true_negative + line.false_positive + line.false_negative)
    assert found.best.held_out["f1_macro"].value == pytest.approx((f1 + other) / 2)
    assert found.decision.score_held_out.chosen.value == pytest.approx((f1 + other) / 2)


@pytest.mark.parametrize(("metric", "threshold"), [("precision", "precision=0.5"), ("recall", "recall=0.9")])
def test_a_bound_on_the_metric_that_ranks_is_no_rule_by_that_metric(metric, threshold):
    where = context(metric=metric, threshold=threshold, learners=("neighbours", "baseline"))
    found = compare_learners(where, lambda what, share: None)
    line = found.decision.held_out[0]
    assert found.best.held_out[metric].value == pytest.approx(getattr(line, metric) or 0.0)


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("metric", METRIC)
def test_a_search_by_the_metric_scores_the_best_of_all_thresholds(metric, positive):
    rng = np.random.default_rng(0)
    y = (rng.random(200) < 0.2).astype(int)
    scores = rng.normal(size=200) + y

    class Fixed:
        classes_ = np.array([0, 1])

        def decision_function(self, X):
            return scores

    found = SearchScore(METRICS[metric], positive, chooses_threshold=True)(Fixed(), None, y)
    sign = 1 if positive else -1
    levels = np.append(sign * scores, 99)
    assert found == pytest.approx(max(METRIC[metric](y == positive, sign * scores >= t) for t in levels))
