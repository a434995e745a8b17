"""Files that are no tables, or broken ones: a clear error that names the place, never a crash or a quiet guess."""

import gzip
from pathlib import Path

import numpy as np
import pytest

import mercer
from mercer.errors import BadColumn, BadFile, BadTable, MercerWarning


def write(folder: Path, text, name="t.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "name", ["t.csv", "t.tsv", "t.txt", "t.data", "t.csv.gz", "t.arff", "t.parquet", "t.libsvm", "t"]
)
@pytest.mark.parametrize("content", [b"", b"\n\n", b"  \r\n \n", b"\xef\xbb\xbf"])
def test_an_empty_file(tmp_path, name, content):
    with pytest.raises(BadFile, match=name):
        mercer.read_table(write(tmp_path, content, name))


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n\n"])
def test_a_header_without_rows(tmp_path, end):
    with pytest.raises(BadFile, match=r"header \(3 columns\) but no rows"):
        mercer.read_table(write(tmp_path, "age,job,pay" + end))
    with pytest.raises(BadFile, match="no rows"):
        mercer.read_table(write(tmp_path, "1,2,3" + end), header=True)


def test_one_row_has_no_column_to_learn_from(tmp_path):
    path = write(tmp_path, "age,job\n31,sales\n")
    table = mercer.read_table(path)
    assert table.n_rows == 1
    assert [c.name for c in table.schema.left_out] == ["age", "job"]
    assert "constant" in table.schema.left_out[0].reason
    with pytest.raises(BadTable, match="No column is left"):
        mercer.MajorityClass().fit(path, ["yes"])
    assert mercer.read_table(path, kinds={"age": "numeric", "job": "category"}).numbers().tolist() == [[31]]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a,b,c\n1,2,3\n4,5\n6,7,8\n", 3),
        ("a,b,c\n1,2,3\n4,5,6,7\n6,7,8\n", 3),
        ("a,b,c\n1,2,3\n6,7,8\n4\n", 4),
        ('a,b,c\n"x, y",2,3\n"z",5\n"w",7,8\n', 3),
        ('a,b,c\n"x\ny",2,3\nz,5,6,7\nw,7,8\n', 4),
        ('a,b,c\n"x\ny",2,3\nz,5\nw,7,8\n', 4),
        ("a;b;c\n1,5;2;3\n4;5\n6;7;8\n", 3),
        ("a\tb\tc\n1\t2\t3\n4\t5\t6\t7\n6\t7\t8\n", 3),
        ("a,b,c\n" + "1,2,3\n" * 5000 + "4,5\n" + "1,2,3\n" * 10, 5002),
        ("a,b,c\n" + "1,2,3\n" * 5000 + "4,5,6,7\n" + "1,2,3\n" * 10, 5002),
        ("a,b,c\n" + "1,2,\n" * 50 + "4,5\n" + "1,2,3\n" * 10, 52),
    ],
)  # fmt: skip
def test_ragged_rows_name_the_line(tmp_path, text, line):
    with pytest.raises(BadFile, match=rf"t\.csv, line {line}: \d cells where the first line has 3"):
        mercer.read_table(write(tmp_path, text))


def test_an_unclosed_quote_is_an_error(tmp_path):
    with pytest.raises(BadFile):
        mercer.read_table(write(tmp_path, 'a,b\n"x",1\n"y",2\n"z,3\nv,4\n'))


def test_nul_bytes(tmp_path):
    with pytest.raises(BadFile, match="NUL byte"):
        mercer.read_table(write(tmp_path, b"a,b\n1,2\n3,\x004\n"))
    with pytest.raises(BadFile, match="NUL byte"):
        mercer.read_table(write(tmp_path, bytes(range(256)) * 4, "t.bin"))
    with pytest.raises(BadFile, match="NUL byte"):
        mercer.read_table(write(tmp_path, b"@relation r\n@attribute a numeric\n@data\n1\n\0\n", "t.arff"))


@pytest.mark.parametrize(
    "content",
    [b"\x1f\x8b\x08\x00garbage", gzip.compress(b"a,b\n" + b"1,2\n" * 999, mtime=0)[:-20], b"\x1f\x8b"],
    ids=["garbage", "cut", "bare"],
)
@pytest.mark.parametrize("name", ["t.csv.gz", "t.gz", "t.arff.gz", "t.arff", "t.svm"])
def test_a_truncated_gzip_file(tmp_path, content, name):
    with pytest.raises(BadFile, match="gzip"):
        mercer.read_table(write(tmp_path, content, name))


@pytest.mark.parametrize("name", ["t.parquet", "t.pq"])
@pytest.mark.parametrize("content", [b"PAR1", b"a,b\n1,2\n", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_a_broken_parquet_file(tmp_path, name, content):
    with pytest.raises(BadFile, match=name):
        mercer.read_table(write(tmp_path, content, name))


def test_paths_that_are_no_files(tmp_path):
    write(tmp_path, "a,b\n1,2\n", "people.csv")
    with pytest.raises(BadFile, match="is a directory"):
        mercer.read_table(tmp_path)
    with pytest.raises(BadFile, match=r"no file .*pepole\.csv\. Did you mean 'people\.csv'"):
        mercer.read_table(tmp_path / "pepole.csv")
    (tmp_path / "pepole").mkdir()
    (tmp_path / "others").mkdir()
    with pytest.raises(BadFile, match=r"pepole\.csv\. Did you mean 'people\.csv'\?$"):
        mercer.read_table(tmp_path / "pepole.csv")
    with pytest.raises(BadFile, match=r"zzzz\.txt\. Known: 'people\.csv'\.$"):
        mercer.read_table(tmp_path / "zzzz.txt")
    (tmp_path / "pepole" / "inner").mkdir()
    with pytest.raises(BadFile, match=r"nope\.csv\.$"):
        mercer.read_table(tmp_path / "pepole" / "nope.csv")
    with pytest.raises(BadFile, match="no file"):
        mercer.read_table(tmp_path / "nowhere" / "t.csv")
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(BadFile, match=r"dangling\.csv"):
        mercer.read_table(tmp_path / "dangling.csv")
    with pytest.raises(BadFile, match="cannot be read"):
        mercer.read_table(tmp_path / "people.csv" / "t.csv")
    with pytest.raises(BadFile, match="cannot be read"):
        mercer.read_table("a" * 300 + ".csv")
    with pytest.raises(BadFile):
        mercer.read_table("")
    with pytest.raises(BadFile):
        mercer.read_table("a\0b.csv")


@pytest.mark.parametrize("thing", [3, None, str, b"a,b", {1, 2}, [1, 2]])
def test_things_that_are_no_tables(thing):
    with pytest.raises((BadTable, BadFile)):
        mercer.read_table(thing)


def test_infinities_are_named(tmp_path):
    path = write(tmp_path, "a,b\n1,2\ninf,3\n4,5\n")
    with pytest.raises(BadColumn, match=r"'a'.*row 2"):
        mercer.read_table(path)
    with pytest.raises(BadColumn, match=r"'a'.*row 2"):
        mercer.read_table({"a": [1.0, np.inf, 3.0], "b": [1, 2, 3]})
    with pytest.raises(BadColumn, match=r"x1.*row 1"):
        mercer.read_table(np.array([[1.0, -np.inf], [2.0, 3.0]]))
    assert np.isnan(mercer.read_table(path, missing=["inf"]).numbers("a")[1, 0])


def test_every_cell_missing(tmp_path):
    table = mercer.read_table(write(tmp_path, "a,b,c\n1,,NA\n2,,?\n5,,none\n"))
    assert table.columns == ("a",)
    assert {c.name: c.reason for c in table.schema.left_out} == dict.fromkeys("bc", "every cell is missing")


def test_duplicate_and_empty_names(tmp_path):
    with pytest.warns(MercerWarning, match=r"repeats the name 'a'; it is called 'a\.3'"):
        table = mercer.read_table(write(tmp_path, "a,a,a.2,,a\n1,5,9,4,x\n2,6,1,8,y\n4,9,8,7,x\n"), header=True)
    assert table.columns == ("a", "a.3", "a.2", "column_4", "a.4")


def test_ten_thousand_levels(tmp_path):
    names = [f"city {i % 10_000}" for i in range(25_000)]
    table = mercer.read_table(write(tmp_path, "city,n\n" + "\n".join(f"{c},{i % 7}" for i, c in enumerate(names))))
    assert table.schema["city"].kind == "category"
    assert len(table.schema["city"].levels) == 10_000
    assert table.column("city")[[0, 12_345]].tolist() == ["city 0", "city 2345"]


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
def test_infinity_in_a_libsvm_file_names_the_line(tmp_path, cell):
    with pytest.raises(BadFile, match="line 3: infinity"):
        mercer.read_table(write(tmp_path, f"1 1:2\n-1 2:3 # inf\n1 1:1 3:{cell}\n", "t.libsvm"))


def test_a_libsvm_file_of_few_cells_cannot_ask_for_millions_of_columns(tmp_path):
    with pytest.raises(BadTable, match=r"Row 2 has a cell in column 30,000,000.*4\.8 GB"):
        mercer.read_table(write(tmp_path, "1 1:2\n-1 2:3 30000000:1\n1 1:1\n", "t.libsvm"))


def test_one_finite_number_and_infinity_are_no_two_levels(tmp_path):
    with pytest.raises(BadColumn, match="infinity"):
        mercer.read_table(write(tmp_path, "a,b\n" + "1.5,2\ninf,3\n" * 10))
