"""Columns of an array are made when they are asked for, and behave as if they were listed."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import mercer
from mercer.errors import BadColumn
from mercer.state import Reader
from mercer.table import Kind, Schema, from_array
from mercer.table.array_columns import ArrayNames
from mercer.table.schema import matrix_schema


def test_names_are_those_of_a_tuple() -> None:
    names, listed = ArrayNames(5), ("x0", "x1", "x2", "x3", "x4")
    assert names == listed and listed == names and list(listed) == names
    assert names not in (listed[:4], ("x0", "x1", "x2", "x3", "y"), "x0")
    assert names[-1] == "x4" and names[1:3] == ("x1", "x2") and repr(names) == repr(listed)
    assert hash(names) == hash(listed) and pickle.loads(pickle.dumps(names)) == names


@pytest.mark.parametrize("name", ["x5", "x01", "x", "", "y1", "x-1", "x1 ", "x²", "x" + "9" * 5000, 3])
def test_other_names_are_refused(name: object) -> None:
    assert name not in ArrayNames(5)
    with pytest.raises(ValueError, match="not in"):
        ArrayNames(5).index(name)


def test_schema_of_an_array_finds_columns_by_name() -> None:
    schema = matrix_schema(1 << 20)
    assert schema.position("x1000000") == schema.block_place("x1000000") == 1_000_000
    assert schema["x7"].kind is Kind.NUMERIC and "x7" in schema and "x1048576" not in schema
    assert schema.of_kind(Kind.NUMERIC) == schema.names and schema.of_kind(Kind.TEXT) == ()
    assert schema.select(["x3", "x1"]).names == ("x3", "x1")
    assert schema == Schema(tuple(schema.columns[:]), named=False)
    with pytest.raises(BadColumn, match="no column 'age'"):
        matrix_schema(3).position("age")


def test_schema_of_an_array_is_stored_as_its_size() -> None:
    state = matrix_schema(1 << 20).to_state()
    assert state == {"array": 1 << 20, "left_out": [], "named": False}
    assert Schema.from_state(Reader(state, "schema")) == matrix_schema(1 << 20)


def test_table_of_some_columns() -> None:
    table = from_array(sp.random(20, 100_000, density=0.001, format="csr", random_state=0))
    some = ["x99999", "x5"]
    assert table.select(some).columns == tuple(some)
    np.testing.assert_array_equal(table.numbers(some), table.csr().toarray()[:, [99999, 5]])


@pytest.mark.parametrize("learner", [mercer.SVC(), mercer.LinearSVC(), mercer.NaiveBayes()])
def test_fitting_looks_no_name_up_by_a_scan(learner: object, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(ArrayNames, "__iter__", lambda self: made.append(self) or iter(()))
    x = abs(sp.random(60, 50_000, density=0.001, format="csr", random_state=0))
    learner.fit(x, np.arange(60) % 2).predict(x)
    assert not made
