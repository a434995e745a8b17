import numpy as np
import pytest
from scipy import stats

from mercer.evaluation.intervals import Score
from mercer.evaluation.uncertainty.held_out import score_intervals
from mercer.evaluation.uncertainty.influence import contributions
from mercer.evaluation.uncertainty.joined import joined, macro_f1
from mercer.select.weighted import ClassScores
from mercer.table import Task


def rows_of(matrix):
    """True class and class predicted of each row, and scores of the labels."""
    matrix = np.asarray(matrix)
    truth, guess = (np.repeat(place.ravel(), matrix.ravel()) for place in np.indices(matrix.shape))
    return truth, guess, np.eye(len(matrix))[guess]


def macro_of(matrix, **given):
    truth, guess, proba = rows_of(matrix)
    known = {"guess": guess, "scale": "label"} | given
    return score_intervals(Task.CLASSIFICATION, truth, proba, None, 0.95, 0, **known)["f1_macro"]


def test_independent_classes_are_joined_by_the_squares_of_their_distances():
    found = joined([Score(0.5, 0.2, 0.9), Score(0.8, 0.4, 1.0)])
    assert found.value == pytest.approx(0.65)
    assert (found.low, found.high) == pytest.approx((0.65 - 0.25, 0.65 + np.hypot(0.4, 0.2) / 2))


def test_classes_that_are_wrong_together_are_joined_by_their_distances():
    every = np.ones((2, 2))
    found = joined([Score(0.5, 0.2, 0.9), Score(0.8, 0.4, 1.0)], (every, every))
    assert (found.low, found.high) == pytest.approx((0.3, 0.95))


@pytest.mark.parametrize(
    "matrix", [[[700, 20, 5], [90, 300, 40], [8, 60, 50]], [[900, 40], [60, 70]], [[50, 3, 0], [2, 400, 0], [0, 0, 30]]]
)
def test_macro_f1_of_many_rows_has_the_interval_of_the_infinitesimal_jackknife(matrix):
    truth, guess, proba = rows_of(200 * np.array(matrix))
    scores = ClassScores(truth, proba, None, guess, "label")
    error = np.sqrt(np.square(contributions(scores, truth, np.ones(len(truth)))["f1_macro"]).sum())
    found = macro_of(200 * np.array(matrix))
    reach = stats.norm.ppf(0.975) * error
    assert [found.value - found.low, found.high - found.value] == pytest.approx([reach, reach], rel=0.05)


def test_two_classes_share_every_error():
    """Their correlation is sqrt(J1 J2), at the low ends: L of a matrix without an error is nearly the mean of both."""
    found = macro_of([[400, 0], [0, 400]])
    alone = 2 * 400 / (2 * 400 + stats.norm.ppf(0.975) ** 2)  # 2 J / (1 + J) of Wilson's low end n / (n + z^2)
    assert found.low == pytest.approx(alone, abs=2e-4)
    assert found.high == 1


def test_a_class_that_no_row_is_of_or_called_may_have_any_f1():
    found = macro_f1(np.diag([30.0, 20.0, 0.0]), 0.95)
    assert found.value == pytest.approx(2 / 3)
    assert found.low < 2 / 3 - 0.02
    assert found.high == 1


@pytest.mark.parametrize("times", [2, 5])
def test_rows_in_groups_that_are_copies_are_worth_one(times):
    matrix = [[20, 3, 0], [1, 9, 0], [0, 0, 4]]
    copied, groups = np.repeat(rows_of(matrix)[0], times), np.repeat(np.arange(37), times)
    guess = np.repeat(rows_of(matrix)[1], times)
    known = {"guess": guess, "scale": "label", "groups": groups}
    again = score_intervals(Task.CLASSIFICATION, copied, np.eye(3)[guess], None, 0.95, 0, **known)["f1_macro"]
    once = macro_of(matrix)
    assert (again.value, again.low, again.high) == pytest.approx((once.value, once.low, once.high))


def covered(cells, n, repetitions=600):
    """In how many samples of n rows the interval covers macro F1 of a matrix with these shares."""
    cells = np.asarray(cells)
    truth = np.mean(2 * cells.diagonal() / (cells.sum(axis=0) + cells.sum(axis=1)))
    drawn = np.random.default_rng(1).multinomial(n, cells.ravel(), repetitions).reshape(-1, *cells.shape)
    drawn, times = np.unique(drawn, axis=0, return_counts=True)
    ends = [(found.low, found.high) for found in map(macro_of, drawn)]
    return sum(often for (low, high), often in zip(ends, times, strict=True) if low <= truth <= high) / repetitions


def test_macro_f1_of_rows_that_are_hardly_ever_called_is_not_covered_too_often():
    """Of 80 rows one or two are called positive: percentiles of Dirichlet distributions covered 98.2 % of these."""
    assert 0.93 <= covered([[0.8931, 0.0069], [0.0892, 0.0108]], 80) <= 0.975


def test_macro_f1_of_several_classes_is_covered():
    """Percentiles of Dirichlet distributions, which spread a row over all cells, covered 91.5 % of these."""
    right, shares = np.array([0.9, 0.7, 0.6, 0.4, 0.3]), np.array([0.5, 0.3, 0.1, 0.07, 0.03])
    wrong = np.tile(shares, (5, 1)) * (1 - np.eye(5))
    cells = shares[:, None] * ((1 - right)[:, None] * wrong / wrong.sum(axis=1, keepdims=True) + np.diag(right))
    assert 0.93 <= covered(cells, 300) <= 0.97
