"""Targets that are dates: learned as days, predicted as dates, their errors in days."""

import json
import re
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import mercer
from mercer.cli.app import app
from mercer.errors import BadFile, MercerError
from mercer.state import Reader
from mercer.store import open_model
from mercer.store.model import Card
from mercer.table.display.dates import day_ticks, value_text
from mercer.workbench.prediction.stream import predict_file


@pytest.fixture(scope="module")
def jobs():
    """A job takes three days for each part, so that a linear model is right about every date."""
    rng = np.random.default_rng(0)
    start, parts = np.datetime64("2023-11-20") + rng.integers(0, 400, 120), rng.integers(1, 40, 120)
    return pl.DataFrame({"start": start, "parts": parts, "done": start + 3 * parts.astype("timedelta64[D]")})


@pytest.fixture(scope="module")
def trained(jobs):
    return mercer.train(jobs, "done", learners=["linear", "tree"], quick=True)


@pytest.fixture(scope="module")
def path(trained, tmp_path_factory):
    return trained.save(tmp_path_factory.mktemp("dates") / "model.mercer")


def test_the_result_predicts_dates(trained, jobs):
    predicted = trained.predict(jobs)
    assert predicted.dtype == np.dtype("datetime64[D]")
    assert predicted.tolist() == jobs["done"].to_list()


@pytest.mark.parametrize("form", ["frame", "csv"])
def test_predictions_are_dates_and_errors_days(path, jobs, tmp_path, form):
    late = jobs.with_columns(pl.col("done").dt.offset_by("2d"))
    late.write_csv(tmp_path / "late.csv")
    found = mercer.predict(path, late if form == "frame" else tmp_path / "late.csv")
    assert found.frame["prediction"].to_list() == jobs["done"].to_list()
    assert found.evaluation["mae"].value == pytest.approx(2, abs=1e-6)
    assert found.to_bytes().decode().splitlines()[1].split(",")[1] == jobs["done"][0].isoformat()
    assert found.predicts_dates


def test_evaluate_takes_dates(trained, path, jobs):
    late = jobs.with_columns(pl.col("done").dt.offset_by("-3d"), pl.col("parts") + 0.0)
    for found in (trained.evaluate(late), mercer.evaluate(path, late, "done")):
        assert found["rmse"].value == pytest.approx(3, abs=1e-6)
    moments = late["done"].to_numpy().astype("datetime64[ns]")
    assert mercer.score_predictions(moments, moments + np.timedelta64(36, "h"))["mae"].value == pytest.approx(1.5)


def test_chunks_are_predicted_as_dates(path, jobs, tmp_path):
    jobs.write_parquet(tmp_path / "jobs.parquet")
    found = predict_file(path, tmp_path / "jobs.parquet", tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert [line.split(",")[1] for line in lines[1:]] == [d.isoformat() for d in jobs["done"]]
    assert found.rmse == pytest.approx(0, abs=1e-6)


def test_moments_are_predicted_to_the_second(jobs, tmp_path):
    moments = jobs.with_columns(pl.col("done").cast(pl.Datetime("us")) + pl.duration(hours=6))
    found = mercer.train(moments, "done", learners="linear", quick=True)
    assert found.predict(moments).tolist() == moments["done"].to_list()
    again = mercer.predict(found.save(tmp_path / "m.mercer"), moments).frame["prediction"]
    assert again.to_list() == moments["done"].to_list()


def test_the_report_shows_dates(trained, jobs, tmp_path):
    page = trained.report(tmp_path / "r.html").read_text()
    first, last = jobs["done"].min(), jobs["done"].max()
    assert f"from {first} to {last}" in page
    assert "its mean absolute error is" in page
    assert "days." in page
    assert "RMSE, days" in page
    days = np.array([first, last], dtype="datetime64[D]").astype(int)
    tree = page[page.index("Decision tree</") :]
    assert not any(f">{day}" in tree for day in range(days[0], days[1]))
    assert json.loads(json.dumps(trained.to_dict()))["target"]["date_unit"] == "D"


def test_the_terminal_says_days(path, jobs, tmp_path):
    jobs.write_csv(tmp_path / "jobs.csv")
    said = CliRunner().invoke(
        app, ["predict", str(path), str(tmp_path / "jobs.csv"), "--out", str(tmp_path / "out.csv")]
    )
    assert "Root mean squared error on 120 rows with a known 'done': " in said.stdout
    assert " days." in said.stdout


def test_explanations_speak_of_dates_and_days(path, trained, jobs, tmp_path):
    jobs.write_csv(tmp_path / "jobs.csv")
    after = str(jobs["done"][0] + timedelta(days=6))
    asked = ["--above", after, "--fixed", "start", "--html", str(tmp_path / "rows.html")]
    said = CliRunner().invoke(app, ["explain", str(path), str(tmp_path / "jobs.csv"), *asked])
    assert f"The prediction is {jobs['done'][0]} (base 20" in said.stdout
    assert " days)" in said.stdout
    changed = re.search(rf"The prediction would be (.*) instead of {jobs['done'][0]} if parts were", said.stdout)
    assert changed is not None
    assert changed[1] > after
    days = [str((jobs["done"][0] + timedelta(days=n) - date(1970, 1, 1)).days) for n in range(-9, 10)]
    page = (tmp_path / "rows.html").read_text()
    assert not any(day in said.stdout or day in page for day in days)
    for model in (path, trained):
        assert str(jobs["done"][0]) in mercer.explain(model, jobs, 0).row(0)
        assert mercer.counterfactual(model, jobs, 0, above=after, fixed=["start"]).found
    for limit, said in (("soon", "'soon' is no date"), (jobs["done"][0] - timedelta(days=1), "above .* already")):
        with pytest.raises(MercerError, match=said):
            mercer.counterfactual(path, jobs, 0, above=limit)


def test_the_examples_of_the_report_speak_of_dates(jobs):
    found = mercer.train(jobs, "done", learners=["neighbours"], quick=True).to_dict()
    (explained,) = found["explanations"]
    texts = [e[name] for e in found["examples"] + explained["details"]["examples"] for name in ("truth", "predicted")]
    texts += [line["target"] for e in explained["details"]["examples"] for line in e["neighbours"]]
    assert texts
    assert all(jobs["done"].min() <= date.fromisoformat(text) <= jobs["done"].max() for text in texts)


def test_the_model_file_keeps_it_and_refuses_another_unit(path, trained):
    stored = open_model(path)
    assert stored.card.date_unit == "D"
    state = stored.card.to_state()
    assert Card().date_unit == ""
    assert trained.stored().card.date_unit == "D"
    with pytest.raises(BadFile, match="date_unit"):
        Card.from_state(Reader({**state, "date_unit": "week"}, "card"))


def test_days_as_text_and_along_an_axis():
    day = (date(2024, 2, 29) - date(1970, 1, 1)).days
    assert value_text(day + 0.4, "D") == "2024-02-29"
    assert value_text(day + 0.25, "s") == "2024-02-29T06:00:00"
    assert value_text(day, "") == "19,782"
    assert value_text(1e9, "D") == "NaT"
    assert day_ticks(day, day + 800) == [((date(y, 1, 1) - date(1970, 1, 1)).days, str(y)) for y in (2025, 2026)]
    assert day_ticks(-1e7, 1e7)
