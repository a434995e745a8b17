"""Laws of distances on random tables, with missing cells and without."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from mercer import read_table
from mercer.distances import (
    HEOM,
    HVDM,
    Chebyshev,
    Cosine,
    Euclidean,
    Gower,
    Hamming,
    Haversine,
    KernelDistance,
    Manhattan,
    Minkowski,
    SquaredEuclidean,
    SumDistance,
)
from mercer.kernels import RBF, Encoded, Overlap
from mercer.state import Reader

NUMBERS, LEVELS, SIZES = ("x", "y"), ("a", "b"), ("S", "M", "L")
KINDS = {"x": "numeric", "y": "numeric", "a": "category", "b": "category", "size": list(SIZES)}

_scales = {"alpha": st.floats(0, 3), "scale": st.sampled_from(["none", "std", "range"])}
_mixed = st.one_of(
    st.builds(Minkowski, st.sampled_from([1, 1.5, 2, 3, np.inf]), **_scales),
    st.builds(Euclidean, **_scales),
    st.builds(Manhattan, **_scales),
    st.builds(Chebyshev, **_scales),
    st.builds(SquaredEuclidean, **_scales),
    st.builds(Euclidean, w=st.tuples(*[st.floats(0.25, 4)] * 5)),
    st.just(HEOM()),
    st.just(HVDM()),
    st.just(Gower()),
    st.just(KernelDistance(Encoded(RBF(0.5), levels="keep") + Overlap())),
)
_one_kind = st.sampled_from([(Cosine(), NUMBERS), (Hamming(), LEVELS), (Haversine(), NUMBERS)])
# distances with the columns they compare
metrics = st.one_of(st.tuples(_mixed, st.just((*NUMBERS, *LEVELS, "size"))), _one_kind)
sums = metrics.filter(lambda chosen: isinstance(chosen[0], SumDistance))


@st.composite
def tables(draw, min_rows=2, missing=True):
    n = draw(st.integers(min_rows, 9))
    hole = st.none() if missing else st.nothing()
    sixteenths = st.integers(-24, 24).map(lambda k: k / 16)  # exact sums: equal distances are equal
    columns = dict.fromkeys(NUMBERS, sixteenths) | {name: st.sampled_from("pqr") for name in LEVELS}
    columns |= {"size": st.sampled_from(SIZES)}
    rows = {name: draw(st.lists(cells | hole, min_size=n, max_size=n)) for name, cells in columns.items()}
    return read_table(rows, kinds=KINDS)


def _fit(distance, table):
    return clone(distance).fit(table, (np.arange(len(table)) % 2).astype(np.int32))


def _between(distance, table):
    return _fit(distance, table).between(table, table)


@settings(deadline=None, max_examples=30)
@given(metrics, tables())
def test_symmetric_and_never_negative(chosen, table):
    distance, columns = chosen
    found = _between(distance, table.select(columns))
    assert (found >= 0).all()
    assert_allclose(found, found.T, rtol=1e-12)


@settings(deadline=None, max_examples=30)
@given(metrics, tables(missing=False))
def test_equal_rows_are_at_distance_zero(chosen, table):
    distance, columns = chosen
    rows = table.select(columns)
    assume(not isinstance(distance, Cosine) or (np.abs(rows.numbers()).max(axis=1) > 0).all())
    assert_allclose(_between(distance, rows).diagonal(), 0, atol=1e-7)


@settings(deadline=None, max_examples=30)
@given(metrics, tables(min_rows=3, missing=False))
def test_the_triangle_inequality(chosen, table):
    distance, columns = chosen
    assume(not isinstance(distance, Cosine | SquaredEuclidean))
    d = _between(distance, table.select(columns))
    assert (d[:, None, :] <= d[:, :, None] + d[None, :, :] + 1e-7).all()


@pytest.mark.parametrize(
    ("distance", "rows"),
    [(SquaredEuclidean(), [[0.0, 0], [1, 0], [2, 0]]), (Cosine(), [[1.0, 0], [1, 1], [0, 1]])],
    ids=["SquaredEuclidean", "Cosine"],
)
def test_where_the_triangle_inequality_does_not_hold(distance, rows):
    d = _between(distance, read_table(np.array(rows)))
    assert d[0, 2] > d[0, 1] + d[1, 2]


@settings(deadline=None, max_examples=30)
@given(metrics, tables(min_rows=4), st.data())
def test_rows_in_chunks_and_in_another_order(chosen, table, data):
    distance, columns = chosen
    table = table.select(columns)
    fitted = _fit(distance, table)
    whole = fitted.between(table, table)
    cut = data.draw(st.integers(1, len(table) - 1))
    head, tail = table.take(slice(0, cut)), table.take(slice(cut, None))
    chunks = np.block([[fitted.between(a, b) for b in (head, tail)] for a in (head, tail)])
    assert_allclose(chunks, whole, rtol=1e-9, atol=1e-9)
    order = np.array(data.draw(st.permutations(range(len(table)))))
    moved = table.take(order)
    assert_allclose(fitted.between(moved, moved), whole[np.ix_(order, order)], rtol=1e-9, atol=1e-9)


@settings(deadline=None, max_examples=30)
@given(metrics, tables(), st.data())
def test_columns_in_another_order(chosen, table, data):
    distance, columns = chosen
    assume(not isinstance(distance, Haversine))  # latitude first
    assume(getattr(distance, "w", None) is None)  # weights are in the order of the columns
    moved = data.draw(st.permutations(columns))
    assert_allclose(
        _between(distance, table.select(moved)), _between(distance, table.select(columns)), rtol=1e-9, atol=1e-9
    )


@settings(deadline=None, max_examples=30)
@given(metrics, tables(), st.data())
def test_the_nearest_rows_are_those_of_the_smallest_distances(chosen, table, data):
    distance, columns = chosen
    table = table.select(columns)
    fitted = _fit(distance, table)
    k = data.draw(st.integers(1, len(table)))
    cells = fitted.cells(table)
    found = fitted.nearest(cells, cells, k, n_jobs=2)
    every = fitted.between(cells, cells)
    assert_allclose(found.distance, np.sort(every, axis=1)[:, :k], rtol=1e-7, atol=1e-7)
    assert_allclose(np.take_along_axis(every, found.row.astype(int), axis=1), found.distance, rtol=1e-7, atol=1e-7)
    assert all(len(set(row)) == k for row in found.row.tolist())


@settings(deadline=None, max_examples=30)
@given(sums, tables())
def test_parameters_and_state_round_trip(chosen, table):
    distance, columns = chosen
    table = table.select(columns)
    fitted = _fit(clone(distance).set_params(**distance.get_params()), table)
    again = SumDistance.from_state(Reader(fitted.to_state()))
    assert repr(again) == repr(distance)
    assert_array_equal(again.between(table, table), fitted.between(table, table))
