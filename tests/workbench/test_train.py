"""mercer.train: the main job from Python."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

import mercer
from mercer.cli.app import app
from mercer.errors import BadColumn, BadOutput, BadTable, MercerError, MercerWarning
from mercer.estimators import registry
from mercer.store import open_model

QUICK: dict[str, Any] = {"quick": True, "learners": ["linear", "baseline"]}


@pytest.fixture(scope="module")
def customers() -> pl.DataFrame:
    """400 rows: churn is likelier with a large bill and a monthly plan."""
    rng = np.random.default_rng(0)
    bill, monthly = rng.normal(50, 10, 400), rng.random(400) < 0.5
    churn = rng.random(400) < 1 / (1 + np.exp(3 - 0.15 * (bill - 50) - 2 * monthly))
    return pl.DataFrame(
        {
            "bill": bill,
            "plan": np.where(monthly, "monthly", "yearly"),
            "noise": rng.integers(0, 1000, 400),
            "churn": np.where(churn, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def result(customers: pl.DataFrame) -> mercer.TrainResult:
    return mercer.train(customers, "churn", **QUICK, cost={"fn": 5, "fp": 1})


def _without_times(found: dict[str, Any]) -> dict[str, Any]:
    board = [{k: v for k, v in line.items() if "seconds" not in k} for line in found["leaderboard"]]
    return {**{k: v for k, v in found.items() if k not in ("seconds", "command")}, "leaderboard": board}


def test_python_and_terminal_find_the_same(customers: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "customers.csv"
    customers.write_csv(path)
    words = ["train", str(path), "--target", "churn", "--quick", "--learner", "tree", "--learner", "linear"]
    words += ["--cost", "fn=5", "--seed", "3", "--drop", "noise", "--out", str(tmp_path / "out")]
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    found = mercer.train(path, "churn", quick=True, learners=("tree", "linear"), cost="fn=5", seed=3, drop="noise")
    assert _without_times(json.loads((tmp_path / "out" / "result.json").read_text())) == _without_times(found.to_dict())
    stored = mercer.load(tmp_path / "out" / "model.mercer")
    assert stored.predict_proba(path).tobytes() == found.predict_proba(path).tobytes()


def test_the_threshold_decides(result: mercer.TrainResult, customers: pl.DataFrame) -> None:
    assert result.threshold is not None
    assert result.threshold < 0.3
    share = result.predict_proba(customers)[:, list(result.classes).index("yes")]
    expected = np.where(share >= result.threshold, "yes", "no")
    assert result.predict(customers).tolist() == expected.tolist()
    assert result.model.predict(customers.drop("churn")).tolist() == expected.tolist()


def test_it_is_evaluated_with_its_threshold(
    result: mercer.TrainResult, customers: pl.DataFrame, tmp_path: Path
) -> None:
    found = result.evaluate(customers)
    share = (result.predict(customers) == customers["churn"].to_numpy()).mean()
    assert found["accuracy"].value == pytest.approx(share)
    again = result.evaluate(customers.drop("churn"), customers["churn"])
    assert again["roc_auc"] == found["roc_auc"]
    customers.write_csv(tmp_path / "c.csv")
    assert result.evaluate(tmp_path / "c.csv")["accuracy"] == found["accuracy"]


@pytest.mark.parametrize("positive", [None, "no"])
def test_model_files_know_the_positive_class(customers: pl.DataFrame, tmp_path: Path, positive: str | None) -> None:
    """Scores and explanations of new rows are about the class that the run was about, whichever is rarer there."""
    found = mercer.train(customers, "churn", quick=True, learners=["linear"], positive=positive)
    meant, path = positive or "yes", found.save(tmp_path / "churn.mercer")
    leaving = customers.filter(pl.col("churn") == "yes")
    balances = [pl.concat([customers.head(60), leaving]), customers.head(60)]  # "no" is rarer, then "yes"
    assert [mercer.evaluate(path, rows, "churn").positive for rows in balances] == [meant] * 2
    assert [found.evaluate(rows).positive for rows in balances] == [meant] * 2
    rows = customers.head(3).drop("churn")
    for source in (path, found):
        told = mercer.explain(source, rows)
        assert told.for_class is not None and set(told.for_class) == {meant}
        log_odds = {"yes": 1, "no": -1}[meant] * found.model.decision_function(rows)
        np.testing.assert_allclose(told.base + told.values.sum(axis=1), log_odds)
    scored = mercer.predict(path, balances[0]).evaluation
    assert scored is not None and scored.positive == meant


def test_the_leaderboard_reads_as_a_table(result: mercer.TrainResult) -> None:
    board = pd.DataFrame(result.leaderboard)
    assert board["learner"].tolist() == ["Linear model", "Baseline"]
    best = result.comparison.best
    assert board["roc_auc"][0] == best.cross_validated["roc_auc"].value
    text = repr(result)
    for expected in ("Linear model", "Cost of a row, 3 folds [95% interval]", "Threshold: yes from a probability of"):
        assert expected in text
    page = result._repr_html_()
    assert page.count("<tr>") == 3
    assert "Linear model" in page


def test_what_is_written_can_be_read(result: mercer.TrainResult, tmp_path: Path) -> None:
    assert result.report(tmp_path / "r.html").read_text().startswith("<!doctype html>")
    card = open_model(result.save(tmp_path / "m.mercer")).card
    assert (card.target, card.threshold, card.positive) == ("churn", result.threshold, "yes")
    folder = result.write(tmp_path / "out")
    assert sorted(p.name for p in folder.iterdir()) == ["model.mercer", "report.html", "result.json"]
    assert json.loads((folder / "result.json").read_text()) == result.to_dict()


@pytest.mark.parametrize("kind", ["polars", "pandas", "mapping", "table", "separate y", "pandas y", "path"])
def test_tables_of_every_shape_find_the_same(
    customers: pl.DataFrame, result: mercer.TrainResult, kind: str, tmp_path: Path
) -> None:
    customers.write_csv(tmp_path / "c.csv")
    data, target = {
        "polars": (customers, "churn"),
        "pandas": (customers.to_pandas(), -1),
        "mapping": (customers.to_dict(as_series=False), "churn"),
        "table": (mercer.read_table(customers), "churn"),
        "separate y": (customers.drop("churn"), customers["churn"].to_list()),
        "pandas y": (customers.drop("churn").to_pandas(), customers["churn"].to_pandas()),
        "path": (str(tmp_path / "c.csv"), 4),
    }[kind]
    found = mercer.train(data, target, **QUICK)
    name = "target" if kind == "separate y" else "churn"
    assert found.comparison.target.name == name
    assert found.best.cross_validated["roc_auc"] == result.best.cross_validated["roc_auc"]


def test_classes_come_back_as_they_were(customers: pl.DataFrame) -> None:
    for values in (np.array([3, 7]), np.array([True, False]), np.array([1.0, 2.0])):
        y = values[(customers["churn"] == "yes").to_numpy().astype(int)]
        frame = customers.with_columns(churn=pl.Series(y))
        found = mercer.train(frame, "churn", learners="linear", quick=True, threshold=0.4, task="classification")
        predicted = found.predict(frame)
        assert predicted.dtype == (y.dtype if y.dtype != float else int)
        assert (predicted == y).mean() > 0.7


def test_arrays_and_sparse_matrices(customers: pl.DataFrame) -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, (120, 3))
    y = X @ [1.0, 2.0, 0.0] + rng.normal(0, 0.1, 120)
    found = mercer.train(X, y, **QUICK)
    assert found.comparison.columns[0].kind == "numeric"
    assert found.predict(X) == pytest.approx(y, abs=0.5)
    with pytest.raises(MercerError, match="no probabilities"):
        found.predict_proba(X)
    thin = mercer.train(sp.csr_matrix(X), y > 4, **QUICK)
    assert thin.comparison.target.classes == ["False", "True"]


def test_a_shuffled_target_scores_at_chance(customers: pl.DataFrame) -> None:
    shuffled = customers.with_columns(customers["churn"].shuffle(seed=1))
    found = mercer.train(shuffled, "churn", quick=True, learners=["linear", "tree", "naive_bayes"])
    for entry in found.comparison.leaderboard:
        score = entry.cross_validated["roc_auc"]
        assert score.low is not None
        assert score.low <= 0.5
        assert score.value == pytest.approx(0.5, abs=0.12)


def test_an_ensemble_of_a_shuffled_target_scores_at_chance() -> None:
    """On twelve tables: every interval holds 0.5, and held-out rows, unseen by the selection, have it on average."""
    ensembles, kept = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        a, b = rng.normal(size=(2, 150))
        y = np.where(1.2 * a + 2 * (np.abs(b) < 0.7) > 1, "yes", "no")
        table = {"a": a, "b": b, "job": rng.choice(["x", "y", "z"], 150), "y": rng.permutation(y)}
        several = ["naive_bayes", "linear", "tree", "neighbours", "ensemble"]
        found = mercer.train(table, "y", quick=True, learners=several, metric="log_loss")
        ensembles += [entry for entry in found.comparison.leaderboard if entry.key == "ensemble"]
        kept.append(found.best)
    assert len(ensembles) >= 6, "no case to test"
    for entry in (*ensembles, *kept):
        score = entry.cross_validated["roc_auc"]
        assert score.low is not None
        assert score.high is not None
        assert score.low < 0.5 < score.high
    for entries in (ensembles, kept):
        areas = np.array([entry.held_out["roc_auc"].value for entry in entries])
        assert areas.mean() == pytest.approx(0.5, abs=3 * areas.std() / np.sqrt(len(areas)))


def test_a_budget_of_one_second_gives_an_answer(customers: pl.DataFrame) -> None:
    """Learners that found no time are left out, and told; what is there predicts."""
    found = mercer.train(customers, "churn", time=1, learners=["linear", "naive_bayes", "ensemble"])
    assert found.leaderboard
    assert set(found.predict(customers)) <= {"yes", "no"}
    np.testing.assert_allclose(found.predict_proba(customers).sum(axis=1), 1)


def test_what_makes_no_sense_is_refused(customers: pl.DataFrame) -> None:
    with pytest.raises(BadColumn, match="Did you mean 'churn'"):
        mercer.train(customers, "chrun")
    with pytest.raises(BadTable, match="3 values for 400 rows"):
        mercer.train(customers, ["yes", "no", "yes"])
    with pytest.raises(BadTable, match="2 dimensions"):
        mercer.train(customers, np.zeros((400, 2)))
    with pytest.raises(MercerError, match="write fn=20,fp=1"):
        mercer.train(customers, "churn", cost={"fx": 3})
    with pytest.raises(MercerError, match="a number from 0 to 1"):
        mercer.train(customers, "churn", threshold="best")
    with pytest.raises(MercerError, match="that is the target"):
        mercer.train(customers, "churn", kinds={"churn": "text"})


def test_a_budget_that_is_long_enough_changes_nothing(customers: pl.DataFrame, result: mercer.TrainResult) -> None:
    found = mercer.train(customers, "churn", **QUICK, cost={"fn": 5, "fp": 1}, time="10h")
    assert _without_times(found.to_dict()) == _without_times(result.to_dict())


def test_a_budget_that_is_too_short_still_gives_a_model(customers: pl.DataFrame) -> None:
    found = mercer.train(customers, "churn", quick=True, time_budget=1e-6)
    assert [line["key"] for line in found.leaderboard] == ["naive_bayes", "baseline"]
    [late] = [notice for notice in found.notices if "were not run: too little is left" in notice]
    assert all(title in late for title in ("Linear model", "Decision tree", "and 2 more"))
    assert found.predict(customers).shape == (400,)
    assert "left out to keep the time budget" in found.comparison.explanations[1].error


def test_rows_split_by_a_column_of_time(customers: pl.DataFrame) -> None:
    found = mercer.train(customers.with_row_index("day"), "churn", time="day", **QUICK)
    assert found.comparison.splits.kind == "time"


def test_the_call_that_repeats_a_run(result: mercer.TrainResult) -> None:
    options = "learners=('linear', 'baseline'), cost='fn=5,fp=1', quick=True, seed=0"
    assert result.comparison.command == f"mercer.train(data, 'churn', {options})"


def test_files_that_no_run_wrote_are_kept(result: mercer.TrainResult, tmp_path: Path) -> None:
    (tmp_path / "model.mercer").write_text("mine")
    with pytest.raises(BadOutput, match="which no run"):
        result.write(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["model.mercer"]
    result.write(tmp_path, force=True)
    result.write(tmp_path)  # a run now


def test_file_and_report_state_the_rows_that_a_row_limit_left(
    customers: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = tuple(replace(one, max_rows=100) for one in registry.LEARNERS if one.key == "naive_bayes")
    monkeypatch.setattr(registry, "LEARNERS", limited)
    found = mercer.train(customers, "churn", quick=True)
    found.write(tmp_path / "run")
    n_rows = open_model(tmp_path / "run" / "model.mercer").card.training_rows
    assert 90 <= n_rows <= 100
    page = (tmp_path / "run" / "report.html").read_text()
    assert f"learned from {n_rows} of 400 rows" in page
    assert "to all 400 rows" not in page


def test_weights_and_groups_may_come_beside_the_table(customers: pl.DataFrame) -> None:
    rng = np.random.default_rng(0)
    weight, group = rng.integers(1, 4, 400), rng.integers(0, 40, 400)
    inside = customers.with_columns(w=weight, g=group)
    one = mercer.train(inside, "churn", weight="w", group="g", **QUICK)
    X, y = customers.drop("churn"), customers["churn"]
    two = mercer.train(X, y, weight=weight, group=group.tolist(), **QUICK)
    assert two.comparison.splits.kind == "groups"
    assert one.predict_proba(X).tolist() == two.predict_proba(X).tolist()
    assert _without_times(one.to_dict())["leaderboard"] == _without_times(two.to_dict())["leaderboard"]
    with pytest.raises(BadTable, match="weight has 3 values for 400 rows"):
        mercer.train(X, y, weight=[1, 2, 3], **QUICK)
    with pytest.raises(BadTable, match="weight = 'weight', row 3: -1 is below 0"):
        mercer.train(X, y, weight=[1, 1, -1, *weight[3:]], **QUICK)


def test_a_target_in_another_order_is_told(customers: pl.DataFrame) -> None:
    frame = customers.to_pandas()
    X, y = frame.drop(columns="churn"), frame["churn"]
    with pytest.warns(MercerWarning, match="index of the target has the labels of the table in another order"):
        mercer.train(X, y.sample(frac=1, random_state=0), **QUICK)
    with warnings.catch_warnings():
        warnings.simplefilter("error", MercerWarning)
        mercer.train(X, y, **QUICK)
        mercer.train(X, y.reset_index(drop=True).set_axis(range(1, 401)), **QUICK)


def test_rows_as_dicts_are_scored(result: mercer.TrainResult, customers: pl.DataFrame) -> None:
    found = result.evaluate(customers.to_dicts()[:100])
    assert found["roc_auc"] == result.evaluate(customers[:100])["roc_auc"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sample_weight": None}, "Did you mean 'weight'"),
        ({"groups": None}, "Did you mean 'group'"),
        ({"random_state": 1}, "Did you mean 'seed'"),
        ({"folsd": 3}, "Did you mean 'folds'"),
    ],
)
def test_arguments_that_are_called_otherwise(customers: pl.DataFrame, given: dict[str, Any], said: str) -> None:
    [name] = given
    with pytest.raises(TypeError, match=rf"train\(\) got an unexpected keyword argument '{name}'\. {said}"):
        mercer.train(customers, "churn", **given)
