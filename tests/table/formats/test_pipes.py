"""Files that can be read once only, and files without an end."""

import gzip
import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import mercer
from mercer.errors import BadFile
from mercer.table.formats import text

ROWS = 20_000
RUN = "from mercer.cli import main; main()"


def _csv(rows: int = ROWS) -> bytes:
    return ("age,job\n" + "".join(f"{i % 90 + 0.5},{'abc'[i % 3]}\n" for i in range(rows))).encode()


@pytest.fixture
def pipe(tmp_path: Path) -> Callable[[bytes, str], Path]:
    """A named pipe that gives these bytes once."""

    def make(data: bytes, name: str) -> Path:
        path = tmp_path / name
        os.mkfifo(path)
        threading.Thread(target=lambda: path.write_bytes(data), daemon=True).start()
        return path

    return make


def _parquet() -> bytes:
    buffer = io.BytesIO()
    pl.read_csv(_csv()).write_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["fd63", "t.csv", "t.csv.gz", "t.pq", "fd64"])
def test_a_pipe_is_read_once_and_whole(pipe: Callable[[bytes, str], Path], name: str) -> None:
    packed = {"t.csv.gz": gzip.compress(_csv()), "t.pq": _parquet(), "fd64": _parquet()}
    table = mercer.read_table(pipe(packed.get(name, _csv()), name))
    assert table.columns == ("age", "job")
    assert table.n_rows == ROWS


def test_a_libsvm_pipe(pipe: Callable[[bytes, str], Path]) -> None:
    table = mercer.read_table(pipe(b"1 1:2 3:4\n-1 2:5\n" * ROWS, "fd63"))
    assert table.n_rows == 2 * ROWS


def test_prediction_reads_a_pipe_once(pipe: Callable[[bytes, str], Path]) -> None:
    model = mercer.MajorityClass().fit({"age": [1, 2, 3], "job": ["a", "b", "c"]}, ["u", "v", "u"])
    assert len(model.predict(pipe(_csv(), "fd63"))) == ROWS


def test_the_command_line_reads_a_pipe_once(tmp_path: Path) -> None:
    model = mercer.MajorityClass().fit({"age": [1, 2, 3], "job": ["a", "b", "c"]}, ["u", "v", "u"])
    mercer.save(model, tmp_path / "m.mercer")
    command = [sys.executable, "-c", RUN, "predict", str(tmp_path / "m.mercer"), "/dev/stdin", "--out", "-"]
    result = subprocess.run(command, input=_csv(), capture_output=True, check=True)
    assert len(result.stdout.splitlines()) == ROWS + 1


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/urandom"])
def test_a_stream_that_is_no_table_is_refused_at_its_start(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(text, "_LONGEST_LINE", 1 << 20)
    with pytest.raises(BadFile, match="NUL byte"):
        mercer.read_table(name)


@pytest.mark.parametrize("start", [b"[", b"{"])
def test_what_starts_as_json_and_is_no_text_is_refused_at_its_start(tmp_path, monkeypatch, start) -> None:
    monkeypatch.setattr(text, "_LONGEST_LINE", 1 << 10)
    path = tmp_path / "t"
    path.write_bytes(start + b"1" * (1 << 9) + b"\0" * (1 << 10))
    with pytest.raises(BadFile, match="NUL byte"):
        text.read_bytes(path, (), (b"[", b"{"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_line_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack) -> None:
    monkeypatch.setattr(text, "_LONGEST_LINE", 1 << 20)
    path = tmp_path / "t.csv"
    path.write_bytes(pack(b"1," * (1 << 20)))
    with pytest.raises(BadFile, match="no end of a line in its first 1 MB"):
        mercer.read_table(path)
