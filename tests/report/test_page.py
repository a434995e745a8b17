"""The page: well-formed, self-contained, escaped, bounded, whatever the result."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.report.conftest import result_of as small_result

from mercer.estimators import registry
from mercer.estimators.registry import LEARNERS, Learner, TaskModel
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.options import ComparisonOptions
from mercer.formatting import percent
from mercer.report.page import render
from mercer.report.sentences import verdict
from mercer.table import open_source

VOID = {"meta", "br", "link", "img", "hr", "input"}


class Page(HTMLParser):
    """Reads a page, and fails on a tag that is closed out of turn."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def tags(self, name):
        return [attrs for tag, attrs in self.seen if tag == name]


def result_of(data, name="a table", **options):
    settings = ComparisonOptions(
        name=name, **{"repeats": 1, "folds": 3, "learners": ["naive_bayes", "baseline"], **options}
    )
    return compare_learners(prepare(open_source(data), "y", settings), lambda what, share: None).to_dict()


def table(kind, n=150, seed=0):
    rng = np.random.default_rng(seed)
    x, c = rng.normal(size=n), rng.choice(["u", "v"], n)
    signal = x + (c == "u") + rng.normal(0, 0.5, n)
    y = {"two": signal > 0.5, "number": 1000 * signal, "many": np.digitize(signal, np.linspace(-1.2, 2.2, 13)) + 100}[
        kind
    ]
    y = np.where(y, "yes", "no") if kind == "two" else [f"k{v}" for v in y] if kind == "many" else y
    return {"x": [None, *x[1:].tolist()], "c": c.tolist(), "y": list(y)}


@pytest.fixture(scope="module")
def results():
    many = table("many", 400)
    counts = {k: many["y"].count(k) for k in set(many["y"])}
    rows = [i for i, k in enumerate(many["y"]) if counts[k] > 1]
    return {
        "two": result_of(table("two")),
        "many": result_of({k: [v[i] for i in rows] for k, v in many.items()}),
        "number": result_of(table("number")),
    }


@pytest.mark.parametrize("kind", ["two", "many", "number"])
def test_pages_are_well_formed_and_stand_alone(results, kind):
    text = render(results[kind])
    page = Page(text)
    assert text.startswith("<!doctype html>")
    assert page.tags("html")[0]["lang"] == "en"
    assert not re.search(r"(https?:)?//[a-z]|url\(|@import|<script|<link|<img|<iframe|javascript:", text)
    for drawing in re.findall(r"<svg.*?</svg>", text, flags=re.S):
        ElementTree.fromstring(drawing)
    assert "nan" not in re.findall(r'(?:points|cx|cy|x|y|width|height)="([^"]*)"', text.lower())
    assert "Undefined" not in text
    assert "None" not in page.text


@pytest.mark.parametrize("kind", ["two", "many", "number"])
def test_pages_can_be_read_without_eyes(results, kind):
    page = Page(render(results[kind]))
    assert all(t.get("scope") in ("col", "row") for t in page.tags("th"))
    assert all(t["role"] == "img" and t["aria-label"] for t in page.tags("svg"))
    levels = [int(tag[1]) for tag, _ in page.seen if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_the_answer_comes_first(results):
    best = results["two"]["leaderboard"][0]
    page = Page(render(results["two"]))
    assert results["two"]["headline"] == "cross_validated"  # 30 held-out rows: too few
    area = best["cross_validated"]["roc_auc"]["value"]
    held_out = Page(render({**results["two"], "headline": "held_out"})).text
    assert f"ranks the first higher {percent(best['held_out']['roc_auc']['value'])}" in held_out
    assert f"Naive Bayes ranks the first higher {percent(area)}" in page.text
    assert page.text.index("ranks the first") < page.text.index("Leaderboard")
    for words in ("Worth using", "Wilson", "bootstrap", "corrected", "mercer predict model.mercer", "holds no row"):
        assert words in page.text
    assert "explains" in Page(render(results["number"])).text
    assert "right for" in Page(render(results["many"])).text


def test_without_a_baseline_the_answer_is_held_against_chance(results):
    for kind, skill in (("two", lambda score: (score - 0.5) / 0.5), ("number", lambda score: score)):
        alone = {**results[kind], "leaderboard": [e for e in results[kind]["leaderboard"] if not e["is_baseline"]]}
        _, sentence = verdict(alone)
        score = alone["leaderboard"][0][alone["headline"]][alone["metric"]["key"]]["value"]
        assert f"closes {percent(skill(score))} of the gap" in sentence
    alone["metric"] = {"key": "rmse", "higher_is_better": False}
    assert "name the learner baseline too" in verdict(alone)[1]


def test_many_classes_list_the_most_frequent_confusions(results):
    diagnostics = results["many"]["diagnostics"]
    matrix = np.array(diagnostics["confusion"])
    np.fill_diagonal(matrix, 0)
    i, j = np.unravel_index(matrix.argmax(), matrix.shape)
    first, second = diagnostics["classes"][i]["label"], diagnostics["classes"][j]["label"]
    assert f"Of the true class {first} {second} {matrix.max()}" in Page(render(results["many"])).text
    assert "Most frequent confusions" not in Page(render(results["two"])).text


def test_everything_given_is_escaped():
    evil = '<script>alert("x")</script>'
    rng = np.random.default_rng(0)
    y = rng.choice([f"{evil}1", f"'\"><b>{evil}"], 60)
    c = np.where(rng.random(60) < 0.5, f"{evil}<i>", "&amp;")
    x = rng.normal(size=60) + (y == y[0])
    words = [f"{evil} {rng.integers(9)} & <b>bold</b> words {i}" for i in range(60)]
    data = {evil: c.tolist(), "<svg onload=alert(1)>": x.tolist(), "t": words, "gone": [evil] * 60, "y": y.tolist()}
    result = result_of(data, name=f"{evil}.csv")
    result["notices"].append(evil)
    text = render(result)
    page = Page(text)
    assert not page.tags("script")
    assert not page.tags("b") or all("alert" not in str(a) for a in page.tags("b"))
    assert not any(key.startswith("on") for _, attrs in page.seen for key in attrs)
    assert evil not in text
    assert evil in page.text


def test_wide_tables_and_long_categories_make_small_pages():
    rng = np.random.default_rng(0)
    n = 3000
    data = {f"column number {j} " + "x" * 200: rng.integers(0, 3, n).tolist() for j in range(60)}
    data["city"] = [f"a city with a long name {i}" for i in rng.integers(0, 2500, n)]
    result = result_of({**data, "y": rng.integers(0, 2, n).tolist()}, folds=2, kinds={"city": "category"})
    result["columns"] *= 100
    result["notices"] = ["a notice " * 100] * 1000
    result["left_out"] = [{"name": "z" * 500, "reason": "why " * 300}] * 5000
    text = render(result)
    assert len(text) < 500_000
    assert "more columns are listed in result.json" in text


def test_labels_that_end_in_a_full_stop_end_a_sentence_once():
    learners = ["tree", "linear", "neighbours", "perceptron", "naive_bayes"]
    text = render(small_result("two", ".", learners=learners, costs="fn=3,fp=1"))
    words = re.sub(r"<[^>]*>", "", re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL))
    assert "no." in words
    assert re.findall(r".{30}[^.]\.\.(?!\.)", words) == []


def test_a_failed_learner_and_a_winning_baseline(monkeypatch):
    def broken(seed, n_jobs):
        raise MemoryError("no room <here>")

    failing = Learner("broken", "Broken", "Fails.", TaskModel(object, None, broken))
    monkeypatch.setattr(registry, "LEARNERS", (failing, *(one for one in LEARNERS if one.is_baseline)))
    page = Page(render(result_of(table("two"), learners=None)))
    assert "failed: MemoryError: no room <here>" in page.text
    assert "Not worth using: no learner does better than ignoring every column." in page.text


def test_a_model_with_training_rows_says_so(results):
    result = {**results["two"], "leaderboard": [{**e, "holds_rows": True} for e in results["two"]["leaderboard"]]}
    assert "It holds rows of the training table" in Page(render(result)).text


def test_scores_that_are_not_defined_leave_a_dash(results):
    entry = results["two"]["leaderboard"][0]
    nothing = {"value": None, "low": None, "high": None, "method": ""}
    blank = {
        **entry,
        "held_out": dict.fromkeys(entry["held_out"], nothing),
        "cross_validated": dict.fromkeys(entry["held_out"], nothing),
        "training": dict.fromkeys(entry["training"]),
    }
    diagnostics = {
        **results["two"]["diagnostics"],
        "roc": [],
        "precision_recall": [],
        "calibration": [],
        "importance": [],
    }
    result = {**results["two"], "leaderboard": [blank, *results["two"]["leaderboard"][1:]], "diagnostics": diagnostics}
    assert "could not be scored" in Page(render(result)).text


def test_a_tie_and_columns_to_look_at_stand_at_the_top(results):
    two = results["two"]
    best, other = two["leaderboard"][0], {**two["leaderboard"][0], "key": "linear", "title": "Linear model"}
    gap = {"value": 0.004, "low": -0.01, "high": 0.018, "method": ""}
    board = [{**best, "title": "Winner"}, {**other, "behind": gap, "tied": True, "near": True}, *two["leaderboard"][1:]]
    notices = ["Look at 'x': by itself it predicts 'y' almost perfectly (ROC AUC 0.999).", "Something else."]
    told = {"simpler": "linear", "doubts": notices[:1], "notices": notices}
    page = Page(render({**two, "leaderboard": board, **told})).text
    top = page[: page.index("Leaderboard")]
    ahead = "A tie: Winner is ahead of Linear model, which is simpler, by 0.004 (−0.010 to 0.018) in ROC AUC"
    assert f"{ahead}, within one standard error. For the simpler model: mercer train ... --prefer simple." in top
    board[1]["near"] = False
    beyond = Page(render({**two, "leaderboard": board, **told})).text
    assert f"{ahead}. For the simpler model: mercer train ... --learner linear." in beyond
    assert "Look at 'x'" in top
    assert "Something else" not in top
    assert "0.004 tie" in page
    assert "A tie" not in Page(render(two)).text


def test_the_first_learner_is_offered_where_it_is_simpler_than_the_one_kept(results):
    """Within a time budget an ensemble near the first is kept, and the first may be the simplest of all."""
    two = results["two"]
    gap = {"value": 0.004, "low": -0.01, "high": 0.018, "method": ""}
    ensemble = {**two["leaderboard"][0], "key": "ensemble", "title": "Ensemble", "behind": gap, "tied": True}
    board = [two["leaderboard"][0], ensemble, *two["leaderboard"][1:]]
    told = {"leaderboard": board, "kept": "ensemble", "simpler": board[0]["key"]}
    top = Page(render({**two, **told})).text.partition("Leaderboard")[0]
    assert (
        f"{board[0]['title']} is simpler than the model that is kept. For it: mercer train ... --prefer simple" in top
    )
    assert "A tie" not in top


@pytest.mark.parametrize(("higher", "verb"), [(True, "falls"), (False, "rises")])
def test_importance_says_which_way_the_score_goes(results, higher, verb):
    two = results["two"]
    text = Page(render({**two, "metric": {**two["metric"], "higher_is_better": higher}})).text
    assert f"How much ROC AUC {verb} when the cells of one column are shuffled" in text


def test_notices_at_the_top_are_not_repeated(results):
    notices = ["Look at 'x': odd.", "30 of 60 rows repeat another row: every score is too good.", "Something else."]
    text = Page(render({**results["two"], "doubts": notices[:2], "notices": notices})).text
    assert [text.count(n) for n in notices] == [1, 1, 1]
    assert text.index("every score is too good") < text.index("Leaderboard") < text.index("Something else")


def test_a_perfect_score_is_told_of_the_rows_it_was_measured_on(results):
    two = results["two"]
    entry = two["leaderboard"][0]
    key = two["headline"]
    perfect = {**entry, key: {**entry[key], "roc_auc": {"value": 1.0, "low": 0.9, "high": 1.0, "method": ""}}}
    text = Page(render({**two, "leaderboard": [perfect, *two["leaderboard"][1:]]})).text
    assert "ranked the first higher in every pair of" in text
    assert "100 % of the time" not in text


def test_rows_are_counted_and_their_weight_is_called_weight():
    rng = np.random.default_rng(4)
    x = rng.normal(size=200)
    y = np.where(x + rng.normal(size=200) > 0.5, "yes", "no")
    data = {"x": x.tolist(), "w": np.where(y == "yes", 0.37, 1.9).tolist(), "y": y.tolist()}
    found = result_of(data, weight="w", learners=["tree"])
    lines = {line["label"]: line for line in found["diagnostics"]["classes"]}
    assert sum(line["rows"] for line in lines.values()) == found["splits"]["n_held_out"]
    text = Page(render(found)).text
    for name, weight in (("yes", 0.37), ("no", 1.9)):
        assert lines[name]["support"] == pytest.approx(weight * lines[name]["rows"])
        assert f"{lines[name]['rows']} {lines[name]['support']:.4g}" in text
    assert "Rows Weight" in text and "cells are sums of them" in text
    assert "all rows : no" in text and ", 200 rows" in text and "% of the weight)" in text
    text = Page(render(result_of({"x": x.tolist(), "y": y.tolist()}, learners=["tree"]))).text
    assert not any(words in text for words in ("Rows Weight", "of the weight", "cells are sums"))
