"""Prediction: the schema of the model, whatever comes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mercer
from mercer.errors import BadColumn, MercerWarning
from mercer.table import conform_table

ROWS = {"age": [31, 25, 58, 44], "job": ["sales", "clerk", "sales", "cook"], "id": ["7a"] * 4}


@pytest.fixture
def schema():
    return mercer.read_table(ROWS).schema


def test_columns_in_any_order(schema):
    table = conform_table(pd.DataFrame(ROWS)[["id", "job", "age"]], schema)
    assert table.columns == ("age", "job")
    assert table.numbers().ravel().tolist() == ROWS["age"]


def test_extra_columns_are_noticed(schema):
    with pytest.warns(MercerWarning, match="ignored: 'colour', 'size'"):
        conform_table({**ROWS, "colour": ["red"] * 4, "size": [1, 2, 3, 4]}, schema)


def test_a_column_that_was_left_out_is_no_extra_one(schema, recwarn):
    conform_table(ROWS, schema)
    assert not recwarn


def test_a_missing_column_is_named(schema):
    with pytest.raises(BadColumn, match=r"'job' is missing .*Did you mean 'Jobs'"):
        conform_table({"age": [1], "Jobs": ["cook"]}, schema)
    with pytest.raises(BadColumn, match=r"'age' is missing .*Every other column is there"):
        conform_table({"job": ["cook"]}, schema)


def test_a_wrong_kind_is_named(schema):
    with pytest.raises(BadColumn, match="'age' is numeric, but row 2 holds 'old'"):
        conform_table({"age": [3, "old"], "job": ["cook", "cook"]}, schema)
    with pytest.raises(BadColumn, match=r"'job' is category .*came as numbers"):
        conform_table({"age": [3, 4], "job": [1, 2]}, schema)
    with pytest.raises(BadColumn, match=r"'age'.*row 1.*infinity"):
        conform_table({"age": [np.inf, 4], "job": ["cook", "cook"]}, schema)


def test_unseen_and_missing_levels(schema):
    table = conform_table({"age": [None, 4, 5], "job": ["pilot", None, " cook "]}, schema)
    assert table.codes().ravel().tolist() == [3, -1, 1]
    assert table.missing("age").tolist() == [True, False, False]


def test_every_cell_missing(schema):
    table = conform_table({"age": [None, None], "job": [None, None]}, schema)
    assert np.isnan(table.numbers()).all()
    assert table.codes().ravel().tolist() == [-1, -1]


def test_numbers_written_as_text(schema):
    assert conform_table({"age": ["31", " 7 "], "job": ["cook", "cook"]}, schema).numbers().ravel().tolist() == [31, 7]


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, dict])
def test_levels_that_are_numbers_are_the_same_in_any_type(form):
    schema = mercer.read_table({"x": [1, 2, 1, 2, 1]}, kinds={"x": "binary"}).schema
    assert schema["x"].levels == ("1", "2")
    for cells in ([2, 1, 3], [2.0, 1.0, 3.0], ["2", "1", "3"]):
        assert conform_table(form({"x": cells}), schema).codes().ravel().tolist() == [1, 0, 2]


@pytest.mark.parametrize("kind", ["binary", "category"])
def test_a_number_never_seen_is_no_level_and_leaves_the_others_alone(kind):
    schema = mercer.read_table({"x": [0, 1, 0, 1, 1]}, kinds={"x": kind}).schema
    for cells in ([0, 1, 2, -1], [0.0, 1.0, 0.5, -1.0], np.array([0, 1, 7, 255], dtype=np.uint8)):
        assert conform_table({"x": cells}, schema).codes().ravel().tolist() == [0, 1, 2, 2]
    assert conform_table({"x": [1.0, None, float("nan"), 0.5]}, schema).codes().ravel().tolist() == [1, -1, -1, 2]


@pytest.mark.parametrize("cells", [[1.0, 2.5, 7.5], [1, 3, 4], ["1.0", "2.5", "7.5"]])
def test_levels_with_a_fraction_are_found_by_value(cells):
    schema = mercer.read_table({"x": [1.0, 2.5, 1.0]}, kinds={"x": "category"}).schema
    expected = [0, 2, 2] if cells[1] == 3 else [0, 1, 2]
    assert conform_table({"x": cells}, schema).codes().ravel().tolist() == expected


@pytest.mark.parametrize("cells", [[True, False, None], ["true", "FALSE", None], ["True", "false", "NA"]])
def test_truth_values_are_the_same_in_any_writing(cells):
    schema = mercer.read_table({"x": [True, False, True, None]}).schema
    assert conform_table({"x": cells}, schema).codes().ravel().tolist() == [1, 0, -1]


def test_a_table_of_another_schema_is_translated(schema):
    other = mercer.read_table({"job": ["cook", "sales", "pilot"], "age": [1, 0, 1]})
    table = conform_table(other, schema)
    assert table.columns == ("age", "job")
    assert table.numbers().ravel().tolist() == [1, 0, 1]
    assert table.codes().ravel().tolist() == [1, 2, 3]


def test_a_table_that_left_a_column_out_says_so(schema):
    one_row = mercer.read_table({"age": [31], "job": ["cook"]})
    with pytest.raises(BadColumn, match=r"'job' was left out .*constant.*Hand over the file"):
        conform_table(one_row, schema)


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_a_name_with_a_nul_character_is_refused(make):
    with pytest.raises(BadColumn, match="NUL character"):
        mercer.read_table(make({"a\0b": [1.0, 2.0], "c": [2.0, 3.0]}))


@pytest.mark.parametrize("cells", [[1, 0, None], [1.0, 0.0, None], ["1", "0", ""], ["TRUE", "false", None]])
def test_true_and_false_may_come_as_numbers(cells):
    schema = mercer.read_table(pl.DataFrame({"member": [True, False, None] * 9, "x": range(27)})).schema
    found = conform_table({"member": cells, "x": [1, 2, 3]}, schema)
    assert found.codes("member").ravel().tolist() == [1, 0, -1]
