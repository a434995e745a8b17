"""Costs and thresholds from the command to the predictions."""

import json

import numpy as np
import polars as pl
import pytest

import mercer
from mercer.store import open_model


@pytest.fixture
def payments(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    fraud = rng.random(600) < 1 / (1 + np.exp(3 - 1.5 * x))
    path = tmp_path / "payments.csv"
    columns = {"x": x, "z": rng.normal(size=600), "amount": rng.exponential(50, 600).round(2)}
    pl.DataFrame({**columns, "fraud": np.where(fraud, "yes", "no")}).write_csv(path)
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
    assert "The command mercer predict does the same" in (tmp_path / "mercer-out" / "report.html").read_text()


def test_the_top_rows_of_a_file_are_flagged(mercer_in, payments, tmp_path):
    words = ["train", payments, "--target", "fraud", "--quick", "--learner", "linear", "--threshold", "top=25"]
    found = mercer_in(*words)
    assert found.exit_code == 0, found.output
    assert "the 25 most probable rows of a table" in found.output
    new = pl.read_csv(payments).head(200).drop("fraud")
    new.write_csv(tmp_path / "new.csv")
    assert mercer_in("predict", "mercer-out/model.mercer", "new.csv").exit_code == 0
    predicted = pl.read_csv(tmp_path / "predictions.csv")
    flagged = predicted.filter(pl.col("prediction") == "yes")["probability_yes"]
    assert len(flagged) == 25
    assert flagged.min() >= predicted.filter(pl.col("prediction") == "no")["probability_yes"].max()


def test_amounts_of_a_column_decide_row_by_row(mercer_in, payments, tmp_path):
    words = ["train", payments, "--target", "fraud", "--quick", "--learner", "linear", "--drop", "amount"]
    found = mercer_in(*words, "--cost", "fn=amount,fp=5")
    assert found.exit_code == 0, found.output
    assert "row by row" in found.output
    result = json.loads((tmp_path / "mercer-out" / "result.json").read_text())
    assert "amount" not in [c["name"] for c in result["columns"]]
    cost = result["decision"]["cost_cross_validated"]
    assert cost["chosen"]["value"] < cost["usual"]["value"]
    assert mercer_in("predict", "mercer-out/model.mercer", payments).exit_code == 0
    predicted = pl.read_csv(tmp_path / "predictions.csv")
    p, amount = predicted["probability_yes"].to_numpy(), pl.read_csv(payments)["amount"].to_numpy()
    expected = np.where(p * amount > (1 - p) * 5, "yes", "no")
    assert predicted["prediction"].to_list() == expected.tolist()
    pl.read_csv(payments).drop("amount").write_csv(tmp_path / "new.csv")
    found = mercer_in("predict", "mercer-out/model.mercer", "new.csv")
    assert found.exit_code == 0
    assert "no column 'amount' with the cost of each row: rows are decided from a probability of" in found.output
    by_threshold = pl.read_csv(tmp_path / "predictions.csv")["prediction"] == "yes"
    assert by_threshold.to_list() == (p >= result["decision"]["threshold"]).tolist()


@pytest.mark.parametrize(("cell", "words"), [(-3.0, "row 8: -3 is below 0"), (None, "row 8: the cell is missing")])
def test_amounts_that_make_no_sense(mercer_in, payments, cell, words):
    table = pl.read_csv(payments)
    amounts = [*table["amount"][:7], cell, *table["amount"][8:]]
    table.with_columns(pl.Series("amount", amounts)).write_csv(payments)
    found = mercer_in("train", payments, "--target", "fraud", "--learner", "baseline", "--cost", "fn=amount")
    assert found.exit_code == 2
    assert words in found.output


def test_a_metric_that_needs_a_threshold_chooses_it(mercer_in, payments, tmp_path):
    words = ["train", payments, "--target", "fraud", "--quick", "--learner", "linear", "--metric", "balanced_accuracy"]
    found = mercer_in(*words)
    assert found.exit_code == 0, found.output
    assert "(largest Balanced accuracy): recall" in found.output
    decision = json.loads((tmp_path / "mercer-out" / "result.json").read_text())["decision"]
    both = decision["score_cross_validated"]
    assert f"Balanced accuracy: {both['chosen']['value']:.4f}; {both['usual']['value']:.4f} at 0.5." in found.output
    assert open_model(tmp_path / "mercer-out" / "model.mercer").card.threshold == decision["threshold"] < 0.3
    assert mercer_in("predict", "mercer-out/model.mercer", payments).exit_code == 0
    predicted = pl.read_csv(tmp_path / "predictions.csv")
    called = (predicted["probability_yes"] >= decision["threshold"]).to_list()
    assert (predicted["prediction"] == "yes").to_list() == called


def test_costs_of_several_classes_are_stored_and_used(mercer_in, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    y = np.digitize(x + rng.normal(0, 0.7, 400), [-0.5, 0.8])
    pl.DataFrame({"x": x, "y": np.array(["2", "10", "30"])[y]}).write_csv(tmp_path / "three.csv")
    (tmp_path / "costs.csv").write_text("true,2,10,30\n2,0,1,1\n10,1,0,1\n30,9,9,0\n")
    words = ["train", "three.csv", "--target", "y", "--quick", "--learner", "linear", "--cost", "costs.csv"]
    found = mercer_in(*words)
    assert found.exit_code == 0, found.output
    assert "least expected cost" in found.output
    result = json.loads((tmp_path / "mercer-out" / "result.json").read_text())
    assert result["metric"]["key"] == "cost"
    assert result["target"]["classes"] == ["2", "10", "30"]
    assert mercer_in("predict", "mercer-out/model.mercer", "three.csv").exit_code == 0
    predicted = pl.read_csv(tmp_path / "predictions.csv", schema_overrides={"prediction": pl.String})
    proba = predicted.select([f"probability_{k}" for k in ("2", "10", "30")]).to_numpy()
    called = (proba @ np.array([[0, 1, 1], [1, 0, 1], [9, 9, 0]])).argmin(axis=1)
    assert predicted["prediction"].to_list() == np.array(["2", "10", "30"])[called].tolist()
    assert (called == 2).sum() > (proba.argmax(axis=1) == 2).sum()


def test_a_precision_that_nobody_reaches_is_said(mercer_in, tmp_path):
    rng = np.random.default_rng(1)
    pl.DataFrame({"x": rng.normal(size=300), "y": rng.choice(["a", "b"], 300, p=[0.9, 0.1])}).write_csv(
        tmp_path / "noise.csv"
    )
    words = ["train", "noise.csv", "--target", "y", "--quick", "--learner", "naive_bayes"]
    found = mercer_in(*words, "--threshold", "precision=0.99")
    assert found.exit_code == 0, found.output
    assert "'precision=0.99' is not reached" in found.output
    assert "The largest precision is" in found.output


def test_the_positive_class_can_be_named(mercer_in, payments, tmp_path):
    words = ["train", payments, "--target", "fraud", "--quick", "--learner", "linear", "--threshold", "0.8"]
    assert mercer_in(*words, "--positive", "no").exit_code == 0
    result = json.loads((tmp_path / "mercer-out" / "result.json").read_text())
    assert (result["target"]["positive"], result["decision"]["positive"]) == ("no", "no")
    assert result["decision"]["threshold"] == 0.8


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cost", "20"], "write fn=20,fp=1"),
        (["--cost", "fn=-2"], "a cost is 0 or more"),
        (["--cost", "fn=0,fp=0"], "costs nothing"),
        (["--cost", "fn=amuont"], "Did you mean 'amount'?"),
        (["--cost", "fn=fraud"], "that is the target"),
        (["--cost", "no>yes=3"], "what a row of 'yes' costs that is called 'no'"),
        (["--cost", "matrix.csv"], "cannot be read"),
        (["--threshold", "top=601"], "the table has 600 rows"),
        (["--threshold", "recall=2"], "recall and precision above 0"),
        (["--metric", "cost"], "say what the errors cost"),
        (["--threshold", "cost"], "--cost fn=20,fp=1"),
        (["--threshold", "1.5"], "a number from 0 to 1"),
        (["--positive", "maybe"], "the classes are 'no' and 'yes'"),
    ],
)
def test_what_makes_no_sense_is_refused(mercer_in, payments, words, message):
    found = mercer_in("train", payments, "--target", "fraud", "--quick", "--learner", "baseline", *words)
    assert found.exit_code == 2
    assert message in found.output


def test_costs_are_for_classes_and_thresholds_for_two(mercer_in, payments):
    found = mercer_in("train", payments, "--target", "x", "--cost", "fn=2", "--learner", "baseline")
    assert found.exit_code == 2
    assert "costs are for classes" in found.output
    found = mercer_in("train", payments, "--target", "x", "--threshold", "f1", "--learner", "baseline")
    assert "are for two classes" in found.output


@pytest.mark.parametrize("words", [["--cost", "fn=amount,fp=5"], ["--threshold", "top=25"], ["--cost", "fn=20,fp=1"]])
def test_evaluate_decides_as_predict_does(mercer_in, payments, tmp_path, words):
    train = ["train", payments, "--target", "fraud", "--quick", "--learner", "linear", "--drop", "amount", *words]
    assert mercer_in(*train).exit_code == 0
    answered = json.loads(mercer_in("predict", "mercer-out/model.mercer", payments, "--json").stdout)["evaluation"]
    called = (pl.read_csv(tmp_path / "predictions.csv")["prediction"] == "yes").sum()
    scored = json.loads(mercer_in("evaluate", "mercer-out/model.mercer", payments, "--json").stdout)
    confusion = np.array(scored["diagnostics"]["confusion"])
    assert confusion[:, 1].sum() == called
    assert scored["scores"] == answered["scores"]
    assert ("cost" in scored["scores"]) == ("--cost" in words)
    if words[1] == "fn=20,fp=1":
        assert scored["scores"]["cost"]["value"] == pytest.approx((20 * confusion[1, 0] + confusion[0, 1]) / 600)


def test_the_costs_of_each_row_are_found_in_a_frame(payments):
    rows = pl.read_csv(payments)
    fraud, amount = (rows["fraud"] == "yes").to_numpy(), rows["amount"].to_numpy()
    result = mercer.train(rows, "fraud", quick=True, learners="linear", cost="fn=amount,fp=5")
    found = result.evaluate(rows)
    called = result.predict(rows) == "yes"
    assert sum(line[1] for line in found.diagnostics.confusion) == called.sum()
    assert found["cost"].value == pytest.approx((amount[fraud & ~called].sum() + 5 * (~fraud & called).sum()) / 600)


def test_runs_with_other_costs_are_costed_by_either(mercer_in, payments, tmp_path):
    words = ["train", payments, "--target", "fraud", "--quick", "--learner", "linear"]
    plans = {"a": ["--cost", "fn=20,fp=1"], "b": ["--cost", "fn=2,fp=1"], "c": [], "d": ["--cost", "fn=amount,fp=5"]}
    results = {}
    for out, costs in plans.items():
        assert mercer_in(*words, *costs, "--out", out).exit_code == 0
        results[out] = json.loads((tmp_path / out / "result.json").read_text())
    found = json.loads(mercer_in("compare", "a", "b", "--json").stdout)
    assert [line["title"] for line in found["costs"]] == ["by the costs of a", "by the costs of b"]
    own = [results[run]["leaderboard"][0]["folds"]["cost"] for run in "ab"]
    first, second = found["costs"]
    assert (first["first"], second["second"]) == (pytest.approx(np.mean(own[0])), pytest.approx(np.mean(own[1])))
    assert first["difference"]["value"] < 0 < second["difference"]["value"]  # each is cheaper by its own costs
    counts = np.array(results["b"]["confusions"])
    by_a = (20 * counts[:, 1, 0] + counts[:, 0, 1]) / counts.sum(axis=(1, 2))
    assert first["second"] == pytest.approx(by_a.mean())
    assert first["difference"]["value"] == pytest.approx(np.mean(own[0] - by_a))
    assert not any(d["metric"] == "cost" for d in found["differences"])
    text = mercer_in("compare", "c", "a").stdout
    assert "Errors do not cost the same in the two runs: the decisions of both are costed by either." in text
    assert "by the costs of a" in text
    assert "by the costs of c" not in text
    text = mercer_in("compare", "a", "d").stdout
    assert "mercer compare a/model.mercer d/model.mercer TABLE" in text
    assert "by the costs of a" in text
    text = mercer_in("compare", "c", "d").stdout
    assert "Errors do not cost the same in the two runs." in text
    assert "The costs of d, which are amounts of rows, are compared on a table" in text
    same = mercer_in("compare", "a", "a").stdout
    assert "Cost of a row" in same
    assert "by the costs of" not in same


def test_a_threshold_that_no_row_reaches_is_told(mercer_in, payments):
    found = mercer_in("train", payments, "--target", "fraud", "--quick", "--learner", "linear", "--threshold", "1")
    assert found.exit_code == 0, found.output
    assert "no row held out in cross-validation is that probable" in found.output
    assert "recall 0%, no row is called so" in found.output
