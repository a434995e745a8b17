"""Predictions of tables in chunks are those of the table at once, and nothing is half written."""

import polars as pl
import pytest
from tests.scale.rows import ROWS, cut
from typer.testing import CliRunner

import mercer
from mercer.cli.app import app
from mercer.errors import BadColumn, BadOutput


@pytest.fixture
def folder(tmp_path):
    model = mercer.NaiveBayes().fit(ROWS.drop(columns="y"), ROWS.y)
    mercer.save(model, tmp_path / "model.mercer", target="y")
    for k, part in enumerate(cut(ROWS, [1, 200, 450])):
        pl.from_pandas(part).write_parquet(tmp_path / f"part-{k}.parquet")
    return tmp_path


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_lines_of_chunks_are_those_of_the_table(folder, suffix):
    found = mercer.predict_file(
        folder / "model.mercer", str(folder / "part-*.parquet"), folder / f"out{suffix}", keep="age"
    )
    whole = mercer.predict(folder / "model.mercer", ROWS, keep="age")
    whole.write(folder / f"whole{suffix}")
    read = pl.read_csv if suffix == ".csv" else pl.read_parquet
    assert read(folder / f"out{suffix}").equals(read(folder / f"whole{suffix}"))
    assert found.n_rows == found.n_scored == len(ROWS)
    assert found.accuracy == pytest.approx(whole.evaluation["accuracy"].value)


def test_numbers_are_scored(tmp_path):
    mercer.save(mercer.MeanTarget().fit({"a": [1.0, 2.0]}, [1.0, 3.0]), tmp_path / "m.mercer", target="t")
    found = mercer.predict_file(
        tmp_path / "m.mercer", [{"a": [1.0], "t": [4.0]}, {"a": [2.0], "t": [0.0]}], tmp_path / "o.csv"
    )
    assert found.rmse == pytest.approx(2.0)


def test_a_chunk_that_does_not_fit_leaves_nothing_behind(folder):
    pl.DataFrame({"age": [1.0]}).write_parquet(folder / "part-2.parquet")
    with pytest.raises(BadColumn, match=r"part-2\.parquet.*'job' is missing"):
        mercer.predict_file(folder / "model.mercer", str(folder / "part-*.parquet"), folder / "out.csv")
    assert not [p for p in folder.iterdir() if "out" in p.name]


def test_another_format_is_refused(folder):
    with pytest.raises(BadOutput, match=r"\.csv or \.parquet"):
        mercer.predict_file(folder / "model.mercer", ROWS, folder / "out.xlsx")


def test_the_terminal_takes_a_pattern(folder):
    run = CliRunner().invoke(
        app, ["predict", str(folder / "model.mercer"), str(folder / "part-*.parquet"), "--out", str(folder / "o.csv")]
    )
    assert run.exit_code == 0
    assert "600 rows predicted" in run.output
    assert pl.read_csv(folder / "o.csv").height == len(ROWS)
