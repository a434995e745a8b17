"""Rows as numbers on one scale, with dummies: the encoding that kernels and linear SVMs share."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from mercer import read_table
from mercer.encode.numeric import NumericEncoding
from mercer.errors import BadFile, BadTable
from mercer.state import Reader
from mercer.table import from_array

ROWS = read_table({"age": [1.0, 2.0, None, 5.0], "job": ["b", "a", None, "c"], "size": [10.0, 30.0, 20.0, 20.0]})


def test_numbers_come_first_and_then_the_dummies():
    encoding = NumericEncoding.learn(ROWS, scaling="none")
    assert encoding.names == ("age", "size", "job=a", "job=b", "job=c")
    assert encoding.owners == ("age", "size", "job", "job", "job")
    mean = 8 / 3
    expected = [[1, 10, 0, 1, 0], [2, 30, 1, 0, 0], [mean, 20, 0, 0, 0], [5, 20, 0, 0, 1]]
    assert_allclose(encoding.matrix(ROWS), expected)
    assert encoding.table(ROWS).columns == encoding.names
    assert encoding.numbers_scaled(ROWS).columns == ROWS.columns


def test_weights_count_rows():
    twice = NumericEncoding.learn(ROWS.take(np.array([0, 0, 1, 2, 3])), missing="median")
    weighted = NumericEncoding.learn(ROWS, np.array([2.0, 1.0, 1.0, 1.0]), missing="median")
    assert_allclose(weighted.matrix(ROWS), twice.matrix(ROWS))


def test_several_tables_are_learned_from_as_one():
    apart = NumericEncoding.learn([ROWS.take(np.array([0, 1])), ROWS.take(np.array([2, 3]))])
    assert_array_equal(apart.matrix(ROWS), NumericEncoding.learn(ROWS).matrix(ROWS))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("scaling", ["standard", "minmax", "none"])
def test_the_dtype_is_the_one_asked_for(make, scaling):
    table = from_array(make(np.array([[1.0, 0.0], [0.0, np.nan], [3.0, 2.0]], dtype=np.float32)))
    encoding = NumericEncoding.learn(table, scaling=scaling)
    assert encoding.matrix(table).dtype == np.float64
    assert encoding.matrix(table, np.float32).dtype == np.float32
    assert sp.issparse(encoding.matrix(table)) == table.is_sparse


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_infinity_in_later_rows_is_named(make):
    encoding = NumericEncoding.learn(from_array(make(np.array([[1.0, 0.0], [0.0, 2.0]]))))
    with pytest.raises(BadTable, match="Column 'x1', row 2"):
        encoding.matrix(from_array(make(np.array([[1.0, 0.0], [0.0, np.inf]]))))


def test_a_state_round_trip_gives_the_same_bits():
    for scaling in ("standard", "minmax", "none"):
        encoding = NumericEncoding.learn(ROWS, scaling=scaling)
        again = NumericEncoding.from_state(Reader(encoding.to_state()), ROWS.schema)
        assert_array_equal(again.matrix(ROWS), encoding.matrix(ROWS))
    state = NumericEncoding.learn(ROWS).to_state()["numbers"]
    for wrong in ({"fill": np.zeros(3)}, {"factor": np.full(2, np.nan)}, {"flagged": np.ones(2, np.uint8)}, {"x": 1}):
        with pytest.raises(BadFile):
            NumericEncoding.from_state(Reader({"numbers": state | wrong}), ROWS.schema)
