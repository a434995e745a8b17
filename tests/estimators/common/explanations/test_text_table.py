"""Small tables of texts, and the explanation that is shown in one."""

from __future__ import annotations

import numpy as np

import mercer
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.common.explanations.text_table import cell_text, html_table, shown_cells, text_table


def test_columns_are_aligned() -> None:
    shown = text_table([["", "a"], ["mean", "1.5"], ["n", "10"]])
    assert shown.splitlines() == ["          a", "  mean  1.5", "  n      10"]


def test_html_is_escaped_and_has_headings() -> None:
    found = html_table([["", "a<b"], ["x&y", "1"]])
    assert found == "<table><tr><th></th><th>a&lt;b</th></tr><tr><th>x&amp;y</th><td>1</td></tr></table>"


def test_cells_as_they_are_shown() -> None:
    shown = [cell_text(v) for v in (None, float("nan"), 0.5, np.float32(2), "word", "x" * 31)]
    assert shown == ["(missing)", "(missing)", "0.5", "2", "word", "x" * 29 + "…"]
    table = mercer.read_table({"a": [1.0, None, 3.0], "b": ["p", "q", "p"]})
    assert shown_cells(table, ["b", "a * b", "a"]) == [("p", "", "1"), ("q", "", "(missing)"), ("p", "", "3")]


def test_an_explanation_shows_its_strongest_columns_first() -> None:
    values, prior = np.array([[0.1, -2.0], [1.0, 0.5]]), np.array([0.5, 0.5])
    labels = np.array(["yes", "yes"]), np.array(["no", "no"])
    found = Explanation(("x", "y"), values, prior, *labels, [("1", "2"), ("3", "4")])
    np.testing.assert_allclose(found.total, [-1.4, 2.0])
    lines = found.row(0).splitlines()
    assert lines[0] == "row 0: yes against no"
    assert [line.split()[0] for line in lines[1:]] == ["column", "(base)", "y", "x", "(sum)"]
    assert len(found) == repr(found).count("row ") == 2


def test_a_long_explanation_shows_three_rows() -> None:
    n = 5
    found = Explanation(("x",), np.ones((n, 1)), np.zeros(n), np.ones(n), np.zeros(n), [("1",)] * n)
    assert repr(found).endswith("... 2 more rows")
