"""Two numbers in a cell, such as a blood pressure of 135/80, are two columns."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mercer
from mercer.errors import BadColumn, MercerWarning
from mercer.table import conform_table
from mercer.table.missingness import columns_with_gaps
from mercer.table.schema import Schema

N = 90
UPPER, LOWER = 100 + np.arange(N) % 60, 60 + np.arange(N) % 31
CELLS = [f"{a}/{b}" for a, b in zip(UPPER, LOWER, strict=True)]
FIRST, SECOND = "bp (first number)", "bp (second number)"


@pytest.mark.parametrize("written", ["{}/{}", "{} / {}", "{} x {}", "{}×{}", "{}/{} mmHg", "{},5 x {},25 cm"])
def test_a_column_of_each_takes_the_place_of_the_cells(written):
    table = mercer.read_table({"bp": [written.format(a, b) for a, b in zip(UPPER, LOWER, strict=True)], "x": LOWER})
    assert table.columns == (FIRST, SECOND, "x")
    more = (0.5, 0.25) if "," in written else (0, 0)
    np.testing.assert_array_equal(table.numbers([FIRST, SECOND]), np.column_stack([UPPER, LOWER]) + more)
    assert "first number of 'bp', such as" in table.schema[FIRST].reason
    assert table.schema.input_names == ("bp", "x")


@pytest.mark.parametrize(
    "others",
    [["1/2", "3/4"] * 20, [f"{i}/{i}/2" for i in range(30)] * 3, [f"2019/{i}" for i in range(30)] * 3,
     [f"{i}/10" for i in range(11)] * 3, [f"{i % 12 + 1}/{i % 28 + 1}/2020" for i in range(60)],
     [*CELLS[:60], *["high / low"] * 10]],
)  # fmt: skip
def test_other_texts_are_as_they_were(others):
    assert "x" in {*(c := mercer.read_table({"x": others}).schema).names, *(gone.name for gone in c.left_out)}


def test_new_rows_are_read_alike_in_every_container(tmp_path):
    table = mercer.read_table({"bp": CELLS})
    schema = Schema.from_state(_reader(table.schema.to_state()))
    assert schema == table.schema
    pd.DataFrame({"bp": CELLS, "x": 1.5}).to_csv(tmp_path / "t.csv", index=False)
    sources = [pd.DataFrame({"bp": CELLS}), pl.DataFrame({"bp": CELLS}), tmp_path / "t.csv", table, table.to_polars()]
    for source in sources:
        np.testing.assert_array_equal(conform_table(source, schema).numbers(), table.numbers())
    empty = conform_table({"bp": [None, "NA", "120/80"]}, schema)
    assert empty.missing(SECOND).tolist() == [True, True, False]


def _reader(state):
    from mercer.state import Reader  # noqa: PLC0415

    return Reader(state, "a schema")


def test_other_cells_are_refused_or_said():
    with pytest.warns(MercerWarning, match="'unknown' in row 91"):
        table = mercer.read_table({"bp": [*CELLS, "unknown"]})
    assert "1 other cell read as missing: 'unknown' in row 91" in table.schema[FIRST].reason
    for cells in (["130"] * 3, [130, 120]):
        with pytest.raises(BadColumn, match="Column 'bp' has two numbers in a cell, but row 1 holds '130'"):
            conform_table({"bp": cells}, table.schema)


def test_they_can_be_left_out_or_kept_as_they_are():
    assert mercer.read_table({"bp": CELLS, "x": UPPER}, kinds={"bp": "skip"}).columns == ("x",)
    assert mercer.read_table({"bp": CELLS}, kinds={SECOND: "skip"}).columns == (FIRST,)
    assert mercer.read_table({"bp": CELLS}, kinds={"bp": "category"}).schema["bp"].kind == "category"


def test_a_run_says_so_and_predicts_from_the_cells(tmp_path):
    cells = [None if k % 9 == 0 else cell for k, cell in enumerate(CELLS)]
    rows = pd.DataFrame({"bp": cells, "x": LOWER % 7, "y": np.where(UPPER > 130, "high", "normal")})
    result = mercer.train(rows, "y", learners=["tree", "linear"], quick=True)
    assert any("Cells of 'bp' hold two numbers" in said and "--kind 'bp=category'" in said for said in result.notices)
    assert result.evaluate(rows).scores["accuracy"].value > 0.9
    path = result.save(tmp_path / "m.mercer")
    assert mercer.predict(path, rows.head(5)).frame["prediction"].to_list() == result.predict(rows)[:5].tolist()
    assert columns_with_gaps(mercer.read_table(rows)) == [FIRST]  # the second number is missing in the same rows
