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


def read_told(path: Path, words: str):
    with pytest.warns(MercerWarning, match=words):
        return mercer.read_table(path)


@pytest.mark.parametrize(
    "below",
    [
        "Source: Human Resources",
        "Source: Human Resources\n",
        "\n\nSource: Human Resources, 2024\n* preliminary figures\n",
        "(30 rows affected)\n\n",
        "# made by a program\n",
        '"Source: Human Resources"\n',
    ],
)
def test_lines_below_the_table_are_left_out_and_told(tmp_path, below):
    path = write(tmp_path, "n,size,kind,place\n" + ROWS.replace("\n", ",x y\n") + below)
    table = read_told(path, "below the table .* left out")
    assert (table.n_rows, table.columns) == (30, ("size", "kind"))
    assert table.missing("size").sum() == 0


@pytest.mark.parametrize("below", ["31,2", "31", '31,2,"a\nSource: x'])
def test_a_line_that_was_cut_off_is_refused(tmp_path, below):
    with pytest.raises(BadFile, match=r"line 3[23]"):
        mercer.read_table(write(tmp_path, "n,size,kind\n" + ROWS + below))


def test_text_in_quotes_is_no_line_below_the_table(tmp_path):
    rows = "".join(f'{k},{k / 2},"first\nlast words of {k}"\n' for k in range(30))
    assert read_quietly(write(tmp_path, "n,size,said\n" + rows)).n_rows == 30


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ("years,kg,\n", r"line below the header \('years kg'\)"),
        ("How old?,How heavy?,Where?\nimport 1,import 2,import 3\n", r"lines below the header \('How old"),
    ],
)
def test_lines_of_words_between_header_and_numbers_are_left_out(tmp_path, second, words):
    rows = "".join(f"{20 + k},{k / 2},{'abc'[k % 3]}\n" for k in range(30))
    path = write(tmp_path, "age,weight,kind\n" + second + rows)
    table = read_told(path, words)
    assert table.columns == ("age", "weight", "kind")
    assert table.numbers("age").ravel().tolist() == list(range(20, 50))
    assert table.schema["kind"].levels == ("a", "b", "c")


@pytest.mark.parametrize("heads", ["Person,,Home", "Person,Person,Home"])
def test_headings_over_several_columns_stand_before_their_names(tmp_path, heads):
    rows = "".join(f"{20 + k},{k / 2},{'abc'[k % 3]}\n" for k in range(30))
    table = read_told(write(tmp_path, f"{heads}\nage,weight,kind\n{rows}"), "headings over columns")
    assert table.columns == ("Person age", "Person weight", "Home kind")
    assert table.n_rows == 30


@pytest.mark.parametrize("first", ["-,-,a", "oops,3.5,a", "NA,NA,a", "tbd,tbd,a"])
def test_a_first_row_of_cells_is_no_header(tmp_path, first):
    rows = "".join(f"{20 + k},{k / 2},{'abc'[k % 3]}\n" for k in range(30))
    path = write(tmp_path, f"age,weight,kind\n{first}\n{rows}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert mercer.read_table(path).n_rows == 31


def test_separators_at_the_end_of_every_line_but_the_header(tmp_path):
    table = read_quietly(write(tmp_path, "n,size,kind\n" + ROWS.replace("\n", ",\n")))
    assert table.columns == ("size", "kind")
    assert table.numbers("size").ravel().tolist() == [k / 2 for k in range(30)]


@pytest.mark.parametrize("separator", [",", " ", ";"])
def test_row_names_as_r_writes_them(tmp_path, separator):
    rows = "".join(f'"{k + 1}",{k / 2},"{"abc"[k % 3]}"\n' for k in range(30))
    text = ('"size","kind"\n' + rows).replace(",", separator)
    table = read_told(write(tmp_path, text, "t.txt"), "the first has row names")
    assert table.columns == ("size", "kind")
    assert table.schema.left_out[0].reason.startswith("identifier")


def test_a_line_that_is_wrong_is_named_by_its_number_below_a_header_of_two_lines(tmp_path):
    rows = "".join(f"{20 + k},{k / 2},{'abc'[k % 3]}\n" for k in range(30))
    with pytest.raises(BadFile, match="line 33: 2 cells"):
        mercer.read_table(write(tmp_path, "age,weight,kind\nyears,kg,\n" + rows + "1,2\n" + rows))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_its_mark(tmp_path, encoding):
    (tmp_path / "t.csv").write_bytes(("n;Größe\r\n" + "".join(f"{k};{k},5\r\n" for k in range(30))).encode(encoding))
    assert mercer.read_table(tmp_path / "t.csv").numbers("Größe").ravel().tolist() == [k + 0.5 for k in range(30)]


def test_a_header_that_comes_back_where_files_were_put_together(tmp_path):
    text = "n,size,kind\n" + ROWS
    table = read_told(write(tmp_path, 3 * text), "header stands 2 times more among the rows")
    assert (table.n_rows, table.columns) == (90, ("n", "size", "kind"))
    assert table.schema["kind"].levels == ("a", "b", "c")


@pytest.mark.parametrize("rows", ["1,red,u\n2,blue,v\n", "c,red,u\nd,blue,v\n"])
def test_rows_that_come_back_are_no_header(tmp_path, rows):
    assert read_quietly(write(tmp_path, 20 * rows)).n_rows == 40


def test_years_beside_words_are_names_of_columns(tmp_path):
    rows = "".join(f"place {k},{k},{2 * k},{k / 2}\n" for k in range(30))
    table = read_quietly(write(tmp_path, "place,2019,2020,2021\n" + rows))
    assert table.columns == ("2020", "2021")  # 2019 numbers the rows
    assert read_quietly(write(tmp_path, "".join(f"a{k % 3},{2019 + k},{2021 + 2 * k},{2030 + k}\n" for k in range(30)))
                        ).n_rows == 30  # fmt: skip


def test_the_end_of_a_file_of_dos(tmp_path):
    assert read_quietly(write(tmp_path, "n,size,kind\n" + ROWS + "\x1a")).n_rows == 30


@pytest.mark.parametrize("name", ["t.csv", "t.xls", "t.txt"])
@pytest.mark.parametrize("start", ["<!DOCTYPE html>\n<html>", "\ufeff<HTML><body>\n", "<?xml version='1.0'?>\n"])
def test_a_web_page_is_no_table(tmp_path, name, start):
    with pytest.raises(BadFile, match=r"holds (a web page|XML).*save it as \.xlsx or \.csv"):
        mercer.read_table(write(tmp_path, start + "<p>Log in</p>\n<p>here</p>\n", name))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_text_under_the_name_of_a_workbook(tmp_path, encoding):
    text = "Kunde\tGröße\r\n" + "".join(f"{k % 7}\t{k},5\r\n" for k in range(30))
    (tmp_path / "t.xls").write_bytes(text.encode(encoding))
    assert mercer.read_table(tmp_path / "t.xls").numbers("Größe").ravel().tolist() == [k + 0.5 for k in range(30)]
