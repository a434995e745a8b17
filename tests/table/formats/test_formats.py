"""Parquet, ARFF and libsvm files."""

import gzip

import numpy as np
import polars as pl
import pytest

import mercer
from mercer.errors import BadFile, MercerWarning
from mercer.table import conform_table, infer, open_source

ARFF = """% a comment
@RELATION weather
@attribute 'day outlook' {sunny, 'over cast', rainy}
@attribute temp NUMERIC
@ATTRIBUTE windy {TRUE,FALSE}
@attribute note string
@attribute class {no, yes}

@DATA
sunny, 85, FALSE, 'it''s hot', no
% another
'over cast', ?, TRUE, "say, cool", yes
rainy, 68.5, ?, 'x', yes
?, 70, TRUE, plain, no
"""


def write(folder, content, name):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", ["w.arff", "w.arff.gz"])
def test_arff(tmp_path, name):
    content = ARFF.replace("it''s", "it\\'s").encode()
    table = mercer.read_table(write(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name))
    assert table.schema["day outlook"].levels == ("sunny", "over cast", "rainy")
    assert table.schema["day outlook"].kind == "category"
    assert table.column("day outlook").tolist() == ["sunny", "over cast", "rainy", None]
    np.testing.assert_array_equal(table.column("temp"), [85, np.nan, 68.5, 70])
    assert table.column("windy").tolist() == ["FALSE", "TRUE", None, "TRUE"]
    assert table.column("note").tolist() == ["it's hot", "say, cool", "x", "plain"]


def test_sparse_arff_rows(tmp_path):
    content = (
        "@relation r\n@attribute a numeric\n@attribute b {x, y}\n@attribute c real\n@data\n{0 3, 2 1.5}\n{1 y}\n{0 7}\n"
    )
    table = mercer.read_table(write(tmp_path, content, "s.arff"))
    assert table.numbers().tolist() == [[3, 1.5], [0, 0], [7, 0]]
    assert table.column("b").tolist() == ["x", "y", "x"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sunny, 85", "cloudy, 85", r"'day outlook'.*'cloudy'"),
        ("sunny, 85", "sunny, warm", r"'temp'.*warm"),
        ("rainy, 68.5, ?, 'x', yes", "rainy, 68.5", r"line 13.*2 cells for 5"),
        ("@DATA", "", "no @data"),
        ("@attribute temp NUMERIC", "@attribute temp", "line 4"),
        ("@attribute temp NUMERIC", "@attribute temp relational", "line 4.*relational"),
        ("@attribute temp NUMERIC", "@attribute class NUMERIC", "'class' .*twice"),
        ("sunny, 85, FALSE, 'it''s hot', no", "{9 1}", "line 10"),
        ("sunny, 85, FALSE, 'it''s hot', no", "{a 1}", "line 10"),
        ("sunny, 85, FALSE, 'it''s hot', no", "{1 85, 0", "line 10"),
    ],
)
def test_wrong_arff(tmp_path, old, new, message):
    assert old in ARFF
    with pytest.raises(BadFile, match=message):
        mercer.read_table(write(tmp_path, ARFF.replace(old, new), "w.arff"))


def test_arff_without_rows(tmp_path):
    with pytest.raises(BadFile, match="no rows"):
        mercer.read_table(write(tmp_path, "@relation r\n@attribute a numeric\n@data\n", "w.arff"))
    with pytest.raises(BadFile, match="no attribute"):
        mercer.read_table(write(tmp_path, "@relation r\n@data\n1,2\n", "w.arff"))


@pytest.mark.parametrize("name", ["a.libsvm", "a.svm", "a", "a.txt", "a.gz"])
def test_libsvm(tmp_path, name):
    content = b"+1 1:0.5 3:2\n-1 2:1 # note\n+1 1:1 2:-3.5 3:1e-3\n"
    table = mercer.read_table(write(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name))
    assert table.is_sparse
    assert table.columns == ("target", "x1", "x2", "x3")
    assert table.numbers(["x1", "x2", "x3"]).tolist() == [[0.5, 0, 2], [0, 1, 0], [1, -3.5, 0.001]]
    assert table.numbers("target").ravel().tolist() == [1, -1, 1]


def test_a_libsvm_file_may_be_narrower_or_wider_than_the_model_expects(tmp_path):
    source = open_source(write(tmp_path, "1 1:5 3:2\n-1 2:1\n1 1:1\n", "a.libsvm"))
    source.pop("target")
    schema = infer(source)
    assert schema.names == ("x1", "x2", "x3")
    narrow = conform_table(write(tmp_path, "1 2:9\n", "b.libsvm"), schema)
    assert narrow.numbers().tolist() == [[0, 9, 0]]
    with pytest.warns(MercerWarning, match="after the first 3 are ignored"):
        wide = conform_table(write(tmp_path, "1 1:4 7:9\n", "c.libsvm"), schema)
    assert wide.numbers().tolist() == [[4, 0, 0]]


def test_wrong_libsvm(tmp_path):
    with pytest.raises(BadFile, match="libsvm"):
        mercer.read_table(write(tmp_path, "1 1:2\n1 1:3\n1 1:4\n1 1:5\n1 1:5\n1 3:x\n", "a.libsvm"))
    with pytest.raises(BadFile, match="libsvm"):
        mercer.read_table(write(tmp_path, "1 1:2\n1 1:3\n1 1:4\n1 1:5\n1 1:5\n1 -2:1\n", "a.libsvm"))


def test_parquet(tmp_path):
    frame = pl.DataFrame(
        {
            "n": [1.5, None, 3.0],
            "level": pl.Series(["hi", "lo", None], dtype=pl.Enum(["lo", "hi", "top"])),
            "word": ["x", "y", None],
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    table = mercer.read_table(tmp_path / "t.parquet")
    assert table.schema["level"].levels == ("lo", "hi", "top")
    assert table.column("level").tolist() == ["hi", "lo", None]
    frame.head(0).write_parquet(tmp_path / "none.parquet")
    with pytest.raises(mercer.errors.BadTable, match="no rows"):
        mercer.read_table(tmp_path / "none.parquet")
