"""Generated pages are made of what is there: public names, verbs and options, results, words."""

import re
from pathlib import Path

import pytest
import typer
from tools.pages import api, commands, docstring_markup, model_file, sections

import mercer
from mercer.cli.app import app

ROOT = Path(__file__).parents[2]


def test_every_public_name_has_a_page():
    pages, modules = api.pages(), api.modules()
    things = {id(thing) for group in api.groups() for thing in group.names.values()}
    assert {mercer.kernels, mercer.plot, mercer.table} <= set(modules)
    for module in (mercer, *modules):
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            assert f"api/{module.__name__}.{name}.rst" in pages or id(thing) in things or thing in modules, name


def test_names_that_have_no_docstring_are_still_there():
    names = {name for group in api.groups() for name in group.names}
    assert set(api.DATA) <= names


def test_every_verb_and_option_is_listed():
    text = commands.pages()["cli.md"]
    for name, command in typer.main.get_command(app).commands.items():
        section = text.partition(f"\n## mercer {name}\n")[2].partition("\n## ")[0]
        assert all(f"`{flag}" in section for p in command.params if p.param_type_name == "option" for flag in p.opts)


def test_the_glossary_and_the_results_are_whole():
    words = re.findall(r"^: ", sections.glossary(), flags=re.MULTILINE)
    assert len(words) == len(re.findall(r"^\| ", sections.section_of_architecture("Glossary"), flags=re.MULTILINE)) - 1
    results = (ROOT / "benchmarks/RESULTS.md").read_text()
    assert re.findall(r"^\|.*", results, flags=re.MULTILINE) == re.findall(
        r"^\|.*", sections.benchmarks(), re.MULTILINE
    )


def test_the_page_of_the_model_file_names_every_class():
    text = model_file.pages()["model-classes.md"]
    assert {"`SVC`", "`NaiveBayes`", "`CalibratedClassifierCV`", "`holds_training_rows`"} <= set(
        re.findall("`[^`]+`", text)
    )


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("k = |a - b|, `|a|` stays", r"k = \|a - b\|, `|a|` stays"),
        ("`support_` and support_ of x_i", r"`support_` and support\_ of x_i"),
        ("2 * x and 2*x*y", r"2 \* x and 2\*x\*y"),
    ],
)
def test_plain_text_is_no_markup(line, found):
    assert docstring_markup.escaped(line) == found


def test_examples_and_names_of_parameters_stay():
    lines = [
        "Of a_.",
        "",
        "Parameters",
        "----------",
        "x_ : (n_,)",
        "    Of b_.",
        "",
        ">>> a * b_",
        "c_",
        "",
        "  d_",
    ]
    escaped = {0: r"Of a\_.", 4: r"x_ : (n\_,)", 5: r"    Of b\_.", 10: r"  d\_"}
    assert docstring_markup.escape_lines(lines) == [escaped.get(i, line) for i, line in enumerate(lines)]
