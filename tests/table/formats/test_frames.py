"""Data frames, mappings and arrays in memory: what their types say is kept."""

from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import mercer
from mercer.errors import BadTable

DAY = date(2021, 3, 14).toordinal() - date(1970, 1, 1).toordinal()


def test_pandas_types():
    frame = pd.DataFrame(
        {
            "object": ["x", None, "y", "x"],
            "mixed": ["1", 2, 3.5, None],
            "nominal": pd.Categorical(["b", "a", None, "c"], categories=["c", "b", "a"]),
            "ordinal": pd.Categorical(["hi", "lo", None, "mid"], categories=["lo", "mid", "hi"], ordered=True),
            "whole": pd.array([1, None, 3, 4], dtype="Int64"),
            "flag": pd.array([True, None, False, True], dtype="boolean"),
            "string": pd.array(["x", None, "y", "z"], dtype="string"),
            "moment": pd.to_datetime(["2021-03-14", None, "2021-03-15 12:00", "2021-03-16"], format="ISO8601"),
            "small": np.array([1, 2, 3, 9], dtype=np.uint8),
            "truth": [True, False, True, True],
        }
    )
    table = mercer.read_table(frame)
    kinds = {c.name: str(c.kind) for c in table.schema}
    assert kinds == {
        "object": "binary", "mixed": "numeric", "nominal": "category", "ordinal": "ordinal", "whole": "numeric",
        "flag": "binary", "string": "category", "moment": "numeric", "small": "numeric", "truth": "binary",
    }  # fmt: skip
    assert table.column("nominal").tolist() == ["b", "a", None, "c"]
    assert table.schema["ordinal"].levels == ("lo", "mid", "hi")
    assert table.codes("ordinal").ravel().tolist() == [2, 0, -1, 1]
    assert table.column("flag").tolist() == ["True", None, "False", "True"]
    np.testing.assert_array_equal(table.column("whole"), [1, np.nan, 3, 4])
    np.testing.assert_array_equal(table.column("mixed"), [1, 2, 3.5, np.nan])
    np.testing.assert_allclose(table.column("moment"), [DAY, np.nan, DAY + 1.5, DAY + 2])
    assert table.column("string").tolist() == ["x", None, "y", "z"]


def test_pandas_names_that_are_numbers_or_repeat():
    frame = pd.DataFrame([[1, 2.5, "a"], [3, 4.5, "b"], [4, 4.0, "a"]], columns=[0, 1, 1])
    assert mercer.read_table(frame).columns == ("0", "1", "1.2")


def test_pandas_index_does_not_matter():
    frame = pd.DataFrame({"a": [1.0, 2.0, 5.0]}, index=[9, 9, 7])
    assert mercer.read_table(frame).numbers().ravel().tolist() == [1, 2, 5]


@pytest.mark.parametrize("lazy", [False, True])
def test_polars_types(lazy):
    frame = pl.DataFrame(
        {
            "enum": pl.Series(["hi", "lo", None], dtype=pl.Enum(["lo", "mid", "hi"])),
            "cat": pl.Series(["x", "y", "z"], dtype=pl.Categorical),
            "day": [date(2021, 3, 14), None, date(2021, 3, 16)],
            "time": [datetime(2021, 3, 14, 6), None, datetime(2021, 3, 16)],
            "list": [[1], [2], [3]],
            "decimal": pl.Series(["1.25", "2.5", "7"]).str.to_decimal(scale=2),
            "flag": [True, False, None],
        }
    )
    table = mercer.read_table(frame.lazy() if lazy else frame)
    assert table.schema["enum"].kind == "ordinal"
    assert table.schema["enum"].levels == ("lo", "mid", "hi")
    assert table.schema["cat"].kind == "category"
    np.testing.assert_allclose(table.column("day"), [DAY, np.nan, DAY + 2])
    np.testing.assert_allclose(table.column("time"), [DAY + 0.25, np.nan, DAY + 2])
    np.testing.assert_allclose(table.column("decimal"), [1.25, 2.5, 7])
    assert [c.name for c in table.schema.left_out] == ["list"]


def test_pyarrow_tables():
    frame = pa.table(
        {"a": [1, None, 3, 7], "s": ["x", None, "y", "x"], "d": pa.array(["u", "v", None, "w"]).dictionary_encode()}
    )
    table = mercer.read_table(frame)
    np.testing.assert_array_equal(table.column("a"), [1, np.nan, 3, 7])
    assert table.column("s").tolist() == ["x", None, "y", "x"]
    assert table.column("d").tolist() == ["u", "v", None, "w"]
    assert table.schema["d"].kind == "category"


def test_mappings():
    table = mercer.read_table({"a": [1, None, 2.5], "s": np.array(["x", "y", "x"]), 3: (4, 5, 9)})
    assert table.columns == ("a", "s", "3")
    with pytest.raises(BadTable, match="differ in length"):
        mercer.read_table({"a": [1, 2], "b": [1, 2, 3]})
    for nothing in ({}, {"a": []}, pd.DataFrame(), pd.DataFrame({"a": []}), pl.DataFrame(), np.empty((0, 3))):
        with pytest.raises(BadTable, match="no rows"):
            mercer.read_table(nothing)


def test_object_arrays():
    cells = np.array([["x", 1, None], ["y", 2.5, "u"], [np.nan, None, "v"], ["x", 4, "w"]], dtype=object)
    table = mercer.read_table(cells)
    assert [str(c.kind) for c in table.schema] == ["binary", "numeric", "category"]
    assert table.column("x0").tolist() == ["x", "y", None, "x"]
    np.testing.assert_array_equal(table.column("x1"), [1, 2.5, np.nan, 4])


def test_arrays_of_text():
    table = mercer.read_table(np.array([["a", "1"], ["b", "2"], ["a", "5"]]))
    assert table.column("x0").tolist() == ["a", "b", "a"]
    assert table.numbers("x1").ravel().tolist() == [1, 2, 5]


def test_a_float_array_is_not_copied():
    values = np.arange(12.0).reshape(4, 3)
    assert mercer.read_table(values).numbers() is values


def test_three_hundred_thousand_columns_of_an_array():
    table = mercer.read_table(np.ones((2, 300_000)))
    assert table.shape == (2, 300_000)
    assert table.schema["x299999"].kind == "numeric"


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_matrix, sp.dok_array])
def test_sparse_matrices(form):
    dense = np.array([[0.0, 2, 0], [1, 0, 0], [0, 0, np.nan]])
    table = mercer.read_table(form(dense))
    assert table.is_sparse
    np.testing.assert_array_equal(table.numbers(), dense)
    np.testing.assert_array_equal(table.take(np.array([1, 0])).numbers("x1").ravel(), [0, 2])


def test_kinds_given_by_the_caller():
    data = {"zip": [10115, 80331, 10115], "grade": ["C", "A", "B"], "n": ["1", "2", "x"], "skipped": [1, 2, 3]}
    kinds = {"zip": "category", "grade": ["C", "B", "A"], "n": "category", "skipped": "skip"}
    table = mercer.read_table(data, kinds=kinds)
    assert table.schema["zip"].levels == ("10115", "80331")
    assert table.codes("grade").ravel().tolist() == [0, 2, 1]
    assert [c.name for c in table.schema.left_out] == ["skipped"]


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"jop": "category"}, "Did you mean 'job'"),
        ({"job": "kategory"}, "is not a kind"),
        ({"job": "numeric"}, "holds '[xyz]'"),
        ({"job": "binary"}, "3 levels"),
        ({"job": []}, "'job'"),
        ({"job": ["x", "x", "y", "z"]}, "'job'"),
    ],
)
def test_kinds_that_do_not_fit(kinds, message):
    with pytest.raises(mercer.errors.MercerError, match=message):
        mercer.read_table({"job": ["x", "y", "z"], "n": [1, 2, 3]}, kinds=kinds)


def test_records_of_numpy_are_tables():
    cells = [(31.5, "sales", 3), (np.nan, "clerk", 4)] * 20
    records = np.array(cells, dtype=[("age", "f8"), ("job", "U5"), ("n", "i4")])
    table = mercer.read_table(records)
    assert table.columns == ("age", "job", "n")
    assert table.missing("age").tolist() == [False, True] * 20
    for rows in (records, records.view(np.recarray)):
        model = mercer.NaiveBayes().fit(rows, [1, 0] * 20)
        assert model.feature_names_in_.tolist() == ["age", "job", "n"]
        assert model.predict(rows[["n", "job", "age"]]).tolist() == [1, 0] * 20
