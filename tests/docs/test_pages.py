"""The code of every page runs and prints what the page says; its commands are ones that mercer takes."""

import re
import shlex
import warnings

import pytest
import typer
from tests.docs.pages import DOCS, page, run_as_printed

from mercer import unpatch_sklearn
from mercer.cli.app import app
from mercer.combine.members import STORABLE
from mercer.kernels import KERNELS
from mercer.likelihoods import LIKELIHOODS

PAGES = sorted(path.name for path in DOCS.glob("*.md"))
CODE = [name for name in PAGES if "```python" in page(name) and name != "plots.md"]  # pictures have a test of their own
NEEDS = {"rare-classes.md": "imblearn", "larger-than-memory.md": "dask.distributed"}
OTHERS_WARN = {"larger-than-memory.md", "multiclass.md"}  # Dask of its workers, scikit-learn of its chains
VERBS = typer.main.get_command(app).commands


@pytest.fixture
def _parts_as_before():
    """What a page registers is forgotten again, and scikit-learn is its own."""
    known = [(table, dict(table)) for table in (KERNELS, LIKELIHOODS, STORABLE)]
    yield
    unpatch_sklearn()
    for table, before in known:
        table.clear()
        table.update(before)


@pytest.mark.usefixtures("_parts_as_before")
@pytest.mark.parametrize("name", CODE)
def test_the_page_runs_as_printed(name, tmp_path, monkeypatch):
    if name in OTHERS_WARN:
        warnings.simplefilter("ignore")
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    monkeypatch.chdir(tmp_path)
    run_as_printed(name)


def blocks(language):
    return [(n, b) for n in PAGES for b in re.findall(rf"```{language}\n(.*?)```", page(n), flags=re.DOTALL)]


def commands():
    lines = [
        (n, line.removeprefix("$ ")) for lang in ("sh", "console") for n, b in blocks(lang) for line in b.split("\n")
    ]
    return [(n, line) for n, line in lines if line.startswith("mercer ")]


@pytest.mark.parametrize(("name", "line"), commands())
def test_the_command_is_one(name, line):
    _, verb, *words = shlex.split(line, comments=True)
    VERBS[verb].make_context(verb, words)  # reads the options, runs nothing


def test_every_language_of_a_block_is_looked_after():
    languages = {lang for name in PAGES for lang in re.findall(r"^```(\S+)$", page(name), flags=re.MULTILINE)}
    assert languages <= {"python", "text", "sh", "console", "{toctree}"}


def test_linked_pages_exist():
    for name in PAGES:
        for link in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page(name)):
            assert link.startswith("reference/") or (DOCS / link).exists(), f"{name}: {link}"
