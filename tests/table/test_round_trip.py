"""A random table, written and read back: the same kinds and the same cells."""

import string
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import mercer

WORDS = [
    "red",
    "Blue",
    "dark green",
    "a,b",
    'say "hi"',
    "semi;colon",
    "tab\there",
    "line\nbreak",
    "Ä ö",
    "x'y",
    "|",
    "1a",
]


@st.composite
def frames(draw):
    n = draw(st.integers(4, 30))
    names = draw(
        st.lists(st.text(string.ascii_letters, min_size=3, max_size=8), min_size=2, max_size=4, unique_by=str.lower)
    )
    return pl.DataFrame([draw(series(name, n)) for name in names])


def series(name, n):
    def column(values, dtype):
        return st.lists(st.none() | values, min_size=n, max_size=n).map(lambda v: pl.Series(name, v, dtype=dtype))

    return st.one_of(
        column(st.floats(-1e9, 1e9), pl.Float64),
        column(st.integers(-(10**6), 10**6), pl.Int64),
        column(st.sampled_from(WORDS), pl.String),
        column(st.booleans(), pl.Boolean),
    )


def same(a, b):
    assert {c.name: (c.kind, c.levels) for c in a.schema} == {c.name: (c.kind, c.levels) for c in b.schema}
    for name in a.columns:
        np.testing.assert_array_equal(a.column(name), b.column(name))


@given(frames(), st.sampled_from([",", ";", "\t", "|"]))
def test_csv(frame, separator):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        frame.write_csv(path, separator=separator, quote_style="non_numeric")
        frame.write_parquet(Path(folder) / "t.parquet")
        expected = mercer.read_table(Path(folder) / "t.parquet")
        same(mercer.read_table(path, header=True, separator=separator), expected)


@given(frames())
def test_parquet(frame):
    with tempfile.TemporaryDirectory() as folder:
        frame.write_parquet(Path(folder) / "t.parquet")
        expected = mercer.read_table(frame)
        numbers = dict.fromkeys(expected.schema.numeric_names, "numeric")  # in a file, 0 and 1 would be levels
        same(mercer.read_table(Path(folder) / "t.parquet", kinds=numbers), expected)


@given(frames())
def test_pandas_and_arrow_hold_the_same(frame):
    expected = mercer.read_table(frame)
    same(mercer.read_table(frame.to_arrow()), expected)
    same(mercer.read_table(frame.to_pandas()), expected)
    same(mercer.read_table(frame.to_dict(as_series=False)), expected)


@given(frames())
def test_a_table_survives_polars(frame):
    table = mercer.read_table(frame)
    if len(table.schema):
        again = mercer.table.conform_table(table.to_polars(), table.schema)
        for name in table.columns:
            np.testing.assert_array_equal(again.column(name), table.column(name))
