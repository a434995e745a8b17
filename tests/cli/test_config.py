"""Options from a file, the command that repeats a run, its report again, and what may be written over."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
FAST = ("--quick", "--learner", "baseline")


def test_options_come_from_a_file_and_the_command_line_goes_first(mercer_in: Run, flowers: Path) -> None:
    Path("run.toml").write_text(
        f"table = {str(flowers)!r}\ntarget = 'wild'\nlearners = ['linear', 'baseline']\nquick = true\nseed = 1\n"
        "test-size = 0.3\nout = 'here'\n[kinds]\nsize = 'category'\ncolour = ['red', 'blue']\n[cost]\nfn = 3\n"
    )
    ran = mercer_in("train", "--config", "run.toml", "--seed", 5)
    assert ran.exit_code == 0, ran.output
    result = json.loads(Path("here/result.json").read_text())
    assert result["seed"] == 5
    assert result["splits"]["n_held_out"] == 18
    assert "--cost fn=3 " in result["command"]
    assert {c["name"]: c["kind"] for c in result["columns"]} == {"size": "category", "colour": "ordinal"}
    assert {entry["key"] for entry in result["leaderboard"]} == {"linear", "baseline"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("targt = 'wild'", "there is no option 'targt'. Did you mean 'target'?"),
        ("debug = true", "there is no option 'debug'"),
        ("target = 'wild", "not a TOML file"),
        ("metric = ['a', 'b']", "metric takes one value"),
        ("quick = 1", "write true or false"),
        ("seed = true", "write a value"),
        ("folds = 'many'", "'--folds'"),
        ("target = 'wilde'", "Did you mean 'wild'?"),
    ],
)
def test_what_is_wrong_in_a_file_is_said(mercer_in: Run, flowers: Path, text: str, message: str) -> None:
    Path("run.toml").write_text(text + "\n")
    ran = mercer_in("train", flowers, *FAST, "--config", "run.toml")
    assert ran.exit_code == 2
    assert message in " ".join(ran.output.split())
    assert not Path("mercer-out").exists()


def test_a_file_that_is_not_there(mercer_in: Run, flowers: Path) -> None:
    Path("run.toml").write_text("")
    ran = mercer_in("train", flowers, "--config", "rum.toml")
    assert ran.exit_code == 2
    assert "There is no file rum.toml. Did you mean 'run.toml'?" in ran.output
    Path("run.toml").write_bytes(b"\xff\xfe")
    assert "not a TOML file" in mercer_in("train", flowers, "--config", "run.toml").output
    assert "cannot be read" in mercer_in("train", flowers, "--config", ".").output


def test_the_command_repeats_the_run(mercer_in: Run, flowers: Path) -> None:
    table = flowers.rename(flowers.with_name("my 'own' flowers.csv"))
    words = ("train", table, "-t", "4", "--quick", "--learner", "tree", "--kind", "colour=red<blue", "--drop", "size")
    assert mercer_in(*words, "--no-header", "--json").exit_code == 2  # there is no column 'size' then
    first = json.loads(mercer_in(*words, "--missing", "a b", "--test-size", 0.3, "--json").stdout)
    repeated = shlex.split(first["command"])
    assert repeated[:3] == ["mercer", "train", str(table)]
    assert repeated[-2:] == ["--seed", "0"]
    again = json.loads(mercer_in(*repeated[1:], "--json", "--out", "again").stdout)
    for changing in ("seconds", "leaderboard"):
        assert first.pop(changing) != [] != again.pop(changing)
    assert first == again
    assert "--test-size 0.3" in Path("mercer-out/report.html").read_text()


def test_the_report_is_written_again(mercer_in: Run, trained: Path, tmp_path: Path) -> None:
    page = (trained / "report.html").read_text()
    assert mercer_in("report", trained, "--out", "new.html").exit_code == 0
    assert Path("new.html").read_text() == page
    refused = mercer_in("report", trained, "--out", "new.html")
    assert refused.exit_code == 2
    assert "is there already" in refused.output
    assert mercer_in("report", trained / "result.json", "--out", "new.html", "--force").exit_code == 0
    said = json.loads(mercer_in("report", trained, "--json").stdout)
    assert said == {"report": str(trained / "report.html"), "bytes": len(page.encode()), "replaced": True}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "holds no result.json"),
        ("{", "Name the folder of a run or its result.json, or train again"),
        ("[1]", "not a result of mercer train"),
        ("{}", "says nothing of its format"),
        ('{"format": "mercer result 1"}', "its format is 'mercer result 1'"),
        ('{"format": "mercer result 7"}', "has been changed"),
    ],
)
def test_a_folder_that_is_no_run(mercer_in: Run, content: str | None, message: str) -> None:
    Path("run").mkdir()
    if content is not None:
        Path("run/result.json").write_text(content)
    ran = mercer_in("report", "run")
    assert ran.exit_code == 2
    assert message in ran.output
    assert not Path("run/report.html").exists()


def test_nothing_is_written_over_silently(mercer_in: Run, flowers: Path) -> None:
    words = ("train", flowers, "-t", "wild", *FAST, "--out", "o")
    Path("o").mkdir()
    Path("o/notes.txt").write_text("mine")
    first = mercer_in(*words)
    assert first.exit_code == 0, first.output
    assert "replaced" not in first.output
    again = mercer_in(*words)
    assert "report.html, model.mercer, result.json of an earlier run in o were replaced" in again.output
    Path("o/result.json").unlink()
    Path("o/report.html").write_text("another's")
    refused = mercer_in(*words)
    assert refused.exit_code == 2
    assert "which no run of mercer train wrote" in refused.output
    assert Path("o/report.html").read_text() == "another's"
    assert mercer_in(*words, "--force").exit_code == 0
    assert Path("o/notes.txt").read_text() == "mine"


def test_cells_that_mean_missing_come_by_column_from_a_file(mercer_in: Run, flowers: Path) -> None:
    Path("run.toml").write_text('target = "4"\nlearner = ["baseline"]\nquick = true\n[missing]\nsize = [99, "no"]\n')
    ran = mercer_in("train", flowers, "--config", "run.toml", "--no-header")
    assert "missing 'size=99': there is no column 'size'." in ran.output
