"""A model fitted in chunks, whatever they come from; and what is said when they do not fit together."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mercer
from mercer.errors import BadColumn, BadFile, BadTable, BadTarget, MercerError, MercerWarning
from mercer.table import open_source
from mercer.table.target_column import read_target
from tests.scale.rows import ROWS, cut, expect_same


@pytest.fixture
def folder(tmp_path):
    for k, part in enumerate(cut(ROWS, [150, 400])):
        pl.from_pandas(part).write_parquet(tmp_path / f"part-{k}.parquet")
        part.to_csv(tmp_path / f"part-{k}.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("pattern", ["*.parquet", "*.csv"])
def test_a_pattern_of_files(folder, pattern):
    model = mercer.scale.fit(mercer.NaiveBayes(), str(folder / pattern), "y")
    whole = mercer.NaiveBayes().fit(ROWS.drop(columns="y"), ROWS.y)
    rows = ROWS.drop(columns="y")
    np.testing.assert_allclose(model.predict_proba(rows), whole.predict_proba(rows), rtol=1e-12)


@pytest.mark.parametrize(
    "labels",
    [[3, 1, 2], [True, False, True], [0.5, 2.5, 1.0], ["3", "x", "1"]],
    ids=["whole", "truth", "floats", "text"],
)
def test_the_target_of_text_files_is_read_alike_in_every_pass(tmp_path, labels):
    for k in range(3):
        ROWS[["age", "job"]].iloc[k * 100 : k * 100 + 90].assign(y=labels * 30).to_csv(
            tmp_path / f"{k}.csv", index=False
        )
    model = mercer.MeanTarget() if labels[0] == 0.5 else mercer.NaiveBayes()
    mercer.scale.fit(model, str(tmp_path / "*.csv"), "y")
    if labels[0] == 0.5:
        assert model.mean_ == pytest.approx(np.mean(labels))
    else:
        assert model.classes_.tolist() == sorted(set(labels))


def test_large_files_are_cut(folder, monkeypatch):
    monkeypatch.setattr("mercer.scale.files._HEAD", 1000)
    one = folder / "one.csv"
    texts = ROWS.assign(note=np.where(ROWS.age > 40, 'says "old"\nand more', "young"))
    texts.to_csv(one, index=False)
    chunks = mercer.scale.as_chunks(one, cells=500)
    assert len(chunks) > 3
    model = mercer.scale.fit(mercer.NaiveBayes(), chunks, "y")
    assert model.class_count_.sum() == len(ROWS)
    pl.read_csv(one).write_parquet(folder / "one.parquet")
    parts = mercer.scale.as_chunks(folder / "one.parquet", cells=500)
    assert len(parts) > 3
    expect_same(mercer.scale.fit(mercer.NaiveBayes(), parts, "y"), model)


def test_an_iterator_that_starts_anew():
    model = mercer.scale.fit(mercer.NaiveBayes(), lambda: iter(cut(ROWS, [10, 500])), "y")
    assert model.class_count_.sum() == len(ROWS)


def test_a_pyarrow_dataset(folder):
    dataset = pytest.importorskip("pyarrow.dataset").dataset(sorted(map(str, folder.glob("*.parquet"))))
    assert mercer.scale.fit(mercer.NaiveBayes(), dataset, "y").class_count_.sum() == len(ROWS)


@pytest.mark.parametrize("address", ["sqlite:///{}", "sqlite+pysqlite:///{}"])
def test_a_database_is_streamed(tmp_path, address):
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
        ROWS.to_sql("people", connection, index=False)
    chunks = mercer.scale.as_chunks(
        address.format(tmp_path / "shop.db"), query="select * from people where age > 30", cells=10_000
    )
    assert [chunk.frame.n_rows for chunk in chunks][:2] == [100, 100]
    model = mercer.scale.fit(mercer.NaiveBayes(), chunks, "y")
    rows = ROWS[ROWS.age > 30]
    whole = mercer.NaiveBayes().fit(rows.drop(columns="y"), rows.y)
    assert model.class_count_.tolist() == whole.class_count_.tolist()
    np.testing.assert_allclose(model.predict_proba(rows), whole.predict_proba(rows), rtol=1e-10)


def test_a_database_that_is_not_there_is_named(tmp_path):
    with pytest.raises(BadFile, match=r"There is no file .*nothing\.db"):
        mercer.scale.fit(mercer.NaiveBayes(), f"sqlite:///{tmp_path}/nothing.db", "y")


def test_rows_without_target_are_left_out():
    rows = ROWS.assign(y=ROWS.y.where(np.arange(len(ROWS)) > 20))
    with pytest.warns(MercerWarning, match="21 rows have no 'y'"):
        model = mercer.scale.fit(mercer.NaiveBayes(), cut(rows, [10, 300]), "y")
    assert model.class_count_.sum() == len(ROWS) - 21


@settings(max_examples=40, deadline=None)
@given(
    labels=st.lists(st.sampled_from([" yes", "yes", "yes\t", "no", "No", "?", ""]), min_size=8, max_size=30),
    cuts=st.lists(st.integers(0, 30), max_size=4),
    dtype=st.sampled_from(["object", "category"]),
)
def test_classes_of_data_frames_are_the_labels_as_they_are(labels, cuts, dtype):
    rows = pd.DataFrame({"x": np.arange(len(labels)) % 5, "y": pd.Series(labels, dtype=dtype)})
    found = mercer.scale.fit(mercer.NaiveBayes(), cut(rows, [c for c in cuts if c <= len(rows)]), "y")
    expected, counts = np.unique(np.array(labels), return_counts=True)
    np.testing.assert_array_equal(found.classes_, expected)
    np.testing.assert_array_equal(found.class_count_, counts)
    np.testing.assert_array_equal(found.classes_, mercer.NaiveBayes().fit(rows[["x"]], rows.y).classes_)
    if len(expected) > 1:
        assert mercer.scale.score(found, [rows], "y").confusion_matrix.sum() == len(rows)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_classes_of_files_are_those_of_the_file_read_at_once(tmp_path, suffix):
    rows = pd.DataFrame({"x": np.arange(60) % 7, "y": ["yes ", " yes", "yes", "no", "?", "no "] * 10})
    path = tmp_path / f"rows.{suffix}"
    rows.to_csv(path, index=False) if suffix == "csv" else rows.to_parquet(path)
    with pytest.warns(MercerWarning, match="10 rows have no 'y'"):
        found = mercer.scale.fit(mercer.NaiveBayes(), path, "y")
    assert tuple(found.classes_.tolist()) == read_target(open_source(path), "y")[0].classes == ("no", "yes")


def test_empty_chunks_do_not_matter():
    whole = mercer.scale.fit(mercer.NaiveBayes(), [ROWS], "y")
    expect_same(mercer.scale.fit(mercer.NaiveBayes(), cut(ROWS, [0, 0, 600]), "y"), whole)
    with pytest.raises(BadTable, match="every chunk is empty"):
        mercer.scale.fit(mercer.NaiveBayes(), [ROWS[:0], ROWS[:0]], "y")


def test_a_corrupt_file_is_named(folder):
    (folder / "part-1.parquet").write_bytes(b"PAR1 is not enough PAR1")
    with pytest.raises(BadFile, match=r"part-1\.parquet"):
        mercer.scale.fit(mercer.NaiveBayes(), str(folder / "*.parquet"), "y")


def test_a_file_that_changes_between_passes_is_named(folder):
    chunks = mercer.scale.as_chunks(str(folder / "*.csv"))
    ROWS.head(50).to_csv(folder / "part-2.csv", index=False)
    with pytest.raises(BadFile, match=r"part-2\.csv has changed since it was first read"):
        mercer.scale.fit(mercer.NaiveBayes(), chunks, "y")


def test_a_chunk_with_other_columns_is_named():
    with pytest.raises(BadColumn, match="chunk 2 has no column 'job', which chunk 1 has"):
        mercer.scale.fit(mercer.NaiveBayes(), [ROWS[:300], ROWS[300:].drop(columns="job")], "y")


def test_a_chunk_without_the_target_is_named():
    with pytest.raises(BadTarget, match="chunk 2: there is no column 'y' to predict"):
        mercer.scale.fit(mercer.NaiveBayes(), [ROWS[:300], ROWS[300:].rename(columns={"y": "Y"})], "y")


def test_a_target_of_two_types_is_refused():
    with pytest.raises(BadTarget, match="text in chunk 1, but numbers in chunk 2"):
        mercer.scale.fit(mercer.NaiveBayes(), [ROWS[:300], ROWS[300:].assign(y=1)], "y")


def test_a_learner_that_needs_all_rows_says_so():
    with pytest.raises(MercerError, match="SVC needs all rows at once"):
        mercer.scale.fit(mercer.SVC(), [ROWS], "y")


@pytest.mark.parametrize("data", ["nowhere/*.csv", "nowhere.parquet"])
def test_a_pattern_without_files(data):
    with pytest.raises(BadFile, match="nowhere"):
        mercer.scale.fit(mercer.NaiveBayes(), data, "y")
