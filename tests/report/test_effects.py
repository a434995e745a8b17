"""Direction of effects: the drawings hold the numbers of the result, and the words say what is drawn."""

import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.report.test_page import Page

from mercer.report.effects import date_ticks, direction, effects_plot
from mercer.report.page import render
from mercer.report.svg import LARGE, SMALL, Axes


def line(average, label=""):
    return {"label": label, "average": average, "low": [v - 0.1 for v in average], "high": [v + 0.1 for v in average]}


def effect(average, values=(1.0, 2.0, 3.0), scale="numbers", unit="probability"):
    return {
        "column": "x", "scale": scale, "values": list(values), "counts": [5] * len(values), "unit": unit,
        "lines": [line(list(average))], "n_rows": 200, "level": 0.95,
    }  # fmt: skip


@pytest.mark.parametrize("target", ["two", "several", "number"])
def test_every_result_has_effects_of_its_most_important_columns(results, target):
    result = results[target]
    ranked = [i["column"] for i in result["diagnostics"]["importance"] if i["mean"] > 0]
    assert [e["column"] for e in result["effects"]] == ranked[:8]
    found = effects_plot(result)
    assert [p.column for p in found.panels] == ranked[:8]
    text = unescape(render(result))
    for panel in found.panels:
        begun = panel.words if found.legend else f"{panel.words[0].upper()}{panel.words[1:]}"  # a class keeps its name
        assert f"{begun}." in text
    assert set(found.legend) == ({"low", "middle", "high"} if target == "several" else set())
    if target == "two":
        assert result["target"]["positive"] == "no"  # the rarer one
        assert "The average probability of y = no that" in Page(render(result)).text


def test_curves_are_drawn_where_the_result_says(results):
    result = results["two"]
    one = next(e for e in result["effects"] if e["column"] == "age")
    panel = next(p for p in effects_plot(result).panels if p.column == "age")
    root = ElementTree.fromstring(str(panel.svg))
    points = root.find("polyline[@class='curve c0']").get("points").split()
    x, y = np.array([[float(v) for v in p.split(",")] for p in points]).T
    values, average = np.array(one["values"]), np.array(one["lines"][0]["average"])
    width = SMALL.width - SMALL.left - SMALL.right
    np.testing.assert_allclose(x, SMALL.left + width * (values - values[0]) / (values[-1] - values[0]), atol=0.06)
    slope, _ = np.polyfit(average, y, 1)
    assert slope < 0  # up is more
    np.testing.assert_allclose(np.corrcoef(average, y)[0, 1], -1, atol=1e-4)
    assert len(root.findall("polyline[@class='rug']")) == len(values)


def test_the_direction_is_that_of_the_table(results):
    """'yes' is likelier with age and for a chef, so 'no' is less so; the number grows with age."""
    said = {e["column"]: direction(e) for e in results["two"]["effects"]}
    assert said["age"].startswith("falls from ")
    assert "(chef) to " in said["job"]
    assert direction(results["number"]["effects"][0]).startswith("rises from ")


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (effect([0.1, 0.2, 0.4]), "rises from 10 % at 1 to 40 % at 3"),
        (effect([0.4, 0.2, 0.1]), "falls from 40 % at 1 to 10 % at 3"),
        (effect([0.4, 0.1, 0.4]), "lowest 10 % at 2, highest 40 % at 1"),
        (effect([0.4, 0.4, 0.4]), "stays at 40 %"),
        (effect([0.1, 0.3], [1896.0, 2009.0]), "rises from 10 % at 1896 to 30 % at 2009"),
        (effect([0.1, 0.3], [1896.0, 20090.0]), "rises from 10 % at 1896 to 30 % at 20,090"),
        (effect([5.0, 7.0, 6.0], unit="prediction", scale="levels", values="abc"), "from 5 (a) to 7 (b)"),
        (
            effect([0.5, 0.7], ["2024-01-31", "2024-02-01"], "dates"),
            "rises from 50 % at 2024-01-31 to 70 % at 2024-02-01",
        ),
    ],
)
def test_directions_in_words(one, words):
    assert direction(one) == words


@pytest.mark.parametrize(
    ("first", "last", "labels"),
    [
        ("2010-05-01", "2024-06-01", ["2011", "2015", "2019", "2023"]),
        ("2023-11-15", "2024-03-15", ["2023-12", "2024-01", "2024-02", "2024-03"]),
        ("2024-02-03", "2024-02-20", ["2024-02-03", "2024-02-20"]),
        ("2024-02-03", "2024-02-03", ["2024-02-03"]),
    ],
)
def test_ticks_of_dates_are_dates(first, last, labels):
    ends = [float(np.datetime64(d).astype("datetime64[D]").astype(int) + 719163) for d in (first, last)]
    found = date_ticks(*ends)
    assert [text for _, text in found] == labels
    assert all(ends[0] <= at <= ends[1] for at, _ in found)


def test_levels_are_listed_with_their_dots():
    levels = [f"level {i}" for i in range(20)]
    result = {"effects": [effect(np.linspace(0.1, 0.9, 20), levels, "levels")], "target": {"name": "y"}}
    panel = effects_plot(result).panels[0]
    root = ElementTree.fromstring(str(panel.svg))
    spots = [float(c.get("cx")) for c in root.findall("circle")]
    assert len(spots) == 12
    assert panel.n_hidden == 8
    assert spots == sorted(spots)
    names = [t.text for t in root.findall("text") if t.text.startswith("level")]
    assert names == levels[:12]


def test_dates_of_a_wide_table_are_shown_as_dates(wide):
    one = next(e for e in wide["effects"] if e["column"] == "day 0")
    assert one["scale"] == "dates"
    panel = next(p for p in effects_plot(wide).panels if p.column == "day 0")
    labels = [t.text for t in ElementTree.fromstring(str(panel.svg)).findall("text")]
    assert any(re.fullmatch(r"202\d(-\d\d)?", text) for text in labels)
    assert not any(re.fullmatch(r"7\d{5}|19\d{3}|2\d{4}", text) for text in labels)  # day numbers


def test_a_baseline_has_no_effects(results):
    assert effects_plot({"effects": []}) is None
    assert "Direction of effects" not in Page(render({**results["two"], "effects": []})).text


def test_words_are_of_the_levels_that_are_drawn():
    """Of 14 levels twelve are drawn; the thirteenth has the largest average."""
    values = [f"level {k}" for k in range(14)]
    one = effect([0.1, 0.2, 0.3, 0.2, 0.3, 0.4, 0.5, *[0.2] * 5, 0.9, 0.0], values, "levels")
    (panel,) = effects_plot({"effects": [one], "target": {"name": "y"}}).panels
    assert panel.words == "from 10 % (level 0) to 50 % (level 6)"
    assert panel.n_hidden == 2


def test_every_month_is_drawn_and_of_more_levels_those_with_most_rows():
    months = effect([0.1] * 12, [f"month {k}" for k in range(12)], "levels")
    result = {"effects": [months], "target": {"name": "y"}}
    found = effects_plot(result).panels[0]
    assert (found.n_hidden, str(found.svg).count("circle")) == (0, 12)
    many = effect([k / 20 for k in range(15)], [f"{k} days" for k in range(15)], "levels") | {
        "counts": [1, 1, 1, *[9] * 12]
    }
    found = effects_plot({**result, "effects": [many]}).panels[0]
    assert found.n_hidden == 3
    assert "3 days" in found.svg
    assert "2 days<" not in found.svg.replace("12 days", "")
    assert found.words == "from 15 % (3 days) to 70 % (14 days)"


def test_the_name_of_an_axis_stands_beside_its_ticks():
    axes = Axes("", (-4e11, 0), (-4e11, 0), "predicted", "actual")
    root = ElementTree.fromstring(str(axes.render()))
    ticks = [t for t in root.findall("text[@class='tick']") if t.get("text-anchor") == "end"]
    left = min(float(t.get("x")) - 7.8 * len(t.text) for t in ticks)  # of letters as wide as browsers draw them
    assert left > 20  # where the name of the axis ends
    assert Axes("", (0, 1), (0, 1), "", "share").size == LARGE
