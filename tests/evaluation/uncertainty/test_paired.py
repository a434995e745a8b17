"""Differences of learners over folds."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from mercer.evaluation.intervals import PRIOR_DEGREES, corrected_t
from mercer.evaluation.metrics import METRICS
from mercer.evaluation.run.records import FoldResult
from mercer.evaluation.uncertainty.paired import behind, is_tie, moderated_difference, standard_error
from mercer.table.target import Task


def test_the_difference_is_the_formula():
    gaps, expected = np.array([0.02, 0.05, -0.01]), [0.0004, 0.0006, 0.0005]
    found = moderated_difference(gaps, expected, 1 / 2, 0.95)
    variance = (PRIOR_DEGREES * 0.0005 + 2 * np.var(gaps, ddof=1)) / (PRIOR_DEGREES + 2)
    error = np.sqrt(2 / 3 * variance)
    half = stats.t.ppf(0.975, PRIOR_DEGREES + 2) * error
    assert (found.value, found.low, found.high) == pytest.approx((0.02, 0.02 - half, 0.02 + half))
    assert is_tie(found)
    assert standard_error(found, 3, 0.95) == pytest.approx(error)
    assert moderated_difference(np.array([]), [], 1 / 2, 0.95).value is None
    assert moderated_difference(gaps[:1], expected[:1], 1 / 2, 0.95).low is None


def test_folds_dealt_again_do_not_make_rows_more():
    gaps, expected = np.array([0.02, 0.04, 0.03]), [0.0004] * 3
    once, often = (moderated_difference(np.tile(gaps, n), expected * n, 1 / 2, 0.95) for n in (1, 50))
    floor = stats.norm.ppf(0.975) * np.sqrt(2 / 3 * np.var(gaps))
    assert once.high - once.low > often.high - often.low > 2 * floor


def drawn(rng, n):
    """Two classes, and two scores of each row that are as good as each other."""
    y = (rng.random(n) < 0.3).astype(np.int64)
    y[:2] = 0, 1
    return y, rng.normal(size=(2, n)) + 1.2 * y


def folds_of(context, scores, parts):
    found = []
    for rows in parts:
        p = 1 / (1 + np.exp(-scores[rows]))
        truth = context.target.codes[rows]
        values = {"roc_auc": roc_auc_score(truth, p), "accuracy": np.mean((p > 0.5) == truth)}
        found.append(FoldResult(rows, np.column_stack([1 - p, p]), values, {}))
    return found


def context_of(y, **more):
    target = SimpleNamespace(task=Task.CLASSIFICATION, codes=y, values=y, positive=1)
    return SimpleNamespace(
        target=target,
        plan=SimpleNamespace(test_share=1 / 2),
        weight_of=more.get("weight_of", lambda rows: None),
        groups_of=lambda rows: None,
    )


@pytest.mark.parametrize("key", ["accuracy", "roc_auc"])
def test_the_variance_expected_is_that_of_rows_drawn_again(key):
    """Of 300 samples, against how much the difference of one fold varies among them."""
    rng = np.random.default_rng(1)
    gaps, widths = [], []
    for _ in range(300):
        y, scores = drawn(rng, 120)
        context, parts = context_of(y), [np.arange(120)] * 2  # two folds alike: the variance between them is 0
        one, two = (folds_of(context, each, parts) for each in scores)
        found = behind(one, two, METRICS[key], context, 0.95)
        gaps.append(found.value)
        degrees = PRIOR_DEGREES + 1
        scale = stats.t.ppf(0.975, degrees) * np.sqrt((1 / 2 + 1 / 3) * PRIOR_DEGREES / degrees)
        widths.append((found.high - found.low) / 2 / scale)
    assert np.sqrt(np.mean(np.square(widths))) == pytest.approx(np.std(gaps), rel=0.12)


def test_equal_weights_change_nothing_and_the_metric_says_which_way():
    y, scores = drawn(np.random.default_rng(0), 90)
    context, parts = context_of(y), [np.flatnonzero(np.arange(90) % 3 == k) for k in range(3)]
    one, two = (folds_of(context, each, parts) for each in scores)
    found = behind(one, two, METRICS["accuracy"], context, 0.95)
    assert found.value == pytest.approx(
        np.mean([a.scores["accuracy"] - b.scores["accuracy"] for a, b in zip(one, two, strict=True)])
    )
    weighted = context_of(y, weight_of=lambda rows: np.full(len(rows), 7.0))
    again = behind(one, two, METRICS["accuracy"], weighted, 0.95)
    assert (again.low, again.high) == pytest.approx((found.low, found.high))
    turned = behind(two, one, METRICS["accuracy"], context, 0.95)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    short = behind(one[:2], two, METRICS["accuracy"], context, 0.95)
    assert short.value == pytest.approx(
        np.mean([a.scores["accuracy"] - b.scores["accuracy"] for a, b in zip(one[:2], two[:2], strict=True)])
    )


def test_few_false_calls_and_more_finds_than_by_the_variance_of_three_folds():
    """Scores of equal worth, and a score against one with noise, on 300 tables of 150 rows."""
    rng = np.random.default_rng(2)
    calls = {"equal": [], "worse": []}
    for _ in range(300):
        y, (first, second) = drawn(rng, 150)
        context, order = context_of(y), rng.permutation(150)
        parts = [order[k::3] for k in range(3)]
        if any(len(set(y[rows])) < 2 for rows in parts):
            continue
        for what, other in (("equal", second), ("worse", first + 1.5 * rng.normal(size=150))):
            one, two = (folds_of(context, each, parts) for each in (first, other))
            moderated = behind(one, two, METRICS["roc_auc"], context, 0.95)
            plain = corrected_t(
                [a.scores["roc_auc"] - b.scores["roc_auc"] for a, b in zip(one, two, strict=True)], 1 / 2
            )
            calls[what].append([not found.low <= 0 <= found.high for found in (moderated, plain)])
    assert np.mean(calls["equal"], axis=0)[0] <= 0.05
    ours, theirs = np.mean(calls["worse"], axis=0)
    assert ours > 1.5 * theirs
