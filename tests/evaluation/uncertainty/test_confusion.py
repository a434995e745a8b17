import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from scipy import optimize, stats
from sklearn.metrics import f1_score

from mercer.evaluation.intervals import wilson
from mercer.evaluation.uncertainty.confusion import matrix_interval, nearest
from mercer.evaluation.uncertainty.held_out import score_intervals
from mercer.evaluation.uncertainty.influence import contributions
from mercer.evaluation.uncertainty.matrices import MATRIX_SCORES
from mercer.select.weighted import ClassScores
from mercer.table import Task

KEYS = list(MATRIX_SCORES)
SMALL = [[30.0, 4.0, 1.0], [3.0, 12.0, 2.0], [0.0, 2.0, 5.0]]


def rows_of(matrix):
    """True class and class predicted of each row, and scores of the labels."""
    matrix = np.asarray(matrix, dtype=np.int64)
    truth, guess = (np.repeat(place.ravel(), matrix.ravel()) for place in np.indices(matrix.shape))
    return truth, guess, np.eye(len(matrix))[guess]


def intervals_of(matrix, **given):
    truth, guess, proba = rows_of(matrix)
    known = {"guess": guess, "scale": "label"} | given
    return score_intervals(Task.CLASSIFICATION, truth, proba, None, 0.95, **known)


@pytest.mark.parametrize("key", KEYS)
def test_the_score_of_a_matrix_is_that_of_its_rows_and_its_slope_the_difference_it_makes(key):
    matrix = np.array(SMALL)
    truth, guess, proba = rows_of(matrix)
    value, slope = MATRIX_SCORES[key](matrix)
    assert value == pytest.approx(ClassScores(truth, proba, None, guess, "label")(np.ones(len(truth)))[key])
    for cell in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[cell] = 1e-6
        made = (MATRIX_SCORES[key](matrix + step)[0] - MATRIX_SCORES[key](matrix - step)[0]) / 2e-6
        assert slope[cell] == pytest.approx(made, rel=1e-4, abs=1e-8)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("wanted", [0.45, 0.7, 0.85])
def test_shares_with_a_given_score_are_the_likeliest_that_an_optimiser_finds(key, wanted):
    counts = np.array(SMALL) + 0.1
    found = nearest(MATRIX_SCORES[key], counts, wanted, counts / counts.sum())
    assert found.sum() == pytest.approx(1)
    assert MATRIX_SCORES[key](found)[0] == pytest.approx(wanted, abs=1e-6)

    def cost(logs):
        return -float((counts.ravel() * (logs - np.log(np.exp(logs).sum()))).sum())

    def off(logs):
        return MATRIX_SCORES[key](np.exp(logs).reshape(3, 3))[0] - wanted

    start = np.log((counts / counts.sum()).ravel())
    known = optimize.minimize(
        cost, start, constraints={"type": "eq", "fun": off}, method="SLSQP", options={"ftol": 1e-10}
    )
    assert cost(np.log(found.ravel())) == pytest.approx(known.fun, abs=1e-4)


def test_no_shares_near_by_have_a_score_that_none_can_have():
    counts = np.array(SMALL)
    assert nearest(MATRIX_SCORES["f1_macro"], counts + 0.1, 1.5, counts / counts.sum()) is None


def test_of_classes_with_the_same_errors_the_interval_is_nearly_wilsons():
    """Weighted F1 of balanced classes that are confused alike moves as the share of rows that are right does."""
    found, known = matrix_interval("f1_weighted", np.array([[180.0, 20.0], [20.0, 180.0]]), 0.95), wilson(360, 400)
    assert (found.value, found.low, found.high) == pytest.approx((known.value, known.low, known.high), abs=0.003)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "matrix", [[[700, 20, 5], [90, 300, 40], [8, 60, 50]], [[900, 40], [60, 70]], [[50, 3, 0], [2, 400, 0], [0, 0, 30]]]
)
def test_many_rows_have_the_interval_of_the_infinitesimal_jackknife(key, matrix):
    truth, guess, proba = rows_of(200 * np.array(matrix))
    scores = ClassScores(truth, proba, None, guess, "label")
    error = np.sqrt(np.square(contributions(scores, truth, np.ones(len(truth)))[key]).sum())
    found = matrix_interval(key, 200.0 * np.array(matrix), 0.95)
    reach = stats.norm.ppf(0.975) * error
    assert [found.value - found.low, found.high - found.value] == pytest.approx([reach, reach], rel=0.05)


@given(matrix=arrays(np.float64, st.sampled_from([(2, 2), (3, 3)]), elements=st.integers(0, 40).map(float)))
def test_intervals_hold_their_score_and_do_not_depend_on_the_order_of_classes(matrix):
    matrix[0, 0] += 1
    for key in KEYS:
        found, turned = matrix_interval(key, matrix, 0.95), matrix_interval(key, matrix[::-1, ::-1].copy(), 0.95)
        lowest = -1.0 if key == "mcc" else 0.0
        assert lowest <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high
        assert (turned.low, turned.high) == pytest.approx((found.low, found.high), abs=2e-3)


@pytest.mark.parametrize("key", KEYS)
def test_more_rows_and_lower_levels_have_narrower_intervals(key):
    once, twice = (matrix_interval(key, times * np.array(SMALL), 0.95) for times in (1, 4))
    half = matrix_interval(key, np.array(SMALL), 0.5)
    assert (twice.high - twice.low) == pytest.approx((once.high - once.low) / 2, rel=0.2)
    assert once.low < half.low < half.high < once.high


def test_a_class_that_no_row_is_of_or_called_may_have_any_f1_and_does_not_count_in_the_value():
    found = matrix_interval("f1_macro", np.diag([30.0, 20.0, 0.0]), 0.95)
    assert found.value == pytest.approx(1)
    assert found.low < 2 / 3 - 0.02
    assert found.high == pytest.approx(1)
    wrong = np.zeros((4, 4))
    wrong[:2, :2] = [[20, 10], [10, 20]]
    truth, guess, _ = rows_of(wrong)
    assert matrix_interval("f1_macro", wrong, 0.95).value == pytest.approx(f1_score(truth, guess, average="macro"))


@pytest.mark.parametrize("times", [2, 5])
def test_rows_in_groups_that_are_copies_are_worth_one(times):
    matrix = [[20, 3, 0], [1, 9, 0], [0, 0, 4]]
    truth, guess, _ = (np.repeat(each, times, axis=0) for each in rows_of(matrix))
    known = {"guess": guess, "scale": "label", "groups": np.repeat(np.arange(37), times)}
    again = score_intervals(Task.CLASSIFICATION, truth, np.eye(3)[guess], None, 0.95, **known)
    for key, once in intervals_of(matrix).items():
        if key in KEYS:
            assert (again[key].low, again[key].high) == pytest.approx((once.low, once.high), abs=2e-3)


def test_more_than_a_hundred_classes_have_intervals_too():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 120, 4000)
    guess = np.where(rng.random(4000) < 0.8, truth, rng.integers(0, 120, 4000))
    known = {"guess": guess, "scale": "label"}
    found = score_intervals(Task.CLASSIFICATION, truth, np.eye(120)[guess], None, 0.95, **known)
    for key in KEYS:
        below, above = found[key].value - found[key].low, found[key].high - found[key].value
        assert below == pytest.approx(above)
        assert 0.01 < below < 0.03


def covered(key, cells, n, repetitions=600):
    """In how many samples of n rows the interval covers the score of a matrix with these shares."""
    cells = np.asarray(cells)
    truth = MATRIX_SCORES[key](cells)[0]
    drawn = np.random.default_rng(1).multinomial(n, cells.ravel(), repetitions).reshape(-1, *cells.shape)
    drawn, times = np.unique(drawn, axis=0, return_counts=True)
    ends = [(found.low, found.high) for found in (matrix_interval(key, one.astype(float), 0.95) for one in drawn)]
    return sum(often for (low, high), often in zip(ends, times, strict=True) if low <= truth <= high) / repetitions


@pytest.mark.parametrize("key", KEYS)
def test_rows_that_are_hardly_ever_called_are_not_covered_too_often(key):
    """Of 80 rows one or two are called positive: Dirichlet percentiles of macro F1 covered 0.982 of these."""
    assert 0.93 <= covered(key, [[0.8931, 0.0069], [0.0892, 0.0108]], 80) <= 0.98


@pytest.mark.parametrize("key", KEYS)
def test_scores_of_several_classes_are_covered(key):
    """Dirichlet percentiles of macro F1, a row being spread over all cells, covered 0.915 of these."""
    right, shares = np.array([0.9, 0.7, 0.6, 0.4, 0.3]), np.array([0.5, 0.3, 0.1, 0.07, 0.03])
    wrong = np.tile(shares, (5, 1)) * (1 - np.eye(5))
    cells = shares[:, None] * ((1 - right)[:, None] * wrong / wrong.sum(axis=1, keepdims=True) + np.diag(right))
    assert 0.93 <= covered(key, cells, 300, 400) <= 0.97


@pytest.mark.parametrize("key", ["f1_macro", "balanced_accuracy"])
def test_twenty_classes_of_ten_rows_are_covered(key):
    """Shares joined over the classes covered macro F1 in 0.888 of these, and balanced accuracy in 0.91."""
    cells = (np.full((20, 20), 0.3 / 19) * (1 - np.eye(20)) + 0.7 * np.eye(20)) / 20
    assert 0.92 <= covered(key, cells, 200, 400) <= 0.975
