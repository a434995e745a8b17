"""Costs and thresholds from the command to the predictions."""

import json

import numpy as np
import polars as pl
import pytest

from mercer.store import open_model


@pytest.fixture
def payments(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    fraud = rng.random(600) < 1 / (1 + np.exp(3 - 1.5 * x))
    path = tmp_path / "payments.csv"
    pl.DataFrame({"x": x, "z": rng.normal(size=600), "fraud": np.where(fraud, "yes", "no")}).write_csv(path)
    return path


def test_the_threshold_of_least_cost_is_stored_and_used(mercer_in, payments, tmp_path):
    words = ["train", payments, "--target", "fraud", "--quick", "--learner", "linear", "--cost", "fn=20,fp=1"]
    found = mercer_in(*words)
    assert found.exit_code == 0, found.output
    assert "least cost" in found.output
    result = json.loads((tmp_path / "mercer-out" / "result.json").read_text())
    decision = result["decision"]
    chosen, usual = decision["cross_validated"][:2]
    assert decision["threshold"] < 0.2
    assert usual["threshold"] == 0.5
    assert chosen["cost"] < usual["cost"]
    card = open_model(tmp_path / "mercer-out" / "model.mercer").card
    assert (card.threshold, card.positive) == (decision["threshold"], "yes")
    assert mercer_in("predict", "mercer-out/model.mercer", payments).exit_code == 0
    predicted = pl.read_csv(tmp_path / "predictions.csv")
    expected = np.where(predicted["probability_yes"].to_numpy() >= card.threshold, "yes", "no")
    assert predicted["prediction"].to_list() == expected.tolist()
    assert "mercer predict</code> uses it" in (tmp_path / "mercer-out" / "report.html").read_text()


def test_the_positive_class_can_be_named(mercer_in, payments, tmp_path):
    words = ["train", payments, "--target", "fraud", "--quick", "--learner", "linear", "--threshold", "0.8"]
    assert mercer_in(*words, "--positive", "no").exit_code == 0
    result = json.loads((tmp_path / "mercer-out" / "result.json").read_text())
    assert (result["target"]["positive"], result["decision"]["positive"]) == ("no", "no")
    assert result["decision"]["threshold"] == 0.8


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cost", "fn=20;fp=1"], "as in fn=20,fp=1"),
        (["--cost", "fn=-2"], "a cost is 0 or more"),
        (["--cost", "fn=0,fp=0"], "cost nothing"),
        (["--threshold", "cost"], "--cost fn=20,fp=1"),
        (["--threshold", "1.5"], "a number from 0 to 1"),
        (["--positive", "maybe"], "the classes are 'no' and 'yes'"),
    ],
)
def test_what_makes_no_sense_is_refused(mercer_in, payments, words, message):
    found = mercer_in("train", payments, "--target", "fraud", "--quick", "--learner", "baseline", *words)
    assert found.exit_code == 2
    assert message in found.output


def test_costs_are_for_two_classes(mercer_in, payments):
    found = mercer_in("train", payments, "--target", "x", "--cost", "fn=2", "--learner", "baseline")
    assert found.exit_code == 2
    assert "are for two classes" in found.output
