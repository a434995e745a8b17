"""A cell that means missing in one column alone is a cell like any other in the rest."""

from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

import mercer
from mercer.errors import BadColumn, BadParameter, MercerWarning
from mercer.table import conform_table
from mercer.table.kinds.missing import as_markers, column_of

CELLS = {
    "number": [1, 2, 99, 99],
    "text": ["1", "2 kg", "99", " 99"],
    "date": [date(2020, 1, 1), date(2021, 1, 1), date(1900, 1, 1), None],
    "moment": [datetime(2020, 1, 1), datetime(2021, 1, 1), datetime(1900, 1, 1), None],
    "level": pl.Series(["a", "b", "99", None], dtype=pl.Enum(["a", "b", "99"])),
    "other": [99, 98, 97, 96],
}


@pytest.mark.parametrize(
    ("column", "cell", "n"),
    [("number", 99, 2), ("number", 99.0, 2), ("text", "99", 2), ("date", date(1900, 1, 1), 2), ("level", "99", 2),
     ("moment", "1900-01-01", 2), ("moment", datetime(1900, 1, 1), 2)],
)  # fmt: skip
def test_a_cell_of_one_column_is_missing_there_alone(column, cell, n):
    for missing in ({column: cell}, {column: [cell]}, as_markers({column: cell}), f"{column}={as_markers(cell)[0]}"):
        table = mercer.read_table(pl.DataFrame(CELLS), missing=missing)
        assert table.missing(column).sum() == n
        assert not table.missing("other").any()


def test_a_name_may_hold_the_sign():
    assert column_of("a=b=99", ["a", "b", "a=b"]) == "a=b"
    assert mercer.read_table({"a": [1, 9, 9], "a=b": [1, 9, 3]}, missing="a=b=9").missing("a").sum() == 0


def test_a_column_that_is_not_there_is_refused_and_a_cell_that_is_not_is_said():
    with pytest.raises(BadColumn, match=r"there is no column 'nunber'. Did you mean 'number'\?"):
        mercer.read_table(CELLS, missing={"nunber": 99})
    with pytest.warns(MercerWarning, match="missing 'number=98': no cell of that column is so"):
        mercer.read_table(CELLS, missing={"number": 98})


def test_new_rows_need_not_have_the_column(recwarn):
    schema = mercer.read_table({"number": [1, 2, 3]}).schema
    found = conform_table({"number": [99, 5]}, schema, missing=("number=99", "target=7"))
    assert found.missing("number").tolist() == [True, False]
    assert not recwarn


def test_a_model_file_keeps_them(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    columns = {
        "x": np.where(np.arange(120) % 5, x, 99),
        "z": rng.integers(90, 100, 120),
        "y": np.where(x > 0, "a", "b"),
    }
    result = mercer.train(columns, "y", missing={"x": 99, "y": "c"}, learners=["tree", "baseline"], quick=True)
    assert "missing=('x=99', 'y=c')" in result.comparison.command
    path = result.save(tmp_path / "model.mercer")
    new = {"x": [99.0, None], "z": [95, 95]}
    known = mercer.predict(path, new).frame.drop("row")
    assert known.row(0) == known.row(1)
    assert np.ptp(result.predict_proba(new), axis=0).max() == 0
    with pytest.raises(BadColumn, match=r"there is no column 'w'\. Known: 'x', 'z'"):
        mercer.predict(path, new, missing="w=99")
    with pytest.raises(BadParameter, match="missing"):
        mercer.train(columns, "y", missing=object())


def test_one_text_is_one_marker():
    assert mercer.read_table({"x": ["a", "na-h", "b", "a"]}, missing="na-h").missing("x").sum() == 1
