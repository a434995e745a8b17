"""mercer.train on tables in chunks: whole where they fit; else scores of rows that no learner saw, by witnesses."""

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss, r2_score, roc_auc_score
from tests.scale.rows import cut, expect_same, people

import mercer
from mercer.errors import BadColumn, BadFile, BadTarget, MercerError
from mercer.report.page import render
from mercer.scale import whole
from mercer.scale.sample import uniform
from mercer.workbench.training.leaderboard import decision

ROWS = people(3000)


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path / "parts", ROWS, [900, 1700, 2300])


@pytest.fixture
def small(monkeypatch):
    """A machine on which no table fits."""
    monkeypatch.setattr(whole, "physical_memory", lambda: 0)


def written(path, rows, cuts):
    path.mkdir()
    for k, part in enumerate(cut(rows, cuts)):
        pl.from_pandas(part).write_parquet(path / f"{k}.parquet")
    return path


def train(path, target="y", **options):
    return mercer.train(str(path / "*.parquet"), target, **{"learners": ["naive_bayes", "baseline"], **options})


def test_a_pattern_that_fits_is_one_table(folder):
    ours = train(folder, quick=True)
    table = folder.parent / "whole.parquet"
    pl.read_parquet(folder / "*.parquet").write_parquet(table)
    theirs = mercer.train(table, "y", learners=["naive_bayes", "baseline"], quick=True)
    assert ours.comparison.splits == theirs.comparison.splits
    assert ours.best.held_out == theirs.best.held_out
    expect_same(ours.model, theirs.model, rtol=0)


def test_scores_are_those_of_rows_that_the_learner_did_not_see(folder, small):
    found = train(folder, test_size=0.25)
    drawn = uniform(np.arange(len(ROWS)), 0)
    train_rows, test_rows = ROWS[drawn >= 0.5], ROWS[drawn < 0.25]
    model = mercer.NaiveBayes(n_jobs=None).fit(train_rows.drop(columns="y"), train_rows.y)
    proba = model.predict_proba(test_rows.drop(columns="y"))
    scores = found.best.held_out
    assert found.comparison.target.positive == "no"
    assert scores["roc_auc"].value == pytest.approx(roc_auc_score(test_rows.y == "no", proba[:, 0]), abs=1e-12)
    assert scores["log_loss"].value == pytest.approx(log_loss(test_rows.y, proba), abs=1e-12)
    assert scores["accuracy"].value == pytest.approx(accuracy_score(test_rows.y, model.predict(test_rows)), abs=1e-12)
    np.testing.assert_array_equal(
        found.comparison.diagnostics.confusion, confusion_matrix(test_rows.y, model.predict(test_rows))
    )
    assert scores["roc_auc"].low < scores["roc_auc"].value < scores["roc_auc"].high
    splits = found.comparison.splits
    assert (splits.n_rows, splits.n_train, splits.n_held_out) == (3000, len(train_rows), len(test_rows))


def test_the_model_is_that_of_every_row(folder, small, tmp_path):
    found = train(folder, calibrate="none")
    plain = mercer.NaiveBayes(n_jobs=None).fit(ROWS.drop(columns="y"), ROWS.y)
    expect_same(found.model, plain, rtol=1e-9)
    found.write(tmp_path / "run")
    stored = mercer.load(tmp_path / "run" / "model.mercer")
    np.testing.assert_array_equal(stored.predict(ROWS), plain.predict(ROWS))
    assert json.loads((tmp_path / "run" / "result.json").read_text())["splits"]["kind"] == "validation"


def test_the_chunks_do_not_matter(folder, small, tmp_path):
    other = written(tmp_path / "others", ROWS, [1, 2, 1500])
    one, two = (train(path, learners=["naive_bayes", "linear", "baseline"]) for path in (folder, other))
    for a, b in zip(one.comparison.leaderboard, two.comparison.leaderboard, strict=True):
        assert a.key == b.key
        assert a.held_out["roc_auc"].value == pytest.approx(b.held_out["roc_auc"].value, abs=1e-12)
        assert a.cross_validated["log_loss"].value == pytest.approx(b.cross_validated["log_loss"].value, abs=1e-9)
    assert one.comparison.splits == two.comparison.splits


def test_the_report_speaks_of_validation_rows(folder, small, tmp_path):
    page = train(folder, cost={"fn": 5, "fp": 1}).report(tmp_path / "report.html").read_text()
    assert "cross-valid" not in page.lower()
    for text in ("were set aside for validation", "Confusion matrix", "ROC curve", "Naive Bayes", "Validation"):
        assert text in page


def test_a_threshold_that_is_not_reached_is_told_of_validation_rows(folder, small, tmp_path):
    found = train(folder, threshold="precision=1.0")
    page = found.report(tmp_path / "report.html").read_text()
    assert "is not reached by any threshold on validation rows" in page and "cross-valid" not in page.lower()


def test_names_of_the_table_stay_as_they_are(small, tmp_path):
    """Also where they hold words that mercer says otherwise of validation rows."""
    level, column, positive = "seen in cross-validation", "Cross-validated scores", "in cross-validation"
    rows = ROWS.replace({"job": {"sales": level}, "y": {"no": positive}}).rename(columns={"age": column})
    found = train(written(tmp_path / "names", rows, [1000]), positive=positive, threshold="recall=0.9")
    page = found.report(tmp_path / "report.html").read_text()
    assert level in page and column in page
    assert f"When is a row called {positive}?" in page and f"A row is called {positive} from" in page
    ours = re.sub(f"{level}|{column}|{positive}|in cross-val[a-z]*…", "", page)
    assert "cross-valid" not in ours.lower() and "Validation rows" in ours and "on validation rows" in ours
    said = decision(found.comparison)
    assert said.startswith(f"Threshold: {positive} from") and said.endswith("on validation rows.")


def test_numbers_are_predicted(small, tmp_path):
    rows = ROWS.assign(price=ROWS.age * 2 + (ROWS.job == "sales") + np.random.default_rng(1).normal(size=len(ROWS)))
    path = written(tmp_path / "numbers", rows, [1000])
    found = train(path, "price", learners=["linear", "baseline"])
    drawn = uniform(np.arange(len(rows)), 0)
    fitted, test = rows[drawn >= 0.4], rows[drawn < 0.2]
    model = mercer.LinearRegression().fit(fitted.drop(columns="price"), fitted.price)
    assert found.best.key == "linear"
    assert found.best.held_out["r2"].value == pytest.approx(r2_score(test.price, model.predict(test)), abs=1e-9)
    assert found.comparison.target.quantiles[0] == rows.price.min()
    assert found.comparison.target.quantiles[-1] == rows.price.max()


@pytest.mark.parametrize(("values", "classes"), [([0, 1], ["0", "1"]), ([1, 2, 3], ["1", "2", "3"])])
def test_few_whole_numbers_are_classes(small, tmp_path, values, classes):
    rows = ROWS.assign(y=np.random.default_rng(0).choice(values, len(ROWS)).astype(float))
    rows.loc[::7, "y"] = np.nan
    found = train(written(tmp_path / "classes", rows, [1000]))
    assert found.comparison.target.classes == classes
    assert found.comparison.target.counts == rows.y.value_counts().sort_index().tolist()
    assert found.comparison.target.n_missing == rows.y.isna().sum()
    assert set(found.predict(ROWS)) <= set(values)


def jobs(n=1200):
    """A job takes three days for each part, so that a linear model is right about every date."""
    rng = np.random.default_rng(0)
    parts, first = rng.integers(1, 40, n), rng.integers(0, 400, n)
    done = np.datetime64("2023-11-20") + first + 3 * parts
    return pl.DataFrame({"first": first, "parts": parts, "done": done})


FORMATS = {"iso": "%Y-%m-%d", "day first": "%d/%m/%Y", "moments": "%Y-%m-%d %H:%M"}


@pytest.mark.parametrize("form", ["typed", "typed moments", *FORMATS])
def test_dates_are_predicted_as_dates(small, tmp_path, form):
    rows = jobs()
    expected = rows["done"]
    if "moments" in form:
        expected = expected.cast(pl.Datetime("us")).dt.offset_by("6h")
    suffix = "parquet" if form.startswith("typed") else "csv"
    for k, part in enumerate(cut(rows.with_columns(expected).to_pandas(), [500, 800])):
        frame = pl.from_pandas(part).with_columns(pl.col("done").cast(expected.dtype))
        if suffix == "csv":
            frame.with_columns(pl.col("done").dt.strftime(FORMATS[form])).write_csv(tmp_path / f"{k}.csv")
        else:
            frame.write_parquet(tmp_path / f"{k}.parquet")
    found = mercer.train(str(tmp_path / f"*.{suffix}"), "done", learners=["linear", "baseline"])
    summary = found.comparison.target
    assert found.comparison.splits.kind == "validation"
    assert summary.reason.startswith("dates with")
    assert summary.date_unit == ("s" if "moments" in form else "D")
    assert found.best.held_out["mae"].value < 1e-6
    asked = rows.drop("done")
    assert found.predict(asked).tolist() == expected.to_list()
    again = mercer.predict(found.save(tmp_path / "model.mercer"), asked).frame["prediction"]
    assert again.to_list() == expected.to_list()
    assert " days" in render(found.comparison.to_dict())


@pytest.mark.parametrize("other", ["%m/%d/%Y", "week %W"])
def test_dates_that_are_written_in_two_ways_are_refused(small, tmp_path, other):
    rows = jobs(300)
    for k, layout in enumerate(["%d/%m/%Y", other]):
        frame = rows.slice(150 * k, 150).with_columns(pl.col("done").dt.strftime(layout))
        frame.write_csv(tmp_path / f"{k}.csv")
    words = r"'done' holds date DD/MM/YYYY in .*0\.csv.*, but .* in .*1\.csv.*\. Write its dates as YYYY-MM-DD"
    with pytest.raises(BadTarget, match=words):
        mercer.train(str(tmp_path / "*.csv"), "done", learners=["linear"])


def test_a_threshold_is_chosen_on_validation_rows(folder, small):
    found = train(folder, threshold="recall=0.9")
    assert 0 < found.threshold < 0.5
    drawn = uniform(np.arange(len(ROWS)), 0)
    validation = ROWS[(drawn >= 0.2) & (drawn < 0.4)]
    fitted = ROWS[drawn >= 0.4]
    proba = mercer.NaiveBayes().fit(fitted.drop(columns="y"), fitted.y).predict_proba(validation)[:, 0]
    assert (proba[validation.y == "no"] >= found.threshold).mean() == pytest.approx(0.9, abs=0.01)


def test_a_dask_frame_is_a_table_in_chunks(small):
    dd = pytest.importorskip("dask.dataframe")
    found = mercer.train(dd.from_pandas(ROWS, npartitions=3), "y", learners=["naive_bayes", "baseline"])
    assert found.comparison.splits.kind == "validation"


def test_progress_rises_to_the_end(folder, small):
    seen = []
    train(folder, progress=lambda what, share: seen.append(share))
    assert seen == sorted(seen)
    assert seen[-1] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": "age"}, "weight is not for a table in chunks"),
        ({"folds": 3}, "folds is not for a table in chunks"),
        ({"imbalance": "over"}, "imbalance is not for a table in chunks"),
        ({"cost": {"fn": "age", "fp": 1}}, "a column of costs is not for a table in chunks"),
        ({"threshold": "top=5"}, "needs all rows at once"),
        ({"learners": ["svm"]}, "svm needs all rows at once. In chunks these can be fitted: naive_bayes"),
        ({"drop": "agee"}, "there is no column 'agee'. Did you mean 'age'"),
        ({"drop": "y"}, "that is the target"),
    ],
)
def test_what_needs_all_rows_is_refused(folder, small, options, message):
    with pytest.raises(MercerError, match=re.escape(message)):
        train(folder, **options)


def test_dropped_columns_are_not_learned_from(folder, small):
    assert "job" not in train(folder, drop="job").model.schema_


@pytest.mark.parametrize("fits", [True, False])
def test_files_that_are_wrong_are_named(folder, monkeypatch, fits):
    if not fits:
        monkeypatch.setattr(whole, "physical_memory", lambda: 0)
    with pytest.raises(BadFile, match="No file is at"):
        mercer.train(str(folder / "*.csv"), "y")
    plain = pl.read_parquet(folder / "2.parquet")
    plain.drop("age").write_parquet(folder / "2.parquet")
    with pytest.raises(BadColumn, match=r"2\.parquet has no column 'age'"):
        train(folder)
    plain.drop("y").write_parquet(folder / "2.parquet")
    with pytest.raises((BadColumn, BadTarget), match=r"2\.parquet"):
        train(folder)
    (folder / "2.parquet").write_bytes(b"PAR1 no table")
    with pytest.raises(BadFile, match=r"2\.parquet cannot be read"):
        train(folder)


def test_a_new_level_in_a_late_chunk_and_an_empty_chunk(small, tmp_path):
    rows = ROWS.copy()
    rows.loc[rows.index[-5:], "job"] = "pilot"
    path = written(tmp_path / "late", rows, [1000, 1000, 2500])
    found = train(path)
    assert "pilot" in found.model.schema_["job"].levels
    assert found.comparison.splits.n_rows == len(rows)


def test_a_class_without_training_rows_is_named(small, tmp_path):
    rows = ROWS.copy()
    rows.loc[int(np.flatnonzero(uniform(np.arange(len(ROWS)), 0) < 0.2)[0]), "y"] = "maybe"
    with pytest.raises(BadTarget, match="The class 'maybe' has 1 rows, none of them left to train on"):
        train(written(tmp_path / "lone", rows, [1000]))


def test_text_files_whose_types_differ(tmp_path):
    pd.DataFrame({"a": [1, 2, 3] * 20, "y": ["p", "q", "p"] * 20}).to_csv(tmp_path / "0.csv", index=False)
    pd.DataFrame({"a": [1.5, 2, 7] * 20, "y": ["p", "q", "p"] * 20}).to_csv(tmp_path / "1.csv", index=False)
    pd.DataFrame({"a": ["x", "2", "z"] * 20, "y": ["p", "q", "p"] * 20}).to_csv(tmp_path / "2.csv", index=False)
    numbers = mercer.train(str(tmp_path / "[01].csv"), "y", learners=["baseline"], quick=True)
    assert str(numbers.model.schema_["a"].kind) == "numeric"
    mixed = mercer.train(str(tmp_path / "[02].csv"), "y", learners=["baseline"], quick=True)
    assert mixed.model.schema_["a"].levels == ("1", "2", "3", "x", "z")


@pytest.mark.parametrize("data", ["x" * 5000, "t\0.csv"])
def test_a_text_that_is_no_path_is_no_table(data):
    with pytest.raises(MercerError):
        mercer.train(data, "y")


def test_two_numbers_in_a_cell_are_two_columns(small, tmp_path):
    pressure = [f"{100 + k % 57}/{60 + k % 23}" for k in range(len(ROWS))]
    rows = ROWS[["y"]].assign(bp=pressure)
    path = written(tmp_path / "parts", rows, [900, 2000])
    found = train(path, learners=["naive_bayes"], missing={"bp": "100/60"})
    ours = mercer.NaiveBayes(n_jobs=None).fit(mercer.read_table(rows[["bp"]], missing={"bp": "100/60"}), rows.y)
    expect_same(found.model, ours, rtol=1e-9)
    assert found.model.schema_.names == ("bp (first number)", "bp (second number)")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_strays_and_limits_in_a_target_are_read_as_in_memory(small, tmp_path, suffix, monkeypatch):
    rng = np.random.default_rng(2)
    rows = ROWS.assign(price=(100 * ROWS.age + rng.normal(size=len(ROWS))).round(2).astype(str))
    rows.loc[[1500, 2400], "price"] = "tbd"  # none in the first chunk, which holds numbers alone
    rows.loc[1700, "price"] = f"<{rows.price[1700]}"
    parts = cut(rows, [1000, 2000])
    for k, part in enumerate(parts):
        frame = pl.from_pandas(part.astype({"price": float}) if k == 0 else part)
        getattr(frame, f"write_{suffix}")(tmp_path / f"{k}.{suffix}")
    found = mercer.train(str(tmp_path / f"*.{suffix}"), "price", learners=["linear", "baseline"])
    summary = found.comparison.target
    assert found.comparison.splits.kind == "validation"
    assert "; 2 other cells read as missing: 'tbd' in row 1501 and row 2401" in summary.reason
    assert summary.n_missing == 2
    assert found.best.held_out["r2"].value > 0.999
    monkeypatch.undo()
    whole_table = mercer.train(rows, "price", learners=["baseline"])
    assert whole_table.comparison.target.n_missing == 2
    assert summary.quantiles[0] == whole_table.comparison.target.quantiles[0]


def test_a_target_of_texts_in_one_chunk_and_numbers_in_another_is_refused(small, tmp_path):
    rows = ROWS.assign(price=ROWS.age)
    for k, part in enumerate(cut(rows, [1000])):
        pl.from_pandas(part.assign(price=part.job) if k else part).write_parquet(tmp_path / f"{k}.parquet")
    with pytest.raises(BadTarget, match=r"numbers in .*, but text in .*Make the chunks alike"):
        train(tmp_path, "price")
