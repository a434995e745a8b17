"""Sections of the learners: what each must show, that it is escaped, and that pictures mark the right places."""

import re
from html import unescape
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.report.conftest import AGES, result_of
from tests.report.test_page import Page

from mercer.estimators.linear.model_explanation import p_value
from mercer.estimators.svm.model_explanation import TuningGrid
from mercer.estimators.tree.explanations.picture import Node, draw
from mercer.evaluation.result import plain
from mercer.report.explanations import k_figure, sections
from mercer.report.heat_map import heat_map
from mercer.report.page import environment, render

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def pages(results):
    return {target: (render(result), Page(render(result))) for target, result in results.items()}


def part(text, title):
    """The words of the section of one learner."""
    found = re.search(rf'<h2 id="learned">What {title} learned|<h3>{title}</h3>', text)
    end = re.search(r'<details class="learner">|<h2 id="', text[found.end() :]).start() + found.end()
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text[found.start() : end])))


@pytest.mark.parametrize("target", ["two", "several", "number"])
def test_every_learner_has_its_section(results, pages, target):
    text, page = pages[target]
    titles = [entry["title"] for entry in results[target]["leaderboard"]]
    assert f"What {titles[0]} learned" in page.text
    assert len(page.tags("details")) == len(titles) - 1 + len(results[target]["examples"])
    assert all(title in part(text, title) for title in titles)
    assert "could not be explained" not in page.text


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Linear model", ["Std. error", "z value", "p-value", "Odds ratio", "against chef", "AIC", "*** p < 0.001"]),
        ("Support vector machine", ["k(a, b) = exp(−", "Cost C", "Support vectors", "Duality gap", "sigmoid"]),
        ("Decision tree", ["Leaves", "Depth", "Pruned", "If ", "then", "rows"]),
        ("Nearest neighbours", ["Neighbours (k)", "Euclidean", "Distance", "Vote", "Target", "cells are not shown"]),
        ("Averaged perceptron", ["Classes separated", "Passes over the rows", "largest weights"]),
        ("Naive Bayes", ["P(class)", "age", "job"]),
        ("Baseline", ["Always predicts", "shares of the classes"]),
    ],
)
def test_what_each_section_says(pages, title, words):
    text = part(pages["two"][0], title)
    assert [w for w in words if w not in text] == []


def test_sections_of_a_regression(pages):
    text = pages["number"][0]
    linear = part(text, "Linear model")
    assert all(w in linear for w in ("t value", "R²", "Adjusted R²", "Residual standard error", "Residuals: min"))
    assert "Odds ratio" not in linear
    assert "≈" in part(text, "Decision tree")
    assert "the mean of the target" in part(text, "Baseline")
    assert "standard deviation of the target" in part(text, "Support vector machine")


def test_estimates_without_errors_are_not_tested(results):
    result = results["two"]
    found = [dict(e) for e in result["explanations"]]
    place = next(i for i, e in enumerate(found) if e["family"] == "linear")
    found[place]["details"] = {**found[place]["details"], "tested": False}
    text = part(render({**result, "explanations": found}), "Linear model")
    assert "no standard errors, so nothing is tested" in text
    assert "p-value" not in text


def test_an_explanation_that_failed_says_so(results):
    result = results["two"]
    broken = {**result["explanations"][0], "family": "", "details": None, "error": "ValueError: <b>odd</b>"}
    page = Page(render({**result, "explanations": [broken, *result["explanations"][1:]]}))
    assert "This model could not be explained: ValueError: <b>odd</b>" in page.text


def test_names_in_sections_are_escaped():
    evil = '<script>alert("x")</script>'
    text = render(result_of("two", evil))
    page = Page(text)
    assert not page.tags("script")
    assert evil not in text
    for drawing in re.findall(r"<svg.*?</svg>", text, flags=re.S):
        ElementTree.fromstring(drawing)


def test_pages_stay_moderate(pages):
    assert max(len(text) for text, _ in pages.values()) < 150_000


def test_headings_of_sections_go_down_one_level_at_a_time(pages):
    for _, page in pages.values():
        levels = [int(tag[1]) for tag, _ in page.seen if re.fullmatch("h[1-6]", tag)]
        assert all(after - before <= 1 for before, after in pairwise(levels))


def grid(best=(1, 2), simplest=(0, 1)):
    return plain(
        TuningGrid(
            gammas=["0.1", "1"],
            costs=[0.1, 1.0, 10.0],
            mean=[[0.5, 0.6, 0.62], [0.55, 0.61, 0.7]],
            error=[[0.01] * 3] * 2,
            exact=[[True] * 3] * 2,
            scoring="accuracy",
            best=best,
            simplest=simplest,
            folds=5,
            rows=400,
            epsilon=None,
            n_epsilons=1,
        )
    )


def test_the_heat_map_frames_the_chosen_cells():
    made = heat_map(grid())
    root = ElementTree.fromstring(str(made.svg))
    cells = [g.find("rect") for g in root.findall("g")]
    assert len(cells) == 6
    spots = [(float(c.get("x")), float(c.get("y"))) for c in cells]
    frames = {r.get("class"): (float(r.get("x")), float(r.get("y"))) for r in root.findall("rect")}
    assert frames["frame"] == spots[5]
    assert frames["frame simplest"] == spots[1]
    shades = [float(c.get("opacity")) for c in cells]
    assert np.argsort(shades)[-1] == 5
    assert np.argsort(shades)[0] == 0
    assert "best 0.700 at C = 10, γ = 1" in root.get("aria-label")
    assert "Dashed frame" in made.note
    assert "Dashed frame" not in heat_map(grid(simplest=(1, 2))).note
    lone = ElementTree.fromstring(str(heat_map(grid(simplest=None)).svg))
    assert [r.get("class") for r in lone.findall("rect")] == ["frame"]


def test_points_that_were_never_scored_leave_a_gap():
    holed = grid()
    holed["mean"][0][0] = None
    assert len(ElementTree.fromstring(str(heat_map(holed).svg)).findall("g")) == 5


def test_a_tree_is_drawn_from_left_to_right():
    boxes = [
        Node(-1, 0, "all rows", "no", 10, 0.6, [0.6, 0.4, 0.0], 0),
        Node(0, 1, "age <= 3", "no", 4, 1.0, [1.0, 0.0, 0.0], 0),
        Node(0, 1, "age > 3", "yes", 6, 2 / 3, [1 / 3, 2 / 3, 0.0], 5),
    ]
    root = ElementTree.fromstring(draw(boxes, "a <tree>"))
    assert root.get("aria-label") == "a <tree>"
    frames = root.findall(f".//{SVG}rect[@class='box']")
    x, y = ([float(f.get(c)) for f in frames] for c in "xy")
    assert x[0] < x[1] == x[2]
    assert y[1] < y[0] < y[2]
    assert [f.get("stroke-dasharray") is not None for f in frames] == [False, False, True]
    assert "5 leaves beyond" in root.findall(f".//{SVG}title")[2].text
    bar = [float(r.get("width")) for r in root.findall(f".//{SVG}g")[2].findall(f"{SVG}rect")[1:]]
    assert bar[1] == pytest.approx(2 * bar[0], rel=0.01)


@pytest.mark.parametrize(
    ("test", "shown"),
    [
        ("age <= 3", "age <= 3"),
        ("yearly income of the household > 1250.5", "yearly income o… > 1250.5"),
        ("a job of a long name in {clerk, sales}", "a job … in {clerk, sales}"),
        ("town in {Bonn, Ulm, Bremen, Kiel, Trier}", "town in {Bonn, Ulm, Brem…"),
    ],
)
def test_long_conditions_keep_what_they_ask(test, shown):
    boxes = [Node(-1, 0, "all rows", "1", 9, None, [0.5], 0), Node(0, 1, test, "2", 4, None, [0.2], 0)]
    root = ElementTree.fromstring(draw(boxes, "tree"))
    assert [t.text for t in root.findall(f".//{SVG}text[@class='test']")] == ["all rows", shown]


def test_sections_follow_the_leaderboard(results):
    found = sections(results["two"], environment())
    assert [s.explanation["key"] for s in found] == [e["key"] for e in results["two"]["leaderboard"]]
    assert all(s.score.startswith("ROC AUC 0.") for s in found)


def test_small_p_values_in_words():
    assert (p_value(0.0123), p_value(1e-9)) == ("p = 0.012", "p < 0.001")


def coefficients(result):
    return next(e for e in result["explanations"] if e["family"] == "linear")["details"]


def test_effects_are_per_standard_deviation(results):
    """Least squares on the z-scores of a column gives the effect; its test is that of the column itself."""
    details = coefficients(results["number"])
    lines = {line["name"]: line for line in details["tables"][0]["lines"]}
    age = lines["age"]
    assert age["step"] == pytest.approx(np.std(AGES))
    assert age["effect"] == pytest.approx(age["estimate"] * age["step"])
    assert age["statistic"] == pytest.approx(age["effect"] / age["error"])
    assert (age["low"] + age["high"]) / 2 == pytest.approx(age["effect"])
    assert age["ratio"] is None
    assert lines["job=sales"]["step"] == 1


def test_logistic_effects_are_those_of_the_positive_class(results):
    """'no' is the rarer class and the first: older rows and chefs have smaller odds of it."""
    result = results["two"]
    details = coefficients(result)
    assert details["positive"] == result["target"]["positive"] == "no"
    assert details["tables"][0]["title"] == "no against yes"
    lines = {line["name"]: line for line in details["tables"][0]["lines"]}
    assert lines["age"]["effect"] < 0 < lines["job=sales"]["effect"]  # sales against chef
    assert lines["age"]["ratio"] == pytest.approx(np.exp(lines["age"]["effect"]))
    assert lines["age"]["low"] < lines["age"]["effect"] < lines["age"]["high"]
    assert lines["(Intercept)"]["ratio"] is None
    text = part(render(result), "Linear model")
    assert "log odds of y = no" in text
    assert f"age per {lines['age']['step']:.4g} " in text


def test_no_coefficient_is_shown_as_nothing_when_it_is_something(results):
    result = results["two"]
    found = [dict(e) for e in result["explanations"]]
    place = next(i for i, e in enumerate(found) if e["family"] == "linear")
    tiny = {
        **found[place]["details"]["tables"][0]["lines"][1], "name": "tiny", "ratio": 1.000417, "p": 1e-9,
        "stars": "***", "effect": 0.000417, "low": 1e-7, "high": 0.0008,
    }  # fmt: skip
    table = {**found[place]["details"]["tables"][0], "lines": [tiny]}
    found[place]["details"] = {**found[place]["details"], "tables": [table]}
    text = part(render({**result, "explanations": found}), "Linear model")
    assert "1.000417" in text
    assert "< 0.001 ***" in text
    assert "10⁻⁷ to 0.0008" in text


def test_the_weights_of_a_perceptron_are_for_the_class_of_the_page(results):
    """The classes are no and yes; the page is about the rarer one, no."""
    (found,) = (e for e in results["two"]["explanations"] if e["key"] == "perceptron")
    assert (found["details"]["classes"], found["details"]["against"]) == (["yes"], "no")
    said = part(render(results["two"]), "Averaged perceptron")
    assert "Above 0: towards no; below: towards yes." in said
    first, weight = found["details"]["terms"][0], found["details"]["weights"][0][0]
    shown = re.search(rf"{re.escape(first)} ([+−][0-9.]+)", said).group(1)
    assert float(shown.replace("−", "-")) == pytest.approx(-weight, abs=0.006)


def test_a_loss_of_every_k_is_said_to_be_minus_it():
    def noted(curve, scoring):
        return k_figure({"curve": curve, "k": 1, "scoring": scoring}, "classification").note

    assert noted([(1, -0.3), (3, -0.2)], "cost").startswith("The minus cost of every k tried")
    assert noted([(1, -0.3), (3, -0.2)], "neg log loss").startswith("The minus log loss of")
    assert noted([(1, 0.8), (3, 0.9)], "accuracy").startswith("The accuracy of")


def test_methods_begin_with_a_capital_letter(results):
    for result in results.values():
        method = result["examples"][0]["explanation"]["method"]
        assert f"The parts add up to the answer. {method[0].upper()}{method[1:]}." in Page(render(result)).text


LONG = "a class with a very long name"


def test_words_in_the_boxes_of_a_tree_fit(browser, tmp_path):
    """In the widest of the usual fonts, bold: neither beyond the box nor into the number of rows."""
    tests = ["median_income <= 3.50195", "measurement of > -0.366456", "MMMMMMMMMMMM in {MM, WWWW}", "all rows"]
    nodes = [
        Node(-1 if i == 0 else 0, min(i, 1), test, LONG, 1250.0, 0.53, [0.5, 0.5], 0) for i, test in enumerate(tests)
    ]
    path = tmp_path / "tree.html"
    style = "<style>text { font-family: DejaVu Sans, Verdana, sans-serif }</style>"
    path.write_text(f"<meta charset=utf-8>{style}{draw(nodes, 'tree')}", encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    groups = page.evaluate(
        "[...document.querySelectorAll('g')].map(g => [...g.querySelectorAll('rect.box, text')]"
        ".map(e => e.getBoundingClientRect()).map(r => [r.left, r.right]))"
    )
    page.close()
    for box, test, answer, count in groups:
        assert test[1] <= box[1] - 4
        assert answer[1] <= count[0]
