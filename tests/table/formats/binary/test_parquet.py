"""Parquet files: every way of writing pages is read, and broken ones are refused without ending the process."""

import datetime
import io
import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow.parquet
import pytest

import mercer
from mercer.errors import BadFile
from mercer.table import conform_table
from mercer.table.formats.binary.parquet import _Thrift, read_parquet

N = 2000
FRAME = pl.DataFrame(
    {
        "word": ["a", "b", None, "d"] * (N // 4),
        "number": [i * 0.5 for i in range(N)],
        "flag": [True, None] * (N // 2),
        "day": [datetime.date(2021, 3, 1)] * N,
        "list": [[1, 2, 3], []] * (N // 2),
        "record": [{"a": 1, "b": "x"}] * N,
    }
)
# Changed bytes may end the process in polars, so they are read in another one.
FUZZ = """
import sys
import numpy as np
import mercer
from mercer.table.formats.binary.parquet import _Thrift
whole, rng, refused = open(sys.argv[1], "rb").read(), np.random.default_rng(0), 0
for _ in range(300):
    data = bytearray(whole)
    for place in rng.integers(len(data), size=rng.integers(1, 4)):
        data[place] ^= rng.integers(1, 256)
    open(sys.argv[1], "wb").write(data[: rng.integers(len(data))] if rng.random() < 0.1 else data)
    try:
        mercer.read_table(sys.argv[1])
    except mercer.errors.MercerError:
        refused += 1
print(refused)
"""


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "lz4", "uncompressed"])
@pytest.mark.parametrize("rows", [None, 300])
def test_files_of_polars(tmp_path, compression, rows):
    path = tmp_path / "t.parquet"
    FRAME.write_parquet(path, compression=compression, row_group_size=rows, data_page_size=1000)
    assert read_parquet(path, path).equals(FRAME)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_files_of_pyarrow(tmp_path, version, dictionary):
    path = tmp_path / "t.parquet"
    options = {"data_page_version": version, "use_dictionary": dictionary, "write_page_index": True}
    pyarrow.parquet.write_table(FRAME.to_arrow(), path, row_group_size=300, **options)
    assert read_parquet(path, path).equals(FRAME)


def test_a_dictionary_of_more_levels_than_rows(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"k": pd.Categorical(["a"] * 3, categories=[*(f"l{i}" for i in range(99)), "a"])}).to_parquet(path)
    assert read_parquet(path, path).height == 3


@pytest.mark.parametrize("cells", [[], ["", ""], [None, None]])
def test_files_with_nothing_in_them(tmp_path, cells):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": pl.Series(cells, dtype=pl.String)}).write_parquet(path)
    assert read_parquet(path, path).height == len(cells)


def test_a_page_of_less_than_no_values_is_refused():
    """The first page states 40 values; -1 made polars ask for 2^61 bytes."""
    buffer = io.BytesIO()
    pl.DataFrame({"y": [i * 0.5 for i in range(40)]}).write_parquet(buffer, compression="uncompressed")
    data = bytearray(buffer.getvalue())
    place = data.index(80, 4)  # 40 in zigzag
    data[place] = 1
    with pytest.raises(BadFile, match="broken Parquet file"):
        read_parquet(bytes(data), Path("t.parquet"))


def test_bytes_changed_at_random(tmp_path):
    path = tmp_path / "t.parquet"
    FRAME.head(40).drop("list", "record").write_parquet(path)
    result = subprocess.run([sys.executable, "-c", FUZZ, str(path)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    assert int(result.stdout) > 100


def test_lists_nested_without_end_are_refused():
    with pytest.raises(ValueError, match="nested too deep"):
        _Thrift(b"\x19" * 5000, 0).struct()  # a list of one list of one list ...


@pytest.mark.parametrize("form", ["file", "frame"])
def test_fields_of_a_record_are_columns(tmp_path, form):
    rows = [{"size": k / 2, "at": {"town": "abc"[k % 3], "tags": ["x"]}} for k in range(30)]
    frame = pl.DataFrame({"seat": rows, "seat.size": [f"row {k % 2}" for k in range(30)]})
    frame.write_parquet(tmp_path / "t.parquet")
    source = tmp_path / "t.parquet" if form == "file" else frame
    table = mercer.read_table(source)
    assert table.columns == ("seat.size", "seat.at.town", "seat.size.2")
    assert table.numbers("seat.size").ravel().tolist() == [k / 2 for k in range(30)]
    assert [c.name for c in table.schema.left_out] == ["seat.at.tags"]
    assert conform_table(frame[:3], table.schema).codes("seat.at.town").ravel().tolist() == [0, 1, 2]
