"""The section on decisions: sentences, tables that need no script, and data of the slider that are safe in a page."""

import base64
import hashlib
import json
import re

import numpy as np
import pytest

from mercer.formatting import amount, percent
from mercer.report.decision import safe_json
from mercer.report.page import render
from mercer.report.sentences import figure, interval, kept

from .test_page import Page, result_of

EVIL = "</script><script>alert(1)</script>"


def payments(labels=("no", "yes"), n=300, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = rng.random(n) < 1 / (1 + np.exp(2 - 2 * x))
    return {"x": x.tolist(), "amount": rng.exponential(20, n).tolist(), "y": np.array(labels)[y.astype(int)].tolist()}


@pytest.fixture(scope="module")
def costly():
    return result_of(payments(), costs="fn=20,fp=1")


def test_the_decision_is_shown_with_what_it_costs(costly):
    found = costly["decision"]
    page = Page(render(costly)).text
    assert f"A row is called yes from a probability of {found['threshold']:.4f}, where rows held out" in page
    assert "A missed row costs 20, a false alarm 1." in page
    assert "As decided At 0.5 Saved" in page
    for line in found["cross_validated"][:2]:
        assert f"{line['cost']:.4f}" in page
    assert found["cost_cross_validated"]["saved"]["value"] > 0
    assert "would cost" in page[: page.index("Leaderboard")]
    assert "fitted without class weights" in page or "fitted with class weights" in page


def test_the_slider_holds_what_the_tables_say(costly):
    text = render(costly)
    steps = json.loads(re.search(r'<script type="application/json" id="slider-steps">(.*?)</script>', text).group(1))
    found = costly["decision"]
    for place, line in zip((steps["chosen"], steps["usual"]), found["cross_validated"], strict=False):
        assert steps["true"][place] == line["true_positive"]
        assert steps["false"][place] == line["false_positive"]
        assert steps["cost"][place] == pytest.approx(line["cost"], rel=1e-5)
    assert steps["thresholds"] == sorted(steps["thresholds"], reverse=True)
    assert steps["true"][0] == steps["false"][0] == 0
    assert (steps["true"][-1], steps["false"][-1]) == (steps["positive"], steps["negative"])
    assert min(steps["cost"]) == pytest.approx(found["cross_validated"][0]["cost"], rel=1e-5)


def test_the_button_of_the_usual_threshold_says_so(browser, costly, tmp_path):
    """No probability lies between 0.5 and the threshold of that step."""
    path = tmp_path / "report.html"
    path.write_text(render(costly), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.click("#slider [data-to=usual]")
    shown = page.inner_text("#slider-threshold"), float(page.inner_text("#slider [data-cell=tp] b"))
    page.close()
    line = next(line for line in costly["decision"]["cross_validated"] if line["threshold"] == 0.5)
    assert shown == ("0.5000", line["true_positive"])


def test_small_thresholds_are_not_written_as_none(costly, browser, tmp_path):
    """Of a class in one row of 100,000."""
    decision = costly["decision"]
    scale = 1e-5
    lines = [{**line, "threshold": line["threshold"] * scale} for line in decision["cross_validated"]]
    steps = {**decision["steps"], "thresholds": [t * scale for t in decision["steps"]["thresholds"]], "usual": 0}
    small = {**decision, "threshold": decision["threshold"] * scale, "cross_validated": lines, "steps": steps}
    text = render({**costly, "decision": small})
    said = re.search(r"from a probability of (0\.0000[0-9]*[1-9][0-9]*)", text).group(1)
    assert float(said) == pytest.approx(small["threshold"], rel=0.06)
    assert f'class="n">{said} chosen' in text
    path = tmp_path / "report.html"
    path.write_text(text, encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.inner_text("#slider-threshold") == f"{said} (chosen)"
    page.close()


@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_the_slider_shows_what_each_threshold_leads_to(browser, costly, tmp_path, place):
    path = tmp_path / "report.html"
    path.write_text(render(costly), encoding="utf-8")
    steps = costly["decision"]["steps"]
    i = {"first": 0, "middle": len(steps["thresholds"]) // 2, "last": len(steps["thresholds"]) - 1}[place]
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.locator("#slider").is_visible()
    assert "(chosen)" in page.inner_text("#slider-threshold")
    page.locator("#slider-range").fill(str(len(steps["thresholds"]) - 1 - i))
    shown = {name: page.inner_text(f"#slider [data-cell={name}] b") for name in ("tp", "fn", "fp", "tn")}
    said = {name: page.inner_text(f"#slider [data-out={name}]") for name in ("recall", "precision", "flagged", "cost")}
    threshold = page.inner_text("#slider-threshold")
    page.close()
    tp, fp = steps["true"][i], steps["false"][i]
    positive, negative = steps["positive"], steps["negative"]
    counts = {"tp": tp, "fn": positive - tp, "fp": fp, "tn": negative - fp}
    assert {name: float(text) for name, text in shown.items()} == pytest.approx(counts)
    assert threshold.startswith(f"{steps['thresholds'][i]:.4f}")
    assert float(said["cost"]) == pytest.approx((20 * (positive - tp) + fp) / (positive + negative), rel=1e-3)
    shares = {"recall": tp / positive, "flagged": (tp + fp) / (positive + negative)}
    for name, share in shares.items():
        assert float(said[name].removesuffix(" %")) / 100 == pytest.approx(share, abs=0.006)
    assert said["precision"] == "\N{EN DASH}" if tp + fp == 0 else float(said["precision"][:-2]) > 0


def test_the_table_of_thresholds_needs_no_script(browser, costly, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(render(costly), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert not page.locator("#slider").is_visible()
    text = page.inner_text("body")
    context.close()
    for line in costly["decision"]["cross_validated"]:
        assert f"{line['threshold']:.4f}" in text


def test_the_one_script_is_allowed_by_its_hash_and_hidden_parts_are_shown_by_it(costly):
    text = render(costly)
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    policy = Page(text).tags("meta")[1]["content"]
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert re.search(r'id="slider"[^>]* hidden>', text)
    assert not re.search(r"(https?:)?//[a-z]|innerHTML|eval\(", text)


@pytest.mark.parametrize(
    ("name", "title"), [("cost_curve", "Cost of a row by threshold"), ("gains", "Gains: "), ("lift", "Lift: ")]
)
def test_cost_gains_and_lift_are_drawn_with_their_bands(costly, name, title):
    curve = costly["decision"][name]
    assert all(low <= y <= high for low, y, high in zip(curve["low"], curve["y"], curve["high"], strict=True))
    (drawn,) = re.findall(rf'<svg [^>]*aria-label="{title}.*?</svg>', render(costly), flags=re.DOTALL)
    (band,) = re.findall(r'<polygon class="band [^>]*points="([^"]*)"', drawn)
    corners = np.array([corner.split(",") for corner in band.split()], dtype=float)
    assert len(corners) == 2 * len(curve["x"])  # the lower line, then the upper one back
    lower, upper = corners[: len(curve["x"]), 1], corners[len(curve["x"]) :, 1][::-1]
    assert (lower >= upper).all()  # y grows downwards in a drawing
    assert (lower > upper).any()


def test_the_dots_of_gains_and_lift_are_what_the_table_says(costly):
    line, text = costly["decision"]["cross_validated"][0], render(costly)
    assert f"{percent(line['recall'])} found in {percent(line['flagged'])} of the rows" in text
    assert f"{amount(line['recall'] / line['flagged'], 3)} times, in {percent(line['flagged'])} of the rows" in text


def test_rows_called_by_their_number_are_not_those_that_predict_would_call():
    """The most probable rows of the held-out ones alone would be others than those above one probability."""
    page = Page(render(result_of(payments(), threshold="top=20"))).text
    assert "the command mercer predict calls the 20 most probable of a table so" in page
    assert "as the command mercer predict answers" not in page


def test_a_page_without_decisions_has_no_script():
    text = render(result_of(payments()))
    assert "<script" not in text
    assert "script-src" not in text


def test_names_of_classes_cannot_leave_the_data():
    text = render(result_of(payments(("fine", EVIL)), costs="fn=20,fp=1"))
    assert EVIL not in text
    assert len(Page(text).tags("script")) == 2
    assert "</script>" not in safe_json({"name": EVIL, "and": "<!--"})
    assert "<" not in safe_json([EVIL])
    assert json.loads(safe_json({"name": EVIL})) == {"name": EVIL}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threshold": "recall=0.8"}, "the largest precision of all thresholds with a recall of at least 0.8"),
        ({"threshold": "top=20"}, "The 20 most probable rows of a table are called yes"),
        ({"threshold": 0.3}, "from a probability of 0.3000, as given"),
        ({"costs": {"fn": "amount", "fp": 2}}, "where that is expected to cost less, by its own costs"),
    ],
)
def test_every_rule_is_told(options, words):
    page = Page(render(result_of(payments(), **options))).text
    assert words in page


def test_several_classes_show_their_costs():
    data = payments()
    data["y"] = ["low" if x < -0.5 else y for x, y in zip(data["x"], data["y"], strict=True)]
    names = ("low", "no", "yes")
    costs = {i: {j: 7 if i == "yes" else 1 for j in names if j != i} for i in names}
    result = result_of(data, costs=costs)
    page = Page(render(result)).text
    assert result["decision"]["rule"] in ("expected cost", "most probable")
    assert "Which class is a row called?" in page
    assert "yes 7 7 0" in page


def test_the_top_of_the_page_tells_recall_and_precision_as_decided(costly):
    top = (page := Page(render(costly)).text)[: page.index("Leaderboard")]
    scores = kept(costly)[costly["headline"]]
    for key, title in (("recall", "Recall of yes, as decided"), ("precision", "Precision")):
        assert f"{title} {figure(key, scores[key]['value'])} {interval(key, scores[key])}" in top
    assert "Accuracy" not in top
    assert "the class predicted is that of the decision, as the command mercer predict answers" in page
    assert "What other thresholds lead to stands below" in page


def test_the_errors_by_class_are_those_of_the_decision(costly):
    line, confusion = costly["decision"]["held_out"][0], costly["diagnostics"]["confusion"]
    parts = [[line["true_negative"], line["false_positive"]], [line["false_negative"], line["true_positive"]]]
    assert confusion == parts
    assert costly["leaderboard"][0]["held_out"]["recall"]["value"] == pytest.approx(line["recall"])


def test_a_threshold_chosen_by_the_metric_is_shown_with_what_the_usual_one_gives():
    result = result_of(payments(), metric="f1_macro")
    found = result["decision"]
    page = Page(render(result)).text
    assert f"from a probability of {found['threshold']:.4f}, where rows held out in cross-validation have the" in page
    assert "the largest F1, macro." in page
    assert "F1, macro, with 95 % intervals Rows As decided At 0.5 Gained" in page
    for rows in ("cross_validated", "held_out"):
        both = found[f"score_{rows}"]
        for rule in ("chosen", "usual"):
            assert f"{both[rule]['value']:.3f} {both[rule]['low']:.3f} to {both[rule]['high']:.3f}" in page
        assert result["leaderboard"][0][rows]["f1_macro"] == both["chosen"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "the more probable one, from a probability of 0.5: ROC AUC does not depend on a threshold"),
        ({"metric": "brier"}, "Brier score does not depend on a threshold"),
        ({"metric": "recall"}, "recall alone is largest where every row is called positive"),
        ({"metric": "precision"}, "precision alone is largest where hardly a row is called positive"),
    ],
)
def test_where_no_threshold_was_chosen_the_report_says_why(options, words):
    result = result_of(payments(), **options)
    assert result["decision"] is None
    assert words in Page(render(result)).text
