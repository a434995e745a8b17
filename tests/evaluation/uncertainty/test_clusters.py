"""Rows in groups: intervals count the groups, and cover the truth where those of rows do not."""

import numpy as np
import pytest

import mercer
from mercer.errors import MercerError
from mercer.evaluation.assessment.labels import read_labels
from mercer.evaluation.assessment.predictions import given_predictions
from mercer.evaluation.curves import calibration, cost_curve, roc_curve
from mercer.evaluation.uncertainty.areas import area_interval
from mercer.evaluation.uncertainty.clusters import design_effect
from mercer.evaluation.uncertainty.difference import row_differences
from mercer.evaluation.uncertainty.held_out import score_intervals, share_interval
from mercer.evaluation.uncertainty.influence import contributions
from mercer.evaluation.uncertainty.paired import mean_difference
from mercer.select.auc import Ranked
from mercer.select.thresholds import RowCosts
from mercer.select.weighted import ClassScores
from mercer.table import Task

TIMES = 5


def rows_of_classes(rng, n=60, size=2):
    truth = np.arange(n) % size
    proba = rng.dirichlet(np.ones(size), n)
    proba[np.arange(n), truth] += 0.4
    return truth, proba / proba.sum(axis=1, keepdims=True)


def assert_same(ours, theirs, rel=1e-9):
    for end in ("value", "low", "high"):
        assert getattr(ours, end) == pytest.approx(getattr(theirs, end), rel=rel)


@pytest.mark.parametrize("size", [2, 4])
def test_a_table_written_five_times_has_the_intervals_of_the_table(size):
    truth, proba = rows_of_classes(np.random.default_rng(0), size=size)
    positive = 1 if size == 2 else None
    once = score_intervals(Task.CLASSIFICATION, truth, proba, positive, 0.95)
    groups = np.repeat(np.arange(len(truth)), TIMES)
    copied = np.repeat(truth, TIMES), np.repeat(proba, TIMES, axis=0)
    again = score_intervals(Task.CLASSIFICATION, *copied, positive, 0.95, groups=groups)
    as_rows = score_intervals(Task.CLASSIFICATION, *copied, positive, 0.95)
    assert once.keys() == again.keys()
    for key, score in once.items():
        assert_same(again[key], score)
        assert as_rows[key].high - as_rows[key].low < 0.6 * (score.high - score.low)


def test_numbers_written_five_times_have_the_intervals_of_the_numbers():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=40)
    guess = truth + rng.normal(size=40)
    once = score_intervals(Task.REGRESSION, truth, guess, None, 0.95)
    copied = np.repeat(truth, TIMES), np.repeat(guess, TIMES)
    again = score_intervals(Task.REGRESSION, *copied, None, 0.95, groups=np.repeat(np.arange(40), TIMES))
    for key, score in once.items():
        assert_same(again[key], score)


def test_differences_of_copies_are_those_of_the_rows():
    rng = np.random.default_rng(2)
    truth, first = rows_of_classes(rng)
    second = rows_of_classes(rng)[1]
    copied = [np.repeat(part, TIMES, axis=0) for part in (truth, first, second)]
    once = mercer.compare_predictions(truth, first, second, kind="probabilities", cost="fn=5,fp=1")
    groups = np.repeat(np.arange(len(truth)), TIMES)
    again = mercer.compare_predictions(*copied, kind="probabilities", groups=groups, cost="fn=5,fp=1")
    for ours, theirs in zip(again.differences[0], once.differences[0], strict=True):
        assert ours.metric == theirs.metric
        assert_same(ours, theirs)
        assert ours.p_value == pytest.approx(theirs.p_value)


def test_bands_and_means_of_copies_are_those_of_the_rows():
    rng = np.random.default_rng(3)
    truth, proba = rows_of_classes(rng, 200)
    positive, p, groups = truth == 1, proba[:, 1], np.repeat(np.arange(200), TIMES)
    copied = np.repeat(positive, TIMES), np.repeat(p, TIMES)
    for bin_once, bin_again in zip(
        calibration(positive, p, 0.95), calibration(*copied, 0.95, None, groups), strict=True
    ):
        assert (bin_again.low, bin_again.high) == pytest.approx((bin_once.low, bin_once.high))
    once, again = roc_curve(positive, p, "1", 0, 0.95), roc_curve(*copied, "1", 0, 0.95, None, groups)
    assert again.y == pytest.approx(once.y)
    assert np.subtract(again.high, again.low).mean() == pytest.approx(np.subtract(once.high, once.low).mean(), rel=0.15)
    prices = RowCosts(np.where(positive, 0.0, 1.0), np.where(positive, 5.0, 0.0))
    dear = RowCosts(np.repeat(prices.positive, TIMES), np.repeat(prices.negative, TIMES))
    once, again = cost_curve(positive, p, prices, "1", 0, 0.95), cost_curve(*copied, dear, "1", 0, 0.95, None, groups)
    assert again.low == pytest.approx(once.low)
    gaps = rng.normal(size=(2, 200))
    assert_same(
        mean_difference(*np.repeat(gaps, TIMES, axis=1), 0.95, None, groups), mean_difference(*gaps, 0.95), rel=1e-6
    )


@pytest.mark.parametrize(("alike", "least"), [(0.0, 0.93), (0.5, 0.93), (1.0, 0.93)])
def test_shares_of_grouped_rows_cover_the_truth(alike, least):
    """40 groups of 1 to 11 rows; a share of the groups are all 1 or all 0, rows of the others are independent."""
    rng, hits, naive = np.random.default_rng(4), 0, 0
    for _ in range(400):
        groups = np.repeat(np.arange(40), rng.integers(1, 12, 40))
        whole, own = rng.random(40) < alike, rng.random(len(groups)) < 0.3
        right = np.where(whole[groups], (rng.random(40) < 0.3)[groups], own)
        ours, theirs = share_interval(right, 0.95, groups), share_interval(right, 0.95)
        hits += ours.low <= 0.3 <= ours.high
        naive += theirs.low <= 0.3 <= theirs.high
    assert hits >= least * 400
    assert alike == 0 or naive < 0.85 * 400


def test_areas_of_grouped_rows_cover_the_truth():
    """60 groups of 5 rows of one class that share half of their score: the area is Phi(1 / sqrt 2)."""
    rng, hits, naive, truth = np.random.default_rng(5), 0, 0, 0.7602
    for _ in range(300):
        groups = np.repeat(np.arange(60), 5)
        classes = (np.arange(60) % 3 == 0)[groups].astype(np.int64)
        score = (rng.normal(size=60) * np.sqrt(0.5))[groups] + rng.normal(size=300) * np.sqrt(0.5) + classes
        ranked = Ranked(classes == 1, score)
        ours, theirs = area_interval(ranked, 0.95, groups), area_interval(ranked, 0.95)
        hits += ours.low <= truth <= ours.high
        naive += theirs.low <= truth <= theirs.high
    assert hits >= 0.92 * 300
    assert naive < 0.85 * 300


def test_groups_of_one_row_change_nothing_and_unknown_correlation_is_taken_for_whole():
    contribution = np.random.default_rng(6).normal(size=30)
    assert design_effect(contribution, np.arange(30)) == 1.0
    assert design_effect(np.zeros(30), np.repeat(np.arange(10), 3)) == 3.0
    assert design_effect(contribution, None) == 1.0


@pytest.mark.parametrize(("n_classes", "positive"), [(3, None), (2, 1), (2, 0)])
def test_contributions_of_what_is_counted_are_derivatives(n_classes, positive):
    rng = np.random.default_rng(7)
    truth, proba = rows_of_classes(rng, 50, n_classes)
    scores, weight = ClassScores(truth, proba[:, rng.permutation(n_classes)], positive), rng.uniform(0.5, 2, 50)
    found = contributions(scores, truth, weight)
    for row in range(5):
        more = weight.copy()
        more[row] *= 1 + 1e-6
        for key in ("f1_macro", "f1_weighted", "balanced_accuracy", "mcc", *(["f1", "precision"] * (n_classes == 2))):
            slope = (scores(more)[key] - scores(weight)[key]) / 1e-6
            assert found[key][row] == pytest.approx(slope, rel=1e-3, abs=1e-9)


def test_evaluate_finds_copies_and_keeps_them_together_in_folds():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    copied, labels = np.repeat(X, TIMES, axis=0), np.repeat(y, TIMES)
    model = mercer.NaiveBayes().fit(rng.normal(size=(50, 3)), np.arange(50) % 2)
    once, again = mercer.evaluate(model, X, y), mercer.evaluate(model, copied, labels)
    assert_same(again["roc_auc"], once["roc_auc"])
    assert any("intervals count" in note for note in again.notes)
    folds = mercer.evaluate(mercer.KNeighborsClassifier(n_neighbors=1), copied, labels, cv=5)
    assert folds["accuracy"].value < 0.8  # copies in other folds would make it 1
    assert mercer.evaluate(model, copied, labels, groups=np.arange(300) // 30)["accuracy"].low <= again["accuracy"].low


def test_groups_must_be_one_for_each_row():
    with pytest.raises(MercerError, match="groups has 2 rows, y has 3"):
        mercer.score_predictions([0, 1, 1], probabilities=[0.1, 0.2, 0.9], groups=[1, 2])


def test_row_differences_of_a_single_group_have_an_interval():
    labels = read_labels(np.array([0, 1, 0, 1, 1, 0]), 6, Task.CLASSIFICATION, None).with_positive(None)
    first = given_predictions(labels, None, np.array([0.1, 0.6, 0.4, 0.9, 0.7, 0.2]), None, None)
    one = type(first)(**{**vars(first), "groups": np.zeros(6, dtype=np.int64)})
    other = type(first)(**{**vars(one), "predicted": one.predicted[:, ::-1].copy()})
    assert all(d.low is None or d.low <= d.value <= d.high for d in row_differences(one, other, 0.95))
