"""Notices: alike ones become one, those that doubt the scores come first, and nothing that differs is lost."""

import pickle
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer.errors import Aliased, ColumnWarning, OutliersLeftOut
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.metrics import METRICS
from mercer.evaluation.notice import Notice, merged, with_notices
from mercer.evaluation.notices import (
    _belong_together,
    _fewer_folds,
    _follow_in_time,
    _meant_as_missing,
    _spelt_alike,
    _totals,
)
from mercer.evaluation.options import ComparisonOptions
from mercer.table import open_source


@pytest.mark.parametrize(
    ("notices", "expected"),
    [
        ([], []),
        ([Notice("odd.", "A", "x"), Notice("odd.", "A", "y")], ["A: Columns 'x', 'y': odd."]),
        ([Notice("gaps.", "A", "x"), Notice("gaps.", "B", "x")], ["A, B: Column 'x': gaps."]),
        (
            [Notice("3 terms: 'u'.", "A", kind=Aliased), Notice("5 terms: 'v'.", "A", kind=Aliased)],
            ["A: 5 terms: 'v'."],
        ),
        (
            [Notice("3 terms.", "A", kind=Aliased), Notice("5 terms.", "B", kind=Aliased)],
            ["A: 3 terms.", "B: 5 terms."],
        ),
        ([Notice("3 terms.", "A"), Notice("5 terms.", "A")], ["A: 3 terms.", "A: 5 terms."]),  # not of one kind
        (
            [Notice("3 terms.", "A", kind=Aliased), Notice("5 rows.", "A", kind=OutliersLeftOut)],
            ["A: 3 terms.", "A: 5 rows."],
        ),
        ([Notice("x.", "A", "V1"), Notice("y.", "A", "V2")], ["A: Column 'V1': x.", "A: Column 'V2': y."]),
        ([Notice("Column 'x': odd."), Notice("Column 'y': odd.")], ["Column 'x': odd.", "Column 'y': odd."]),
    ],
)
def test_alike_notices_become_one(notices, expected):
    assert merged(notices) == expected


def test_many_columns_are_counted():
    found = merged([Notice("gaps.", column=f"c{j}") for j in range(30)])
    assert found == ["Columns 'c0', 'c1', 'c2', 'c3', 'c4', 'c5' and 24 more: gaps."]


def test_warnings_tell_their_column_and_kind_in_this_process_and_in_another():
    def fit():
        warnings.warn(ColumnWarning("a", "gaps."), stacklevel=1)
        warnings.warn("3 terms", Aliased, stacklevel=1)
        warnings.warn("stopped", ConvergenceWarning, stacklevel=1)
        warnings.warn("else", UserWarning, stacklevel=1)
        return 1

    assert with_notices("A", fit) == (
        1,
        (
            Notice("gaps.", "A", "a"),
            Notice("3 terms", "A", kind=Aliased),
            Notice("stopped", "A", kind=ConvergenceWarning),
            Notice("else", "A"),
        ),
    )
    assert str(pickle.loads(pickle.dumps(ColumnWarning("a", "gaps.")))) == "Column 'a': gaps."


def test_what_doubts_the_scores_comes_first():
    rng = np.random.default_rng(0)
    n = 240
    y = rng.random(n) < 0.5
    data = {
        "leak": np.where(y, 5.0, 1.0).tolist(),
        "id": rng.integers(0, 50, n).tolist(),
        "zip": rng.integers(0, 50, n).tolist(),
        **{f"town {j}": [f"place {k}" for k in rng.integers(0, 150, n)] for j in range(3)},
        "y": ["" if i < 5 else "yes" if v else "no" for i, v in enumerate(y)],
    }
    options = ComparisonOptions(
        folds=3, repeats=1, learners=["linear", "perceptron"], kinds={f"town {j}": "category" for j in range(3)}
    )
    found = compare_learners(prepare(open_source(data), "y", options), lambda what, share: None).notices
    assert found[0].startswith("Look at 'leak': by itself it predicts 'y' almost perfectly")
    assert found[1].startswith("Look at 'id', 'zip': of each, its name says")
    assert found[1].endswith("--drop 'id' --drop 'zip'.")
    assert found[2].startswith("'id' has 50 different cells")
    assert found[3] == "5 rows without a value of 'y' left out."
    towns = [n for n in found if "'town 0', 'town 1', 'town 2'" in n]
    assert len(towns) == len([n for n in found if "town" in n]) == 2
    assert all(
        n.split(":")[0] in ("Linear model, Averaged perceptron", "Averaged perceptron, Linear model") for n in towns
    )
    assert len(found) <= 7


@pytest.mark.parametrize("turns", [True, False])
def test_held_out_rows_that_are_predicted_worse_than_folds_say_are_doubted(turns):
    rng = np.random.default_rng(0)
    x, day = rng.normal(size=600), np.arange(600)
    sign = np.where((day >= 480) & turns, -1, 1)  # the last fifth is held out
    y = np.where(sign * x + rng.normal(size=600) * 0.7 > 0, "up", "down")
    options = ComparisonOptions(name="t", learners=("linear", "baseline"), time="day")
    found = compare_learners(prepare(open_source({"x": x, "day": day, "y": y}), "y", options), lambda what, share: None)
    doubts = [said for said in found.doubts if "what holds for earlier rows does not hold for the latest" in said]
    assert len(doubts) == turns
    if turns:
        assert doubts[0].startswith("Linear model: ROC AUC 0.")
        assert found.notices[0] == doubts[0]


def run_of(title, scores):
    folds = [SimpleNamespace(scores={"roc_auc": s}) for s in scores]
    return SimpleNamespace(entry=SimpleNamespace(title=title, error=None), folds=folds)


def test_a_learner_of_fewer_folds_before_one_whose_mean_reads_better_is_explained():
    mean, forest = run_of("Ensemble", [0.5, 0.6]), run_of("Forest", [0.5, 0.58, 0.8, 0.8])
    said = _fewer_folds([mean, forest], METRICS["roc_auc"])
    assert "Ensemble was scored on the first 2 of 4 folds" in said
    assert "its ROC AUC is 0.55, that of Forest 0.54" in said
    assert _fewer_folds([forest, mean], METRICS["roc_auc"]) == ""
    high = run_of("Ensemble", [0.8, 0.8]), run_of("Forest", [0.85, 0.8, 0.5, 0.5])
    said = _fewer_folds([high[1], high[0]], METRICS["roc_auc"])
    assert "Ensemble was scored on the first 2 of 4 folds" in said
    assert "its ROC AUC is 0.8, that of Forest 0.825" in said
    assert _fewer_folds([run_of("Ensemble", [0.9, 0.9]), forest], METRICS["roc_auc"]) == ""
    assert _fewer_folds([run_of("A", [0.5, 0.5]), run_of("B", [0.6, 0.6])], METRICS["roc_auc"]) == ""


@pytest.mark.parametrize(
    ("metric", "threshold", "said"),
    [
        (
            "recall",
            None,
            "Ranked by recall alone, which is largest where every row is called positive: Linear model has",
        ),
        (
            "precision",
            None,
            "Ranked by precision alone, which is largest of hardly a row: Linear model has a precision of",
        ),
        ("recall", "precision=0.5", ""),
        ("f1", None, ""),
    ],
)
def test_recall_or_precision_alone_comes_with_the_other(metric, threshold, said):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    source = open_source({"x": x, "y": np.where(x + rng.normal(size=300) > 1, "yes", "no")})
    options = ComparisonOptions(name="t", learners=("linear", "baseline"), metric=metric, threshold=threshold)
    found = compare_learners(prepare(source, "y", options), lambda what, share: None)
    doubts = [one for one in found.doubts if one.startswith("Ranked by")]
    assert [one.startswith(said) for one in doubts] == [True] * bool(said)
    if said:
        scores = found.best.cross_validated
        assert f"a recall of {scores['recall'].value:.1%}" in doubts[0]
        assert f"a precision of {scores['precision'].value:.1%}" in doubts[0]


def test_rows_of_one_patient_in_several_folds_are_pointed_out():
    columns = {
        "patient_id": [f"p{i // 4}" for i in range(200)],
        "x": np.arange(200) % 7,
        "y": [i % 2 for i in range(200)],
    }
    (said,) = _belong_together(prepare(open_source(columns), "y", ComparisonOptions()))
    assert "'patient_id' has 50 different cells, each in 4.0 rows on average" in said
    assert "--group 'patient_id'" in said
    assert _belong_together(prepare(open_source(columns), "y", ComparisonOptions(group="patient_id"))) == []


@pytest.mark.parametrize("turned", [False, True])
def test_rows_in_the_order_of_time_are_pointed_out(turned):
    days = [f"2024-0{1 + i // 56}-{1 + i % 56 // 2:02d}" for i in range(200)]  # two rows a day
    columns = {"seen": days[::-1] if turned else days, "x": np.arange(200) % 7, "y": [i % 2 for i in range(200)]}
    (said,) = _follow_in_time(prepare(open_source(columns), "y", ComparisonOptions()))
    assert "in the order of 'seen'" in said and "--time 'seen'" in said
    mixed = columns | {"seen": np.random.default_rng(0).permutation(days).tolist()}
    assert _follow_in_time(prepare(open_source(mixed), "y", ComparisonOptions())) == []
    options = ComparisonOptions(learners=("baseline",), time="seen")
    found = compare_learners(prepare(open_source(columns), "y", options), lambda what, share: None)
    assert not any("in the order of" in said for said in found.notices)


def test_numbers_that_may_stand_for_missing_values_are_pointed_out():
    rng = np.random.default_rng(0)
    columns = {
        "a": np.where(np.arange(200) % 20, rng.normal(size=200), -999.0),
        "b": np.where(np.arange(200) % 15, rng.integers(0, 30, 200), -999),
        "income": np.where(np.arange(200) % 50, rng.integers(0, 5000, 200), 99999),
        "plain": rng.normal(size=200),
        "y": [i % 2 for i in range(200)],
    }
    context = prepare(open_source(columns), "y", ComparisonOptions(learners=("baseline",)))
    assert [said.split(" stands apart")[0] for said in _meant_as_missing(context)] == [
        "-999 in 'a', 'b'",
        "99999 in 'income'",
    ]
    found = compare_learners(context, lambda what, share: None)
    assert any(said.endswith("say so: --missing 'a=-999' --missing 'b=-999'.") for said in found.doubts)


def test_levels_in_several_spellings_are_pointed_out():
    columns = {
        "city": ["Bonn", "bonn", "Ulm", "New York", "New  York"] * 40,
        "x": np.arange(200) % 7,
        "answer": ["Yes", "no", "YES", "No"] * 50,
    }
    (said,) = _spelt_alike(prepare(open_source(columns), "answer", ComparisonOptions()))
    assert "'answer' ('No' = 'no', 'YES' = 'Yes')" in said
    assert "'city' ('Bonn' = 'bonn', 'New  York' = 'New York')" in said
    plain = columns | {"city": ["Bonn", "Ulm"] * 100, "answer": ["yes", "no"] * 100}
    assert _spelt_alike(prepare(open_source(plain), "answer", ComparisonOptions())) == []


@pytest.mark.parametrize(("task", "y", "told"), [(None, 4, True), ("classification", 4, False), (None, 2, False)])
def test_whole_numbers_that_are_taken_as_classes_are_pointed_out(task, y, told):
    columns = {"x": np.arange(200) % 7, "visits": np.arange(200) % y}
    options = ComparisonOptions(learners=("baseline",), task=task)
    found = compare_learners(prepare(open_source(columns), "visits", options), lambda what, share: None)
    assert any(said.endswith("say --task regression.") for said in found.notices) == told


def test_held_out_rows_of_one_class_are_told_and_give_no_importance(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = np.where(np.arange(200) < 150, np.where(x + rng.normal(size=200) > 0, "b", "a"), "a")
    result = mercer.train(
        {"when": np.arange(200), "x": x, "y": y}, "y", time_column="when", learners=["linear", "baseline"], quick=True
    )
    assert result.best.held_out["roc_auc"].value is None
    assert any(said.startswith("All of the 40 held-out rows are 'a'") for said in result.notices)
    assert result.comparison.diagnostics.importance == []
    assert "Which columns matter" not in result.report(tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    ("last", "told"), [(["Total"], 1), (["Gesamt:", "Quelle: ERP"], 1), (["c"], 0), (["Total"] * 9, 0)]
)
def test_a_sum_below_the_rows_is_pointed_out(last, told):
    shops = [*("abc"[k % 3] for k in range(60)), *last]
    sales = [float(k % 17) for k in range(len(shops))]
    context = prepare(open_source({"shop": shops, "sales": sales}), "sales", ComparisonOptions(learners=("baseline",)))
    found = _totals(context)
    assert len(found) == told
    assert all(f"{last[0]!r} in 'shop', in one of the last rows" in said for said in found)
