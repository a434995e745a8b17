"""Normal densities: moments, floors, and columns that do not vary."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer.errors import BadTable, MercerError
from mercer.likelihoods import Gaussian


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


def test_numbers_too_large_to_average_are_refused() -> None:
    with pytest.raises(BadTable, match="'x0' holds infinity, or numbers too large"):
        _fitted(np.full((4, 1), 1.7e308), [0, 0, 0, 0])


@pytest.mark.parametrize(
    "options", [{"variance": "own"}, {"ddof": 2}, {"floor": -1.0}, {"var_smoothing": float("nan")}], ids=str
)
def test_parameters_are_checked(options: dict[str, object]) -> None:
    with pytest.raises(MercerError, match=f"The '{next(iter(options))}' parameter of Gaussian must be"):
        _fitted(np.array([[0.0], [1.0]]), [0, 1], **options)
