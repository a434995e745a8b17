import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays
from scipy import stats

from mercer.evaluation.uncertainty.influence import contributions
from mercer.evaluation.uncertainty.joint import joint_gap
from mercer.select.weighted import ClassScores

KEYS = ["balanced_accuracy", "f1_macro", "f1_weighted", "mcc", "f1", "precision"]
COUNTS = np.array([[[60.0, 5.0], [4.0, 3.0]], [[3.0, 4.0], [2.0, 9.0]]])


def scores_of(counts):
    """Scores and contributions of both models."""
    truth, first, second = (np.repeat(place.ravel(), counts.astype(int).ravel()) for place in np.indices(counts.shape))
    both = [ClassScores(truth, np.eye(len(counts))[guess], 1, guess, "label") for guess in (first, second)]
    ones = np.ones(len(truth))
    return [of(ones) for of in both], [contributions(of, truth, ones) for of in both]


@pytest.mark.parametrize("key", KEYS)
def test_a_difference_is_that_of_the_scores_and_of_many_rows_has_the_interval_of_the_jackknife(key):
    found = joint_gap(key, 400 * COUNTS, 1, 0.95)
    (first, second), (one, two) = scores_of(400 * COUNTS)
    assert found.value == pytest.approx(first[key] - second[key])
    error = float(np.sqrt(np.square(one[key] - two[key]).sum()))
    assert (found.high - found.low) / 2 == pytest.approx(1.959964 * error, rel=0.02)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(found.value) / error), abs=0.005)


@settings(deadline=None)
@given(counts=arrays(np.float64, (2, 2, 2), elements=st.integers(0, 30).map(float)), key=st.sampled_from(KEYS))
def test_models_that_change_places_change_the_sign_and_a_p_value_says_what_the_interval_says(counts, key):
    counts[0, 0, 0] += 1
    counts[1, 1, 1] += 1
    found, turned = joint_gap(key, counts, 1, 0.95), joint_gap(key, counts.swapaxes(1, 2), 1, 0.95)
    assert -2 <= found.low <= found.value <= found.high <= 2
    assert found.low < found.high
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), abs=5e-3)
    assert turned.p_value == pytest.approx(found.p_value, abs=1e-6)
    if found.p_value < 0.045:
        assert not found.low < 0 < found.high
    if found.p_value > 0.055:
        assert found.low <= 0 <= found.high


@pytest.mark.parametrize("key", KEYS)
def test_models_that_agree_on_every_row_do_not_differ(key):
    counts = np.zeros((2, 2, 2))
    counts[0, 0, 0], counts[1, 1, 1], counts[1, 0, 0] = 50, 8, 4
    found = joint_gap(key, counts, 1, 0.95)
    assert (found.value, found.p_value) == (0, 1)
    assert found.low < 0 < found.high


def test_classes_that_no_row_is_of_have_no_part_in_balanced_accuracy():
    counts = np.zeros((3, 3, 3))
    counts[np.ix_([0, 2], [0, 2], [0, 2])] = COUNTS
    found, known = joint_gap("balanced_accuracy", counts, None, 0.95), joint_gap("balanced_accuracy", COUNTS, 1, 0.95)
    assert found.value == pytest.approx(known.value)
    assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=0.02)


@pytest.mark.parametrize("key", KEYS)
def test_differences_of_like_models_on_a_rare_class_are_covered(key):
    """100 rows, 10 of them positive, two models that are right on most of the same rows: Dirichlet percentiles of the
    joint counts covered 0.86 to 0.89 of these.
    """
    agree = {0: [0.96, 0.015, 0.015, 0.01], 1: [0.3, 0.1, 0.1, 0.5]}  # neither, second, first, both called positive
    cells = np.concatenate([0.9 * np.array(agree[0]), 0.1 * np.array(agree[1])])
    drawn, times = np.unique(np.random.default_rng(0).multinomial(100, cells, 300), axis=0, return_counts=True)
    hits = 0
    for counts, often in zip(drawn, times, strict=True):
        found = joint_gap(key, counts.reshape(2, 2, 2).astype(float), 1, 0.95)
        hits += often * (found.low <= 0 <= found.high)
    assert 0.93 <= hits / times.sum() <= 0.985
