"""A few cells that are no numbers, in a column of numbers."""

import numpy as np
import polars as pl
import pytest

import mercer
from mercer.errors import BadColumn, MercerWarning
from mercer.table import conform_table

NUMBERS = [f"{i / 7:.3f}" for i in range(3000)]


def _with(cells, *strays):
    """The same cells, the last ones replaced."""
    return [*cells[: len(cells) - len(strays)], *strays]


@pytest.mark.parametrize("stray", ["oops", "Total", "4b", "12%", "2021-03-14", "--"])
def test_one_stray_cell_is_missing_and_the_column_numeric(stray):
    with pytest.warns(MercerWarning, match=f"'x': numeric.*'{stray}' in row 3000"):
        table = mercer.read_table({"x": _with(NUMBERS, stray)})
    assert table.schema["x"].kind == "numeric"
    assert f"1 other cell read as missing: '{stray}' in row 3000" in table.schema["x"].reason
    assert np.flatnonzero(table.missing("x")).tolist() == [2999]


def test_one_stray_cell_of_a_small_table():
    with pytest.warns(MercerWarning, match="'Total' in row 30"):
        assert _numeric(_with(NUMBERS[:30], "Total"))


def test_every_stray_is_named():
    with pytest.warns(MercerWarning, match="'a' in row 2996 and row 2998, 'b' in row 2997, 'c' in row 2999 and 1 more"):
        assert _numeric(_with(NUMBERS, "a", "b", "a", "c", "d"))


def test_a_footer_in_a_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,job", *(f"{c},{'ab'[i % 2]}" for i, c in enumerate(NUMBERS)), "Total,a"]) + "\n")
    with pytest.warns(MercerWarning, match="'Total' in row 3001"):
        table = mercer.read_table(path)
    assert table.numbers("x")[:-1, 0].tolist() == [float(c) for c in NUMBERS]


@pytest.mark.parametrize(
    "cells",
    [
        [f"{i % 28 + 1}.3.{1990 + i // 28}" for i in range(600)],
        [f"{i}%" for i in range(600)],
        [f"{i + 1}K" for i in range(600)],
        [f"1{i % 10}:{i % 60:02}" for i in range(600)],
    ],
)
def test_strays_in_every_notation(cells):
    with pytest.warns(MercerWarning, match="'oops' in row 600"):
        table = mercer.read_table({"x": _with(cells, "oops")})
    assert table.schema["x"].kind == "numeric"
    assert table.missing("x").sum() == 1


def test_more_than_a_few_strays_are_levels():
    assert not _numeric(_with(NUMBERS, *["oops"] * 160))
    assert not _numeric(_with(NUMBERS, *["oops", "so what", "no", "?!"] * 10))
    assert not _numeric(_with(NUMBERS, *(f"oops {i}" for i in range(21))))
    assert not _numeric(_with(NUMBERS[:96], "oops", "so what", "no", "?!"))
    assert not _numeric(_with(NUMBERS[:19], "oops"))
    assert not _numeric(_with(["1", "2", "3"] * 10, "4b"))
    with pytest.warns(MercerWarning, match="'oops' in row 2971 and 29 more rows"):
        assert _numeric(_with(NUMBERS, *["oops"] * 30))


def test_a_word_that_comes_back_is_a_number_not_known():
    with pytest.warns(MercerWarning, match="'broken' in row 571 and 24 more rows, 'n.v.' in row 596"):
        assert _numeric(_with([f"{i / 7:.3f}".replace(".", ",") for i in range(600)], *["broken"] * 25, *["n.v."] * 5))
    assert not _numeric(_with([str(i % 40) for i in range(600)], *["never"] * 12))  # few different: levels


def _numeric(cells):
    return "x" in mercer.read_table({"x": cells, "y": np.arange(len(cells)) * 0.5}).schema.of_kind("numeric")


def test_strays_on_request_and_at_prediction():
    with pytest.warns(MercerWarning, match="'oops' in row 3000"):
        schema = mercer.read_table({"x": _with(NUMBERS, "oops")}, kinds={"x": "numeric"}).schema
    with pytest.warns(MercerWarning, match="'Total' in row 3000"):
        assert conform_table({"x": _with(NUMBERS, "Total")}, schema).missing("x").sum() == 1
    with pytest.raises(BadColumn, match="row 2 holds 'lots'"):
        conform_table({"x": ["1", "lots"]}, schema)


def test_infinity_is_no_stray():
    with pytest.raises(BadColumn, match="row 2999 holds 'inf'"):
        mercer.read_table({"x": _with(NUMBERS, "inf", "oops")})


@pytest.mark.parametrize("flats", [["1", "2", "3", "4b"] * 30, ["12", "14", "4b", "9", "7"] * 30])
def test_a_flat_4b_is_no_billion(flats):
    table = mercer.read_table({"flat": flats})
    assert table.schema["flat"].kind == "category"
    assert "4b" in table.schema["flat"].levels


def test_a_category_without_levels_is_stored(tmp_path):
    rows = pl.DataFrame({"a": [1.5, 2.5, 3.5, 4.0], "c": pl.Series([None] * 4, dtype=pl.String)})
    model = mercer.NaiveBayes(kinds={"c": "category"}).fit(rows, ["u", "v", "u", "u"])
    mercer.save(model, tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.schema_["c"].levels == ()
    assert loaded.predict({"a": [1.0, 2.0], "c": ["new", None]}).tolist() == ["u", "u"]


@pytest.mark.parametrize(
    ("limits", "values", "notation"),
    [
        (["<5"], [5.0], "limits"),
        (["> 60", "≤0.5", ">=7"], [60.0, 0.5, 7.0], "limits"),
        (["90+"], [90.0], "limits"),
        (["<0,5"], [0.5], "decimal comma, limits"),
    ],
)
def test_limits_of_measurement_are_the_number_that_they_name(limits, values, notation):
    numbers = [f"{k}.5" for k in range(30)]
    numbers = [n.replace(".", ",") for n in numbers] if "comma" in notation else numbers
    schema = mercer.read_table({"crp": numbers + limits * 40}).schema
    column = schema["crp"]
    assert (column.kind, column.format) == ("numeric", notation)
    assert "limits as the number that each names" in column.reason
    table = conform_table(pl.DataFrame({"crp": [*limits, numbers[3], "<77"]}), schema)
    assert table.numbers(["crp"])[:, 0].tolist() == [*values, 3.5, 77.0]


def test_few_limits_among_plain_numbers_and_other_strays():
    numbers = [f"{k}.5" for k in range(300)]
    column = mercer.read_table({"x": [*numbers, ">60"]}).schema["x"]
    assert (column.kind, column.format) == ("numeric", "limits")
    with pytest.warns(MercerWarning, match="'spilt'"):
        column = mercer.read_table({"x": numbers * 4 + [">60"] * 300 + ["spilt"]}).schema["x"]
    assert (column.kind, column.format) == ("numeric", "limits")
    assert "1 other cell read as missing: 'spilt'" in column.reason


def test_limits_of_few_numbers_are_ranges():
    column = mercer.read_table({"rooms": ["1", "2", "3", "4+"] * 30}).schema["rooms"]
    assert (column.kind, column.levels) == ("ordinal", ("1", "2", "3", "4+"))
    column = mercer.read_table({"age": ["<18", "18-30", "31-60", ">60"] * 30}).schema["age"]
    assert column.kind == "ordinal"


@pytest.mark.parametrize(("numbers", "limit"), [(["1.5", "2", "3"], ">60"), (["1,5", "2,5", "3,5"], "> 60")])
def test_limits_where_the_rows_learned_from_had_none(numbers, limit):
    schema = mercer.read_table({"x": numbers * 20}).schema
    with pytest.warns(MercerWarning, match=f"limits are read as the number that each names: '{limit}' in row 2"):
        table = conform_table({"x": [numbers[0], limit]}, schema)
    assert table.numbers(["x"])[:, 0].tolist() == [1.5, 60.0]


def test_words_in_many_rows_of_numbers_come_with_what_to_type():
    cells = [str(k) if k % 9 else "closed" for k in range(200)]
    said = mercer.read_table({"visits": cells}).schema
    reason = [*said.columns, *said.left_out][0].reason
    assert reason.endswith("; numbers beside 'closed'? To have the numbers read, say --missing 'visits=closed'")
    assert mercer.read_table({"visits": cells}, missing="visits=closed").missing("visits").sum() == 23
    for others in (["a", *map(str, range(9))] * 9, [f"0{k}" for k in range(60)] * 2, [f"a{k}" for k in range(60)] * 2):
        assert "beside" not in mercer.read_table({"x": others}).schema["x"].reason


@pytest.mark.parametrize("word", ["-", ".", "--", "…", "n.d.", "k.A.", "unknown", "not measured", "nil"])
@pytest.mark.parametrize("write", [str, "{:,.2f}".format, "{:.0f} kg".format])
def test_cells_that_say_nothing_are_missing_however_many_they_are(word, write):
    cells = [word if k % 3 == 0 else write(1000 + 7 * k) for k in range(60)]
    with pytest.warns(MercerWarning, match="read as missing"):
        table = mercer.read_table({"x": cells})
    assert f"20 other cells read as missing: {word!r} in row 1 and 19 more rows" in table.schema["x"].reason
    assert np.flatnonzero(table.missing("x")).tolist() == list(range(0, 60, 3))
    with pytest.warns(MercerWarning, match="read as missing"):
        assert conform_table({"x": [word] * 5}, table.schema).missing("x").all()  # most of a new table may be so


def test_cells_that_say_nothing_are_levels_among_words_and_of_one_value():
    assert mercer.read_table({"x": ["red", "blue", "-"] * 9}).schema["x"].levels == ("-", "blue", "red")
    assert mercer.read_table({"x": ["7", "-"] * 9}).schema["x"].levels == ("-", "7")
    assert mercer.read_table({"x": ["unknown", "missing"] * 9}).schema["x"].kind == "binary"


@pytest.mark.parametrize("error", ["#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!", "<NA>", "NaT"])
def test_what_a_spreadsheet_shows_for_no_value_is_missing(tmp_path, error):
    rows = "".join(f"{error if k % 2 else k},{error if k % 3 else 'ab'[k % 2]}\n" for k in range(60))
    (tmp_path / "t.csv").write_text("x,job\n" + rows)
    table = mercer.read_table(tmp_path / "t.csv")
    assert table.schema["x"].kind == "numeric" and table.missing("x").sum() == 30
    assert table.schema["job"].levels == ("a", "b") and table.missing("job").sum() == 40


@pytest.mark.parametrize("mark", [" H", " L", "*", "**", "†", " [1]", "(a)"])
def test_marks_behind_numbers_are_pointed_out(mark):
    cells = [f"{k / 8:.3f}{mark if k % 5 == 0 else ''}" for k in range(1, 80)]
    said = mercer.read_table({"x": cells * 2, "y": [0.5] * 158}).schema["x"].reason
    assert f"; numbers with marks behind, such as '0.625{mark}'? Write these in a column of their own" in said
    flats = [f"{k}{'abc'[k % 3]}" for k in range(1, 80)]
    assert "marks" not in mercer.read_table({"x": flats * 2}).schema["x"].reason
