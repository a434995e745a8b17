"""Arrow files, and the silence of readers that panic."""

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pytest

import mercer
from mercer.errors import BadFile, BadTable
from mercer.table.formats import files
from mercer.table.formats.binary.panics import Panic, panics_held

FRAME = pl.DataFrame(
    {"age": [31, 45, 58, 60], "job": ["a", "b", None, "a"], "day": ["2024-01-01"] * 3 + ["2024-02-01"]}
)


@pytest.mark.parametrize("name", ["t.feather", "t.arrow", "t.ipc", "t"])
def test_arrow_files_are_read_as_parquet_files_are(tmp_path, name):
    frame = FRAME.with_columns(pl.col("day").str.to_date())
    frame.write_ipc(tmp_path / name)
    frame.write_parquet(tmp_path / "t.parquet")
    table, expected = mercer.read_table(tmp_path / name), mercer.read_table(tmp_path / "t.parquet")
    assert table.schema == expected.schema
    assert table.to_polars().equals(expected.to_polars())


def test_a_broken_arrow_file(tmp_path):
    buffer = io.BytesIO()
    FRAME.write_ipc(buffer)
    (tmp_path / "t.arrow").write_bytes(buffer.getvalue()[:-40])
    with pytest.raises(BadFile, match=r"t\.arrow cannot be read"):
        mercer.read_table(tmp_path / "t.arrow")


class PanicException(BaseException):
    """What pyo3 raises, by its name."""


REPORT = b"\nthread 'polars-1' (77) panicked at src/x.rs:1:2:\nindex out of bounds\nnote: run with `RUST_BACKTRACE=1`\n"


def fail(text: bytes, error: BaseException) -> None:
    os.write(2, text)
    raise error


def test_the_report_of_a_panic_is_held_back_and_nothing_else(capfd):
    with pytest.raises(Panic, match="gone"), panics_held():
        fail(b"before\n" + REPORT + b"after\n", PanicException("gone"))
    assert capfd.readouterr().err == "before\nafter\n"


def test_without_a_panic_everything_is_printed(capfd):
    with panics_held():
        os.write(2, REPORT)
    with pytest.raises(KeyError), panics_held():
        fail(b"x", KeyError("x"))
    assert capfd.readouterr().err.encode() == REPORT + b"x"


def test_threads_leave_standard_error_as_it_was(capfd):
    barrier = threading.Barrier(4)

    def read() -> None:
        for _ in range(20):
            barrier.wait()
            with panics_held():
                os.write(2, b".")

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.write(2, b"!")
    assert capfd.readouterr().err == "." * 80 + "!"


def test_a_process_without_standard_error(tmp_path):
    FRAME.write_parquet(tmp_path / "t.parquet")
    code = f"import os; os.close(2); import mercer; print(mercer.read_table({str(tmp_path / 't.parquet')!r}).n_rows)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_environment())
    assert done.stdout == "4\n"


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(mercer.__file__).parents[1])}


FIRST = 'JoinError::Panic(Id(7), "range end 8", ...)'
SECOND = r'called `x`: JoinError::Panic(Id(9), "called `x`: JoinError::Panic(Id(7), \\"range end 8\\", ...)", ...)'


@pytest.mark.parametrize(
    ("message", "told"), [(FIRST, "range end 8"), (SECOND, "range end 8"), ('a "quoted" text', 'a "quoted" text')]
)
def test_the_first_of_a_chain_of_panics_is_told(message, told):
    with pytest.raises(Panic) as caught, panics_held():
        fail(b"", PanicException(message))
    assert str(caught.value) == told


def test_a_damaged_file_is_called_so_and_no_panic_is_printed(tmp_path, monkeypatch, capfd):
    def panicking(file, path):
        fail(REPORT, PanicException("index out of bounds"))

    FRAME.write_parquet(tmp_path / "t.parquet")
    monkeypatch.setitem(files._FRAMES, "parquet", panicking)
    with pytest.raises(BadFile, match=r"it is damaged \(index out of bounds\)\. Write or download it again"):
        mercer.read_table(tmp_path / "t.parquet")
    assert capfd.readouterr().err == ""


def test_a_lazy_frame_that_panics_is_told_and_no_panic_is_printed(monkeypatch, capfd):
    monkeypatch.setattr(pl.LazyFrame, "collect", lambda self: fail(REPORT, PanicException("gone")))
    with pytest.raises(BadTable, match="cannot be collected: gone"):
        mercer.read_table(FRAME.lazy())
    assert capfd.readouterr().err == ""
