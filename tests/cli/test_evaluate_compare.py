"""mercer evaluate and mercer compare, as a user types them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from typer.testing import CliRunner

import mercer
from mercer.cli.app import app

Run = Callable[..., Any]


def write(path: Path, n: int, seed: int = 0, **changed: Any) -> Path:
    """Rows with a number, a category and a target that the number mostly tells."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n).round(3)
    wild = np.where(size + rng.normal(size=n) > 0.3, "yes", "no")
    columns = {"size": size, "colour": rng.choice(["red", "blue"], n), "wild": wild, **changed}
    lines = [",".join(columns), *(",".join(map(str, line)) for line in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    rows = mercer.read_table(write(tmp_path / "train.csv", 120, seed=1))
    fitted = mercer.NaiveBayes().fit(rows.drop(["wild"]), rows.column("wild"))
    mercer.save(fitted, tmp_path / "model.mercer", target="wild")
    return tmp_path / "model.mercer"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    rows = mercer.read_table(write(tmp_path / "train.csv", 120, seed=1))
    fitted = mercer.MajorityClass().fit(rows.drop(["wild", "colour"]), rows.column("wild"))
    mercer.save(fitted, tmp_path / "majority.mercer", target="wild")
    return tmp_path / "majority.mercer"


def test_evaluate_says_what_python_says(mercer_in: Run, model: Path, tmp_path: Path) -> None:
    table = write(tmp_path / "new.csv", 80)
    result = mercer_in("evaluate", model, table, "--out", "scores.json")
    assert result.exit_code == 0, result.output
    rows = mercer.read_table(table)
    found = mercer.evaluate(mercer.load(model), rows.drop(["wild"]), rows.column("wild"))
    assert str(found) in result.stdout
    assert json.loads(Path("scores.json").read_text())["scores"] == found.to_dict()["scores"]
    assert "Written: scores.json" in result.stdout
    printed = mercer_in("evaluate", model, table, "--json")
    assert json.loads(printed.stdout) == json.loads(Path("scores.json").read_text())
    assert mercer_in("evaluate", model, table, "--out", "scores.html").exit_code == 0
    assert "<table>" in Path("scores.html").read_text()


def test_rows_without_a_target_are_left_out_and_unknown_classes_count_as_wrong(
    mercer_in: Run, model: Path, tmp_path: Path
) -> None:
    table = write(tmp_path / "new.csv", 6, wild=["yes", "", "no", "maybe", "yes", "no"])
    result = mercer_in("evaluate", model, table, "--json")
    assert json.loads(result.stdout)["n_rows"] == 5
    assert "1 row without a value of 'wild' left out" in result.stderr
    assert "1 row of a class unknown to the model ('maybe')" in result.stderr


def test_models_on_a_table(mercer_in: Run, model: Path, other: Path, tmp_path: Path) -> None:
    table = write(tmp_path / "new.csv", 150)
    result = mercer_in("compare", model, other, table)
    assert result.exit_code == 0, result.output
    assert "McNemar" in result.stdout and "DeLong" in result.stdout
    found = json.loads(mercer_in("compare", model, other, table, "--json").stdout)
    auc = next(d for d in found["differences"][0] if d["metric"] == "roc_auc")
    assert auc["low"] > 0.05
    wide = write(tmp_path / "visits.csv", 150, patient=[i // 15 for i in range(150)])
    result = mercer_in("evaluate", model, wide, "--group", "patient", "--json")
    assert any("150 rows in 10 groups" in said for said in json.loads(result.stdout)["notes"])
    grouped = json.loads(mercer_in("compare", model, other, wide, "--group", "patient", "--json").stdout)
    assert grouped["differences"][0] != found["differences"][0]
    assert "Did you mean 'patient'" in mercer_in("evaluate", model, wide, "--group", "patien").stderr


def test_rows_have_the_weights_of_a_column(mercer_in: Run, model: Path, other: Path, tmp_path: Path) -> None:
    weight = np.random.default_rng(5).integers(1, 6, 150)
    wild = ["" if i == 7 else "yes" if i % 3 else "no" for i in range(150)]
    table = write(tmp_path / "new.csv", 150, importance=weight, wild=wild)
    found = json.loads(mercer_in("evaluate", model, table, "--weight", "importance", "--json").stdout)["scores"]
    rows = mercer.read_table(table).take(known := np.arange(150) != 7)
    truth = np.array(wild)[known]
    proba = mercer.load(model).predict_proba(rows.drop(["wild", "importance"]))
    area = roc_auc_score(truth == "yes", proba[:, 1], sample_weight=weight[known])
    assert found["roc_auc"]["value"] == pytest.approx(area)
    shown = mercer_in("evaluate", model, table, "--weight", "importance").stdout
    assert re.search(r"^yes +\d+ +\d+$", shown, re.MULTILINE)  # weights of the confusion matrix, without .0
    gap = json.loads(mercer_in("compare", model, other, table, "--weight", "importance", "--json").stdout)
    assert next(d for d in gap["differences"][0] if d["metric"] == "roc_auc")["value"] == pytest.approx(area - 0.5)
    assert "Did you mean 'importance'" in mercer_in("evaluate", model, table, "--weight", "importanc").stderr
    for bad, said in (
        ("-1", "weight = 'importance', row 1: -1 is below 0. A weight is 0 or more"),
        ("", "the cell is missing"),
    ):
        write(table, 150, importance=[bad, *weight[1:]])
        assert said in mercer_in("evaluate", model, table, "--weight", "importance").stderr
    write(table, 150, importance=[2] * 150)  # all the same: as without weights
    alike = json.loads(mercer_in("evaluate", model, table, "--weight", "importance", "--json").stdout)["scores"]
    plain = json.loads(mercer_in("evaluate", model, table, "--json").stdout)["scores"]
    assert alike["f1"]["low"] == pytest.approx(plain["f1"]["low"])


@pytest.mark.parametrize(
    ("changed", "words", "message"),
    [
        ({"wild": ["rot", "blau"] * 10}, (), "another target"),
        ({"wild": [""] * 20}, (), "is missing: there is nothing to compare"),
        ({}, ("--target", "wilde"), "the target to compare with. Did you mean 'wild'"),
        ({}, ("--positive", "maybe"), "no class 'maybe'"),
        ({}, ("--out", "scores.txt"), "written as .json or .html"),
        ({}, ("--out", "no/such/folder/scores.json"), "scores.json"),
    ],
)
def test_bad_input_of_evaluate(
    mercer_in: Run, model: Path, tmp_path: Path, changed: Any, words: Any, message: str
) -> None:
    result = mercer_in("evaluate", model, write(tmp_path / "new.csv", 20, **changed), *words)
    assert result.exit_code == 2, result.output
    assert message in result.stderr


def test_a_model_of_numbers_wants_numbers(mercer_in: Run, tmp_path: Path) -> None:
    rows = mercer.read_table(write(tmp_path / "train.csv", 60))
    fitted = mercer.DecisionTreeRegressor(max_depth=2).fit(rows.drop(["size"]), rows.column("size"))
    mercer.save(fitted, tmp_path / "size.mercer", target="size")
    result = mercer_in("evaluate", tmp_path / "size.mercer", write(tmp_path / "new.csv", 40, seed=3))
    assert result.exit_code == 0, result.output
    assert "RMSE" in result.stdout
    wrong = mercer_in("evaluate", tmp_path / "size.mercer", tmp_path / "new.csv", "--target", "wild")
    assert wrong.exit_code == 2
    assert "predicts numbers" in wrong.stderr


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of one table with the same and with other folds, on another table and with another target."""
    folder = tmp_path_factory.mktemp("runs")
    table, smaller = write(folder / "flowers.csv", 90), write(folder / "fewer.csv", 60)
    plans = {
        "a": (table, "wild", "tree", 0),
        "b": (table, "wild", "naive_bayes", 0),
        "other-folds": (table, "wild", "naive_bayes", 7),
        "other-table": (smaller, "wild", "tree", 0),
        "other-target": (table, "colour", "tree", 0),
    }
    for name, (path, target, learner, seed) in plans.items():
        words = ["train", path, "-t", target, "--learner", learner, "--learner", "baseline"]
        words += ["--quick", "--seed", seed, "--out", folder / name]
        result = CliRunner().invoke(app, [str(w) for w in words])
        assert result.exit_code == 0, result.output
    return folder


def test_runs_with_the_same_folds_are_paired(mercer_in: Run, runs: Path) -> None:
    result = mercer_in("compare", runs / "a", runs / "b")
    assert result.exit_code == 0, result.output
    assert "fold by fold" in result.stdout
    found = mercer.compare_runs(runs / "a", runs / "b")
    assert found.paired
    one, two = (json.loads((runs / name / "result.json").read_text())["leaderboard"][0] for name in "ab")
    gaps = np.subtract(one["folds"]["accuracy"], two["folds"]["accuracy"])
    accuracy = next(d for d in found.differences if d.metric == "accuracy")
    assert accuracy.value == pytest.approx(gaps.mean())
    assert [line.difference.value for line in found.learners] == [0.0]  # the baseline
    assert json.loads(mercer_in("compare", runs / "a", runs / "b", "--json").stdout)["paired"] is True


def test_runs_with_fewer_folds_are_compared_on_those_that_both_have(runs: Path, tmp_path: Path) -> None:
    """As a time limit leaves them; a run without learners of the other has one table only."""
    result = json.loads((runs / "b" / "result.json").read_text())
    result["leaderboard"] = result["leaderboard"][:1]
    folds = result["leaderboard"][0]["folds"]
    result["leaderboard"][0]["folds"] = {key: values[:2] for key, values in folds.items()}
    (tmp_path / "result.json").write_text(json.dumps(result))
    found = mercer.compare_runs(runs / "a", tmp_path)
    one = json.loads((runs / "a" / "result.json").read_text())["leaderboard"][0]
    gaps = np.subtract(one["folds"]["accuracy"][:2], folds["accuracy"][:2])
    accuracy = next(d for d in found.differences if d.metric == "accuracy")
    assert accuracy.value == pytest.approx(gaps.mean())
    assert "scored on 3 and 2 folds" in str(found)
    assert found.learners == ()
    assert str(found).count("95 % interval") == 1


def test_runs_with_other_folds_are_compared_unpaired_and_it_is_said(mercer_in: Run, runs: Path) -> None:
    result = mercer_in("compare", runs / "a", runs / "other-folds")
    assert result.exit_code == 0, result.output
    assert "differences are not paired" in result.stdout
    assert all(
        d.method == "separate intervals joined"
        for d in mercer.compare_runs(runs / "a", runs / "other-folds").differences
    )


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("other-table", "runs on different tables (flowers.csv with 90 rows; fewer.csv with 60 rows)"),
        ("other-target", "predicts 'colour': there is nothing to compare"),
        ("nowhere", "there is no result.json"),
        ("a/model.mercer", "is a model: on which rows?"),
    ],
)
def test_runs_that_cannot_be_compared(mercer_in: Run, runs: Path, second: str, message: str) -> None:
    result = mercer_in("compare", runs / "a", runs / second)
    assert result.exit_code == 2, result.output
    assert message in result.stderr


def test_models_of_other_targets_are_refused(mercer_in: Run, runs: Path) -> None:
    result = mercer_in("compare", runs / "a", runs / "other-target", runs / "flowers.csv")
    assert result.exit_code == 2
    assert "predicts 'wild'" in result.stderr
    spoiled = runs / "spoiled"
    spoiled.mkdir(exist_ok=True)
    (spoiled / "result.json").write_text("{}")
    assert "is not a result" in mercer_in("compare", runs / "a", spoiled).stderr


def test_a_class_unknown_to_a_model_with_a_positive_class(mercer_in: Run, runs: Path, tmp_path: Path) -> None:
    """The positive class of two says nothing of three: the rows count as wrong, as they do of any model."""
    wild = ["maybe", "yes", "no", "maybe", "yes", "no", "yes", "no"] * 5
    table = write(tmp_path / "new.csv", 40, wild=wild)
    result = mercer_in("evaluate", runs / "a", table, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["n_rows"], found["positive"], found["classes"]) == (40, None, ["no", "yes", "maybe"])
    called = mercer.load(runs / "a" / "model.mercer").predict(mercer.read_table(table).drop(["wild"]))
    assert found["scores"]["accuracy"]["value"] == pytest.approx(np.mean(called == np.array(wild)))
    assert "a positive class is one of two" in mercer_in("evaluate", runs / "a", table, "--positive", "yes").stderr
    assert mercer_in("compare", runs / "a", runs / "b", table).exit_code == 0


def test_the_folder_of_a_run_is_its_model(mercer_in: Run, runs: Path, tmp_path: Path) -> None:
    table = write(tmp_path / "new.csv", 40)
    for words in (["evaluate"], ["explain", "--row", "2"]):
        shown = [mercer_in(*words, path, table, "--json") for path in (runs / "a", runs / "a" / "model.mercer")]
        assert [one.exit_code for one in shown] == [0, 0], shown[0].output
        first, second = (json.loads(one.stdout) for one in shown)
        assert {**first, "model": ""} == {**second, "model": ""}
    assert mercer_in("predict", runs / "a", table, "--out", tmp_path / "predictions.csv").exit_code == 0
    assert "There is no model file" in mercer_in("predict", tmp_path, table).stderr
