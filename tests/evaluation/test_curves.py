"""Curves against scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics as sk

from mercer.evaluation.curves import calibration, precision_recall_curve, roc_curve, separation


@pytest.fixture
def ranked():
    rng = np.random.default_rng(0)
    positive = rng.random(400) < 0.3
    return positive, np.clip(rng.normal(0.4 + 0.2 * positive, 0.2), 0, 1).round(2)


def test_roc_passes_through_scikit_learns_points(ranked):
    curve = roc_curve(*ranked, "yes", seed=0, level=0.95)
    fpr, tpr, _ = sk.roc_curve(*ranked, drop_intermediate=False)
    upper = np.array([np.interp(x, fpr, tpr) if x not in fpr else tpr[fpr == x].max() for x in curve.x])
    np.testing.assert_allclose(curve.y, upper, atol=1e-9)
    assert (curve.y[-1], curve.x[0], curve.x[-1]) == (1, 0, 1)


def test_precision_is_that_of_the_first_step_that_finds_enough(ranked):
    curve = precision_recall_curve(*ranked, "yes", seed=0, level=0.95)
    precision, recall, _ = sk.precision_recall_curve(*ranked)
    for x, y in zip(curve.x, curve.y, strict=True):
        first = np.flatnonzero(recall >= x - 1e-9)[-1]
        assert y == pytest.approx(precision[first])


def test_bands_hold_the_curve_and_repeat(ranked):
    for make in (roc_curve, precision_recall_curve):
        curve = make(*ranked, "yes", seed=0, level=0.95)
        inside = [low - 1e-9 <= y <= high + 1e-9 for y, low, high in zip(curve.y, curve.low, curve.high, strict=True)]
        assert np.mean(inside) > 0.95
        assert curve == make(*ranked, "yes", seed=0, level=0.95)
        narrow = make(*ranked, "yes", seed=0, level=0.5)
        assert np.sum(np.subtract(narrow.high, narrow.low)) < np.sum(np.subtract(curve.high, curve.low))


def test_bands_are_those_of_resampled_rows(ranked):
    positive, score = ranked
    curve = roc_curve(positive, score, "yes", seed=0, level=0.95)
    rng, places = np.random.default_rng(1), [10, 30, 60]
    draws = []
    for _ in range(300):
        rows = rng.integers(0, 400, 400)
        fpr, tpr, _ = sk.roc_curve(positive[rows], score[rows], drop_intermediate=False)
        draws.append(np.interp([curve.x[k] for k in places], fpr, tpr))
    for end, q in ((curve.low, 0.025), (curve.high, 0.975)):
        np.testing.assert_allclose([end[k] for k in places], np.quantile(draws, q, axis=0), atol=0.03)


def test_a_row_of_weight_three_is_three_rows(ranked):
    weight = np.where(ranked[0], 3.0, 1.0)
    rows = np.repeat(np.arange(400), weight.astype(int))
    for make in (roc_curve, precision_recall_curve):
        weighted = make(*ranked, "yes", seed=0, level=0.95, weight=weight)
        repeated = make(*(part[rows] for part in ranked), "yes", seed=0, level=0.95)
        np.testing.assert_allclose(weighted.y, repeated.y)
        assert np.sum(weighted.high) - np.sum(weighted.low) > np.sum(repeated.high) - np.sum(repeated.low)


def test_many_thresholds_are_drawn_in_steps():
    rng = np.random.default_rng(0)
    positive = rng.random(20_000) < 0.02
    score = rng.normal(size=20_000) + 2 * positive
    curve = roc_curve(positive, score, "yes", seed=0, level=0.95)
    found = np.array(curve.high[5]) - np.array(curve.low[5])
    rate = curve.y[5]
    assert found == pytest.approx(3.92 * np.sqrt(rate * (1 - rate) / positive.sum()), rel=0.35)


def test_calibration_counts_every_row_once(ranked):
    bins = calibration(*ranked, 0.95)
    assert sum(b.n_rows for b in bins) == 400
    assert sum(b.n_rows * b.observed for b in bins) == pytest.approx(ranked[0].sum())
    assert all(b.low <= b.observed <= b.high for b in bins)
    assert np.all(np.diff([b.predicted for b in bins]) > 0)


def test_calibration_of_one_value_is_one_bin():
    (one,) = calibration(np.array([True, False, True, True]), np.full(4, 0.6), 0.95)
    assert (one.predicted, one.observed, one.n_rows) == (pytest.approx(0.6), 0.75, 4)


def test_separation_splits_the_rows_by_class(ranked):
    found = separation(*ranked)
    assert sum(found.positive) == ranked[0].sum()
    assert sum(found.others) == 400 - ranked[0].sum()
