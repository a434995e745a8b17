"""The tree stays readable: lines of inheritance, sizes of folders, modules and functions, import contracts."""

import ast
import importlib
import inspect
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

import mercer
from mercer.gallery.sources import SOURCES

SOURCE = Path(mercer.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
COMPILED = "mercer._core._native"
MOST_CLASSES, MOST_LINES, MOST_STATEMENTS, MOST_MODULES, MOST_IN_A_FAMILY = 4, 400, 40, 15, 10
CONTRACTS = SOURCE.parents[1] / "pyproject.toml"
# Folders without a folder of tests, and where their tests are.
TESTED_ELSEWHERE = {
    "_core/reference": "tests/_core, where each twin is compared with the native function",
    "_core/reference/tree": "tests/_core/test_trees.py and tests/solvers/tree",
    "cli/jobs": "tests/cli, by the verbs that run them",
    "descriptions": "tests/test_docstrings.py; tools/check_docstrings.py reads the texts where they are shown",
    **{
        f"gallery/{text}": "tests/gallery/test_examples.py, which runs every example"
        for text in SOURCES
        if text != "yao"
    },
}


def rooms():
    found = {p.stem for p in SOURCE.glob("*.py")} | {p.parent.name for p in SOURCE.glob("*/__init__.py")}
    return found - {"__init__", "__main__"}


def every_class():
    names = [m.name for m in pkgutil.walk_packages(mercer.__path__, "mercer.")]
    for name in names:
        if name.startswith(COMPILED) or name.endswith("__main__"):
            continue
        yield from (
            c for c in vars(importlib.import_module(name)).values() if inspect.isclass(c) and c.__module__ == name
        )
    yield from (c for c in (getattr(mercer, n) for n in mercer.__all__) if inspect.isclass(c))


def line_of(cls):
    return [c.__name__ for c in cls.__mro__ if c.__module__.split(".")[0] == "mercer"]


def test_at_most_four_classes_of_ours_in_a_line_of_inheritance():
    lines = {c.__name__: line_of(c) for c in every_class()}
    assert len(lines) > 300
    assert {name: line for name, line in lines.items() if len(line) > MOST_CLASSES} == {}


def test_modules_are_at_most_four_hundred_lines():
    native = (SOURCE.parents[1] / "native").rglob("*.[ch]pp")
    lengths = {str(path): len(path.read_text().splitlines()) for path in [*MODULES, *native]}
    assert {name: n for name, n in lengths.items() if n > MOST_LINES} == {}


def test_functions_are_at_most_forty_lines_below_their_docstring():
    found = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name != "__init__":
                start = node.body[0].end_lineno if ast.get_docstring(node) else node.lineno
                found[f"{path.relative_to(SOURCE)}: {node.name}"] = node.end_lineno - start
    assert {name: n for name, n in found.items() if n > MOST_STATEMENTS} == {}


def test_folders_have_at_most_fifteen_modules_and_families_of_estimators_ten():
    folders = {path.parent for path in MODULES}
    counts = {f.relative_to(SOURCE): len([p for p in f.glob("*.py") if p.name != "__init__.py"]) for f in folders}
    most = {f: MOST_IN_A_FAMILY if f.parts[:1] == ("estimators",) else MOST_MODULES for f in counts}
    assert {str(f): n for f, n in counts.items() if n > most[f]} == {}


def test_every_folder_has_a_folder_of_tests():
    tests = Path(__file__).parent
    folders = {str(path.parent.relative_to(SOURCE)) for path in MODULES} - {"."}
    without = {name for name in folders if not any((tests / name).rglob("test_*.py"))}
    assert without == set(TESTED_ELSEWHERE)


@pytest.mark.skipif(not CONTRACTS.exists(), reason="installed without the repository")
def test_import_contracts_name_every_room_and_no_other():
    contracts = tomllib.loads(CONTRACTS.read_text())["tool"]["importlinter"]["contracts"]
    [layers] = [c["layers"] for c in contracts if c["type"] == "layers"]
    named = {room.strip().removeprefix("mercer.") for line in layers for room in line.split("|")}
    assert named == rooms()
    for contract in contracts:
        for name in [*contract.get("source_modules", []), *contract.get("forbidden_modules", [])]:
            if name.startswith("mercer."):
                assert importlib.util.find_spec(name) is not None, name


def section(name):
    text = (SOURCE.parents[1] / "ARCHITECTURE.md").read_text()
    return re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL).group(1)


@pytest.mark.skipif(not CONTRACTS.exists(), reason="installed without the repository")
def test_the_walks_of_the_architecture_are_short_and_name_what_is_there():
    walks = section("Two walks").split("### ")[1:]
    assert [len(re.findall(r"^\d+\. ", walk, flags=re.MULTILINE)) <= 12 for walk in walks] == [True, True]
    for path, names in re.findall(r"`([\w/]+\.(?:py|cpp|hpp))(?:: ([\w., ]+))?`", "".join(walks)):
        text = next(root / path for root in (SOURCE, SOURCE.parents[1]) if (root / path).exists()).read_text()
        for name in re.findall(r"\w+", names):
            assert re.search(rf"^ *(def |class )?{name}\b", text, flags=re.MULTILINE), f"{path}: {name}"


@pytest.mark.skipif(not CONTRACTS.exists(), reason="installed without the repository")
def test_the_architecture_lists_every_room_and_a_short_glossary():
    text = (SOURCE.parents[1] / "ARCHITECTURE.md").read_text()
    listed = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", text.partition("## Two walks")[0], re.M))))
    assert listed == rooms()
    assert len(re.findall(r"^\| ", section("Glossary"), flags=re.MULTILINE)) - 1 <= 25
