"""The verbs end to end, as a user sees them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import mercer
from mercer.cli.app import app
from mercer.cli.jobs import describe as describe_job
from mercer.data import PENGUINS
from mercer.evaluation import comparison
from mercer.store import open_model

Run = Callable[..., Any]


def test_train_with_no_table_runs_on_the_embedded_one(mercer_in: Run) -> None:
    result = mercer_in("train", "--quick")
    assert result.exit_code == 0, result.output
    assert sorted(p.name for p in Path().iterdir()) == ["mercer-out"]
    assert sorted(p.name for p in Path("mercer-out").iterdir()) == ["model.mercer", "report.html", "result.json"]
    for expected in ("Body Mass (g)", "Naive Bayes", "ROC AUC", "constant: every cell is 'Anvers'"):
        assert expected in result.stdout
    assert "mercer predict mercer-out/model.mercer NEW.csv" in result.stdout
    assert "11 rows without a value of 'Sex' left out" in result.stderr


def test_the_files_agree(trained: Path) -> None:
    result = json.loads((trained / "result.json").read_text())
    assert result["target"]["name"] == "Sex"
    card = open_model(trained / "model.mercer").card
    assert (card.target, card.task, card.training_rows) == ("Sex", "classification", 333)
    report = (trained / "report.html").read_text()
    assert "Sex" in report
    assert "<script src" not in report


def test_train_as_json_prints_the_result_and_nothing_else(mercer_in: Run, flowers: Path) -> None:
    result = mercer_in("train", flowers, "--target", "wild", "--quick", "--json", "--out", "o")
    assert json.loads(result.stdout) == json.loads(Path("o/result.json").read_text())


def test_the_same_seed_gives_the_same_model(mercer_in: Run, flowers: Path) -> None:
    for out in ("a", "b"):
        assert mercer_in("train", flowers, "-t", "wild", "--quick", "--seed", 5, "--out", out).exit_code == 0
    one, two = (mercer.load(Path(out) / "model.mercer").predict_proba(PENGUINS_LIKE) for out in ("a", "b"))
    assert one.tobytes() == two.tobytes()


PENGUINS_LIKE = {"size": [1.0, None, 9.0], "colour": ["red", "green", None], "plant_id": ["a", "b", "c"]}


def test_a_target_by_place_and_a_forced_task(mercer_in: Run, flowers: Path) -> None:
    words = ("train", flowers, "--target", "2", "--task", "regression", "--quick", "--test-size", 0.3, "--folds", 4)
    result = mercer_in(*words)
    assert result.exit_code == 0, result.output
    assert "regression: size" in result.stdout
    assert "R², 4 folds" in result.stdout
    assert "On 18 held-out rows" in result.stdout
    assert mercer_in("train", flowers, "--target", "-1", "--quick").exit_code == 0
    assert json.loads(Path("mercer-out/result.json").read_text())["target"]["name"] == "wild"


def test_kinds_given_are_kinds_used(mercer_in: Run, flowers: Path) -> None:
    words = ("train", flowers, "-t", "wild", "--quick", "--kind", "size=category", "--kind", "colour=blue<red")
    assert mercer_in(*words).exit_code == 0
    schema = mercer.load("mercer-out/model.mercer").schema_
    assert (schema["size"].kind, schema["colour"].kind, schema["colour"].levels) == (
        "category", "ordinal", ("blue", "red"),
    )  # fmt: skip


def test_markers_given_in_training_hold_in_predicting(mercer_in: Run) -> None:
    Path("t.csv").write_text("a;y\n" + "".join(f"{'none yet' if i % 5 == 0 else i};{'uv'[i % 2]}\n" for i in range(40)))
    trained = mercer_in("train", "t.csv", "-t", "y", "--quick", "--missing", "none yet", "--separator", "semicolon")
    assert trained.exit_code == 0, trained.output
    assert mercer.load("mercer-out/model.mercer").schema_["a"].kind == "numeric"
    result = mercer_in("predict", "mercer-out/model.mercer", "t.csv")
    assert result.exit_code == 0, result.output
    assert "40 rows predicted" in result.stdout


def test_predict_writes_what_the_model_says(mercer_in: Run, trained: Path) -> None:
    result = mercer_in("predict", trained / "model.mercer", PENGUINS)
    assert result.exit_code == 0, result.output
    assert "344 rows predicted: predictions.csv" in result.stdout
    assert "of the 333 rows with a known 'Sex' are predicted right" in result.stdout
    frame = pl.read_csv("predictions.csv")
    assert frame.columns == ["row", "prediction", "probability_FEMALE", "probability_MALE", "flags"]
    rows = mercer.load_penguins().drop(["Sex"])
    model = mercer.load(trained / "model.mercer")
    assert frame["prediction"].to_list() == model.predict(rows).tolist()
    assert frame["probability_MALE"].to_numpy() == pytest.approx(model.predict_proba(rows)[:, 1], abs=1e-12)


def test_predict_computes_scores_once(mercer_in: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = mercer.load_penguins()
    model = mercer.NaiveBayes().fit(rows.drop(["Species"]), rows.column("Species"))
    mercer.save(model, "m.mercer", target="Species")

    predict = mercer.NaiveBayes.predict

    def once(self: mercer.NaiveBayes, X: Any) -> Any:
        assert len(X) <= 2, "scores were computed again"  # the two rows that a loaded model is asked about
        return predict(self, X)

    with monkeypatch.context() as patch:
        patch.setattr(mercer.NaiveBayes, "predict", once)
        assert mercer_in("predict", "m.mercer", PENGUINS).exit_code == 0
    assert pl.read_csv("predictions.csv")["prediction"].to_list() == model.predict(rows.drop(["Species"])).tolist()


def test_where_probabilities_tie_the_model_decides(mercer_in: Run) -> None:
    """Equal votes: the class is that of `predict`, also for a model that abstains."""
    data = {"x": ["a", "a", "b", "b"], "z": ["u", "u", "v", "v"]}
    Path("new.csv").write_text("x,z\na,u\nb,v\nc,w\n")
    for model in (mercer.RoteLearner(), mercer.RoteLearner(default="abstain")):
        model.fit(data, ["q", "p", "p", "p"])
        mercer.save(model, "m.mercer")
        assert mercer_in("predict", "m.mercer", "new.csv").exit_code == 0
        said = pl.read_csv("predictions.csv", null_values="")["prediction"].to_list()
        assert said == model.predict({"x": ["a", "b", "c"], "z": ["u", "v", "w"]}).tolist()


@pytest.mark.parametrize("model", [mercer.LinearSVC(), mercer.SVC()])
def test_classifiers_without_probabilities_predict_classes(mercer_in: Run, flowers: Path, model: Any) -> None:
    rows = mercer.read_table(flowers)
    model.fit(rows.drop(["wild"]), rows.column("wild"))
    mercer.save(model, "m.mercer", target="wild")
    result = mercer_in("predict", "m.mercer", flowers)
    assert result.exit_code == 0, result.output
    frame = pl.read_csv("predictions.csv")
    assert [c for c in frame.columns if c.startswith("p")] == ["plant_id", "prediction"]
    assert frame["prediction"].to_list() == model.predict(rows.drop(["wild"])).tolist()


def test_train_infers_and_builds_the_table_once(mercer_in: Run, flowers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    for name in ("infer", "build"):
        for module in (comparison, describe_job):
            original = getattr(module, name)

            def counted(*words: Any, name: str = name, original: Any = original) -> Any:
                calls.append(name)
                return original(*words)

            monkeypatch.setattr(module, name, counted)
    assert mercer_in("train", flowers, "-t", "wild", "--quick", "--learner", "baseline").exit_code == 0
    assert sorted(calls) == ["build", "infer"]


def test_predict_several_targets(mercer_in: Run) -> None:
    table = mercer.load_penguins()
    table = table.take(~table.missing("Sex") & ~table.missing("Body Mass (g)"))
    rows, size = table.select(["Species", "Flipper Length (mm)"]), table.numbers("Body Mass (g)")[:, 0]
    labels = pl.DataFrame({"sex": table.column("Sex"), "heavy": size > 4000})
    for model, columns in (
        (mercer.KNeighborsClassifier(7).fit(rows, labels), ["probability_{}_FEMALE", "probability_{}_True"]),
        (mercer.KNeighborsRegressor(7).fit(rows, np.column_stack([size, -size])), []),
    ):
        mercer.save(model, "m.mercer", target="Body Mass (g)")
        result = mercer_in("predict", "m.mercer", PENGUINS, "--out", "p.csv")
        assert result.exit_code == 0, result.output
        assert "344 rows predicted" in result.stdout
        frame = pl.read_csv("p.csv")
        assert {"prediction_1", "prediction_2", *(c.format(j + 1) for j, c in enumerate(columns))} < set(frame.columns)
        said = model.predict(mercer.load_penguins().select(rows.columns))
        assert frame["prediction_2"].to_list() == said[:, 1].tolist()


def test_predict_as_parquet_and_to_the_terminal(mercer_in: Run, trained: Path) -> None:
    assert mercer_in("predict", trained / "model.mercer", PENGUINS, "--out", "p.parquet").exit_code == 0
    printed = mercer_in("predict", trained / "model.mercer", PENGUINS, "--out", "-")
    frame = pl.read_csv(printed.stdout.encode())
    assert frame["prediction"].to_list() == pl.read_parquet("p.parquet")["prediction"].to_list()
    assert [p.name for p in Path().iterdir()] == ["p.parquet"]


def test_predict_other_order_extra_columns_unseen_levels(mercer_in: Run, flowers: Path) -> None:
    mercer_in("train", flowers, "-t", "wild", "--quick")
    Path("new.csv").write_text("weather,colour,size,plant_id\nsun,violet,3,x1\nrain,red,,x2\n")
    result = mercer_in("predict", "mercer-out/model.mercer", "new.csv", "--json")
    assert result.exit_code == 0, result.output
    assert "Columns the model does not know are ignored: 'weather'" in result.stderr
    assert json.loads(result.stdout)["rows"] == 2
    frame = pl.read_csv("predictions.csv")
    assert frame["plant_id"].to_list() == ["x1", "x2"]  # the identifier is carried along
    assert frame["probability_yes"].is_between(0, 1).all()


def test_predict_without_a_column_or_with_words_for_numbers(mercer_in: Run, flowers: Path) -> None:
    mercer_in("train", flowers, "-t", "wild", "--quick")
    Path("less.csv").write_text("colour,sise\nred,1\nblue,2\n")
    result = mercer_in("predict", "mercer-out/model.mercer", "less.csv")
    assert result.exit_code == 2
    assert "Column 'size' is missing" in result.stderr
    assert "'sise'" in result.stderr
    Path("words.csv").write_text("colour,size\nred,big\nblue,2\n")
    result = mercer_in("predict", "mercer-out/model.mercer", "words.csv")
    assert result.exit_code == 2
    assert "'size' is numeric, but row 1 holds 'big'" in result.stderr
    assert not Path("predictions.csv").exists()


def test_predict_knows_the_header_by_the_model(mercer_in: Run, flowers: Path) -> None:
    """One row of words looks like no header at all, but its names are those of the model."""
    mercer_in("train", flowers, "-t", "wild", "--quick", "--kind", "size=skip")
    Path("one.csv").write_text("colour,plant_id\nred,a\n")
    assert "1 row predicted" in mercer_in("predict", "mercer-out/model.mercer", "one.csv").stdout
    Path("bare.csv").write_text("1,red,u\n2,blue,v\n" * 20)
    assert mercer_in("train", "bare.csv", "-t", "-1", "--quick").exit_code == 0
    result = mercer_in("predict", "mercer-out/model.mercer", "bare.csv")
    assert "40 rows predicted" in result.stdout
    assert "100.0% of the 40 rows with a known 'column_3' are predicted right" in result.stdout


def test_a_regression_is_scored_when_the_target_is_there(mercer_in: Run, flowers: Path) -> None:
    mercer_in("train", flowers, "-t", "size", "--task", "regression", "--quick")
    assert "Root mean squared error on 60 rows" in mercer_in("predict", "mercer-out/model.mercer", flowers).stdout


def test_describe_shows_kind_reason_range_and_missing(mercer_in: Run) -> None:
    lines = mercer_in("describe").stdout.splitlines()
    assert lines[0] == "344 rows, 17 columns (2 left out)"
    mass = next(line for line in lines if line.startswith("Body Mass (g)")).split()
    assert mass[3:8] == ["numeric", "2700", "to", "6300", "0.6%"]
    assert any("Region" in line and "left out" in line and "constant" in line for line in lines)
    assert any("Date Egg" in line and "2007-11-09 to 2009-12-01" in line for line in lines)


def test_describe_as_json(mercer_in: Run, flowers: Path) -> None:
    found = json.loads(mercer_in("describe", flowers, "--json", "--kind", "colour=red<blue").stdout)
    columns = {c["name"]: c for c in found["columns"]}
    assert found["rows"] == 60
    assert (columns["colour"]["kind"], columns["colour"]["holds"]) == ("ordinal", "red < blue")
    assert columns["plant_id"]["kind"] == "left out"
    assert "identifier" in columns["plant_id"]["reason"]


@pytest.mark.parametrize("verb", [command.callback.__name__ for command in app.registered_commands])
def test_every_verb_has_help_with_examples_and_json(mercer_in: Run, verb: str) -> None:
    result = mercer_in(verb, "--help")
    assert result.exit_code == 0
    assert "--json" in result.stdout
    assert f"mercer {verb}" in result.stdout.split("Examples:")[1]


def test_the_examples_of_the_help_are_true(mercer_in: Run) -> None:
    """Each is run as written, on tables with the names and columns it speaks of; training with one learner, quickly."""
    rows = [f"{i},{1000 + i % 7},{'SML'[i % 3]},{'uv'[i % 2]},{i * 1.5}" for i in range(40)]
    table = "\n".join(["age,zip,size,churn,price", *rows])
    for name in ("customers.csv", "houses.csv", "new.csv"):
        Path(name).write_text(table)
    for name in ("scores.tsv", "survey.tsv"):
        Path(name).write_text(table.replace(",", "\t"))
    frame = pl.read_csv("customers.csv")
    Path("data").mkdir()
    for k in range(2):
        frame[k * 20 : k * 20 + 20].write_parquet(f"data/part-{k}.parquet")
    frame.write_excel("customers.xlsx", worksheet="2024")
    with closing(sqlite3.connect("shop.db")) as connection, connection:
        connection.execute("create table orders (age, zip, size, churn, price)")
        connection.executemany("insert into orders values (?, ?, ?, ?, ?)", frame.rows())
    Path("run.toml").write_text('table = "customers.csv"\ntarget = "churn"\n')
    quickly = ("--quick", "--learner", "linear")
    mercer_in("train", "customers.csv", "--target", "churn", *quickly, "--out", "model")
    for verb in ("train", "predict", "describe"):
        examples = mercer_in(verb, "--help").stdout.split("Examples:")[1].splitlines()
        commands = [line.strip() for line in examples if line.strip().startswith("mercer ")]
        assert len(commands) >= 3
        for command in commands:
            words = command.replace("mercer-out", "model").split(" | ")[0].replace('"', "").replace("'", "").split()[1:]
            result = mercer_in(*words, *(quickly if verb == "train" else ()))
            assert result.exit_code == 0, f"{command}: {result.output}"


def test_classes_unknown_to_the_model_are_pointed_out(mercer_in: Run, trained: Path) -> None:
    strange = pl.read_csv(PENGUINS, null_values="NA").with_columns(Sex=pl.col("Sex") + ".")
    strange.write_csv("strange.csv")
    result = mercer_in("predict", trained / "model.mercer", "strange.csv")
    assert result.exit_code == 0, result.output
    assert "333 rows of a class unknown to the model, not scored" in result.stdout


def test_predict_tells_of_strange_rows_drift_and_scores(mercer_in: Run, trained: Path) -> None:
    moved = pl.read_csv(PENGUINS, null_values="NA").with_columns(pl.col("Body Mass (g)") + 3000, Island=pl.lit("Elba"))
    moved.write_csv("moved.csv")
    result = mercer_in("predict", trained / "model.mercer", "moved.csv", "--keep", "Island", "--keep", "Sex")
    assert result.exit_code == 0, result.output
    assert pl.read_csv("predictions.csv").columns[1:3] == ["Island", "Sex"]
    assert "344 rows flagged (column flags): " in result.stdout
    assert "levels never seen in Island (344)" in result.stdout
    assert "columns drifted against the training rows (test at 1%" in result.stdout
    assert "ROC AUC" in result.stdout
    found = json.loads(mercer_in("predict", trained / "model.mercer", "moved.csv", "--json").stdout)
    drifted = {column["name"] for column in found["drift"]["columns"] if column["drifted"]}
    assert {"Island", "Body Mass (g)"} == drifted
    moved.head(3).with_columns(pl.col("Body Mass (g)") - 3000).drop("Island").with_columns(
        Island=pl.lit("Dream")
    ).write_csv("few.csv")
    assert (
        "No drift against the training rows is shown (test at 1%"
        in mercer_in("predict", trained / "model.mercer", "few.csv").stdout
    )
    assert found["flags"]["unseen"]["Island"] == 344
    assert {"roc_auc", "accuracy"} < set(found["evaluation"]["scores"])
    assert "predictions.csv (replaced)" in mercer_in("predict", trained / "model.mercer", "moved.csv").stdout
    before = Path("moved.csv").read_text()
    result = mercer_in("predict", trained / "model.mercer", "moved.csv", "--out", "moved.csv")
    assert "is the table to predict" in result.stderr
    assert Path("moved.csv").read_text() == before
    result = mercer_in("predict", trained / "model.mercer", "moved.csv", "--keep", "island")
    assert result.exit_code == 2
    assert "Did you mean 'Island'" in result.stderr


def test_every_verb_that_takes_a_table_takes_a_database(mercer_in: Run, trained: Path) -> None:
    frame = pl.read_csv(PENGUINS, null_values="NA", infer_schema_length=None)
    with closing(sqlite3.connect("birds.db")) as connection, connection:
        for name in ("penguins", "others"):
            connection.execute("create table {} ({})".format(name, ", ".join(f'"{c}"' for c in frame.columns)))
            connection.executemany(f"insert into {name} values ({', '.join('?' * frame.width)})", frame.rows())
    model = trained / "model.mercer"
    for words in (["predict", model], ["evaluate", model], ["compare", model, model], ["explain", model]):
        result = mercer_in(*words, "sqlite:///birds.db", "--table-name", "penguins")
        assert result.exit_code == 0, f"{words[0]}: {result.output}"
        assert "2 tables" in mercer_in(*words, "birds.db").stderr
