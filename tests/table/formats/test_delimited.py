"""What text files look like: separators, quotes, encodings, headers."""

import gzip

import pytest

import mercer
from mercer.errors import BadFile

ROWS = [("age", "job", "pay"), (31, "sales", 1.5), (25, "clerk", 2.25), (58, "sales", 3.5), (44, "cook", 9.0)]


def write(folder, content, name="t.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def is_staff(table):
    """The rows above, whatever way they were written."""
    assert table.columns == ("age", "job", "pay")
    assert table.numbers().tolist() == [[31, 1.5], [25, 2.25], [58, 3.5], [44, 9]]
    assert table.column("job").tolist() == ["sales", "clerk", "sales", "cook"]


def text(separator=",", end="\n", last=True):
    return end.join(separator.join(map(str, row)) for row in ROWS) + (end if last else "")


@pytest.mark.parametrize("separator", [",", ";", "|", "\t", " ", "   "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_separators_and_line_ends(tmp_path, separator, end, last):
    is_staff(mercer.read_table(write(tmp_path, text(separator, end, last))))


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "t.data", "noending", "t.CSV"])
def test_endings_do_not_matter(tmp_path, name):
    is_staff(mercer.read_table(write(tmp_path, text(";"), name)))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_encodings(tmp_path, encoding):
    content = text().replace("cook", "Köchin").encode(encoding)
    assert mercer.read_table(write(tmp_path, content)).column("job")[3] == "Köchin"


@pytest.mark.parametrize("content", ["n,job\n1,a\0b\n" * 30, "\0" * 60, "\0n\0,\0a" * 20 + "x"])
def test_other_nul_bytes_are_refused(tmp_path, content):
    with pytest.raises(BadFile, match="NUL"):
        mercer.read_table(write(tmp_path, content.encode()))


def test_latin_1(tmp_path):
    table = mercer.read_table(write(tmp_path, text().replace("cook", "Köchin").encode("latin-1")))
    assert table.column("job")[3] == "Köchin"


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv"])
def test_gzip_by_content(tmp_path, name):
    is_staff(mercer.read_table(write(tmp_path, gzip.compress(text().encode()), name)))


def test_quotes(tmp_path):
    content = 'name,note,n\n"Smith, J","said ""no""",1\n"Lee\nAnn","ok",2\nRay,"x",4\n'
    table = mercer.read_table(write(tmp_path, content), kinds={"name": "category", "note": "category"})
    assert table.column("name").tolist() == ["Smith, J", "Lee\nAnn", "Ray"]
    assert table.column("note").tolist() == ['said "no"', "ok", "x"]


def test_single_quotes(tmp_path):
    table = mercer.read_table(write(tmp_path, "name,n\n'a, b',1\n'c',2\n'a, b',5\n"))
    assert table.column("name").tolist() == ["a, b", "c", "a, b"]


def test_quotes_inside_words_are_letters(tmp_path):
    table = mercer.read_table(write(tmp_path, 'size,n\n5" pipe,1\n6" pipe,2\n5" pipe,7\n'))
    assert table.column("size").tolist() == ['5" pipe', '6" pipe', '5" pipe']


def test_blank_lines_are_no_rows(tmp_path):
    is_staff(mercer.read_table(write(tmp_path, "\n" + text().replace("25,", "\n\n25,") + "\n\n")))
    is_staff(mercer.read_table(write(tmp_path, text("; ").replace("; ", ";").replace("25;", "  \n25;"))))


@pytest.mark.parametrize("found", [None, False])
def test_without_a_header(tmp_path, found):
    table = mercer.read_table(write(tmp_path, "1,x,2.5\n4,y,3.5\n7,x,1\n9,y,2\n"), header=found)
    assert table.columns == ("column_1", "column_2", "column_3")
    assert table.n_rows == 4


@pytest.mark.parametrize("names", ["2019,2020,2021", "0,1,2", "2015,2018,2021"])
def test_a_header_of_numbers_that_name_columns(tmp_path, names):
    table = mercer.read_table(write(tmp_path, names + "\n1.5,20.25,0.5\n4,20.75,3.5\n7,19.5,1\n"))
    assert list(table.columns) == names.split(",") and len(table) == 3


@pytest.mark.parametrize("text", ["1,2,3\n4,5,6\n7,8,9\n", "1,2,3\n1,3,2\n3,1,2\n", "2,3\n5,9\n7,8\n"])
def test_numbers_that_count_up_as_data_do(tmp_path, text):
    assert len(mercer.read_table(write(tmp_path, text))) == 3


def test_a_header_of_words_over_words(tmp_path):
    table = mercer.read_table(write(tmp_path, "color,size\nred,big\nblue,big\nred,small\nred,big\nblue,small\n"))
    assert table.columns == ("color", "size")
    assert table.n_rows == 5


def test_the_caller_knows_better(tmp_path):
    path = write(tmp_path, "a;b,c\nx;1,5\ny;2,6\nx;7,8\n")
    assert mercer.read_table(path, separator=";").schema["b,c"].format == "decimal comma"
    assert mercer.read_table(path, separator=",").columns == ("a;b", "c")


def test_one_column(tmp_path):
    table = mercer.read_table(write(tmp_path, "age\n31\n25\n58\n"))
    assert table.numbers().ravel().tolist() == [31, 25, 58]


def test_codes_keep_their_zeros(tmp_path):
    rows = "".join(f"{i % 90:05d},{i}\n" for i in range(200))
    table = mercer.read_table(write(tmp_path, "zip,n\n" + rows))
    assert table.schema["zip"].kind == "category"
    assert table.column("zip")[7] == "00007"


def test_types_that_change_after_the_first_rows(tmp_path):
    table = mercer.read_table(write(tmp_path, "a,b\n" + "1,2\n3,4\n" * 2000 + "2.5,6\n" + "x,7\n" * 50))
    assert table.column("a")[-51:-49].tolist() == ["2.5", "x"]
    assert table.n_rows == 4051


@pytest.mark.parametrize("marker", ["", "NA", "N/A", "NaN", "None", "null", "?", " ? ", "nan"])
def test_markers_of_missing_cells(tmp_path, marker):
    table = mercer.read_table(write(tmp_path, f"a,b,c\n1,x,5\n{marker},{marker},6\n3,y,8\n4,x,9\n"))
    assert table.missing("a").tolist() == [False, True, False, False]
    assert table.missing("b").tolist() == [False, True, False, False]


def test_markers_of_the_caller(tmp_path):
    path = write(tmp_path, "a,b\n1,x\n-99,unknown\n3,y\n4,x\n")
    table = mercer.read_table(path, missing=["-99", "unknown"])
    assert table.missing("a").tolist() == [False, True, False, False]
    assert table.missing("b").tolist() == [False, True, False, False]


def test_many_columns(tmp_path):
    """300,000 columns are read in seconds; here a tenth of them, which must stay far from quadratic work."""
    n = 30_000
    lines = [",".join(f"c{j}" for j in range(n))] + [",".join(str((i * j) % 11) for j in range(n)) for i in range(4)]
    table = mercer.read_table(write(tmp_path, "\n".join(lines)))
    assert table.n_rows == 4
    assert table.schema["c5"].kind == "numeric"
    assert table.numbers("c5").ravel().tolist() == [0, 5, 10, 4]


@pytest.mark.parametrize("marker", ["NA", "?", "nan", "null", ""])
def test_markers_that_come_late(tmp_path, marker):
    rows = "".join(f"{i},{i / 7:.3f}\n" for i in range(30_000))
    table = mercer.read_table(write(tmp_path, f"a,b\n{rows}{marker},{marker}\n5,6\n"))
    assert [str(c.kind) for c in table.schema] == ["numeric", "numeric"]
    assert table.missing("a").nonzero()[0].tolist() == [30_000]
    assert table.missing("b").nonzero()[0].tolist() == [30_000]


def test_blanks_of_texts_of_one_length_are_no_separators(tmp_path):
    text = " ".join(["word"] * 60)
    lines = ["size,colour,note", *(f"{i},red,{text}" for i in range(40))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    found = mercer.read_table(tmp_path / "t.csv")
    assert [*found.schema.names, *(c.name for c in found.schema.left_out)] == ["size", "colour", "note"]


@pytest.mark.parametrize("place", [0, 1])
def test_an_apostrophe_before_a_number_opens_no_quotes(tmp_path, place):
    cells = [[f"'{k % 9}", f"{k / 2}"][:: 1 - 2 * place] for k in range(60)]
    table = mercer.read_table(write(tmp_path, "\n".join(["a,b", *map(",".join, cells)]).encode()))
    assert table.n_rows == 60
    assert table.schema["ab"[place]].levels == tuple(f"'{k}" for k in range(9))
