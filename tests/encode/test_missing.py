import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.impute import SimpleImputer

import mercer
from mercer.encode import DropMissing, Impute, OneHot
from mercer.errors import BadColumn, BadTable

from .tables import mixed_tables, number_arrays

STRATEGY = {"median": "median", "mean": "mean", "mode": "most_frequent"}


@given(number_arrays(), st.sampled_from(list(STRATEGY)))
def test_numbers_are_filled_as_simple_imputer_fills(values, numbers):
    theirs = SimpleImputer(strategy=STRATEGY[numbers]).fit_transform(values)
    assert_allclose(Impute(numbers).fit_transform(values), theirs, rtol=1e-12)


@given(number_arrays(), st.sampled_from(list(STRATEGY)))
def test_sparse_numbers_are_filled_alike(values, numbers):
    values[np.abs(values) < 5e5] = 0
    found = Impute(numbers).fit_transform(sp.csr_array(values))
    assert sp.issparse(found)
    assert_allclose(found.toarray(), Impute(numbers).fit_transform(values), rtol=1e-12)


def test_the_commonest_level_and_the_earlier_of_equals():
    table = mercer.read_table({"job": ["b", "a", None, "b", "c"], "city": ["y", "x", None, "x", "y"]})
    out = Impute().fit_transform(table)
    assert out.column("job").tolist() == ["b", "a", "b", "b", "c"]
    assert out.column("city").tolist() == ["y", "x", "x", "x", "y"]
    assert out.schema == table.schema


def test_missing_as_a_level_keeps_unseen_levels_apart():
    table = mercer.read_table({"job": ["b", "a", None, "b", "c"]})
    encoder = Impute(levels="level").fit(table)
    out = encoder.transform({"job": ["a", None, "new", "c"]})
    assert out.schema["job"].levels == ("a", "b", "c", "(missing)")
    assert out.codes().ravel().tolist() == [0, 3, 4, 2]


def test_indicators_stand_beside_their_columns():
    table = mercer.read_table({"a": [1, None, 3.5, 7], "b": [1, 2, 3.5, 3], "job": ["x", None, "y", "y"]})
    out = Impute(indicator=True).fit_transform(table)
    assert out.columns == ("a", "a is missing", "b", "job", "job is missing")
    assert out.column("a is missing").tolist() == ["no", "yes", "no", "no"]
    dummies = OneHot(drop="first").fit_transform(out)
    assert dummies.columns == ("a", "a is missing=yes", "b", "job=y", "job is missing=yes")


def test_indicators_of_arrays_are_as_in_scikit_learn():
    values = np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, 7.0]])
    theirs = SimpleImputer(strategy="median", add_indicator=True).fit_transform(values)
    assert_array_equal(Impute(indicator=True).fit_transform(values)[:, [0, 2, 1]], theirs)


def test_sparse_indicators():
    values = sp.csr_array(np.array([[1.0, 0.0], [np.nan, 6.0], [3.0, 0.0]]))
    assert Impute(indicator=True).fit_transform(values).toarray().tolist() == [
        [1, 0, 0],
        [2, 1, 6],
        [3, 0, 0],
    ]


@given(mixed_tables())
def test_nothing_stays_missing(table):
    out = Impute().fit_transform(table)
    assert not np.isnan(out.numbers()).any()
    assert (out.codes() >= 0).all()
    known = ~np.isnan(table.numbers())
    assert_array_equal(out.numbers()[known], table.numbers()[known])


def test_a_column_without_a_known_cell_is_named():
    with pytest.raises(BadColumn, match="'x1' has no known number"):
        Impute().fit([[1.0, np.nan], [2.0, np.nan]])
    with pytest.raises(BadColumn, match="'x1' has no known number"):
        Impute().fit(sp.csr_array(np.array([[1.0, np.nan], [2.0, np.nan]])))


def test_mean_of_numbers_whose_sum_overflows():
    assert_allclose(Impute("mean").fit_transform([[1e308], [1.5e308], [None]])[2], 1.25e308)


def test_columns_above_the_missing_rate_go_with_a_reason():
    table = mercer.read_table({"a": [None] * 6 + [1.5, 2], "b": [1, 2, None, 4] * 2, "c": ["x", None, None, "y"] * 2})
    out = DropMissing(rate=0.5).fit_transform(table)
    assert out.columns == ("b", "c")
    assert {c.name: c.reason for c in out.schema.left_out}["a"].startswith("75.0% of the cells")
    with pytest.raises(BadTable, match="no column"):
        DropMissing(rate=0.1).fit(table)


def test_missing_rate_of_sparse_numbers():
    values = sp.csr_array(np.array([[0.0, np.nan], [1.0, np.nan], [0.0, 0.0]]))
    assert DropMissing(rate=0.5).fit_transform(values).toarray().ravel().tolist() == [0, 1, 0]
