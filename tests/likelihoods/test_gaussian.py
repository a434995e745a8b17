"""Normal densities: moments, floors, and columns that do not vary."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer.errors import BadFile, BadTable, MercerError
from mercer.likelihoods import Gaussian
from mercer.state import Reader


def _fitted(x: np.ndarray, y: list[int] | np.ndarray, **options: object) -> Gaussian:
    table = mercer.read_table(x)
    part = Gaussian(**options).reset(table.schema, int(np.max(y)) + 1)
    part.update(table, np.asarray(y, dtype=np.int32), None)
    return part


def test_log_probability_is_that_of_the_normal_density() -> None:
    x = np.array([[1.0], [2.0], [4.0], [10.0], [14.0]])
    part = _fitted(x, [0, 0, 0, 1, 1])
    mean, variance = part.moments()
    np.testing.assert_allclose(mean[:, 0], [7 / 3, 12])
    np.testing.assert_allclose(variance[:, 0], [x[:3].var(ddof=1), x[3:].var(ddof=1)])
    query = mercer.read_table(np.array([[3.0]]))
    expected = np.exp(-((3.0 - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
    np.testing.assert_allclose(np.exp(part.column_log_prob(query)[0]), expected.T)


@pytest.mark.parametrize("n", [7, 100, 1001])
def test_a_constant_column_tells_no_classes_apart(n: int) -> None:
    """The mean of n times 0.1 is not 0.1, by a rounding error that differs between classes."""
    y = (np.arange(n) % 3 == 0).astype(int)
    part = _fitted(np.full((n, 1), 0.1), y)
    found = part.column_log_prob(mercer.read_table(np.array([[0.1]])))[0, 0]
    assert found[0] == found[1]


def test_numbers_that_differ_little_still_differ() -> None:
    x = 1e6 + np.array([[0.0], [1e-3], [5e-3], [6e-3]])
    part = _fitted(x, [0, 0, 1, 1])
    odds = np.diff(part.column_log_prob(mercer.read_table(x))[:, 0], axis=1).ravel()
    assert (odds[:2] < 0).all()
    assert (odds[2:] > 0).all()


def test_the_floor_is_a_share_of_the_overall_variance() -> None:
    x = np.array([[0.0], [0.0], [4.0], [8.0]])
    _, variance = _fitted(x, [0, 0, 1, 1], floor=0.01).moments()
    np.testing.assert_allclose(variance[:, 0], [0.01 * x.var(ddof=1), 8.0])


def test_infinity_is_refused_and_the_largest_numbers_are_averaged() -> None:
    mean, _ = _fitted(np.full((4, 1), 1.7e308), [0, 0, 0, 0]).moments()
    np.testing.assert_allclose(mean, 1.7e308)
    table = mercer.read_table(np.array([[2.0], [1.0]]))
    table.number_block.values[0, 0] = np.inf  # which no reader lets through
    with pytest.raises(BadTable, match="'x0' holds infinity"):
        Gaussian().reset(table.schema, 1).update(table, np.zeros(2, dtype=np.int32), None)


@pytest.mark.parametrize(
    "options", [{"variance": "own"}, {"ddof": 2}, {"floor": -1.0}, {"var_smoothing": float("nan")}], ids=str
)
def test_parameters_are_checked(options: dict[str, object]) -> None:
    with pytest.raises(MercerError, match=f"The '{next(iter(options))}' parameter of Gaussian must be"):
        _fitted(np.array([[0.0], [1.0]]), [0, 1], **options)


@pytest.mark.parametrize("likelihood", ["gaussian", "density"])
@pytest.mark.parametrize("factor", [1e150, 1e155, 1e200, 1e300, 1e307])
def test_numbers_whose_squares_overflow_give_the_answers_of_small_ones(likelihood, factor):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = (rng.normal(size=(60, 2)) + y[:, None]).clip(-4, 4)
    small = mercer.NaiveBayes(likelihood).fit(X, y)
    large = mercer.NaiveBayes(likelihood).fit(X * [factor, 1.0], y)
    np.testing.assert_allclose(large.predict_proba(X * [factor, 1.0]), small.predict_proba(X), rtol=1e-6)
    chunks = mercer.NaiveBayes(likelihood)
    for part in (slice(0, 20), slice(20, 60)):
        chunks.partial_fit(X[part] * [factor, 1.0], y[part])
    np.testing.assert_allclose(chunks.predict_proba(X * [factor, 1.0]), small.predict_proba(X), rtol=1e-6)
    state = Reader(large.to_state(), "model")
    if likelihood == "density":  # it keeps training cells, and a file holds none beyond 1e100
        with pytest.raises(BadFile, match="expected values from"):
            mercer.NaiveBayes.from_state(state)
        return
    np.testing.assert_array_equal(mercer.NaiveBayes.from_state(state).predict_proba(X), large.predict_proba(X))


def test_chunks_of_very_different_size_are_one_sample():
    X, y = np.array([[1.0], [2.0], [3e200], [-2e200], [1e200], [2.5]]), [0, 1, 0, 1, 0, 1]
    whole, chunks = mercer.NaiveBayes().fit(X, y), mercer.NaiveBayes()
    for part in (slice(0, 2), slice(2, 6)):
        chunks.partial_fit(X[part], y[part])
    assert np.isfinite(whole.predict_proba(X)).all()
    np.testing.assert_allclose(chunks.predict_proba(X), whole.predict_proba(X), rtol=1e-9)


def test_a_row_far_beyond_all_others_goes_to_the_class_that_spreads_most():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, 50), rng.normal(0, 3, 50)])[:, None]
    model = mercer.NaiveBayes().fit(X, np.repeat(["narrow", "wide"], 50))
    for far in (1e3, 1e160, 1e300, -1e308):
        np.testing.assert_array_equal(model.predict_proba([[far]]), [[0.0, 1.0]])


def test_far_rows_are_compared_in_the_proportions_of_their_columns():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(50, 2)) * [1, 3], rng.normal(size=(50, 2)) * [3, 1]])
    model = mercer.NaiveBayes().fit(X, np.repeat(["high", "wide"], 50))
    for far in (1e6, 1e155, 1e160, 1e300):
        assert model.predict([[0.1 * far, far], [far, -0.1 * far]]).tolist() == ["high", "wide"]
