"""Intervals: formulas, and how often they cover the truth."""

import numpy as np
import pytest
from hypothesis import given, strategies
from hypothesis.extra.numpy import arrays
from scipy import stats
from sklearn.metrics import f1_score, roc_auc_score
from statsmodels.stats.proportion import proportion_confint

from mercer.evaluation.intervals import (
    CORRECTED_T,
    PRIOR_DEGREES,
    Score,
    at_least_as_wide,
    corrected_t,
    moderated_t,
    percentiles,
    share,
    wilson,
)
from mercer.evaluation.uncertainty.areas import auc_interval, precision_interval
from mercer.evaluation.uncertainty.held_out import score_intervals
from mercer.evaluation.uncertainty.losses import loss_intervals
from mercer.evaluation.uncertainty.normal_scores import area_variance, precision_ratio
from mercer.select.auc import Ranked
from mercer.select.weighted import ClassScores
from mercer.table import Task


def test_wilson_is_scipys():
    for hits, n in ((0, 10), (3, 10), (10, 10), (480, 1000)):
        ours, theirs = wilson(hits, n), stats.binomtest(hits, n).proportion_ci(method="wilson")
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
        assert ours.value == hits / n
    assert wilson(0, 0).value is None


def test_shares_of_few_events_hold_wilsons_and_cover():
    """Exact: the binomial probability of the counts whose interval holds the share."""
    for n in (5, 10, 15, 30, 300):
        found = [share(hits, n) for hits in range(n + 1)]
        for hits in range(n + 1):
            assert found[hits].low <= wilson(hits, n).low <= wilson(hits, n).high <= found[hits].high
            turned = found[-1 - hits]
            assert (found[hits].low, found[hits].high) == pytest.approx((1 - turned.high, 1 - turned.low))
        if n > 8:
            assert share(n // 2, n) == wilson(n // 2, n)
        for p in np.linspace(0.5 / n, 0.5, 60):
            held = [one.low <= p <= one.high for one in found]
            assert stats.binom.pmf(np.arange(n + 1), n, p)[held].sum() > 0.93
    assert share(0, 0).value is None


def test_shares_of_few_events_have_the_ends_that_are_published():
    for hits, n in ((1, 300), (3, 30)):
        exact = proportion_confint(hits, n, alpha=2 * 0.07, method="beta")[0]  # Clopper and Pearson, one side at 93 %
        wide = proportion_confint(hits, n, method="agresti_coull")[1]
        assert (share(hits, n).low, share(hits, n).high) == pytest.approx((exact, wide))
        assert (share(n - hits, n).low, share(n - hits, n).high) == pytest.approx((1 - wide, 1 - exact))


@pytest.mark.parametrize("n", [30, 300, 3000])
def test_shares_of_few_events_are_not_covered_too_often(n):
    """With the low end of Agresti and Coull 98.8 % and more; of a share of 0.1 / n, no interval covers 93 to 97 %."""
    counts, found = np.arange(n + 1), [share(hits, n) for hits in range(min(n, 60) + 1)]
    for expected in (0.05, 0.35, 0.85):
        chance = stats.binom.pmf(counts, n, expected / n)[: len(found)]
        held = [one.low <= expected / n <= one.high for one in found]
        assert 0.93 <= chance[held].sum() <= 0.97


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


def test_moderated_t_is_the_formula():
    scores, test = [0.72, 0.84, 0.92], Score(0.83, 0.78, 0.88)
    error = 0.10 / (2 * stats.norm.ppf(0.975))
    variance = (PRIOR_DEGREES * 3 * error**2 + 2 * np.var(scores, ddof=1)) / (PRIOR_DEGREES + 2)
    half = stats.t.ppf(0.975, PRIOR_DEGREES + 2) * np.sqrt((1 / 3 + 1 / 2) * variance)
    found = moderated_t(scores, test, 3, 1 / 2, 0.95, (0.0, 1.0))
    mean = np.mean(scores)
    assert (found.value, found.low, found.high) == pytest.approx((mean, mean - half, mean + half))
    assert moderated_t(scores, Score(0.83), 3, 1 / 2, 0.95, (0.0, 1.0)) == corrected_t(scores, 1 / 2, limits=(0.0, 1.0))
    assert moderated_t([0.5], test, 3, 1 / 2, 0.95, (0.0, 1.0)).low is None


def test_moderated_t_covers_as_often_and_is_narrower():
    """300 samples of 90 rows in 3 folds; the truth of each is what its own models do on 20,000 fresh rows."""
    rng = np.random.default_rng(0)

    def draw(n):
        y = rng.integers(0, 2, n)
        return rng.normal(0.4 * y[:, None], 1, (n, 6)), y

    fresh, answer = draw(20_000)
    found = {corrected_t: [], moderated_t: []}
    for _ in range(300):
        X, y = draw(90)
        parts = [(np.setdiff1d(np.arange(90), part), part) for part in np.array_split(np.arange(90), 3)]
        models = [nearest_mean(X[teach], y[teach]) for teach, _ in parts]
        truth = np.mean([np.mean(model(fresh) == answer) for model in models])
        scores = [np.mean(model(X[part]) == y[part]) for model, (_, part) in zip(models, parts, strict=True)]
        test = share(90 * np.mean(scores), 90)
        for way, one in (
            (corrected_t, corrected_t(scores, 1 / 2)),
            (moderated_t, moderated_t(scores, test, 3, 1 / 2, 0.95, (0.0, 1.0))),
        ):
            found[way].append((one.low <= truth <= one.high, one.high - one.low))
    (plainly, wide), (covers, width) = (np.mean(found[way], axis=0) for way in (corrected_t, moderated_t))
    assert covers >= max(plainly, 0.95)
    assert width < 0.8 * wide


def test_percentiles_pass_over_what_is_not_defined():
    low, high = percentiles(np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan]]), level=0.5)
    assert (low[0], high[0]) == (1.5, 2.5)
    assert np.isnan(low[1])
    assert np.isnan(high[1])


def test_the_area_of_a_perfect_ranking_is_not_certain():
    for n_positive, highest in ((2, 0.75), (10, 0.95), (100, 0.999)):
        positive = np.arange(400) < n_positive
        found = auc_interval(positive, -np.arange(400.0))
        assert (found.value, found.high) == (1.0, 1.0)
        assert 0.2 < found.low < highest
    assert auc_interval(np.zeros(5, dtype=bool), np.arange(5.0)).value is None


def test_the_area_is_scikit_learns_and_its_interval_delongs_with_many_rows():
    rng = np.random.default_rng(0)
    positive = rng.random(4000) < 0.4
    score = rng.normal(size=4000) + positive
    found = auc_interval(positive, score)
    assert found.value == pytest.approx(roc_auc_score(positive, score))
    above = np.array([np.mean(s > score[~positive]) for s in score[positive]])
    below = np.array([np.mean(s < score[positive]) for s in score[~positive]])
    error = np.sqrt(above.var(ddof=1) / len(above) + below.var(ddof=1) / len(below))
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.02)


@pytest.mark.parametrize(("n", "share"), [(30, 0.5), (30, 0.1), (300, 0.1)])
def test_intervals_of_areas_cover(n, share):
    rng, hits = np.random.default_rng(0), 0
    truth = stats.norm.cdf(1.8 / np.sqrt(2))
    for _ in range(300):
        positive = np.arange(n) < round(share * n)
        found = auc_interval(positive, rng.normal(size=n) + 1.8 * positive)
        hits += found.low <= truth <= found.high
    assert 0.92 <= hits / 300 <= 0.99


@pytest.mark.parametrize(("area", "share"), [(True, 0.1), (False, 0.5)])
def test_areas_near_one_are_not_covered_too_often(area, share):
    """With the variance of exponential scores the area was covered in 98.6 % of such samples."""
    rng, hits = np.random.default_rng(0), 0
    truth = stats.norm.cdf(3 / np.sqrt(2)) if area else 0.9834  # average precision of a million rows
    for _ in range(800):
        positive = rng.random(300) < share
        score = rng.normal(size=300) + 3 * positive
        found = auc_interval(positive, score) if area else precision_interval(Ranked(positive, score))
        hits += found.low <= truth <= found.high
    assert 0.94 <= hits / 800 <= 0.975


@given(
    score=arrays(np.int64, 12, elements=strategies.integers(0, 5)),
    positive=arrays(np.bool_, 12).filter(lambda p: p.any() and not p.all()),
)
def test_the_interval_of_an_area_turns_with_the_scores(score, positive):
    found, turned = auc_interval(positive, score.astype(float)), auc_interval(positive, -score.astype(float))
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert (turned.low, turned.high) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_interval_collapses_where_every_prediction_is_right(n_classes):
    truth = np.arange(30) % n_classes
    proba = np.full((30, n_classes), 0.1)
    proba[np.arange(30), truth] = 0.9
    positive = 1 if n_classes == 2 else None
    found = score_intervals(Task.CLASSIFICATION, truth, proba / proba.sum(axis=1, keepdims=True), positive, 0.95)
    for key in found.keys() - {"log_loss", "brier"}:
        assert found[key].value == pytest.approx(1)
        assert found[key].low < 0.97, key


def test_intervals_of_numbers_are_those_of_means():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=5000)
    found = score_intervals(Task.REGRESSION, truth, truth + rng.normal(size=5000), None, 0.95)
    assert found["rmse"].value == pytest.approx(np.sqrt(found["mse"].value))
    assert found["mse"].low < 1 < found["mse"].high
    assert (found["mse"].high - found["mse"].low) / 2 == pytest.approx(1.96 * np.sqrt(2 / 5000), rel=0.1)
    assert found["r2"].low < found["r2"].value < found["r2"].high
    median = found["median_absolute_error"]
    assert median.low < 0.6745 < median.high  # of a normal error
    assert (median.high - median.low) / 2 == pytest.approx(
        1.96 * 0.5 / np.sqrt(5000) / 0.6356, rel=0.15
    )  # / 2 phi(.6745)
    share = np.abs(truth - 5) / 5
    found = score_intervals(Task.REGRESSION, np.full(5000, 5.0), truth, None, 0.95)["mape"]
    assert found.value == pytest.approx(share.mean())
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * share.std() / np.sqrt(5000), rel=0.05)


def test_the_interval_of_a_median_covers_and_needs_no_shape():
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        errors = rng.standard_cauchy(41)
        found = score_intervals(Task.REGRESSION, np.zeros(41), errors, None, 0.95)["median_absolute_error"]
        hits += found.low <= 1 <= found.high  # half of a Cauchy distribution is within 1
    assert 0.93 <= hits / 400 <= 0.985
    assert score_intervals(Task.REGRESSION, np.ones(1), np.zeros(1), None, 0.95)["median_absolute_error"].low is None


def test_a_precision_of_no_row_is_0_and_may_be_anything():
    truth, proba = np.array([0, 0, 0, 1]), np.tile([0.9, 0.1], (4, 1))
    found = score_intervals(Task.CLASSIFICATION, truth, proba, 1, 0.95)["precision"]
    assert (found.value, found.low, found.high) == (0, 0, 1)


def of_matrix(matrix):
    """Intervals of two classes whose confusion matrix has these counts, row by row."""
    truth, guess = np.repeat([0, 0, 1, 1], matrix), np.repeat([0, 1, 0, 1], matrix)
    return score_intervals(Task.CLASSIFICATION, truth, np.eye(2)[guess], 1, 0.95, guess=guess, scale="label")


def test_f1_has_the_interval_of_a_share_of_the_rows_that_are_positive_or_called_so():
    found, of_union = of_matrix([90, 5, 4, 7])["f1"], share(7, 16)
    assert found.value == pytest.approx(14 / 23)
    assert (found.low, found.high) == pytest.approx([2 * end / (1 + end) for end in (of_union.low, of_union.high)])
    nothing = of_matrix([90, 0, 0, 0])["f1"]
    assert (nothing.value, nothing.low, nothing.high) == (0, 0, 1)


def test_f1_of_rows_that_are_hardly_ever_called_is_not_covered_too_often():
    """Percentiles of Dirichlet distributions cover it in 97.5 % of these samples of 3,000 rows."""
    rng, hits = np.random.default_rng(0), 0
    cells = np.array([0.8998, 0.0002, 0.09974, 0.00026])
    for counts in rng.multinomial(3000, cells, 600):
        found = of_matrix(counts)["f1"]
        hits += found.low <= 2 * cells[3] / (cells[1] + cells[2] + 2 * cells[3]) <= found.high
    assert 0.93 <= hits / 600 <= 0.97


def test_an_interval_is_widened_on_both_sides():
    narrow, wide = Score(0.9, 0.89, 0.91, CORRECTED_T), Score(0.8, 0.7, 0.85, "Wilson")
    found = at_least_as_wide(narrow, wide, (0.0, 1.0))
    assert (found.low, found.high) == pytest.approx((0.8, 0.95))
    assert at_least_as_wide(Score(0.9, 0.5, 1.0), wide, (0.0, 1.0)).low == 0.5
    assert at_least_as_wide(Score(None), wide, (0.0, 1.0)).value is None


def rare_class(rng, n, share=0.1, shift=3.0):
    """Class codes and their true probabilities, the classes three standard deviations apart."""
    truth = rng.random(n) < share
    while truth.sum() < 2:
        truth = rng.random(n) < share
    log_odds = np.log(share / (1 - share)) + shift * (rng.normal(size=n) + shift * truth) - shift**2 / 2
    p = 1 / (1 + np.exp(-log_odds))
    return truth.astype(np.int64), np.column_stack([1 - p, p])


def test_losses_of_few_rows_cover_the_loss_of_many():
    """300 samples of 30 rows, three of them positive: the t interval of the logarithm covers 0.80 and 0.78."""
    rng = np.random.default_rng(0)
    many = ClassScores(*rare_class(rng, 400_000), 1)
    hits = {"log_loss": 0, "brier": 0}
    for _ in range(300):
        truth, proba = rare_class(rng, 30)
        scores = ClassScores(truth, proba, 1)
        found = loss_intervals(scores.log_loss, scores.brier, proba, 0.95)
        for key in hits:
            assert found[key].low < found[key].value == getattr(scores, key).mean() < found[key].high
            hits[key] += found[key].low <= getattr(many, key).mean() <= found[key].high
    assert all(0.92 <= hit / 300 <= 0.985 for hit in hits.values()), hits


def test_losses_of_many_rows_have_the_usual_interval():
    rng = np.random.default_rng(1)
    truth, proba = rare_class(rng, 20_000, share=0.4, shift=1.0)
    scores = ClassScores(truth, proba, 1)
    found = loss_intervals(scores.log_loss, scores.brier, proba, 0.95)["log_loss"]
    usual = 1.96 * scores.log_loss.std() / np.sqrt(20_000)
    assert (found.high - found.low) / 2 == pytest.approx(usual, rel=0.01)


@pytest.mark.parametrize(
    ("n", "share", "shift", "odds"),
    [(30, 0.5, 3.0, 1.0), (60, 0.1, 2.2, 1.0), (80, 0.1, 2.6, 2.0), (160, 0.08, 3.2, 2.0), (300, 0.02, 1.8, 0.5)],
    ids=["few rows", "few rows, rare class", "too sure", "too sure, far apart", "too timid"],
)
def test_losses_cover_where_none_is_large_and_where_probabilities_are_wrong(n, share, shift, odds):
    """600 samples; with the variance that the probabilities expect, 97.7 % and more of the first two and the last are
    covered in log loss, and 88 and 86 % of those between.
    """
    rng = np.random.default_rng(0)

    def sharpened(rows):
        truth, proba = rare_class(rng, rows, share, shift)
        powers = proba**odds
        return truth, powers / powers.sum(axis=1, keepdims=True)

    many = ClassScores(*sharpened(400_000), 1)
    hits = {"log_loss": 0, "brier": 0}
    for _ in range(600):
        truth, proba = sharpened(n)
        scores = ClassScores(truth, proba, 1)
        for key, found in loss_intervals(scores.log_loss, scores.brier, proba, 0.95).items():
            hits[key] += found.low <= getattr(many, key).mean() <= found.high
    assert all(0.925 <= hit / 600 <= 0.976 for hit in hits.values()), hits


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sure_and_right_is_not_certain(dtype):
    """Of ten rows, none wrong, a share of wrong ones of 0.28 is not rejected: Wilson's high end."""
    truth, sure = np.array([0, 1] * 5), np.eye(2, dtype=dtype)[[0, 1] * 5]
    for proba in (sure, np.abs(sure - dtype(0.001))):
        scores = ClassScores(truth, proba, 1)
        found = loss_intervals(scores.log_loss, scores.brier, proba, 0.95)
        assert found["brier"].low <= found["brier"].value < found["brier"].high
        assert found["brier"].high == pytest.approx(wilson(0, 10).high, abs=0.02)
        each = float(-np.log(max(proba.min(), np.finfo(dtype).eps)))  # the log loss of a wrong row
        assert found["log_loss"].high == pytest.approx(each * wilson(0, 10).high, rel=0.1)
    even = np.full((10, 2), 0.5, dtype=dtype)
    scores = ClassScores(truth, even, 1)
    assert loss_intervals(scores.log_loss, scores.brier, even, 0.95)["log_loss"].low is None


def test_intervals_of_losses_of_several_classes_cover():
    rng, hits, losses = np.random.default_rng(0), 0, []
    for _ in range(400):
        proba = rng.dirichlet([0.3, 0.2, 0.1], 40)
        truth = (proba.cumsum(axis=1) < rng.random(40)[:, None]).sum(axis=1)
        losses.append(loss_intervals(-np.log(proba[np.arange(40), truth]), np.zeros(40), proba, 0.95)["log_loss"])
    truth = np.mean([one.value for one in losses])
    hits = sum(one.low <= truth <= one.high for one in losses)
    assert 0.93 <= hits / 400 <= 0.975


def test_balanced_accuracy_covers_with_three_rows_of_a_class():
    """300 samples of 33 rows, recalls 0.6 of the three and 0.9 of the thirty."""
    rng, hits = np.random.default_rng(0), 0
    truth = np.repeat([1, 0], [3, 30])
    for _ in range(300):
        right = rng.random(33) < np.where(truth == 1, 0.6, 0.9)
        proba = np.eye(2)[np.where(right, truth, 1 - truth)]
        found = score_intervals(Task.CLASSIFICATION, truth, proba, 1, 0.95)["balanced_accuracy"]
        hits += found.low <= 0.75 <= found.high
    assert 0.92 <= hits / 300 <= 0.99


def test_average_precision_is_covered_where_the_binomial_interval_is_too_wide():
    rng, hits, widths = np.random.default_rng(0), 0, []
    for _ in range(200):
        positive = rng.random(300) < 0.5
        found = precision_interval(Ranked(positive, rng.normal(size=300) + 3 * positive))
        hits += found.low <= 0.9834 <= found.high  # of a million rows
        binomial = wilson(found.value * 150, 150)
        widths.append((found.high - found.low) / (binomial.high - binomial.low))
    assert 0.92 <= hits / 200 <= 0.99
    assert np.mean(widths) < 0.8


def test_average_precision_of_rare_rows_that_are_hardly_ranked_is_not_covered_too_often():
    """Drawn towards the binomial variance, which is four times as large, it was covered in 98.7 % of such samples."""
    rng, hits = np.random.default_rng(3), 0
    for _ in range(600):
        positive = rng.random(1500) < 0.02
        found = precision_interval(Ranked(positive, rng.normal(size=1500) + 0.7 * positive))
        hits += found.low <= 0.0477 <= found.high  # by numerical integration
    assert 0.93 <= hits / 600 <= 0.975


def test_the_high_end_of_average_precision_has_the_variance_of_normal_scores():
    """One error among 15 rows of each class: the doubt whether more of them err widens the other end alone."""
    found = precision_interval(Ranked(np.isin(np.arange(30), [*range(14), 15]), -np.arange(30.0)))
    middle = (14 + 14.5 / 15.5) / 15  # the last positive row counts half at its own place
    ratio = (found.high - middle) ** 2 / (1.95996**2 * found.high * (1 - found.high) / 15)
    assert ratio < precision_ratio(middle, 0.5) + 1 / 16


def test_an_area_without_an_error_does_not_promise_that_there_will_be_none():
    """56 positive rows that are all ranked first: one in twenty that looks like the others is not ruled out."""
    found = auc_interval(np.arange(320) < 56, -np.arange(320.0))
    assert found.low == pytest.approx(0.972, abs=0.001)
    perfect = precision_interval(Ranked(np.arange(320) < 56, -np.arange(320.0)))
    assert 0.9 < perfect.low < 0.95


@pytest.mark.parametrize(("m", "n"), [(3, 27), (15, 15)])
def test_the_variance_of_an_area_of_one_half_needs_no_rows_to_show_it(m, n):
    """Both ends are 1.96 standard errors away, not more of Student's t: that of ranks is known."""
    found = auc_interval(np.arange(m + n) < m, np.zeros(m + n))
    assert found.value == 0.5
    for end in (found.low, found.high):
        assert abs(end - 0.5) == pytest.approx(1.95996 * np.sqrt(area_variance(end, m, n)), rel=1e-4)


def test_areas_cover_where_a_few_positive_rows_look_like_the_others():
    """30 positive rows, on average 1.5 of them drawn as the others are: most samples show one, a fifth of them none."""
    rng, hits = np.random.default_rng(0), 0
    truth = 1 - (0.95 * stats.norm.sf(4.5 / np.sqrt(2)) + 0.05 * 0.5)
    positive = np.arange(300) < 30
    for _ in range(400):
        apart = positive & (rng.random(300) >= 0.05)
        found = auc_interval(positive, rng.normal(size=300) + 4.5 * apart)
        hits += found.low <= truth <= found.high
    assert hits >= 0.9 * 400  # 0.65 where the variance that was shown counts as many rows, though few show it


@pytest.mark.parametrize("n_positive", [1, 3, 10])
def test_average_precision_of_a_random_order_is_not_above_its_interval(n_positive):
    """Its truth is the share of positive rows; the mean over samples is larger by about ln(n) / n."""
    rng, hits, n = np.random.default_rng(1), 0, 100
    for _ in range(400):
        found = precision_interval(Ranked(np.arange(n) < n_positive, rng.normal(size=n)))
        hits += found.low <= n_positive / n <= found.high
    assert hits >= 0.93 * 400


@pytest.mark.parametrize(("n", "cells"), [(500, [0.895, 0.005, 0.0925, 0.0075]), (30, [0.88, 0.02, 0.055, 0.045])])
def test_macro_f1_of_a_rare_class_is_covered(n, cells):
    """Where few rows are called positive, one row spread over the cells alone covered 0.88 and 0.94 of these."""
    truth = np.array(cells)
    f1 = [2 * truth[k] / (2 * truth[k] + truth[1] + truth[2]) for k in (0, 3)]
    drawn, times = np.unique(np.random.default_rng(0).multinomial(n, cells, 600), axis=0, return_counts=True)
    hits = 0
    for counts, often in zip(drawn, times, strict=True):
        rows, guess = np.repeat([0, 0, 1, 1], counts), np.repeat([0, 1, 0, 1], counts)
        known = {"guess": guess, "scale": "label"}
        found = score_intervals(Task.CLASSIFICATION, rows, np.eye(2)[guess], 1, 0.95, **known)["f1_macro"]
        assert found.low <= f1_score(rows, guess, labels=[0, 1], average="macro", zero_division=0) <= found.high
        hits += often * (found.low <= np.mean(f1) <= found.high)
    assert 0.93 <= hits / times.sum() <= 0.985
