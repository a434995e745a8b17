"""The design matrix of linear models: order of its columns, baselines, missing cells, further terms."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from mercer import read_table
from mercer.encode.design import Design
from mercer.errors import BadColumn, MercerWarning
from mercer.state import Reader
from mercer.table import conform_table

ROWS = read_table({"job": ["b", "a", "c", "b"], "age": [1.0, 2.0, None, 6.0], "size": [10.0, 30.0, 20.0, 20.0]})


def test_columns_stand_as_in_the_table_and_terms_at_the_end():
    design = Design.learn(ROWS, terms=["size^2", "size*job"])
    assert design.names == ["job=b", "job=c", "age", "age is missing", "size", "size^2", "size*job=b", "size*job=c"]
    assert design.owners == ["job", "job", "age", "age", "size", "size^2", "size*job", "size*job"]
    assert_allclose(design.matrix(ROWS)[2], [0, 1, 2, 1, 20, 400, 0, 20])
    assert design.baselines == {"job": "a"}
    assert design.filled == {"age": "filled with 2"}


def test_a_row_of_weight_two_is_two_rows():
    weighted = Design.learn(ROWS, np.array([1.0, 1.0, 1.0, 2.0]), baseline="common")
    twice = Design.learn(ROWS.take(np.array([0, 1, 2, 3, 3])), baseline="common")
    assert weighted.same_as(twice) and weighted.baselines == {"job": "b"}
    assert not weighted.same_as(Design.learn(ROWS))


@pytest.mark.parametrize("weight", [None, np.arange(1.0, len(ROWS) + 1)])
def test_unseen_levels_are_the_average_row_with_a_warning(weight):
    design = Design.learn(ROWS, weight)
    with pytest.warns(MercerWarning, match="'job': a level never seen"):
        later = design.matrix(conform_table({"job": ["z"], "age": [1.0], "size": [2.0]}, ROWS.schema))
    dummies = [j for j, owner in enumerate(design.owners) if owner == "job"]
    assert_allclose(later[:, dummies], np.average(design.matrix(ROWS)[:, dummies], axis=0, weights=weight)[None, :])


def test_many_dummies_are_held_sparse():
    levels = [f"l{i % 80:02d}" for i in range(400)]
    table = read_table({"x": np.arange(400.0), "code": levels}, kinds={"code": "category"})
    matrix = Design.learn(table).matrix(table)
    assert sp.issparse(matrix) and matrix.shape == (400, 80)
    assert_array_equal(matrix.toarray()[:, 0], np.arange(400.0))
    with pytest.warns(MercerWarning, match="'code': a level never seen"):
        later = Design.learn(table).matrix(conform_table({"x": [3.0, 4.0], "code": ["new", "l01"]}, table.schema))
    assert_allclose(later.toarray()[0], [3.0] + [1 / 80] * 79)
    assert_array_equal(later.toarray()[1], [4.0, 1.0] + [0.0] * 78)


def test_a_number_array_without_gaps_is_not_copied():
    table = read_table(np.arange(12.0).reshape(4, 3))
    assert np.shares_memory(Design.learn(table).matrix(table), table.numbers())


def test_terms_with_one_name_are_refused():
    with pytest.raises(BadColumn, match=r"two terms 'age\^2'"):
        Design.learn(ROWS, terms=["age^2", "age^2"])


def test_a_state_round_trip_gives_the_same_bits():
    design = Design.learn(ROWS, terms=["log(size)"])
    again = Design.from_state(Reader(design.to_state()), ROWS.schema)
    assert again.same_as(design)
    assert_array_equal(again.matrix(ROWS), design.matrix(ROWS))
