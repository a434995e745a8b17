"""Every example runs, each figure agrees or says why not, and its script is short and uses public names alone."""

import ast
import os
from importlib import import_module
from pathlib import Path

import pytest

import mercer
from mercer.gallery.sources import SOURCES

DATA = os.environ.get("MERCER_DATA")
EXAMPLES = mercer.gallery.examples()
MOST_LINES = 70
PUBLIC = {"mercer", "mercer.gallery", "mercer.gallery.small_tables"} | {
    f"mercer.{room}" for room in ("distances", "encode", "kernels", "likelihoods", "plot", "table")
}


def script(example):
    return Path(import_module(f"mercer.gallery.{example.name.replace('/', '.')}").__file__).read_text(encoding="utf-8")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_figures_agree_or_say_why_not(example):
    absent = [table.file for table in example.needs if DATA is None or not (Path(DATA) / table.file).is_file()]
    if absent:
        pytest.skip("needs " + ", ".join(absent) + " in the folder MERCER_DATA")
    found = mercer.gallery.reproduce(example, DATA, dpi=40)
    assert found.comparisons or found.pictures
    wrong = [c for c in found.comparisons if c.agrees == bool(c.reason)]  # a reason for what agrees is out of date
    assert [c.to_dict() for c in wrong] == []
    assert len({p.name for p in found.pictures}) == len(found.pictures)
    for picture in found.pictures:
        assert picture.png.startswith(b"\x89PNG")
        assert picture.caption.endswith(".")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_scripts_are_short_and_use_public_names_alone(example):
    code = script(example)
    assert len(code.splitlines()) <= MOST_LINES
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mercer"):
            names = {f"{node.module}.{name.name}" for name in node.names}
            sibling = node.module.startswith(f"mercer.gallery.{example.name.partition('/')[0]}.")
            assert sibling or node.module in PUBLIC or names == {"mercer.gallery.tables"}, node.module
    assert not {"_" + name for name in "abcdefghijklmnopqrstuvwxyz"} & {
        node.attr[:2] for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)
    }


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_each_says_what_it_is(example):
    assert 5 < len(example.title) <= 80
    assert example.passage
    assert example.text
    assert example.name.partition("/")[0] in SOURCES
    assert example.code.startswith(("from", "import"))
