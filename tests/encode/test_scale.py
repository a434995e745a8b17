import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

import mercer
from mercer.encode import MinMax, UnitLength, ZScore
from mercer.errors import BadColumn, MercerError

from .tables import mixed_tables, number_arrays


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 5)) * [1, 10, 1e3, 1e-3, 1] + [0, 5, -1e4, 0, 2]
    values[rng.random(values.shape) < 0.1] = np.nan
    values[:, 4] = 7.1
    return values


def test_z_score_is_standard_scaler(numbers):
    assert_allclose(ZScore().fit_transform(numbers), StandardScaler().fit_transform(numbers), rtol=1e-9, atol=1e-12)


def test_sample_deviation(numbers):
    found = ZScore(ddof=1).fit_transform(numbers)[:, :4]
    assert_allclose(np.nanstd(found, axis=0, ddof=1), 1)
    assert_allclose(np.nanmean(found, axis=0), 0, atol=1e-12)


def test_sparse_numbers_are_divided_and_stay_sparse(numbers):
    values = np.where(np.random.default_rng(1).random(numbers.shape) < 0.6, 0, numbers)
    found = ZScore(center=False).fit_transform(sp.csr_array(values))
    assert sp.issparse(found)
    assert_allclose(found.toarray(), StandardScaler(with_mean=False).fit_transform(values), rtol=1e-9)
    assert_allclose(ZScore(center="auto").fit_transform(sp.csr_array(values)).toarray(), found.toarray())
    with pytest.raises(ValueError, match="sparse"):
        ZScore().fit(sp.csr_array(values))


@pytest.mark.parametrize("limits", [(0, 1), (-1, 1), (2, 2.5)])
@pytest.mark.parametrize("clip", [False, True])
def test_min_max_is_min_max_scaler(numbers, limits, clip):
    ours = MinMax(*limits, clip=clip).fit(numbers[:20])
    theirs = MinMaxScaler(limits, clip=clip).fit(numbers[:20])
    assert_allclose(ours.transform(numbers), theirs.transform(numbers), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("norm", ["l2", "l1", "max"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_unit_length_is_normalizer(numbers, norm, form):
    values = np.nan_to_num(numbers)
    values[3] = 0
    found = UnitLength(norm).fit_transform(form(values))
    assert_allclose(found.toarray() if sp.issparse(found) else found, Normalizer(norm).transform(values), atol=1e-15)


def test_constant_columns_are_zero_and_low():
    constant = np.full((9, 1), 0.1)
    assert_array_equal(ZScore().fit_transform(constant), 0)
    assert_array_equal(MinMax(low=3, high=4).fit_transform(constant), 3)


@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_numbers_whose_squares_leave_the_range_of_a_double(unit):
    values = np.array([[1.0], [2.0], [3.0]])
    assert_allclose(ZScore().fit_transform(values * unit), StandardScaler().fit_transform(values))
    assert_allclose(UnitLength().fit_transform(values.T * unit), Normalizer().transform(values.T))


def test_a_range_beyond_a_double_is_refused():
    with pytest.raises(BadColumn, match="x0"):
        MinMax().fit([[-1.7e308], [1.7e308]])


def test_a_column_without_numbers_is_named():
    for encoder in (ZScore(), MinMax()):
        with pytest.raises(BadColumn, match="'x1' has no known number"):
            encoder.fit([[1.0, np.nan], [2.0, np.nan]])


def test_one_row_has_no_sample_deviation():
    with pytest.raises(BadColumn, match="x0"):
        ZScore(ddof=1).fit([[1.0]])


@pytest.mark.parametrize(
    ("encoder", "named"),
    [(ZScore(center="yes"), "center"), (ZScore(ddof=2), "ddof"), (MinMax(1, 0), "low"), (MinMax(low=np.inf), "low"),
     (UnitLength("l3"), "norm"), (MinMax(clip=1), "clip")],
)  # fmt: skip
def test_parameters_are_closed_sets(encoder, named):
    with pytest.raises(MercerError, match=named):
        encoder.fit([[1.0], [2.0]])


def test_only_the_chosen_columns_change():
    table = mercer.read_table({"a": [1, 2, 4], "b": [10.0, 20.0, 40.0], "job": ["x", "y", "x"]})
    out = ZScore(on=["b"]).fit_transform(table)
    assert out.columns == table.columns
    assert_array_equal(out.numbers("a"), table.numbers("a"))
    assert_array_equal(out.codes(), table.codes())
    assert abs(out.numbers("b").mean()) < 1e-12
    with pytest.raises(BadColumn, match="'job' is binary"):
        ZScore(on=["job"]).fit(table)
    with pytest.raises(BadColumn, match="Did you mean 'job'"):
        ZScore(on=["jop"]).fit(table)


@given(number_arrays(), st.sampled_from([ZScore(), ZScore(center=False), MinMax(), MinMax(-3, 5)]))
def test_inverse_undoes_transform(values, encoder):
    encoder.fit(values)
    found = encoder.inverse_transform(encoder.transform(values))
    assert_allclose(found, values, rtol=1e-9, atol=1e-9 * max(1, np.nanmax(np.abs(values))))


@given(mixed_tables())
def test_inverse_of_a_table(table):
    encoder = ZScore().fit(table)
    back = encoder.inverse_transform(encoder.transform(table))
    assert back.schema == table.schema
    assert_allclose(back.numbers(), table.numbers(), atol=1e-6)
    assert_array_equal(back.codes(), table.codes())
