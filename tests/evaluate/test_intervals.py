"""Intervals: formulas, and how often they cover the truth."""

import numpy as np
import pytest
from scipy import stats

from mercer.evaluate.intervals import BOOTSTRAP, CORRECTED_T, REPLICATES, bootstrap, corrected_t, percentiles, wilson


def test_wilson_is_scipys():
    for hits, n in ((0, 10), (3, 10), (10, 10), (480, 1000)):
        ours, theirs = wilson(hits, n), stats.binomtest(hits, n).proportion_ci(method="wilson")
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
        assert ours.value == hits / n
    assert wilson(0, 0).value is None


def test_corrected_t_is_the_formula():
    scores = [0.80, 0.84, 0.79, 0.86, 0.81]
    score = corrected_t(scores, 1 / 4)
    half = stats.t.ppf(0.975, 4) * np.sqrt((1 / 5 + 1 / 4) * np.var(scores, ddof=1))
    assert (score.value, score.low, score.high) == pytest.approx((0.82, 0.82 - half, 0.82 + half))
    assert score.method == CORRECTED_T


def test_scores_that_are_not_defined_are_left_out():
    assert corrected_t([0.5, np.nan, 0.7], 0.25).value == pytest.approx(0.6)
    assert corrected_t([np.nan], 0.25).value is None
    assert corrected_t([0.5], 0.25).low is None


def nearest_mean(X, y):
    """Rows nearer to the mean of class 1 than to that of class 0 are called 1."""
    means = [X[y == c].mean(axis=0) for c in (0, 1)]
    return lambda rows: np.subtract(*(np.square(rows - m).sum(axis=1) for m in means)) > 0


def test_corrected_t_covers_where_the_plain_one_does_not():
    """300 samples of 60 rows; the truth is the mean accuracy of models of that size on 20,000 fresh rows."""
    rng = np.random.default_rng(0)

    def draw(n):
        y = rng.integers(0, 2, n)
        return rng.normal(0.4 * y[:, None], 1, (n, 6)), y

    fresh, answer = draw(20_000)
    samples = [draw(60) for _ in range(300)]
    truth = np.mean([np.mean(nearest_mean(X[:48], y[:48])(fresh) == answer) for X, y in samples])
    corrected, plain = [], []
    for X, y in samples:
        scores = []
        for part in np.array_split(np.arange(60), 5):
            teach = np.setdiff1d(np.arange(60), part)
            scores.append(np.mean(nearest_mean(X[teach], y[teach])(X[part]) == y[part]))
        corrected.append(corrected_t(scores, 1 / 4))
        plain.append(corrected_t(scores, 0.0))
    covers, plainly = (np.mean([s.low <= truth <= s.high for s in found]) for found in (corrected, plain))
    assert covers >= 0.94
    assert plainly < covers


def test_bootstrap_covers_a_mean():
    rng = np.random.default_rng(1)
    hits = 0
    for seed in range(200):
        values = rng.normal(5, 2, 80)
        low, high = percentiles(bootstrap(lambda w, v=values: np.average(v, weights=w), 80, seed))
        hits += low <= 5 <= high
    assert 0.89 <= hits / 200 <= 0.99


def test_bootstrap_draws_n_rows_and_repeats_by_seed():
    sums = bootstrap(np.sum, 50, seed=3)
    assert sums.tolist() == [50.0] * REPLICATES
    first, again, other = (bootstrap(lambda w: w[0], 50, seed) for seed in (3, 3, 4))
    assert first.tolist() == again.tolist() != other.tolist()
    assert BOOTSTRAP


def test_percentiles_pass_over_what_is_not_defined():
    low, high = percentiles(np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan]]), level=0.5)
    assert (low[0], high[0]) == (1.5, 2.5)
    assert np.isnan(low[1])
    assert np.isnan(high[1])
