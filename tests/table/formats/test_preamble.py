"""Titles, comments and Excel's separator line above a table."""

import warnings
from pathlib import Path

import pytest

import mercer
from mercer.errors import BadFile, MercerWarning

ROWS = "".join(f"{i},{i / 2},{'abc'[i % 3]}\n" for i in range(30))


def write(folder: Path, text: str, name: str = "t.csv") -> Path:
    (folder / name).write_bytes(text.encode())
    return folder / name


def read_quietly(path: Path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return mercer.read_table(path, **options)


@pytest.mark.parametrize(
    "above",
    [
        "Sales by region\n",
        "Sales by region\n\n",
        "Sales by region\nDate: 2024-01-05\n\n",
        "Sales by region,,\n,,\n",
        '"Sales, by region"\n',
        '"Sales\nby region"\n',
        "# made by a program\n",
        "# made, by, programs\n",
        "# made by a program\n# x, y, z\n",
        "Sales\r\n",
        "Sales of\rall regions\n",
    ],
)
def test_lines_above_the_header_are_left_out_and_told(tmp_path, above):
    path = write(tmp_path, above + "n,size,kind\n" + ROWS)
    with pytest.warns(MercerWarning, match="above the header"):
        table = mercer.read_table(path)
    assert table.n_rows == 30
    assert table.columns == ("size", "kind")


@pytest.mark.parametrize(
    "header", ["n,size,kind\n", "#n,size,kind\n", ",,kind\n", "n,size,\n", "1,2,3\n", "Q1,,\n"]
)  # fmt: skip
def test_a_table_without_anything_above(tmp_path, header):
    table = read_quietly(write(tmp_path, header + ROWS), header=True)
    assert table.n_rows == 30


@pytest.mark.parametrize("text", ["sep=;\n", '"sep=;"\n', "SEP=;\r\n", "sep=;;;\n"])
def test_excels_separator_line(tmp_path, text):
    table = read_quietly(write(tmp_path, text + "a;b\n1,5;x\n2,5;y\n4,25;x\n"))
    assert table.numbers("a").ravel().tolist() == [1.5, 2.5, 4.25]
    assert table.schema["b"].levels == ("x", "y")


def test_a_separator_that_is_given_comes_before_the_line(tmp_path):
    assert read_quietly(write(tmp_path, "sep=;\na,b\n1,x\n2,y\n4,x\n"), separator=",").columns == ("a", "b")


def test_comments_further_down(tmp_path):
    text = "# one\na,b\n1,x\n# two\n2,#y\n4,x\n5,x\n6,x\n7,x\n#,z\n"
    with pytest.warns(MercerWarning, match="'# one'"):
        table = mercer.read_table(write(tmp_path, text), kinds={"b": "category", "a": "category"})
    assert table.schema["b"].levels == ("#y", "x", "z")
    assert table.n_rows == 7


def test_lines_are_counted_from_the_top_of_the_file(tmp_path):
    with pytest.raises(BadFile, match="line 35: 2 cells where line 3 has 3"):
        mercer.read_table(write(tmp_path, "Sales\n\nn,size,kind\n" + ROWS + "1,2,a\n4,5\n"))
    with pytest.raises(BadFile, match="line 34: 2 cells where line 2 has 3"):
        mercer.read_table(write(tmp_path, "sep=,\nn,size,kind\n" + ROWS + "1,2,a\n4,5\n"))


@pytest.mark.parametrize("text", ["a,b\n1,2,3,4\n5,6,7,8\n9,8,7,5\n", "id\n1,2\n3,4\n"])
def test_a_short_header_is_no_title(tmp_path, text):
    with pytest.raises(BadFile, match="line 2"):
        mercer.read_table(write(tmp_path, text))


def test_predicting_from_a_file_with_a_title(tmp_path):
    model = mercer.NaiveBayes().fit({"a": [1.0, 2.0, 8.0, 9.0], "b": list("xyxy")}, list("uuvv"))
    path = write(tmp_path, "Rows to predict\na;b\n1,5;x\n8,5;y\n")
    with pytest.warns(MercerWarning, match="Rows to predict"):
        assert model.predict(mercer.read_table(path, kinds={"a": "numeric", "b": "category"})).tolist() == ["u", "v"]
