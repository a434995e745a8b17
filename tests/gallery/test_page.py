"""The gallery as a page: everything inside, structure that can be read out, and axe-core in a browser."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from tests.report.test_accessibility import SCROLLS
from tests.report.test_page import Page

import mercer
from mercer.gallery.comparison import Comparison, Draws
from mercer.gallery.figure_table import FigureTable
from mercer.gallery.page import paragraphs, render

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def text():
    found = [mercer.gallery.reproduce(name) for name in ("lim/bayes_rule", "dm/news_titles")]
    odd = (
        Comparison("a figure that nobody explains", "0.5", 0.7),
        Comparison(HOSTILE, "0.91", Draws([0.9, 0.91, 0.92])),
        Comparison("another table", "0.5", 0.7, differs="the text had other rows"),
        Comparison("P(Single | Yes)", "2/7", 2 / 3, slip="two of the three cheaters are single"),
    )
    table = FigureTable(f"Areas {HOSTILE}", ["AUC", "#model"], {"Lin": [0.81694, "7"]}, "Means of folds.")
    found[0] = replace(found[0], comparisons=found[0].comparisons + odd, tables=(table,))
    return render(found, [(found[1].example, "The table is not there.")])


def test_nothing_is_loaded_and_nothing_runs(text):
    assert HOSTILE not in text
    assert "<script" not in text
    assert all(address.startswith("data:image/png;base64,") for address in re.findall(r'src="([^"]*)"', text))
    assert "img-src data:" in text


def test_the_structure_can_be_read_out(text):
    page = Page(text)
    assert page.open == []
    levels = [int(tag[1]) for tag, _ in page.seen if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(t.get("alt") for t in page.tags("img"))
    ids = {a["id"] for _, a in page.seen if "id" in a}
    assert {t["href"].removeprefix("#") for t in page.tags("a")} <= ids


def test_verdicts_are_said(text):
    for words in (
        "slip of the source",
        "the text had other rows",
        "The table is not there.",
        "1 disagree",
        "0.8169",
        "Means of folds.",
    ):
        assert words in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_cut(browser, axe, text, tmp_path, scheme):
    path = tmp_path / "gallery.html"
    path.write_text(text, encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    for width in (390, 1200):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(SCROLLS) == []
    found = axe(page)
    page.close()
    assert found == []


def test_paragraphs_and_formulas():
    assert paragraphs("    a = b\n    c = d\n\nSome\nwords.") == [(True, "a = b\nc = d"), (False, "Some words.")]
