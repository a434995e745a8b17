"""Sizes that an Arrow file states are checked before polars believes them: one of 2^55 bytes would end the process."""

from __future__ import annotations

import datetime
import io
import struct
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import mercer
from mercer.errors import BadFile, MercerError
from mercer.table.formats.binary.arrow import read_arrow

N = 40
FRAME = pl.DataFrame(
    {
        "x": [None if i % 7 == 0 else float(i) for i in range(N)],
        "name": [f"a longer text, number {i}" for i in range(N)],
        "level": pl.Series(["a", "b"] * (N // 2), dtype=pl.Categorical),
        "nothing": pl.Series([None] * N),
        "day": [datetime.date(2020, 1, 1 + i % 28) for i in range(N)],
        "list": [[i, i + 1] for i in range(N)],
        "record": [{"a": i} for i in range(N)],
    }
)


def written(frame: pl.DataFrame, packing: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    frame.write_ipc(buffer, compression=packing, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("packing", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("rows", [0, 1, N])
@pytest.mark.parametrize("oldest", [False, True])
def test_sound_files_are_read(packing: Any, rows: int, oldest: bool, tmp_path: Path) -> None:
    frame = FRAME.head(rows)
    options = {"compat_level": pl.CompatLevel.oldest()} if oldest else {}
    data = written(frame, packing, **options)
    assert read_arrow(data, Path("t.arrow")).equals(frame)
    path = tmp_path / "t.arrow"
    path.write_bytes(data)
    assert read_arrow(path, path).equals(frame)


def test_files_of_pyarrow_are_read(tmp_path: Path) -> None:
    feather = pytest.importorskip("pyarrow.feather")
    for packing in ("uncompressed", "lz4", "zstd"):
        feather.write_feather(FRAME.to_arrow(), str(tmp_path / "t.feather"), compression=packing)
        found = read_arrow(tmp_path / "t.feather", Path("t.feather"))
        assert found["x"].equals(FRAME["x"])
        assert found.height == N


def test_a_packed_buffer_that_states_more_than_it_may_is_refused(tmp_path: Path) -> None:
    """The first eight bytes of a packed buffer are the number of bytes inside."""
    data = written(pl.DataFrame({"x": [0.5] * 5000}), "zstd")
    size = struct.pack("<q", 5000 * 8)
    assert data.count(size) == 1
    for stated in (2**55, -5):
        (tmp_path / "t.arrow").write_bytes(data.replace(size, struct.pack("<q", stated)))
        with pytest.raises(BadFile, match=r"broken Arrow file: .* states? (more|fewer) bytes"):
            mercer.read_table(tmp_path / "t.arrow")


@pytest.mark.parametrize("packing", ["uncompressed", "zstd"])
def test_any_eight_bytes_may_be_wrong(packing: Any, tmp_path: Path) -> None:
    """Each place in turn: the file is read or refused, and the process goes on."""
    data = written(pl.DataFrame({"x": [0.5, None] * 20, "t": ["text " * 5] * 40}), packing)
    path, refused = tmp_path / "t.arrow", 0
    for place in range(8, len(data) - 8, 8):
        path.write_bytes(data[:place] + struct.pack("<q", 2**50) + data[place + 8 :])
        try:
            assert len(mercer.read_table(path)) == 40
        except MercerError:
            refused += 1
    assert refused > 10
