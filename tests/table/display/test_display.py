"""A table shows itself: rows and columns by [], lines, HTML, and data frames that read back as the same table."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import cross_val_score

import mercer
from mercer.errors import BadColumn
from mercer.table import Table, conform_table, read_table

FRAME = pd.DataFrame(
    {
        "age": [31.5, np.nan, 58.0, 40.0],
        "job": ["sales", None, "clerk", "tech"],
        "size": pd.Categorical(["S", "L", None, "S"], ["S", "M", "L"], ordered=True),
        "hue": pd.Categorical(["red", "blue", "red", None], ["red", "green", "blue"]),
        "day": pd.to_datetime(["2021-03-04", "1969-12-31", None, "2000-02-29"]),
        "note": ["one two three", "four five six", None, "seven eight nine"],
    }
)


@pytest.fixture
def table() -> Table:
    return read_table(FRAME, kinds={"note": "text"})


def test_columns_and_rows(table: Table) -> None:
    assert table.shape == (4, 6) and table.columns == tuple(FRAME) and list(table) == list(FRAME)
    assert "job" in table and "jobs" not in table
    assert table["job"].tolist() == ["sales", None, "clerk", "tech"]
    assert table[["size", "age"]].columns == ("size", "age")
    for rows in (slice(1, 3), [1, 2], np.array([False, True, True, False]), [-3, 2], range(1, 3)):
        assert table[rows]["job"].tolist() == [None, "clerk"] and len(table[rows]) == 2
    assert table[2]["age"].tolist() == [58.0] and table[-1]["job"].tolist() == ["tech"]
    assert table[[]].shape == (0, 6) and table.head(2).shape == (2, 6) and table.head(0).shape == (0, 6)
    assert table[:2, "job"].tolist() == ["sales", None] and table[:, [0, 2]].columns == ("age", "size")


@pytest.mark.parametrize(
    ("key", "error", "said"),
    [
        ("jobb", BadColumn, "Did you mean 'job'"),
        (["job", "ag"], BadColumn, "Did you mean 'age'"),
        (4, IndexError, "out of bounds"),
        ([True, False], IndexError, "The mask has 2 values, but the table has 4 rows"),
        ([0.5], IndexError, r"found \[0\.5\]"),
    ],
)
def test_a_wrong_key_says_what_is_wrong(table: Table, key: object, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        table[key]


def test_pandas_gets_what_pandas_gave(table: Table) -> None:
    found = table.to_pandas(index=[5, 6, 7, 8])
    assert found.index.tolist() == [5, 6, 7, 8]
    found = found.reset_index(drop=True)
    pd.testing.assert_frame_equal(found[["age", "size"]], FRAME[["age", "size"]])
    pd.testing.assert_series_equal(found["hue"], FRAME["hue"])  # all levels in their order, without one
    assert found["day"].dt.date.tolist()[:2] == [dt.date(2021, 3, 4), dt.date(1969, 12, 31)] and pd.isna(
        found["day"][2]
    )
    assert found["job"].cat.categories.tolist() == ["clerk", "sales", "tech"] and not found["job"].cat.ordered
    assert found["note"].tolist()[:2] == FRAME["note"].tolist()[:2] and pd.isna(found["note"][2])


def test_polars_gets_levels_dates_and_nulls(table: Table) -> None:
    found = table.to_polars()
    assert (
        found["size"].dtype == pl.Enum(["S", "M", "L"])
        and found["hue"].dtype == pl.Categorical
        and found["size"].to_list() == ["S", "L", None, "S"]
    )
    assert found["age"].to_list() == [31.5, None, 58.0, 40.0] and found["note"][2] is None
    assert found["day"].to_list() == [
        dt.date(2021, 3, 4),
        dt.date(1969, 12, 31),
        None,
        dt.date(2000, 2, 29),
    ]


@pytest.mark.parametrize("convert", [Table.to_pandas, Table.to_polars])
def test_a_frame_reads_back_as_the_same_cells(table: Table, convert: object) -> None:
    again = conform_table(convert(table), table.schema)
    for name in table:
        np.testing.assert_array_equal(again[name], table[name])


def test_days_are_dates_and_times_of_day_stay() -> None:
    cells = {
        "day": [dt.date(2024, 2, 29), None],
        "moment": [dt.datetime(2024, 1, 1, 6, 30, 1), dt.datetime(1960, 1, 1)],
    }
    found = read_table(cells).to_polars()
    assert found["day"].dtype == pl.Date and found["day"].to_list() == cells["day"]
    assert found["moment"].to_list() == cells["moment"]


def test_an_unseen_level_has_a_name_of_its_own(table: Table) -> None:
    strange = conform_table(FRAME[:1].assign(size="XL", hue="pink"), table.schema)
    for frame in (strange.to_pandas(), strange.to_polars()):
        assert list(frame["size"]) == ["(unseen)"] and list(frame["hue"]) == ["(unseen)"]
    assert conform_table(strange.to_pandas(), table.schema).codes("size").tolist() == [[3]]


def test_arrays(table: Table) -> None:
    ordered = np.asarray(table[["age", "size"]])
    np.testing.assert_array_equal(ordered, [[31.5, 0], [np.nan, 2], [58, np.nan], [40, 0]])
    assert np.asarray(table[["age", "job"]]).tolist()[2] == [58.0, "clerk"]
    with pytest.raises(ValueError, match="could not convert string to float"):
        np.asarray(table[["job"]], dtype=np.float64)  # places of levels without an order are no numbers
    with pytest.raises(ValueError, match="without a copy"):
        np.array(table, copy=False)
    numbers = table[["age"]]
    assert np.shares_memory(np.asarray(numbers), numbers.numbers())


def test_lines(table: Table) -> None:
    lines = repr(table).splitlines()
    assert lines[0] == "<Table: 4 rows, 2 numeric, 2 category, 1 ordinal, 1 text>"
    assert lines[1].split() == list(FRAME)
    assert lines[2].split() == ["numeric", "category", "ordinal", "category", "numeric", "text"]
    assert lines[3].split()[:5] == ["31.5", "sales", "S", "red", "2021-03-04"]
    assert len(lines) == 7 and "00:00" not in repr(table)
    wide = read_table({f"a long name {j}": range(9) for j in range(40)})
    assert repr(wide).splitlines()[-1] == "  … 4 rows and 34 columns more"
    assert max(map(len, repr(wide).splitlines())) <= 100
    assert "\x1b" not in repr(read_table({"a\x1b[31m": ["\x1b[2J", "b\nc"] * 3})) and repr(table[[]])


def test_html_is_escaped_and_short() -> None:
    table = read_table({"<script>": [f"<b>{i % 3}</b>" for i in range(30)], "a&b": np.arange(30.0) / 7})
    html = table._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "<b>" not in html and "a&amp;b" in html
    assert html.count("<tr>") == 11 and "10 of 30 rows, 2 columns" in html and ">category<" in html
    assert 'title="numbers from 0 to 4.14286"' in html


def test_a_table_goes_through_cross_validation() -> None:
    table = mercer.load_penguins()
    table = table[~table.missing("Sex")]
    X, y = table.drop(["Sex"]), table["Sex"]
    np.testing.assert_allclose(
        cross_val_score(mercer.NaiveBayes(), X, y, cv=3), cross_val_score(mercer.NaiveBayes(), X.to_pandas(), y, cv=3)
    )
