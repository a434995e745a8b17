"""Files that write at prediction what they wrote at training, but look different: the schema decides."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mercer
from mercer.errors import BadColumn
from mercer.table import conform_table

NAN = float("nan")
DAY = 18700.0  # 2021-03-14
ZIPS = [f"{z:05d}" for z in (2134, 10001, 94103)]
NUMBERS = ["1", "2.5", "30", "4"]
DATES = ["2021-03-14", "2021-03-15", "2021-03-17"]

# name: training cells, kind, new cells, what they are: levels ("?" unseen, None missing), numbers or texts
DRIFTS: dict[str, tuple[list[str], str | None, list[str], list[Any]]] = {
    "leading zeros after line 200": (ZIPS, None, ["10001"] * 300 + ["02134"], ["10001"] * 300 + ["02134"]),
    "no leading zero at all": (ZIPS, None, ["10001", "94103"], ["10001", "94103"]),
    "a code that lost its zero": (ZIPS, None, ["2134", "10001"], ["?", "10001"]),
    "true and false without unknown": (["true", "false", "unknown"], None, ["true", "false"], ["true", "false"]),
    "true and false in capitals": (["true", "false", "unknown"], None, ["TRUE", "False"], ["true", "false"]),
    "truth values as 0 and 1": (["true", "false"], None, ["1", "0", "2"], ["True", "False", "?"]),
    "0 and 1 as truth values": (["0", "1"], None, ["true", "false"], ["1", "0"]),
    "only true": (["true", "false"], None, ["true", "true"], ["True", "True"]),
    "truth values and a word": (["true", "false"], None, ["true", "maybe"], ["True", "?"]),
    "yes and no": (["yes", "no"], None, ["no", "no"], ["no", "no"]),
    "levels without the one that is a word": (["1", "2", "3", "4x"], None, ["1", "2"], ["1", "2"]),
    "levels as floats": (["1", "2", "3", "4x"], None, ["1.0", "2.0"], ["1", "2"]),
    "float levels as whole numbers": (["1.0", "2.0", "b"], None, ["1", "2"], ["1.0", "2.0"]),
    "levels that are halves": (["1.5", "2"], "category", ["2.0", "1.50", "3"], ["2", "1.5", "?"]),
    "levels with an exponent": (["1000", "2000"], "category", ["1e3", "2E3"], ["1000", "2000"]),
    "levels with a sign": (["1", "2"], "category", ["+1", "2"], ["1", "2"]),
    "two numbers and a third": (["1", "2"], None, ["1", "3"], ["1", "?"]),
    "levels in quotes": (["1", "2", "3", "4x"], None, ['"1"', '"4x"'], ["1", "4x"]),
    "every level missing": (["a", "b"], None, ["NA", "NA"], [None, None]),
    "blank levels": (["a", "b"], None, ["a", " "], ["a", None]),
    "levels that look like dates": (["2021-03-14", "n.d.", "x"], None, ["2021-03-14"], ["2021-03-14"]),
    "long numbers as levels": (["1" * 20, "2" * 20], "category", ["1" * 20, "3" * 20], ["1" * 20, "?"]),
    "numbers as whole numbers": (NUMBERS, None, ["1", "2"], [1, 2]),
    "numbers with leading zeros": (NUMBERS, None, ["007", "12"], [7, 12]),
    "numbers with an exponent": (NUMBERS, None, ["1e3", "2.5E-1"], [1000, 0.25]),
    "numbers in quotes": (NUMBERS, None, ['"5"', '"6.5"'], [5, 6.5]),
    "numbers with a sign": (NUMBERS, None, ["+5", "-0.0"], [5, 0]),
    "numbers of 20 digits": (NUMBERS, None, ["1", "1" + "0" * 20], [1, 1e20]),
    "numbers of 41 digits": (NUMBERS, None, ["1", "1" + "0" * 40], [1, 1e40]),
    "every number missing": (NUMBERS, None, ["NA", ""], [NAN, NAN]),
    "blanks among numbers": (NUMBERS, None, ["3", " ", "?"], [3, NAN, NAN]),
    "true among numbers": (NUMBERS, None, ["true", "false"], ["refused"]),
    "percent for plain": (NUMBERS, None, ["12%", "13%"], ["refused"]),
    "a word for numbers": (NUMBERS, None, ["low", "high"], ["refused"]),
    "plain for percent": (["12%", "7.5%", "9%"], None, ["0.5", "50%"], [0.5, 0.5]),
    "plain for thousands": (['"1,234"', '"5,678"', '"9,012"'], None, ["12", '"1,000"'], [12, 1000]),
    "decimal comma that looks like thousands": (['"1,5"', '"2,75"', '"3,2"'], None, ['"1,234"', "7"], [1.234, 7]),
    "plain for thousands of thousands": (["10K", "20K", "30K"], None, ["5000", "7k"], [5000, 7000]),
    "days with a time": (DATES, None, ["2021-03-14 12:00:00", "2021-03-15"], [DAY + 0.5, DAY + 1]),
    "a year for a day": (DATES, None, ["2021", "2022"], ["refused"]),
    "a number for a day": (DATES, None, ["20210314"], ["refused"]),
    "every day missing": (DATES, None, ["", "NA"], [NAN, NAN]),
    "texts that are numbers": (["a b", "c d", "e f"], "text", ["007", "1.50"], ["007", "1.50"]),
    "texts that are truth values": (["a b", "c d", "e f"], "text", ["true", "FALSE"], ["true", "FALSE"]),
}


def _file(folder: Path, name: str, cells: list[str], times: int = 1) -> Path:
    path = folder / name
    rows = [f"{cell},{i % 7}" for i, cell in enumerate(cells * times)]
    path.write_text("\n".join(["x,n", *rows]) + "\n")
    return path


@pytest.mark.parametrize("name", DRIFTS)
def test_a_new_file_is_read_by_the_schema(tmp_path: Path, name: str) -> None:
    training, kind, new, expected = DRIFTS[name]
    kinds = {"x": kind} if kind else None
    schema = mercer.read_table(_file(tmp_path, "old.csv", training, 10), kinds=kinds).schema
    path = _file(tmp_path, "new.csv", new)
    if expected == ["refused"]:
        with pytest.raises(BadColumn, match=r"'x' (is numeric|holds dates), but row 1 holds"):
            conform_table(path, schema)
        return
    table = conform_table(path, schema)
    if schema["x"].kind == "numeric":
        np.testing.assert_allclose(table.numbers("x").ravel(), expected)
    else:
        found = ["?" if cell == "(unseen)" else cell for cell in table.column("x").tolist()]
        assert found == expected


@pytest.mark.parametrize("cells", [[2134, 10001], [2134.0, 10001.0]])
def test_a_frame_of_numbers_finds_codes_with_leading_zeros(cells: list[float]) -> None:
    schema = mercer.read_table({"zip": ZIPS * 3}).schema
    assert conform_table({"zip": cells}, schema).column("zip").tolist() == ["02134", "10001"]


def test_leading_zeros_below_the_first_lines_at_training(tmp_path: Path) -> None:
    path = _file(tmp_path, "t.csv", ["10001"] * 3000 + ["02134"] * 40)
    table = mercer.read_table(path)
    assert table.schema["x"].levels == ("02134", "10001")


def test_the_names_of_the_model_show_header_and_separator(tmp_path: Path) -> None:
    schema = mercer.read_table({"job": ["a", "b", "a"], "pay": ["1,5", "2,5", "3,25"]}).schema
    path = tmp_path / "one.csv"
    path.write_text("pay;job\n1,5;b\n")
    table = conform_table(path, schema)
    assert (table.numbers()[0, 0], table.column("job")[0]) == (1.5, "b")


def test_a_model_without_a_header_reads_line_1_as_a_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,x\n" * 5 + "b,y\n" * 5)
    schema = mercer.read_table(path, header=False).schema
    path.write_text("a,y\n")
    assert conform_table(path, schema).codes().tolist() == [[0, 1]]


def test_later_chunks_are_read_by_the_schema(tmp_path: Path) -> None:
    model = mercer.NaiveBayes()
    y = ["u", "v"] * 20
    model.partial_fit(_file(tmp_path, "a.csv", ["true", "false"], 20), y, classes=["u", "v"])
    model.partial_fit(_file(tmp_path, "b.csv", ["TRUE", "false", "maybe", "NA"], 10), y)
    assert model.schema_["x"].levels == ("False", "True", "maybe")


def test_an_empty_cell_in_line_1_names_no_column(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("7,\n" + "7,a\n7,b\n" * 5)
    schema = mercer.read_table(path, header=False).schema
    assert schema.names == ("column_2",)
    assert conform_table(path, schema).n_rows == 11
