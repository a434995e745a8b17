import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import OneHotEncoder

import mercer
from mercer.encode import OneHot, TopLevels
from mercer.errors import BadColumn, MercerError, MercerWarning

from .tables import mixed_tables

JOBS = {"job": ["sales", "clerk", "cook", "clerk"], "city": ["Rome", "Oslo", "Rome", "Rome"]}


@pytest.mark.parametrize(("ours", "theirs"), [(None, None), ("first", "first"), ("binary", "if_binary")])
@pytest.mark.parametrize("sparse", [False, True])
def test_dummies_are_one_hot_encoder(ours, theirs, sparse):
    cells = np.array([JOBS["job"], JOBS["city"]], dtype=object).T
    expected = OneHotEncoder(drop=theirs, sparse_output=False).fit_transform(cells)
    found = OneHot(drop=ours, sparse=sparse).fit_transform(cells)
    assert sp.issparse(found) == sparse
    assert_array_equal(found.toarray() if sparse else found, expected)


@given(mixed_tables(), st.floats(1e-3, 1e3))
def test_dummies_have_size_alpha_and_one_a_row(table, alpha):
    out = OneHot(alpha, on=["c"]).fit_transform(table)
    dummies = out.numbers(["c=x", "c=y", "c=z"])
    known = table.codes("c")[:, 0] >= 0
    assert_allclose(dummies.sum(axis=1), np.where(known, alpha, 0))
    assert_array_equal(dummies.argmax(axis=1)[known], table.codes("c")[known, 0])
    assert out.columns == ("a", "c=x", "c=y", "c=z", "b", "d", "e", "f")


@given(mixed_tables())
def test_sparse_dummies_are_the_dense_ones(table):
    dense, sparse = OneHot().fit_transform(table), OneHot(sparse=True).fit_transform(table)
    assert sparse.is_sparse
    assert_array_equal(dense.numbers(), sparse.numbers())
    assert dense.schema == sparse.schema


def test_unseen_and_missing_levels():
    encoder = OneHot(missing="column").fit(mercer.read_table({"job": ["a", "b", None, "c"], "city": list("xyxy")}))
    out = encoder.transform({"job": ["new", None], "city": ["x", None]})
    assert out.columns == ("job=a", "job=b", "job=c", "job=(missing)", "city=x", "city=y")
    assert out.numbers().tolist() == [[0, 0, 0, 0, 1, 0], [0, 0, 0, 1, 0, 0]]


def test_cells_that_count_as_the_baseline_are_warned_about():
    table = mercer.read_table({"job": ["a", "b", "b", "c"]})
    encoder = OneHot(drop="common").fit(table)
    assert encoder.baselines == {"job": "b"}
    assert encoder.schema_out_.names == ("job=a", "job=c")
    assert "baseline 'b'" in encoder.schema_out_["job=a"].reason
    with pytest.warns(MercerWarning, match="baseline 'b'"):
        assert encoder.transform({"job": ["new"]}).numbers().tolist() == [[0, 0]]


def test_numbers_are_not_expanded():
    with pytest.raises(BadColumn, match="'age' is numeric"):
        OneHot(on=["age"]).fit(mercer.read_table({"age": [1, 2, 3], "job": ["a", "b", "b"]}))


def test_a_name_that_is_taken_is_an_error():
    table = mercer.read_table({"job": ["a", "b", "b"], "job=a": [1, 2, 3]})
    with pytest.raises(BadColumn, match="two columns 'job=a'"):
        OneHot().fit(table)


@pytest.mark.parametrize("alpha", [0, -1, np.nan, np.inf, "1", True])
def test_alpha_is_above_zero(alpha):
    with pytest.raises(MercerError, match="alpha"):
        OneHot(alpha).fit(mercer.read_table(JOBS))


def test_rare_and_unseen_levels_become_other():
    cells = ["a"] * 3 + ["b"] * 2 + ["c"] * 2 + ["d", None]
    encoder = TopLevels(k=2).fit(mercer.read_table({"x": cells}))
    out = encoder.transform({"x": ["a", "b", "c", "d", "new", None]})
    assert out.schema["x"].levels == ("a", "b", "(other)")
    assert out.column("x").tolist() == ["a", "b", "(other)", "(other)", "(other)", None]


def test_few_levels_are_left_alone():
    table = mercer.read_table({"x": ["a", "b", "c", "a"]})
    encoder = TopLevels(k=3).fit(table)
    assert encoder.transform(table).schema == table.schema
    assert encoder.transform({"x": ["new", "c"]}).codes().ravel().tolist() == [3, 2]


def test_numbers_become_their_commonest_values():
    table = mercer.read_table({"x": [1, 1, 2, 2.5, 2.5, 2.5, None]})
    out = TopLevels(k=2, on=["x"]).fit_transform(table)
    assert out.schema["x"].levels == ("1", "2.5", "(other)")
    assert out.column("x").tolist() == ["1", "1", "(other)", "2.5", "2.5", "2.5", None]


def test_sparse_numbers_have_no_levels():
    with pytest.raises(ValueError, match="sparse"):
        TopLevels(on=["x0"]).fit(sp.csr_array(np.eye(3)))


def test_the_other_level_needs_a_name_of_its_own():
    table = mercer.read_table({"x": ["(other)", "(other)", "b", "c", "b"]})
    with pytest.raises(BadColumn, match="Choose another"):
        TopLevels(k=1).fit(table)
    assert TopLevels(k=1, other="rest").fit_transform(table).schema["x"].levels == ("(other)", "rest")


@given(mixed_tables(), st.integers(1, 4))
def test_top_levels_agree_with_counting(table, k):
    names = table.column("c")
    counts = {n: (names == n).sum() for n in ("x", "y", "z")}
    kept = sorted(counts, key=lambda n: (-counts[n], n))[:k]
    expected = [n if n is None or n in kept else "(other)" for n in names]
    assert TopLevels(k, on=["c"]).fit_transform(table).column("c").tolist() == expected
