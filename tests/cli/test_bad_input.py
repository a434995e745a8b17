"""Bad input through the commands: one line that says what, where and what next; exit code 2; nothing written."""

from __future__ import annotations

import errno
import json
import os
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mercer.workbench.training import job as train_job

Run = Callable[..., Any]


def _rows(row: Callable[[int], str], n: int = 40) -> str:
    return "".join(f"{row(i)}\n" for i in range(n))


BAD_TABLES: dict[str, tuple[bytes | str, str]] = {
    "empty": ("", "t.csv is empty"),
    "blank lines": ("\n\n\n", "t.csv is empty"),
    "header only": ("a,b,y\n", "no rows"),
    "one row": ("a,b,y\n1,2,x\n", "constant"),
    "one class": ("a,b,y\n" + _rows(lambda i: f"{i},{i % 3},x"), "'y' is constant: every cell is 'x'"),
    "constant number": ("a,b,y\n" + _rows(lambda i: f"{i},{i % 3},1.5"), "'y' is constant"),
    "target all missing": ("a,b,y\n" + _rows(lambda i: f"{i},{i % 3},"), "Every cell of the target 'y' is missing"),
    "target all marked": ("a,b,y\n" + _rows(lambda i: f"{i},{i % 3},?"), "Every cell of the target 'y' is missing"),
    "a class of one row": ("a,y\n" + _rows(lambda i: f"{i % 9},{'uw'[0 if i else 1]}"), "single row"),
    "short line": ("a,b,y\n" + _rows(lambda i: "1,2" if i == 7 else f"{i},{i % 3},{i % 2}"), "line 9: 2 cells"),
    "long line": ("a,b,y\n" + _rows(lambda i: "1,2,3,4" if i == 7 else f"{i},{i % 3},{i % 2}"), "line 9: 4 cells"),
    "NUL byte": (b"a,b,y\n1,2\0,x\n", "NUL byte"),
    "infinite cell": ("a,y\n" + _rows(lambda i: f"{'inf' if i == 5 else i * 1.5},{'uv'[i % 2]}"), "row 6: infinity"),
    "infinite target": ("a,y\n" + _rows(lambda i: f"{i % 7},{'inf' if i == 5 else i * 1.5}"), "row 6: the value"),
    "nothing to learn from": ("a,y\n" + _rows(lambda i: f"7,{'uv'[i % 2]}"), "constant"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_TABLES)
def test_a_bad_table_is_one_clear_line(mercer_in: Run, name: str) -> None:
    content, message = BAD_TABLES[name]
    Path("t.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    _refused(mercer_in("train", "t.csv", "--target", "y", "--json"), message)
    assert [p.name for p in Path().iterdir()] == ["t.csv"]


def _refused(result: Any, message: str) -> None:
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    errors = [line for line in result.stderr.splitlines() if not line.startswith("Note: ")]
    assert len(errors) == 1
    assert errors[0].startswith("Error: ")


FINE_TABLES: dict[str, tuple[bytes | str, str]] = {
    "latin-1": (("größe,y\n" + _rows(lambda i: f"{'äöü'[i % 3]},{'uv'[i % 2]}")).encode("latin-1"), "ä, ö, ü"),
    "repeated names": ("a,a,y\n" + _rows(lambda i: f"{i * 1.5},{i % 7},{'uv'[i % 2]}"), "a.2"),
    "an index without a name": (",a,y\n" + _rows(lambda i: f"{i},{i % 7},{'uv'[i % 2]}"), "column_1"),
    "a column all missing": ("a,b,y\n" + _rows(lambda i: f",{i % 7},{'uv'[i % 2]}"), "every cell is missing"),
    "10,000 levels": ("a,b,y\n" + _rows(lambda i: f"L{i % 10_000},{i % 7},{'uv'[i % 2]}", 12_000), "10,000 levels"),
}  # fmt: skip


@pytest.mark.parametrize("name", FINE_TABLES)
def test_an_odd_table_is_read_and_said_so(mercer_in: Run, name: str) -> None:
    content, message = FINE_TABLES[name]
    Path("t.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    few = () if name == "a column all missing" else ("--learner", "naive_bayes", "--learner", "tree")
    result = mercer_in("train", "t.csv", "--target", "y", "--quick", *few)
    assert result.exit_code == 0, result.output
    assert message in result.output
    assert mercer_in("predict", "mercer-out/model.mercer", "t.csv").exit_code == 0


def test_very_wide(mercer_in: Run) -> None:
    """A line longer than the sample that settles how the file is written."""
    n = 10_000
    cells = np.random.default_rng(0).integers(0, 9, size=(8, n)).astype(str)
    header = ",".join(f"a_column_with_quite_a_long_name_{j}" for j in range(n))
    Path("t.csv").write_text("\n".join([header, *(",".join(row) for row in cells)]) + "\n")
    result = mercer_in("describe", "t.csv")
    assert result.exit_code == 0, result.output
    assert "8 rows, 10,000 columns" in result.stdout
    assert "9,800 more columns" in result.stdout


def test_targets_that_are_not_there(mercer_in: Run, flowers: Path) -> None:
    _refused(mercer_in("train", flowers, "--target", "Wilde"), "Did you mean 'wild'?")
    _refused(mercer_in("train", flowers, "--target", "9"), "has 4 columns")
    _refused(mercer_in("train", flowers, "--target", "0"), "counted from 1")
    _refused(mercer_in("train", flowers), "Add --target COLUMN")


def test_files_that_are_not_there(mercer_in: Run, flowers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _refused(mercer_in("train", "none.csv", "-t", "y"), "There is no file none.csv. Did you mean 'flowers.csv'?")
    Path("empty").mkdir()
    _refused(mercer_in("train", "empty", "-t", "y"), "empty")
    Path("empty").rmdir()
    _refused(mercer_in("describe", "."), "is a directory")
    _refused(mercer_in("describe", "none.csv"), "There is no file none.csv")
    _refused(mercer_in("predict", "none.mercer", flowers), "There is no model file none.mercer")
    _refused(mercer_in("predict", flowers, flowers), "not named as a model")
    denied = _raiser(PermissionError(errno.EACCES, "Permission denied"))
    monkeypatch.setattr("mercer.table.formats.files.read_bytes", denied)
    _refused(mercer_in("train", flowers, "-t", "wild"), "cannot be read: Permission denied")
    assert [p.name for p in Path().iterdir()] == ["flowers.csv"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--kind", "wild=numeric"), "that is the target"),
        (("--kind", "siz=numeric"), "Did you mean 'size'?"),
        (("--kind", "size"), "write COLUMN=KIND"),
        (("--kind", "size="), "write COLUMN=KIND"),
        (("--kind", "size=image"), "not a kind"),
        (("--kind", "colour=red<red"), "levels must differ"),
        (("--task", "clustering"), "not a task"),
        (("--task", "regression"), "not a number"),
        (("--separator", ";;"), "not one character"),
        (("--out", "flowers.csv"), "a file, not a folder"),
        (("--out", "flowers.csv/out"), "a file, not a folder"),
        (("--time", "3x"), "is no duration, such as 60s, 5m or 1h, and no column"),
        (("--learner", "magic"), "no classification learner 'magic'"),
    ],
)
def test_options_that_do_not_fit(mercer_in: Run, flowers: Path, words: tuple[str, ...], message: str) -> None:
    _refused(mercer_in("train", flowers, "--target", "wild", "--json", *words), message)
    assert [p.name for p in Path().iterdir()] == ["flowers.csv"]


def test_an_altered_model_is_refused(mercer_in: Run, flowers: Path, trained: Path) -> None:
    data = bytearray((trained / "model.mercer").read_bytes())
    data[len(data) // 2] ^= 1
    Path("m.mercer").write_bytes(data)
    _refused(mercer_in("predict", "m.mercer", flowers), "checksum does not fit")
    Path("m.mercer").write_bytes(data[:-10])
    _refused(mercer_in("predict", "m.mercer", flowers), "cut short")


def _raiser(error: BaseException) -> Any:
    def refuse(*_: object, **__: object) -> None:
        raise error

    return refuse


@pytest.mark.parametrize(
    ("code", "message"),
    [(errno.EROFS, "read-only"), (errno.EACCES, "may not be written to"), (errno.ENOSPC, "disk is full")],
)
def test_an_output_that_cannot_be_is_known_before_training(
    mercer_in: Run, flowers: Path, monkeypatch: pytest.MonkeyPatch, code: int, message: str
) -> None:
    monkeypatch.setattr(train_job, "compare_learners", _raiser(AssertionError("training was started")))
    monkeypatch.setattr(Path, "mkdir", _raiser(OSError(code, os.strerror(code))))
    _refused(mercer_in("train", flowers, "-t", "wild", "--out", "o"), message)
    assert [p.name for p in Path().iterdir()] == ["flowers.csv"]


@pytest.mark.parametrize("healthy_writes", [0, 1, 2, 3])
def test_a_disk_that_fills_up_leaves_nothing_half_written(
    mercer_in: Run, flowers: Path, monkeypatch: pytest.MonkeyPatch, healthy_writes: int
) -> None:
    """The probe, result, report and model are flushed in turn; the disk is full from one of them on."""
    Path("o").mkdir()
    Path("o/report.html").write_text("old")
    calls = iter(range(100))
    flush = os.fsync

    def fsync(handle: int) -> None:
        if next(calls) >= healthy_writes:
            raise OSError(errno.ENOSPC, "No space left on device")
        flush(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    words = ("train", flowers, "-t", "wild", "--quick", "--learner", "linear", "--json", "--out", "o", "--force")
    _refused(mercer_in(*words), "the disk is full")
    assert sorted(p.name for p in Path().iterdir()) == ["flowers.csv", "o"]
    assert [p.name for p in Path("o").iterdir()] == ["report.html"]
    assert Path("o/report.html").read_text() == "old"


def test_existing_files_are_replaced_and_others_kept(mercer_in: Run, flowers: Path) -> None:
    Path("o").mkdir()
    Path("o/report.html").write_text("old")
    Path("o/notes.txt").write_text("mine")
    words = ("train", flowers, "-t", "wild", "--quick", "--learner", "linear", "--out", "o")
    _refused(mercer_in(*words), "which no run of mercer train wrote")
    assert Path("o/report.html").read_text() == "old"
    assert mercer_in(*words, "--force").exit_code == 0
    assert Path("o/report.html").read_text() != "old"
    assert "of an earlier run in o were replaced" in mercer_in(*words).stderr
    assert Path("o/notes.txt").read_text() == "mine"
    assert sorted(p.name for p in Path().iterdir()) == ["flowers.csv", "o"]


def test_folders_above_the_output_are_made_and_taken_away_again(mercer_in: Run, flowers: Path) -> None:
    assert mercer_in("train", flowers, "-t", "Wilde", "--out", "a/b/c").exit_code == 2
    assert not Path("a").exists()
    assert mercer_in("train", flowers, "-t", "wild", "--quick", "--learner", "linear", "--out", "a/b/c").exit_code == 0
    assert Path("a/b/c/model.mercer").exists()


@pytest.mark.parametrize(
    ("out", "message"),
    [("p.xlsx", "as .csv or .parquet"), ("none/p.csv", "no such folder"), ("folder.csv", "folder of that name")],
)
def test_predictions_that_cannot_be_written(mercer_in: Run, trained: Path, out: str, message: str) -> None:
    Path("folder.csv").mkdir()
    _refused(mercer_in("predict", trained / "model.mercer", "unread.csv", "--out", out), message)


def test_an_unexpected_error_asks_for_a_report(mercer_in: Run, flowers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_job, "compare_learners", _raiser(RuntimeError("a wheel came off")))
    result = mercer_in("train", flowers, "-t", "wild", "--out", "o")
    assert result.exit_code == 1
    assert "Unexpected RuntimeError: a wheel came off" in result.stderr
    assert "--debug" in result.stderr
    assert "Traceback" not in result.output
    debugged = mercer_in("train", flowers, "-t", "wild", "--out", "o", "--debug")
    assert "Traceback" in debugged.stderr
    assert traceback.format_exception_only(RuntimeError("a wheel came off"))[0] in debugged.stderr
    assert [p.name for p in Path().iterdir()] == ["flowers.csv"]


def test_not_enough_memory(mercer_in: Run, flowers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_job, "compare_learners", _raiser(MemoryError()))
    _refused(mercer_in("train", flowers, "-t", "wild", "--json"), "not enough memory")


def test_a_libsvm_file_of_a_million_columns_is_described_in_one_line(mercer_in: Run) -> None:
    Path("t.libsvm").write_text("1 1:2\n-1 2:3 1000000:1\n1 1:1\n")
    result = mercer_in("describe", "t.libsvm", "--json")
    assert result.exit_code == 0, result.output
    lines = json.loads(result.stdout)["columns"]
    assert [(line["name"], line["n_columns"]) for line in lines] == [("target", 1), ("x1 to x1000000", 1_000_000)]
    assert "1,000,001 columns" in mercer_in("describe", "t.libsvm").stdout


JSON_ERRORS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "no table": (("train", "no.csv", "-t", "y"), {"kind": "BadFile", "what": "There is no file no.csv."}),
    "standard input": (("describe", "-"), {"next": "To read the standard input, give /dev/stdin."}),
    "no column": (
        ("train", "flowers.csv", "-t", "wold"),
        {"kind": "BadColumn", "what": "There is no column 'wold'.", "next": "Did you mean 'wild'?"},
    ),
    "no model": (("predict", "no.mercer", "flowers.csv"), {"kind": "BadFile", "next": "`mercer train` writes one."}),
    "evaluate": (("evaluate", "no.mercer", "flowers.csv"), {"kind": "BadFile"}),
    "explain": (("explain", "no.mercer", "flowers.csv"), {"kind": "BadFile"}),
    "compare": (("compare", "here", "there"), {"kind": "BadFile"}),
    "describe": (("describe", "no.csv"), {"kind": "BadFile"}),
    "report": (("report", "here"), {"kind": "BadFile"}),
    "reproduce": (("reproduce", "nothing"), {}),
    "no config": (("train", "--config", "no.toml"), {"kind": "BadFile", "what": "There is no file no.toml."}),
    "no option": (("train", "--nope"), {"kind": "UsageError", "next": "Try 'mercer train -h' for help."}),
    "no value": (("explain", "m", "t", "--row", "x"), {"kind": "UsageError"}),
}


@pytest.mark.parametrize("name", JSON_ERRORS)
def test_an_error_under_json_is_one_json_document_of_one_shape(mercer_in: Run, flowers: Path, name: str) -> None:
    words, expected = JSON_ERRORS[name]
    plain, result = mercer_in(*words), mercer_in(*words, "--json")
    assert (plain.exit_code, plain.stdout) == (2, "")
    assert (result.exit_code, result.stderr) == (2, plain.stderr)
    error = json.loads(result.stdout)["error"]
    assert list(error) == ["kind", "what", "where", "next", "exit_code"]
    assert (error["where"], error["exit_code"]) == (f"mercer {words[0]}", 2)
    assert error.items() >= expected.items()
    assert flowers.exists()


def test_files_that_the_shell_made_of_a_pattern(mercer_in: Run, flowers: Path) -> None:
    result = mercer_in("describe", flowers, flowers, "--json")
    assert result.exit_code == 2
    assert "one table as a pattern in quotes, e.g. 'data/*.csv'" in json.loads(result.stdout)["error"]["next"]


def test_an_unexpected_error_under_json_has_the_same_shape(
    mercer_in: Run, flowers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train_job, "compare_learners", _raiser(RuntimeError("a wheel came off. The left one")))
    result = mercer_in("train", flowers, "-t", "wild", "--json")
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["exit_code"], error["kind"]) == (1, 1, "RuntimeError")
    assert f"{error['what']} {error['next']}" in result.stderr
