"""Numbers, names and frames at the edge of what files and types can hold."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import mercer
from mercer.errors import BadFile, BadTable, BadTarget, MercerWarning
from mercer.table import Cause, conform_table

N = 40
Y = [i * 0.5 for i in range(N)]
HASHES = {20: [7 * 10**19 + 7919 * i for i in range(N)], 41: [7 * 10**40 + 7919 * i for i in range(N)]}


def _file(folder, text, name="t.csv"):
    path = folder / name
    path.write_bytes(text.encode())
    return path


def _csv(folder, cells):
    return _file(folder, "h,y\n" + "".join(f"{cell},{y}\n" for cell, y in zip(cells, Y, strict=False)))


FORMS = {
    "file": _csv,
    "dict": lambda _, cells: {"h": cells, "y": Y},
    "pandas": lambda _, cells: pd.DataFrame({"h": cells, "y": Y}),
    "objects": lambda _, cells: np.array([cells, Y], dtype=object).T,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("digits", HASHES)
def test_whole_numbers_beyond_64_bits_are_identifiers(tmp_path, form, digits):
    left_out = mercer.read_table(FORMS[form](tmp_path, HASHES[digits])).schema.left_out
    assert [c.cause for c in left_out] == [Cause.IDENTIFIER]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("digits", HASHES)
def test_whole_numbers_beyond_64_bits_are_levels(tmp_path, form, digits):
    accounts = HASHES[digits][:4] * 10
    table = mercer.read_table(FORMS[form](tmp_path, accounts))
    assert table.column(table.columns[0]).tolist() == [str(a) for a in accounts]


def test_polars_integers_of_128_bits():
    frame = pl.DataFrame({"h": pl.Series(HASHES[20], dtype=pl.Int128), "y": Y})
    assert mercer.read_table(frame).schema.left_out[0].cause is Cause.IDENTIFIER
    schema = mercer.read_table({"h": Y}).schema
    assert conform_table(frame.select("h"), schema).numbers()[0, 0] == 7e19
    mercer.NaiveBayes().fit(frame, ["u", "v"] * 20).predict(frame)


def test_targets_of_128_bits():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=90), "b": rng.normal(size=90)})
    amounts = pl.Series("y", (9 * frame["a"]).round().cast(pl.Int64).to_list(), dtype=pl.Int128)
    model = mercer.LinearRegression()
    expected = mercer.evaluate(model, frame, amounts.cast(pl.Int64), cv=3)
    found = mercer.evaluate(model, frame, amounts, cv=3)
    assert found.scores["r2"].value == expected.scores["r2"].value
    classes = (amounts.cast(pl.Int64) > 0).cast(pl.Int128)
    assert mercer.NaiveBayes().fit(frame, classes).classes_.tolist() == [0, 1]
    with pytest.raises(BadTarget, match=r"holds 7\d+ in y\[0\], beyond 64 bits: use y.cast\(pl.Float64\)"):
        model.fit(frame, pl.Series([7 * 10**19, *range(89)], dtype=pl.Int128))


@pytest.mark.parametrize("zero", ["\u0660", "\u06f0", "\uff10", "\u0966"])
def test_digits_of_other_scripts_are_numbers(tmp_path, zero):
    cells = [str(7 * i).translate({ord("0") + d: ord(zero) + d for d in range(10)}) for i in range(N)]
    table = mercer.read_table(_csv(tmp_path, cells))
    assert table.numbers("h").ravel().tolist() == [7 * i for i in range(N)]


def test_two_numbers_in_digits_of_other_scripts_are_two_levels():
    table = mercer.read_table({"x": ["\u0663", "1", "\uff11", "\u0663"] * 3})
    assert table.schema["x"].levels == ("1", "3")
    assert table.codes("x")[:, 0].tolist() == [1, 0, 0, 1] * 3


def test_signs_of_other_scripts(tmp_path):
    cells = ["\u0661\u066b\u0665", "\u2212\u0662", "\uff11\uff0e\uff15"]
    assert mercer.read_table({"h": cells}).numbers().ravel().tolist() == [1.5, -2, 1.5]
    assert mercer.read_table({"h": ["5\u00b2", "6\u00b2", "7\u00b2"]}).schema["h"].kind == "category"


@pytest.mark.parametrize("cells", [[1e308, 0.0, 5.0, -1.7e308], ["1e308", "0", "5", "-1.7e308"]])
def test_the_largest_numbers(cells):
    table = mercer.read_table({"x": cells})
    assert table.numbers().ravel().tolist() == [1e308, 0, 5, -1.7e308]
    levels = mercer.read_table({"x": cells}, kinds={"x": "category"})
    assert not levels.missing("x").any()
    assert conform_table({"x": [1e308]}, levels.schema).codes()[0, 0] == levels.codes()[0, 0]


def test_a_header_of_5000_digits(tmp_path):
    names = [digit * 5000 for digit in "987"]
    path = _file(
        tmp_path, ",".join([*names, "y"]) + "\n" + "".join(f"{i % 7},{i % 5},{i % 3},{i}.5\n" for i in range(N))
    )
    assert mercer.read_table(path).columns == (*names, "y")


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\u00b2"])
def test_marks_in_a_header_that_are_no_line_ends(tmp_path, mark):
    rows = "".join(f"{i % 7},{i}.5\n" for i in range(N))
    assert mercer.read_table(_file(tmp_path, f"a{mark}b,y\n{rows}")).shape == (N, 2)
    content = f"@relation r\n@attribute 'a{mark}b' numeric\n@attribute y numeric\n@data\n{rows}"
    assert mercer.read_table(_file(tmp_path, content, "t.arff")).shape == (N, 2)


@pytest.mark.parametrize("name", ["t.csv", "t.arff", "t.libsvm"])
def test_lines_that_end_in_a_carriage_return_alone(tmp_path, name):
    content = {
        "t.csv": "a,y\n1,2.5\n2,3.5\n4,1\n",
        "t.arff": "@relation r\n@attribute a numeric\n@attribute y numeric\n@data\n1,2.5\n2,3.5\n4,1\n",
        "t.libsvm": "1 1:2.5\n2 1:3.5\n4 1:1\n",
    }[name]
    table = mercer.read_table(_file(tmp_path, content.replace("\n", "\r"), name))
    assert table.numbers().tolist() == [[1, 2.5], [2, 3.5], [4, 1]]


@pytest.mark.parametrize("form", ["pandas", "pyarrow"])
def test_names_that_repeat_in_a_frame(form):
    columns = [np.arange(N) % 7, np.arange(N) % 5, np.arange(N) % 3]
    frame = pd.DataFrame(np.column_stack(columns), columns=["a", "a", "b"])
    if form == "pyarrow":
        frame = pa.Table.from_arrays([pa.array(c) for c in columns], names=["a", "a", "b"])
    with pytest.warns(MercerWarning, match=r"Column 2 repeats the name 'a'; it is called 'a\.2' here"):
        assert mercer.read_table(frame).columns == ("a", "a.2", "b")
    with pytest.warns(MercerWarning, match="repeats"):
        model = mercer.NaiveBayes().fit(frame, ["u", "v"] * 20)
    with pytest.warns(MercerWarning, match="repeats"):
        assert model.predict(frame).shape == (N,)


def test_lazy_frames():
    frame = pl.LazyFrame({"a": Y, "b": Y[::-1]})
    model = mercer.NaiveBayes().fit(frame, ["u", "v"] * 20)
    assert model.predict(frame).shape == (N,)
    with pytest.raises(BadTable, match=r"LazyFrame cannot be collected: .*zz"):
        mercer.read_table(frame.select("zz"))


@pytest.mark.parametrize(
    "cells", [[datetime.timedelta(minutes=i) for i in range(N)], [datetime.time(i % 24, i) for i in range(N)]]
)
@pytest.mark.parametrize("form", [dict, pd.DataFrame, pl.DataFrame])
def test_durations_and_times_in_frames(cells, form):
    found = mercer.read_table(form({"h": cells, "y": Y})).numbers("h")[3, 0]
    assert found == (180 if isinstance(cells[0], datetime.timedelta) else 3 * 3600 + 180)


def test_a_column_that_is_one_value():
    with pytest.raises(BadTable, match="Column 'h' is a single int"):
        mercer.read_table({"h": 5, "y": Y})


def test_a_wide_sparse_arff_file_stays_sparse(tmp_path):
    n = 5000
    declared = "".join(f"@attribute 'w {j}' numeric\n" for j in range(n))
    rows = "".join(f"{{{i} {i + 1}, {n} {'yn'[i % 2]}}}\n" if i % 2 else f"{{{i} {i + 1}}}\n" for i in range(n))
    path = _file(tmp_path, f"@relation r\n{declared}@attribute c {{y, n}}\n@data\n{rows}", "t.arff")
    table = mercer.read_table(path)
    assert table.is_sparse
    assert table.csr().nnz == n
    assert table.csr().diagonal().tolist() == list(range(1, n + 1))
    assert table.column("c")[:3].tolist() == ["y", "n", "y"]
    turned = table.schema.select(("c", *table.schema.numeric_names[::-1]))
    assert conform_table(path, turned).csr()[:, [n - 1]].toarray().ravel()[:2].tolist() == [1, 0]


def test_a_sparse_arff_file_of_too_many_levels_says_what_it_needs(tmp_path):
    declared = "".join(f"@attribute w{j} {{a, b}}\n" for j in range(5000))
    rows = "".join(f"{{{i} b}}\n" for i in range(5000))
    with pytest.raises(BadFile, match=r"5,000 attributes that are not numeric in 5,000 rows would need 1\.5 GB"):
        mercer.read_table(_file(tmp_path, f"@relation r\n{declared}@data\n{rows}", "t.arff"))


def test_periods_of_pandas_are_the_dates_at_which_they_begin():
    periods = pd.period_range("2019-01", periods=30, freq="M").to_series(index=range(30))
    periods[3] = pd.NaT
    for source in (pd.DataFrame({"p": periods}), {"p": list(periods)}):
        table = mercer.read_table(source)
        assert table.columns == ("p", "p (month)")
        assert table.missing("p").tolist() == [k == 3 for k in range(30)]
        assert table.numbers("p")[1, 0] == (pd.Timestamp("2019-02-01") - pd.Timestamp("1970-01-01")).days


def test_intervals_of_pandas_are_ranges_in_their_order():
    cells = pd.IntervalIndex.from_arrays([10, 2, 2, 0] * 5, [20, 10, 10, 2] * 5)
    column = mercer.read_table(pd.DataFrame({"i": cells})).schema["i"]
    assert (column.kind, column.levels) == ("ordinal", ("(0, 2]", "(2, 10]", "(10, 20]"))


def test_durations_are_read_as_pandas_writes_them(tmp_path):
    durations = pd.Series(pd.to_timedelta(np.arange(-30, 30) * 7919, unit="s"))
    pd.DataFrame({"d": durations, "x": 1.5}).to_csv(tmp_path / "d.csv", index=False)
    table = mercer.read_table(tmp_path / "d.csv")
    np.testing.assert_array_equal(table.numbers("d").ravel(), durations.dt.total_seconds())
