"""mercer.predict: lines, kept columns, flags, drift and scores of a stored model on new rows."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import mercer
from mercer.errors import BadColumn
from mercer.store import open_model


def rows(n: int, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    size, colour = rng.normal(10, 2, n), rng.choice(["red", "blue", "green"], n)
    wild = np.where(size + (colour == "red") + rng.normal(0, 1, n) > 10.5, "yes", "no")
    return pl.DataFrame({"plant": [f"p{seed}-{i}" for i in range(n)], "size": size, "colour": colour, "wild": wild})


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    result = mercer.train(rows(400), "wild", learners="linear", quick=True, drop="plant")
    return result.save(folder / "m.mercer")


def test_a_model_file_holds_the_summary_of_its_training_rows(path):
    summary = open_model(path).summary
    sizes = rows(400)["size"].to_numpy()
    assert summary.n_rows == 400
    held = {c.column.name: c for c in summary.columns}
    assert held["size"].quantiles == pytest.approx(np.quantile(sizes, np.arange(11) / 10))
    assert held["colour"].counts.sum() == 400


def test_lines_scores_and_no_false_alarm(path):
    new = rows(300, seed=1)
    found = mercer.predict(path, new)
    model = mercer.load(path)
    assert found.frame.columns == ["row", "prediction", "probability_no", "probability_yes", "flags"]
    assert found.frame["prediction"].to_list() == model.predict(new.drop("wild")).tolist()
    assert found.frame["flags"].null_count() == 300
    assert found.drifted == []
    assert [c.name for c in found.drift if c.name != "plant"] and len(found.drift) >= 2
    expected = mercer.evaluate(path, new.drop("plant"))
    assert found.evaluation.scores == expected.scores
    assert found.evaluation.positive == expected.positive


def test_kept_columns(path):
    new = rows(5, seed=2).with_columns(prediction=pl.lit("mine"), row=pl.Series([9, 8, 7, 6, 5]))
    found = mercer.predict(path, new, keep="all").frame
    assert found.columns == [
        "row", "plant", "size", "colour", "wild", "table_prediction", "table_row",
        "prediction", "probability_no", "probability_yes", "flags",
    ]  # fmt: skip
    assert found["table_row"].to_list() == [9, 8, 7, 6, 5]
    assert found["size"].to_list() == new["size"].to_list()
    assert mercer.predict(path, new, keep=["wild", "colour", "wild"]).frame.columns[1:3] == ["wild", "colour"]
    with pytest.raises(BadColumn, match=r"keep: there is no column 'color'\. Did you mean 'colour'"):
        mercer.predict(path, new, keep="color")


def test_strange_rows_and_drift(path):
    new = rows(200, seed=3).with_columns(size=pl.col("size") + 4)
    new = new.with_columns(colour=pl.when(pl.int_range(200) == 7).then(pl.lit("mauve")).otherwise("colour"))
    new = new.with_columns(size=pl.when(pl.int_range(200) == 9).then(pl.lit(-500.0)).otherwise("size"))
    found = mercer.predict(path, new)
    assert found.frame["flags"][7] == "colour: 'mauve' was never seen"
    assert found.frame["flags"][9].startswith("size: -500 is far outside ")
    assert found.flags.far["size"] >= 1
    assert found.flags.unseen == {"colour": 1}
    assert [c.name for c in found.drifted] == ["size"]
    result = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert result["drift"]["level"] == 0.01
    assert result["drift"]["columns"][0]["name"] == "size"
    assert result["flags"]["unseen"] == {"colour": 1}
    assert result["accuracy"] == pytest.approx((found.frame["prediction"] == new["wild"]).mean())


def test_a_class_unknown_to_the_model_is_not_scored(path):
    new = rows(100, seed=4)
    some = new.with_columns(wild=pl.when(pl.int_range(100) < 10).then(pl.lit("maybe")).otherwise("wild"))
    found = mercer.predict(path, some)
    assert found.unknown_classes == 10
    assert found.evaluation.n_rows == 90
    none = mercer.predict(path, new.with_columns(wild=pl.lit("maybe")))
    assert none.evaluation is None
    assert none.unknown_classes == 100
    assert mercer.predict(path, new.with_columns(wild=pl.lit(None, dtype=pl.String))).evaluation is None


def test_one_class_and_one_row(path):
    found = mercer.predict(path, rows(100, seed=5).filter(pl.col("wild") == "no"))
    assert found.evaluation["accuracy"].value > 0.5
    assert mercer.predict(path, rows(1, seed=6)).frame.height == 1


def test_files_are_written_as_they_are(path, tmp_path):
    found = mercer.predict(path, rows(5, seed=7), keep="size")
    assert pl.read_csv(found.write(tmp_path / "p.csv"))["size"].to_list() == found.frame["size"].to_list()
    assert pl.read_parquet(found.write(tmp_path / "p.parquet")).equals(found.frame)


def test_a_model_of_python_has_no_summary(tmp_path):
    data = rows(60)
    model = mercer.NaiveBayes().fit(data.select("size", "colour"), data["wild"].to_list())
    mercer.save(model, tmp_path / "m.mercer", target="wild")
    found = mercer.predict(tmp_path / "m.mercer", data.with_columns(colour=pl.lit("mauve")))
    assert found.drift == []
    assert found.flags.unseen == {"colour": 60}


@pytest.mark.parametrize("euro", ["", "€ "])
def test_cells_are_read_as_in_training(tmp_path, euro):
    """1.234,50 is what it was in training, also in a file of one row, and where the separator is another."""
    numbers = np.random.default_rng(0).normal(2000, 600, 80).round(2)
    written = [f"{euro}{v:,.2f}".translate(str.maketrans(",.", ".,")) for v in numbers]
    lines = [f"{w};{'high' if v > 2000 else 'low'}" for w, v in zip(written, numbers, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["pay;class", *lines]) + "\n")
    saved = mercer.train(tmp_path / "t.csv", "class", learners="tree", quick=True).save(tmp_path / "m.mercer")
    whole = mercer.predict(saved, tmp_path / "t.csv")
    assert whole.flags.n_rows == 0
    assert whole.evaluation["accuracy"].value > 0.95
    for row in (0, 41):
        (tmp_path / "one.csv").write_text(f"pay;class\n{lines[row]}\n")
        assert mercer.predict(saved, tmp_path / "one.csv").frame["prediction"][0] == whole.frame["prediction"][row]
    (tmp_path / "q.csv").write_text("pay\n" + "\n".join(f'"{w}"' for w in written) + "\n")
    assert mercer.predict(saved, tmp_path / "q.csv").frame["prediction"].equals(whole.frame["prediction"])


def test_regression_has_its_metrics(tmp_path):
    data = rows(200).select("size", "colour").with_columns(price=pl.col("size") * 3 + pl.int_range(200) % 5)
    saved = mercer.train(data, "price", learners="linear", quick=True).save(tmp_path / "m.mercer")
    found = mercer.predict(saved, data)
    truth, predicted = data["price"].to_numpy(), found.frame["prediction"].to_numpy()
    assert found.evaluation["rmse"].value == pytest.approx(float(np.sqrt(np.mean((truth - predicted) ** 2))))
    assert found.evaluation["rmse"].low < found.evaluation["rmse"].value < found.evaluation["rmse"].high
