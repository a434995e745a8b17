"""Differences of two models on the same rows, against published formulas, statsmodels, brute force and jackknife."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

import mercer
from mercer.evaluation.assessment.predictions import Predictions
from mercer.evaluation.uncertainty.difference import fold_difference, mcnemar, row_differences
from mercer.evaluation.uncertainty.influence import of_area, of_precision
from mercer.select.auc import Ranked
from mercer.table import Task

RNG = np.random.default_rng(0)
N = 150
TRUTH = (RNG.random(N) < 0.3).astype(int)
SIGNAL = RNG.normal(size=N) + 1.2 * TRUTH
GOOD = 1 / (1 + np.exp(-SIGNAL + 0.5))
POOR = np.round(1 / (1 + np.exp(-0.5 * SIGNAL + RNG.normal(size=N))), 2)  # with ties


def delong_by_pairs(truth, first, second):
    """Difference of areas and its standard error from the placement values, each a mean over all pairs."""
    structure = []
    for score in (first, second):
        won = (score[truth == 1][:, None] > score[truth == 0]) + 0.5 * (score[truth == 1][:, None] == score[truth == 0])
        structure.append((won.mean(axis=1), won.mean(axis=0)))
    gap = structure[0][0].mean() - structure[1][0].mean()
    variance = sum(np.var(structure[0][s] - structure[1][s], ddof=1) / len(structure[0][s]) for s in (0, 1))
    return gap, np.sqrt(variance)


def test_the_difference_of_areas_is_delongs():
    found = mercer.compare_predictions(TRUTH, GOOD, POOR, kind="probabilities").difference("roc_auc")
    gap, error = delong_by_pairs(TRUTH, GOOD, POOR)
    assert found.value == pytest.approx(gap)
    assert found.value == pytest.approx(sk.roc_auc_score(TRUTH, GOOD) - sk.roc_auc_score(TRUTH, POOR))
    assert (found.low, found.high) == pytest.approx((gap - 1.959964 * error, gap + 1.959964 * error))
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(gap) / error))
    assert found.method == "DeLong"


@pytest.mark.parametrize("metric", [sk.roc_auc_score, sk.average_precision_score])
@pytest.mark.parametrize("weight", [np.ones(N), 0.5 + RNG.random(N)], ids=["unweighted", "weighted"])
def test_contributions_are_derivatives_by_the_weight_of_a_row(metric, weight):
    ranked = Ranked(TRUTH == 1, POOR)
    ours = (of_area if metric is sk.roc_auc_score else of_precision)(ranked, weight)
    for row in range(0, N, 17):
        step = np.zeros(N)
        step[row] = 1e-5
        up, down = (metric(TRUTH, POOR, sample_weight=weight + s) for s in (step, -step))
        assert ours[row] == pytest.approx(weight[row] * (up - down) / 2e-5, abs=1e-8)
    assert ours.sum() == pytest.approx(0, abs=1e-12)


def test_average_precision_is_near_the_jackknife():
    found = mercer.compare_predictions(TRUTH, GOOD, POOR, kind="probabilities").difference("average_precision")
    kept = [np.arange(N) != row for row in range(N)]
    left = np.array(
        [sk.average_precision_score(TRUTH[k], GOOD[k]) - sk.average_precision_score(TRUTH[k], POOR[k]) for k in kept]
    )
    error = np.sqrt((N - 1) / N * np.square(left - left.mean()).sum())
    assert (found.high - found.low) / 2 == pytest.approx(stats.t.ppf(0.975, N - 1) * error, rel=0.1)


@pytest.mark.parametrize("counts", [(10, 3, 12, 5), (40, 30, 10, 20), (50, 0, 0, 7), (0, 4, 0, 0)])
def test_mcnemar_is_statsmodels(counts):
    both, only, other, neither = counts
    first = np.repeat([True, True, False, False], [both, only, other, neither])
    second = np.repeat([True, False, True, False], [both, only, other, neither])
    found = mcnemar("accuracy", first, second, 0.95)
    if only + other:
        theirs = statsmodels_mcnemar([[both, only], [other, neither]], exact=True)
        assert found.p_value == pytest.approx(theirs.pvalue)
    assert found.value == pytest.approx((only - other) / sum(counts))
    assert found.low < found.value < found.high or found.value in (1.0, -1.0)


def test_newcombes_interval_is_the_published_one():
    """Newcombe (1998), table III, method 10: 36, 12, 2, 0 of 50 rows, difference 0.2."""
    first = np.repeat([True, True, False, False], [36, 12, 2, 0])
    second = np.repeat([True, False, True, False], [36, 12, 2, 0])
    found = mcnemar("accuracy", first, second, 0.95)
    assert (found.low, found.high) == pytest.approx((0.0569, 0.3404), abs=5e-5)


def test_folds_are_compared_by_the_corrected_t():
    first, second, share = [0.8, 0.9, 0.85, 0.7], [0.75, 0.8, 0.85, 0.72], 1 / 3
    found = fold_difference("accuracy", first, second, share, 0.95)
    gaps = np.subtract(first, second)
    error = np.sqrt((1 / 4 + 1 / 3) * gaps.var(ddof=1))
    assert found.value == pytest.approx(gaps.mean())
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(gaps.mean()) / error, 3))
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.95, 3, gaps.mean(), error))
    assert fold_difference("accuracy", [np.nan], [1.0], share, 0.95).value is None


def test_mean_losses_are_compared_by_a_paired_t_test():
    found = mercer.compare_predictions(TRUTH, GOOD, POOR, kind="probabilities").difference("brier")
    theirs = stats.ttest_rel((GOOD - TRUTH) ** 2, (POOR - TRUTH) ** 2)
    assert found.p_value == pytest.approx(theirs.pvalue)
    ends = theirs.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))


def test_numbers_are_compared_in_every_metric():
    y = RNG.normal(size=200)
    near, far = y + 0.5 * RNG.normal(size=200), y + RNG.laplace(size=200)
    found = mercer.compare_predictions(y, near, far)
    assert found.better("r2") == found.better("mae") == found.better("rmse") == "A"
    assert found.difference("r2").value == pytest.approx(sk.r2_score(y, near) - sk.r2_score(y, far))
    draws = [RNG.integers(0, 200, 200) for _ in range(2000)]
    errors = [np.sqrt(np.mean((y - near)[d] ** 2)) - np.sqrt(np.mean((y - far)[d] ** 2)) for d in draws]
    assert found.difference("rmse").high - found.difference("rmse").low == pytest.approx(3.92 * np.std(errors), rel=0.1)


def f1_macro(truth, guess):
    """The mean over both classes of 2 TP / (2 TP + FP + FN)."""
    return np.mean(
        [2 * np.sum((truth == c) & (guess == c)) / (np.sum(truth == c) + np.sum(guess == c)) for c in (0, 1)]
    )


@pytest.mark.parametrize(
    ("key", "metric"), [("f1", sk.f1_score), ("precision", sk.precision_score), ("mcc", sk.matthews_corrcoef)]
)
def test_differences_of_the_positive_class_agree_with_the_bootstrap(key, metric):
    first, second = (GOOD > 0.5).astype(int), (POOR > 0.5).astype(int)
    found = mercer.compare_predictions(TRUTH, first, second, positive=1).difference(key)
    assert found.value == pytest.approx(metric(TRUTH, first) - metric(TRUTH, second))
    draws = [RNG.integers(0, N, N) for _ in range(1000)]
    gaps = [metric(TRUTH[d], first[d]) - metric(TRUTH[d], second[d]) for d in draws]
    assert found.high - found.low == pytest.approx(3.92 * np.std(gaps), rel=0.15)


@pytest.mark.parametrize(
    ("key", "metric"),
    [("median_absolute_error", sk.median_absolute_error), ("mape", sk.mean_absolute_percentage_error)],
)
def test_differences_of_errors_agree_with_the_bootstrap(key, metric):
    rng = np.random.default_rng(9)
    truth = rng.normal(10, 1, 600)
    first, second = truth + rng.normal(size=600), truth + 1.5 * rng.laplace(size=600)
    found = mercer.compare_predictions(truth, first, second).difference(key)
    assert found.value == pytest.approx(metric(truth, first) - metric(truth, second))
    draws = [rng.integers(0, 600, 600) for _ in range(400)]
    gaps = [metric(truth[d], first[d]) - metric(truth[d], second[d]) for d in draws]
    assert found.high - found.low == pytest.approx(3.92 * np.std(gaps), rel=0.2)


def test_joint_counts_of_uneven_weights_agree_with_the_bootstrap():
    first, second = (GOOD > 0.5).astype(int), (POOR > 0.5).astype(int)
    weight = RNG.choice([1.0, 15.0], N)
    found = mercer.compare_predictions(TRUTH, first, second, positive=1, sample_weight=weight).difference("f1")
    gaps = []
    for _ in range(1000):
        d = RNG.integers(0, N, N)
        one, two = (sk.f1_score(TRUTH[d], guess[d], sample_weight=weight[d]) for guess in (first, second))
        gaps.append(one - two)
    assert found.high - found.low == pytest.approx(3.92 * np.std(gaps), rel=0.15)


def test_joint_counts_agree_with_the_bootstrap():
    first, second = (GOOD > 0.5).astype(int), (POOR > 0.5).astype(int)
    found = mercer.compare_predictions(TRUTH, first, second).difference("f1_macro")
    draws = [RNG.integers(0, N, N) for _ in range(1000)]
    gaps = [f1_macro(TRUTH[d], first[d]) - f1_macro(TRUTH[d], second[d]) for d in draws]
    assert found.high - found.low == pytest.approx(3.92 * np.std(gaps), rel=0.12)


def predictions(truth, share):
    guess = (share > 0.5).astype(int)
    return Predictions(Task.CLASSIFICATION, truth, np.column_stack([1 - share, share]), guess, ("0", "1"), 1)


def test_intervals_of_differences_cover():
    """200 samples of 150 rows; the truth is 0, since both models are the signal with noise of one size."""
    rng, hits = np.random.default_rng(3), Counter()
    for _ in range(200):
        truth = (rng.random(150) < 0.4).astype(int)
        pair = [predictions(truth, 1 / (1 + np.exp(-truth + 0.4 - rng.normal(size=150)))) for _ in range(2)]
        hits.update(d.metric for d in row_differences(*pair, 0.95) if d.low <= 0 <= d.high)
    assert len(hits) == 12
    assert all(0.91 <= hit / 200 <= 0.985 for hit in hits.values()), hits


@pytest.mark.parametrize("key", ["roc_auc", "average_precision"])
def test_areas_of_three_positive_rows_differ_by_an_interval_that_covers(key):
    """DeLong's interval covered 0.81 of these, that of the jackknife of average precision 0.82."""
    rng, shifts, hits = np.random.default_rng(1), (2.5, 1.0), 0
    truth = np.arange(30) < 3
    many = np.arange(400_000) < 40_000

    def pair(labels):
        shared = rng.normal(size=len(labels))
        return [np.sqrt(0.9) * shared + np.sqrt(0.1) * rng.normal(size=len(labels)) + s * labels for s in shifts]

    metric = sk.roc_auc_score if key == "roc_auc" else sk.average_precision_score
    true_gap = metric(many, (first := pair(many))[0]) - metric(many, first[1])
    for _ in range(300):
        both = [predictions(truth.astype(int), 1 / (1 + np.exp(-score))) for score in pair(truth)]
        found = next(d for d in row_differences(*both, 0.95) if d.metric == key)
        assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)
        hits += found.low <= true_gap <= found.high
    assert 0.89 <= hits / 300 <= 0.995


def test_areas_of_thirty_rows_of_each_class_differ_by_the_variance_that_rows_show():
    truth = np.repeat([0, 1], 30)
    scores = [1 / (1 + np.exp(-np.random.default_rng(seed).normal(size=60) - truth)) for seed in (0, 1)]
    found = next(d for d in row_differences(*[predictions(truth, s) for s in scores], 0.95) if d.metric == "roc_auc")
    gap, error = delong_by_pairs(truth, *scores)
    assert found.method == "DeLong"
    assert (found.low, found.high) == pytest.approx((gap - 1.959964 * error, gap + 1.959964 * error))
