"""The native neighbour search and its NumPy twin: same rows, same distances, same ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer._core import select
from mercer._core.reference import neighbours as twin

native = select.native
needs_native = pytest.mark.skipif(native is None, reason="nothing is compiled here, so there is no pair to compare")


def column_sum(rng, *, power=2.0, cosine=False, leave_out=True, tables=False, p=3, levels=(2, 5)):
    levels = np.array([] if cosine else levels, np.int32)
    size = levels.astype(np.int64) ** 2 if tables else np.zeros(len(levels), np.int64)
    return {
        "power": power,
        "cosine": cosine,
        "leave_out": leave_out,
        "scale": rng.random(p) + 0.5,
        "weight": np.concatenate([np.ones(p), rng.random(len(levels)) + 0.5]),
        "fill": rng.random(p + len(levels)),
        "levels": levels,
        "differ": rng.random(len(levels)) + 0.5,
        "cost_start": np.concatenate([[0], np.cumsum(size)]).astype(np.int64),
        "cost": rng.random(int(size.sum())),
    }


def rows(rng, n, how, missing):
    numbers = rng.integers(0, 4, (n, len(how["scale"]))).astype(float)
    codes = np.array([rng.integers(0, k, n) for k in how["levels"]], np.int32).T.reshape(n, -1).copy()
    numbers[rng.random(numbers.shape) < missing] = np.nan
    codes[rng.random(codes.shape) < missing] = -1
    return numbers, codes


@needs_native
@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    power=st.sampled_from([1.0, 2.0, 3.0, np.inf]),
    cosine=st.booleans(),
    leave_out=st.booleans(),
    tables=st.booleans(),
    missing=st.sampled_from([0.0, 0.2, 0.9]),
    n=st.sampled_from([7, 300]),
)
def test_native_and_twin_find_the_same_rows(seed, power, cosine, leave_out, tables, missing, n):
    rng = np.random.default_rng(seed)
    how = column_sum(rng, power=power, cosine=cosine, leave_out=leave_out, tables=tables)
    stored, queries = rows(rng, n, how, missing), rows(rng, 20, how, missing)
    ours = native.all_mixed(how, *stored, *queries, 2)
    theirs = twin.all_mixed(how, *stored, *queries)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    groups = (
        (rng.integers(0, 3, n).astype(np.int32), rng.integers(0, 4, 20).astype(np.int32)) if n > 100 else (None, None)
    )
    distance, row = native.nearest_mixed(how, *stored, *queries, 5, *groups, 2)
    expected = twin.k_smallest(ours, 5, *groups)
    np.testing.assert_array_equal(row, expected[1])
    np.testing.assert_array_equal(distance, expected[0])


@needs_native
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    d=st.integers(1, 40),
    n=st.sampled_from([5, 33, 700]),
    m=st.sampled_from([1, 50, 300]),
    kind=st.sampled_from(["whole", "normal", "offset", "outlier", "constant"]),
    grouped=st.booleans(),
)
def test_single_precision_never_loses_a_neighbour(seed, d, n, m, kind, grouped):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n + m, d))
    x = {
        "whole": rng.integers(0, 3, (n + m, d)).astype(float),
        "normal": x,
        "offset": x * 1e-4 + 1e6,
        "outlier": np.where(rng.random((n + m, 1)) < 0.02, 1e9 * x, x),
        "constant": np.ones((n + m, d)),
    }[kind]
    stored, queries = np.ascontiguousarray(x[:n]), np.ascontiguousarray(x[n:])
    groups = (np.arange(n, dtype=np.int32), np.arange(m, dtype=np.int32)) if grouped else (None, None)
    k = min(4, n - 1)
    distance, row = native.nearest_euclidean(stored, queries, k, *groups, 2)
    expected = twin.nearest_euclidean(stored, queries, k, *groups)
    np.testing.assert_allclose(distance, expected[0], rtol=1e-12, atol=1e-12)
    if kind in ("whole", "constant"):
        np.testing.assert_array_equal(row, expected[1])


@needs_native
def test_numbers_beyond_single_precision_are_measured_in_double():
    stored = np.array([[0.0], [1e-60], [3e-60], [1.0]])
    queries = np.array([[2.9e-60], [1e100], [-1e100]])
    assert native.nearest_euclidean(stored, queries, 2, None, None, 1)[1].tolist() == [[2, 1], [0, 1], [0, 1]]
    with pytest.raises(ValueError, match="finite"):
        native.nearest_euclidean(stored, np.array([[np.inf]]), 1, None, None, 1)


@needs_native
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), weighted=st.booleans(), zeros=st.booleans())
def test_curves_over_k(seed, weighted, zeros):
    rng = np.random.default_rng(seed)
    n, m, k = 30, 25, 8
    row = np.array([rng.permutation(n)[:k] for _ in range(m)], np.int32)
    distance = np.sort(rng.integers(0 if zeros else 1, 5, (m, k)).astype(float), axis=1)
    label, truth = rng.integers(0, 3, n).astype(np.int32), rng.integers(0, 3, m).astype(np.int32)
    # Weights that are powers of two keep sums exact, so that ties are ties in both.
    weight, counted = (2.0 ** rng.integers(0, 3, n), rng.random(m)) if weighted else (None, None)
    distance = 2.0**distance if not zeros else np.where(distance == 0, 0.0, 2.0**distance)
    given_ = (row, distance, label, weight, truth, counted, 3)
    np.testing.assert_allclose(native.vote_curve(*given_, 2), twin.vote_curve(*given_), rtol=1e-12)
    given_ = (row, distance, rng.normal(size=n), weight, rng.normal(size=m), counted)
    np.testing.assert_allclose(native.mean_curve(*given_, 2), twin.mean_curve(*given_), rtol=1e-10)


@pytest.mark.parametrize("core", [pytest.param(native, marks=needs_native), twin], ids=["native", "twin"])
def test_more_neighbours_than_rows_are_refused(core):
    x = np.zeros((3, 2))
    with pytest.raises(ValueError, match="k must not exceed"):
        core.nearest_euclidean(x, x, 4, None, None, 1)
    with pytest.raises(ValueError, match="k must be positive"):
        core.nearest_euclidean(x, x, 0, None, None, 1)
    own = np.arange(3, dtype=np.int32)
    with pytest.raises(ValueError, match="outside the query's group"):
        core.nearest_euclidean(x, x, 3, own, own, 1)
    assert core.nearest_euclidean(x, x, 2, own, own, 1)[1].tolist() == [[1, 2], [0, 2], [0, 1]]


@needs_native
def test_damaged_sums_are_refused():
    rng = np.random.default_rng(0)
    how = column_sum(rng, tables=True)
    stored = rows(rng, 5, how, 0.0)
    for change in (
        {"cost": how["cost"][:-1]},
        {"levels": how["levels"] + 1},
        {"weight": how["weight"][1:]},
        {"power": 0.0},
    ):
        with pytest.raises(ValueError):
            native.all_mixed(how | change, *stored, *stored, 1)
    with pytest.raises(ValueError, match="code out of range"):
        native.all_mixed(how, stored[0], stored[1] + 7, *stored, 1)
    with pytest.raises(ValueError, match="'scale' is absent"):
        native.all_mixed({k: v for k, v in how.items() if k != "scale"}, *stored, *stored, 1)
