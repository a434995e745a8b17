"""Native functions equal their NumPy twins, and refuse what would read outside an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mercer._core import select
from mercer._core.reference import scores as reference

native = select.native
pytestmark = pytest.mark.skipif(native is None, reason="nothing is compiled: the twins are what runs")


def labels(draw: Any, n: int, n_classes: int) -> np.ndarray:
    return draw(arrays(np.int32, n, elements=st.integers(0, n_classes - 1)))


@st.composite
def numbers(draw: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, int]:
    n, p, c = draw(st.integers(0, 60)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    cells = st.one_of(st.floats(-1e6, 1e6), st.just(np.nan))
    x = draw(arrays(np.float64, (n, p), elements=cells))
    x = draw(st.sampled_from([x, np.asfortranarray(x), x.astype(np.float32), x[::-1]]))
    weight = draw(st.one_of(st.none(), arrays(np.float64, n, elements=st.sampled_from([0.0, 0.5, 1.0, 3.0]))))
    return x, labels(draw, n, c), weight, c


@given(numbers())
def test_class_moments(case: tuple[np.ndarray, np.ndarray, np.ndarray | None, int]) -> None:
    x, classes, weight, n_classes = case
    found = native.class_moments(x, classes, weight, n_classes, 2)
    expected = reference.class_moments(x, classes, weight, n_classes)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-6)


def test_moments_do_not_cancel() -> None:
    x = 1e9 + np.random.default_rng(0).normal(size=(10_000, 1))
    _, _, m2 = native.class_moments(x, np.zeros(10_000, np.int32), None, 1, 1)
    assert m2[0, 0] / 9_999 == pytest.approx(x.var(ddof=1), rel=1e-7)


@st.composite
def coded(draw: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray, int]:
    n, c = draw(st.integers(0, 60)), draw(st.integers(1, 4))
    levels = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    columns = [draw(arrays(np.int32, n, elements=st.integers(-1, k - 1))) for k in levels]
    codes = np.asfortranarray(np.stack(columns, axis=1))
    codes = draw(st.sampled_from([codes, np.ascontiguousarray(codes)]))
    weight = draw(st.one_of(st.none(), arrays(np.float64, n, elements=st.sampled_from([0.0, 0.5, 3.0]))))
    return codes, labels(draw, n, c), weight, np.cumsum([0, *levels]).astype(np.int64), c


@given(coded())
def test_count_codes(case: tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray, int]) -> None:
    codes, classes, weight, offsets, n_classes = case
    found = native.count_codes(codes, classes, weight, offsets, n_classes, 2)
    np.testing.assert_array_equal(found, reference.count_codes(codes, classes, weight, offsets, n_classes))


@given(coded())
def test_add_code_scores(case: tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray, int]) -> None:
    codes, _, _, offsets, n_classes = case
    table = np.random.default_rng(0).normal(size=(n_classes, int(offsets[-1])))
    found, expected = np.ones((len(codes), n_classes)), np.ones((len(codes), n_classes))
    native.add_code_scores(codes, table, offsets, found, 2)
    reference.add_code_scores(codes, table, offsets, expected)
    np.testing.assert_allclose(found, expected)


@given(numbers())
def test_add_gaussian_scores(case: tuple[np.ndarray, np.ndarray, np.ndarray | None, int]) -> None:
    x, _, _, n_classes = case
    rng = np.random.default_rng(1)
    mean, precision, scale = (rng.random((n_classes, x.shape[1])) for _ in range(3))
    found, expected = np.zeros((len(x), n_classes)), np.zeros((len(x), n_classes))
    native.add_gaussian_scores(x, mean, precision, scale, found, 2)
    reference.add_gaussian_scores(x, mean, precision, scale, expected)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@given(arrays(np.float64, (7, 3), elements=st.floats(-800, 800)))
def test_softmax_rows(scores: np.ndarray) -> None:
    found, expected = scores.copy(), scores.copy()
    native.softmax_rows(found, 1)
    reference.softmax_rows(expected)
    np.testing.assert_allclose(found, expected, atol=1e-12)


CODES = np.zeros((4, 2), np.int32)
OFFSETS = np.array([0, 2, 4], np.int64)
CLASSES = np.zeros(4, np.int32)


@pytest.mark.parametrize(
    "arguments",
    [
        (CODES + 2, CLASSES, None, OFFSETS, 1, 1),
        (CODES, CLASSES + 1, None, OFFSETS, 1, 1),
        (CODES, CLASSES - 1, None, OFFSETS, 1, 1),
        (CODES, CLASSES[:3], None, OFFSETS, 1, 1),
        (CODES, CLASSES, None, OFFSETS[:2], 1, 1),
        (CODES, CLASSES, None, np.array([0, 9, 4], np.int64), 1, 1),
        (CODES, CLASSES, np.ones(3), OFFSETS, 1, 1),
        (CODES, CLASSES, None, OFFSETS, 0, 1),
    ],
)
def test_count_codes_refuses(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError):
        native.count_codes(*arguments)


@pytest.mark.parametrize("bad", [CODES.astype(np.int64), CODES.astype(float), CODES[0]])
def test_other_types_are_not_converted(bad: np.ndarray) -> None:
    with pytest.raises(TypeError):
        native.count_codes(bad, CLASSES, None, OFFSETS, 1, 1)
