"""The command as a process of its own: what it imports, how it ends, what it leaves behind."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

RUN = "from mercer.cli import main; main()"
HEAVY = ("numpy", "scipy", "polars", "sklearn", "matplotlib", "safetensors", "jinja2", "narwhals", "mercer.table")
# Training that does not end by itself, and says when it has begun.
SLOW = """
import time
from mercer.workbench.training import job as train
def endless(*_):
    print("training", flush=True)
    time.sleep(600)
train.compare_learners = endless
"""


# A suite that runs under nohup ignores SIGHUP, and what it starts would too.
HEARS = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"


def _start(code: str, words: list[str], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HEARS + code, *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["train", "--help"], ["predict", "--help"]])
def test_help_imports_nothing_heavy(words: list[str], tmp_path: Path) -> None:
    code = f"""
import json, sys
from mercer.cli import main
try:
    main()
except SystemExit as end:
    print(json.dumps([end.code, [m for m in {HEAVY!r} if m in sys.modules]]), file=sys.stderr)
"""
    process = _start(code, words, tmp_path)
    out, err = process.communicate()
    assert json.loads(err) == [0, []]
    assert "mercer" in out


def test_import_mercer_is_light_and_still_complete() -> None:
    code = f"""
import sys, mercer
loaded = [m for m in {HEAVY!r} if m in sys.modules]
assert loaded == [], loaded
for name in mercer.__all__:
    assert getattr(mercer, name).__name__.removeprefix("mercer.") == name
    assert name in dir(mercer)
try:
    mercer.nonsense
except AttributeError as error:
    assert "nonsense" in str(error)
else:
    raise SystemExit("no error for a name that is not there")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_in_training_ends_cleanly(number: signal.Signals, code: int, flowers: Path) -> None:
    old = flowers.parent / "o"
    old.mkdir()
    (old / "report.html").write_text("old")
    process = _start(
        SLOW + RUN, ["train", str(flowers), "-t", "wild", "--json", "--out", "o", "--force"], flowers.parent
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "training\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert out == ""
    assert "Traceback" not in err
    assert [p.name for p in old.iterdir()] == ["report.html"]
    assert sorted(p.name for p in flowers.parent.iterdir()) == ["flowers.csv", "o"]


def test_ctrl_c_in_real_training(tmp_path: Path) -> None:
    """Sent as soon as the folder is claimed, wherever the work happens to be then."""
    rows = "".join(f"{i * 7919 % 1000},{i % 13},{'abc'[i % 3]},{i * 31 % 2}\n" for i in range(20_000))
    (tmp_path / "t.csv").write_text("a,b,c,y\n" + rows)
    process = _start(RUN, ["train", "t.csv", "-t", "y"], tmp_path)
    while process.poll() is None and not list(tmp_path.glob(".mercer-out.*.part")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted. Nothing was written." in err
    assert "Traceback" not in err
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_files_that_may_not_grow(flowers: Path) -> None:
    """A limit on the size of files stands for a full disk: it is met before training."""
    process = subprocess.run(
        [sys.executable, "-c", RUN, "train", str(flowers), "-t", "wild"],
        cwd=flowers.parent,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    assert process.returncode == 2
    assert "cannot be written" in process.stderr
    assert "Traceback" not in process.stderr
    assert [p.name for p in flowers.parent.iterdir()] == ["flowers.csv"]


def test_exit_codes(tmp_path: Path) -> None:
    for words, code in ((["--version"], 0), (["train", "none.csv", "-t", "y"], 2), (["nonsense"], 2)):
        process = _start(RUN, words, tmp_path)
        _, err = process.communicate()
        assert process.returncode == code
        assert "Traceback" not in err


def _run(words: list[str], folder: Path, **settings: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", RUN, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False, env=os.environ | settings)


def test_a_processor_without_the_instruction_set_asked_for(flowers: Path) -> None:
    done = _run(["train", str(flowers), "-t", "wild"], flowers.parent, MERCER_ISA="v9")
    assert done.returncode == 2
    assert done.stderr.startswith(b"Error: MERCER_ISA=v9: ")


def test_a_terminal_that_speaks_ascii(flowers: Path) -> None:
    """Letters that it lacks are shown by number; the run, its files and its JSON are whole."""
    table = flowers.with_name("blumen.csv")
    table.write_text(flowers.read_text().replace("colour", "größe").replace("yes", "jäää"), encoding="utf-8")
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LANG": "C", "COLUMNS": "200"}
    words = ["train", "blumen.csv", "-t", "wild", "--quick", "--learner", "tree"]
    shown = _run([*words, "--out", "ö"], flowers.parent, **ascii_only)
    assert shown.returncode == 0, shown.stderr
    assert rb"gr\xf6\xdfe" in shown.stdout
    printed = _run([*words, "--out", "o", "--json"], flowers.parent, **ascii_only)
    for folder in ("o", "ö"):
        assert sorted(p.name for p in (flowers.parent / folder).iterdir()) == [
            "model.mercer",
            "report.html",
            "result.json",
        ]
    assert json.loads(printed.stdout) == json.loads((flowers.parent / "o/result.json").read_text(encoding="utf-8"))
    rows = _run(["predict", "o/model.mercer", "blumen.csv", "--out", "-"], flowers.parent, **ascii_only)
    assert "probability_jäää" in rows.stdout.decode()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_pipe_of_bash_is_read_from_its_first_line(tmp_path: Path) -> None:
    big = tmp_path / "big.csv"
    big.write_text("size,colour\n" + "".join(f"{i % 977}.5,{'red' if i % 3 else 'blue'}\n" for i in range(20_000)))
    environment = os.environ | {"COLUMNS": "200", "PYTHON": sys.executable, "RUN": RUN, "BIG": str(big)}
    words = '"$PYTHON" -c "$RUN" describe --json'
    done = [
        subprocess.run(["bash", "-c", f"{words} {source}"], capture_output=True, check=False, env=environment)
        for source in ('<(cat "$BIG")', '"$BIG"')
    ]
    piped, direct = (json.loads(d.stdout) for d in done)
    assert piped["columns"] == direct["columns"]
    assert piped["rows"] == direct["rows"] == 20_000


EACH = """
import json, sys
from mercer.cli import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["mercer", *words]
    try:
        main()
    except SystemExit:
        pass
    except BaseException:
        sys.excepthook(*sys.exc_info())
    for stream in (sys.stdout, sys.stderr):
        print("-- the next", file=stream, flush=True)
"""


def _said_by_each(runs: list[list[str]], folder: Path) -> list[str]:
    """What runs one after the other in one process write to both streams."""
    done = subprocess.run(
        [sys.executable, "-c", EACH, json.dumps(runs)],
        cwd=folder, env=os.environ | {"COLUMNS": "300"}, capture_output=True, check=True,
    )  # fmt: skip
    streams = [stream.decode().split("-- the next\n") for stream in (done.stdout, done.stderr)]
    return [out + err for out, err in zip(*streams, strict=True)][:-1]


HOSTILE = "\x1b]0;owned\x07\x9b31m\u202e"


def test_what_a_terminal_obeys_is_escaped(flowers: Path) -> None:
    folder = flowers.parent
    text = flowers.read_text().replace("colour", f"co{HOSTILE}").replace("red", f"re{HOSTILE}")
    table = folder / f"f{HOSTILE}.csv"
    table.write_text(text.replace("wild", f"wi{HOSTILE}").replace("yes", f"ye{HOSTILE}"), encoding="utf-8")
    words = ["train", table.name, "-t", "4", "--quick", "--learner", "tree"]
    runs = [
        ["describe", table.name],
        ["describe", table.name, "--json"],
        ["describe", f"none{HOSTILE}.csv"],
        ["describe", table.name, "--kind", f"x{HOSTILE}=numeric"],
        ["describe", table.name, "--kind", f"co{HOSTILE}=numeric", "--debug"],
        [*words, "--out", f"o{HOSTILE}"],
        [*words, "--json"],
        ["predict", "mercer-out/model.mercer", table.name, "--out", f"p{HOSTILE}.csv"],
        ["predict", "mercer-out/model.mercer", "flowers.csv"],
        ["predict", f"mercer-out{HOSTILE}", "flowers.csv"],
        ["describe", f"--x{HOSTILE}"],
        ["describe", table.name, f"more{HOSTILE}"],
        [f"verb{HOSTILE}"],
    ]
    for words, said in zip(runs, _said_by_each(runs, folder), strict=True):
        assert not set(HOSTILE) - set("]0;owned31m") & set(said), (words, said)
        assert r"\x1b" in said or r"\u001b" in said or words[-1] == "flowers.csv", words


@pytest.mark.parametrize("out", [".", "..", "./", "new/.."])
def test_results_in_the_folder_one_stands_in(out: str, flowers: Path) -> None:
    inner = flowers.parent / "inner"
    inner.mkdir()
    done = _run(["train", str(flowers), "-t", "wild", "--quick", "--learner", "tree", "--out", out], inner)
    assert done.returncode == 0, done.stderr
    found = {p.name for p in (inner / out).iterdir()} - {"flowers.csv", "inner", "new"}
    assert found == {"model.mercer", "report.html", "result.json"}


def test_nohup_goes_on(flowers: Path) -> None:
    process = subprocess.Popen(
        ["nohup", sys.executable, "-c", SLOW.replace("600", "3") + RUN, "train", str(flowers), "-t", "wild"],
        cwd=flowers.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    while b"training" not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=300)
    assert process.returncode == 1  # the training that does nothing returns nothing; it was not ended before that
