"""Predictions for a file of another office: decimal commas, amounts with a currency, dates turned round."""

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import mercer
from mercer.cli.app import app
from mercer.errors import BadColumn, ColumnWarning

N = 240


def table():
    chance = np.random.default_rng(3)
    income, height = chance.lognormal(7, 1, N).round(2), chance.normal(1.7, 0.1, N).round(2)
    days = np.datetime64("2019-01-01") + chance.integers(0, 900, N)
    answer = np.where(income * height + chance.normal(0, 400, N) > 2000, "yes", "no")
    return pl.DataFrame({"income": income, "height": height, "since": days, "answer": answer})


def other_office(rows):
    """The same rows with a semicolon, 1.234,50 € and 01.02.2021."""
    swapped = str.maketrans(",.", ".,")
    lines = [
        f"{income:,.2f}".translate(swapped) + f" €;{height:.2f}".replace(".", ",") + f";{since:%d.%m.%Y};{answer}"
        for income, height, since, answer in rows.iter_rows()
    ]
    return "\n".join([";".join(rows.columns), *lines, ""])


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("office")
    table().write_csv(folder / "ours.csv")
    result = mercer.train(folder / "ours.csv", "answer", learners="naive_bayes", quick=True)
    result.save(folder / "m.mercer")
    (folder / "theirs.csv").write_text(other_office(table()), encoding="utf-8")
    return folder, result


def test_the_file_of_another_office_has_the_same_predictions(place):
    folder, result = place
    ours = mercer.predict(folder / "m.mercer", folder / "ours.csv")
    with pytest.warns(ColumnWarning) as heard:
        theirs = mercer.predict(folder / "m.mercer", folder / "theirs.csv")
    assert {one.message.column for one in heard} == {"income", "height", "since"}
    assert theirs.frame.drop("since", strict=False).equals(ours.frame.drop("since", strict=False))
    with pytest.warns(ColumnWarning, match="decimal comma"):
        answers = result.predict(pl.read_csv(folder / "theirs.csv", separator=";"))
    assert answers.tolist() == ours.frame["prediction"].to_list()
    assert theirs.evaluation["accuracy"].value == ours.evaluation["accuracy"].value


def cut(text, sizes, folder):
    """The lines in files of these sizes, each with the header."""
    header, *lines = text.splitlines()
    for k, (start, stop) in enumerate(zip([0, *sizes], [*sizes, len(lines)], strict=True)):
        (folder / f"part-{k}.csv").write_text("\n".join([header, *lines[start:stop], ""]), encoding="utf-8")
    return str(folder / "part-*.csv")


@pytest.mark.parametrize("sizes", [[], [1], [50, 51, 200]])
def test_chunks_have_the_predictions_of_the_whole_and_say_once_how_they_are_read(place, tmp_path, sizes):
    folder, _ = place
    parts = cut(other_office(table()), sizes, tmp_path)
    with pytest.warns(ColumnWarning) as heard:
        found = mercer.predict_file(folder / "m.mercer", parts, tmp_path / "out.csv")
    assert sorted(one.message.column for one in heard) == ["height", "income", "since"]
    assert found.n_rows == N
    mercer.predict(folder / "m.mercer", folder / "ours.csv").write(tmp_path / "whole.csv")
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


@pytest.fixture
def numbers(tmp_path):
    rows = pl.DataFrame({"a": [1.5, 2.25, 1000.5, 4.0] * 10, "t": [1.0, 2.0, 3.0, 4.0] * 10})
    mercer.save(mercer.DecisionTreeRegressor().fit(rows.select("a"), rows["t"]), tmp_path / "n.mercer", target="t")
    return tmp_path


@pytest.mark.parametrize(
    ("chunks", "match"),
    [
        ([["86", "1.234"], ["86,5", "1.234"]], "chunk 2: .*row 1 holds '86,5'"),  # 1.234 was read before
        ([["86,5 €"], ["12,5 $"]], "'a' is not written in one notation"),
        ([["86,5"], ["1.234"], ["12.5"]], "'a' is not written in one notation"),
        ([["86,5"], ["oops"]], "chunk 2: .*'oops'"),
        ([["1,234"], ["86,5"]], "chunk 1: .*'1,234'"),
        ([["86.5"], ["oops"]], "chunk 2: .*'oops'"),
    ],
)
@pytest.mark.filterwarnings("ignore::mercer.errors.ColumnWarning")
def test_chunks_that_are_written_otherwise_than_the_first_are_refused(numbers, chunks, match):
    parts = [{"a": cells} for cells in chunks]
    with pytest.raises(BadColumn, match=match):
        mercer.predict_file(numbers / "n.mercer", parts, numbers / "out.csv")
    assert not (numbers / "out.csv").exists()


def test_numbers_of_later_files_are_read_in_the_notation_of_the_first(numbers):
    """1.234 alone would be read as a number with a decimal point."""
    (numbers / "p-0.csv").write_text("a;b\n999,5;1\n86,5;2\n")
    (numbers / "p-1.csv").write_text("a;b\n1.234;1\n2.000;2\n")
    with pytest.warns(ColumnWarning, match="decimal comma"):
        mercer.predict_file(numbers / "n.mercer", str(numbers / "p-*.csv"), numbers / "out.csv")
    assert pl.read_csv(numbers / "out.csv")["prediction"].to_list() == [3.0, 4.0, 3.0, 3.0]


@pytest.mark.parametrize("verb", ["predict", "evaluate", "explain"])
def test_the_terminal_reads_another_notation_and_notes_it(place, tmp_path, verb):
    folder, _ = place
    given = [verb, str(folder / "m.mercer"), str(folder / "theirs.csv"), "--json"]
    given += ["--out", str(tmp_path / "o.csv")] if verb == "predict" else ["--row", "3"] if verb == "explain" else []
    run = CliRunner().invoke(app, given)
    assert run.exit_code == 0, run.output
    json.loads(run.stdout)
    assert "'income': written otherwise than in the rows learned from" in run.stderr
    lines = ["income;height;since;answer", "12 %;1,7;01.02.2021;no", "7 %;1,8;31.12.2021;yes", ""]
    (tmp_path / "shares.csv").write_text("\n".join(lines))
    given[2] = str(tmp_path / "shares.csv")
    run = CliRunner().invoke(app, given)
    assert run.exit_code != 0
    assert "holds '12 %'" in json.loads(run.stdout)["error"]["what"]
