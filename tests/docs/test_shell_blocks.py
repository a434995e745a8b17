"""The shell commands of the pages and the README run, in a folder that holds the tables they name."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.docs.pages import DOCS
from typer.testing import CliRunner

import mercer.data
from mercer.cli.app import app

ROOT = DOCS.parent
PAGES = [*sorted(DOCS.glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
ROWS = 120
FAST = ["--quick", "--learner", "linear"]  # added to `mercer train`, which compares every learner otherwise
# Each of these is run elsewhere, or cannot be run here.
NOT_RUN = {
    "pip install": "needs a network; the suite itself runs from such an installation",
    "make": "sets up an environment of its own from a network; CI runs it",
}


def blocks():
    """(page, commands) of each block, without comments and what a console block prints."""
    for path in PAGES:
        for language, block in re.findall(r"```(sh|console)\n(.*?)```", path.read_text("utf-8"), flags=re.DOTALL):
            lines = block.splitlines()
            if language == "console":
                lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
            words = [shlex.split(line, comments=True) for line in lines]
            yield pytest.param([line for line in words if line], id=f"{path.name}-{words[0][1]}")


def customers():
    """The columns that the pages speak of; who leaves depends on size and age."""
    rng = np.random.default_rng(0)
    size, age = rng.choice(["XS", "S", "L"], ROWS), rng.integers(18, 80, ROWS)
    churn = (age / 40 + (size == "L") + rng.normal(size=ROWS) / 2 > 1.7).astype(int)
    zips = rng.choice(["10115", "20095", "80331", "unknown"], ROWS)
    header = "customer,zip,size,age,churn"
    rows = [f"c{i},{zips[i]},{size[i]},{age[i]},{'yes' if churn[i] else 'no'}" for i in range(ROWS)]
    return "\n".join([header, *rows]) + "\n"


def payments():
    rng = np.random.default_rng(0)
    amount, v1 = rng.exponential(80, ROWS), rng.normal(size=ROWS)
    rows = [f"{a:.2f},{v:.3f},{int(v > 1)}" for a, v in zip(amount, v1 + rng.normal(size=ROWS) / 5, strict=True)]
    return "\n".join(["Amount,V1,Class", *rows]) + "\n"


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A folder with every table that a page names, and what training on the penguins leaves there."""
    folder = tmp_path_factory.mktemp("tables")
    rows = (Path(mercer.data.__file__).parent / "penguins.csv").read_text("utf-8").splitlines()[:11]
    weka = (DOCS / "from-weka.md").read_text("utf-8")
    files = {
        "customers.csv": customers(),
        "payments.csv": payments(),
        "new.csv": "\n".join(rows) + "\n",
        "weather.arff": re.search(r'write_text\("""(.*?)"""', weka, flags=re.DOTALL)[1],
        "script.py": "from sklearn.svm import SVC\nassert SVC.__module__.startswith('mercer')\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert CliRunner().invoke(app, ["train", "--target", "Sex", "--out", "penguins", *FAST]).exit_code == 0
    return folder


@pytest.mark.parametrize("commands", list(blocks()))
def test_the_commands_run(commands, tables, monkeypatch):
    monkeypatch.chdir(tables)
    for words in commands:
        if any(" ".join(words).startswith(start) for start in NOT_RUN):
            continue
        if words[0] == "mercer":
            done = CliRunner().invoke(app, words[1:] + (FAST if words[1] == "train" else []))
            assert done.exit_code == 0, done.output
        else:
            assert words[0] == "python", words
            done = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


def test_what_is_not_run_is_there():
    """A reason for a command that no page has any longer is out of date."""
    lines = [" ".join(words) for block in blocks() for words in block.values[0]]
    assert all(any(line.startswith(start) for line in lines) for start in NOT_RUN)


def test_make_has_the_targets_that_the_pages_name():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE))
    named = [words[1] for block in blocks() for words in block.values[0] if words[0] == "make"]
    assert set(named) <= targets
