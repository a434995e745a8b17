"""Predictions for a file of another office: decimal commas, amounts with a currency, dates turned round."""

import json
import re

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
        ([["86,5 €"], ["12,5 $"]], "chunk 1: .*'a' is not written in one notation: .* others hold cells such as '12,5"),
        ([["86,5"], ["1.234"], ["12.5"]], "'a' is not written in one notation: .*'1.234'"),
        ([["86,5"], ["oops"]], "chunk 1: .*such as 'oops'"),
        ([["12"], ["1,234"]], "chunk 2: .*'1,234'"),
        ([["86.5"], ["oops"]], "chunk 2: .*'oops'"),
    ],
)
@pytest.mark.filterwarnings("ignore::mercer.errors.ColumnWarning")
def test_chunks_that_are_written_otherwise_than_the_first_are_refused(numbers, chunks, match):
    parts = [{"a": cells} for cells in chunks]
    with pytest.raises(BadColumn, match=match):
        mercer.predict_file(numbers / "n.mercer", parts, numbers / "out.csv")
    assert not (numbers / "out.csv").exists()


@pytest.mark.parametrize(
    ("chunks", "answers"),
    [
        ([["1.5", "4"], ["1,5", "2,25"]], [1, 4, 1, 2]),  # a later chunk alone has commas
        ([["999", "1.000"], ["1.000,5", "4"]], [3, 3, 3, 4]),  # 1.000 was read as one before
        ([["1.5", "1.000"], ["1,000.5", "4"]], [1, 1, 3, 4]),
        ([["1,000"], ["4,0", "2,25"]], [1, 4, 2]),  # a thousand, were it not for the others
    ],
)
def test_chunks_are_read_as_the_whole_table_is(numbers, chunks, answers):
    with pytest.warns(ColumnWarning) as heard:
        mercer.predict_file(numbers / "n.mercer", [{"a": cells} for cells in chunks], numbers / "out.csv")
    assert len(heard) == 1
    assert pl.read_csv(numbers / "out.csv")["prediction"].to_list() == answers
    with pytest.warns(ColumnWarning):
        whole = mercer.predict(numbers / "n.mercer", {"a": [cell for cells in chunks for cell in cells]})
    assert whole.frame["prediction"].to_list() == answers


def test_what_was_printed_before_is_not_read_otherwise(numbers):
    """To a pipe, lines of the first file are gone when the second shows that 1.000 is a thousand."""
    (numbers / "p-0.csv").write_text("a;b\n999;1\n1.000;2\n")
    (numbers / "p-1.csv").write_text("a;b\n1.000,5;1\n4;2\n")
    given = ["predict", str(numbers / "n.mercer"), str(numbers / "p-*.csv"), "--out"]
    run = CliRunner().invoke(app, [*given, "-"])
    assert run.exit_code == 2
    assert "'1.000' was read as numbers with a decimal point in rows before these" in run.stderr
    assert CliRunner().invoke(app, [*given, str(numbers / "out.csv")]).exit_code == 0


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


PRICES = {"a": [1.5, 2.25, 1000.5, 4.0] * 10, "price": ["€ 1.5", "€ 20.25", "€ 1,300.5", "€ 4"] * 10}


@pytest.fixture
def prices(tmp_path):
    result = mercer.train(PRICES, "price", learners="tree", quick=True)
    result.save(tmp_path / "p.mercer")
    return tmp_path, result


@pytest.mark.parametrize(
    "cells",
    [
        ["€ 1.5", "€ 20.25", "€ 1,300.5", None],
        ["1,5 €", "20,25 €", "1.300,50 €", "NA"],
        [1.5, 20.25, 1300.5, None],
        ["1,5", "20,25", "1300,5", ""],
    ],
)
@pytest.mark.filterwarnings("ignore::mercer.errors.MercerWarning")
def test_a_target_in_another_notation_is_scored_alike_in_chunks(prices, cells):
    folder, _ = prices
    rows = {"a": [1.5, 2.25, 1000.5, 4.0], "price": cells}
    whole = mercer.predict(folder / "p.mercer", rows)
    parts = [{name: values[start:stop] for name, values in rows.items()} for start, stop in ((0, 1), (1, 4))]
    found = mercer.predict_file(folder / "p.mercer", parts, folder / "out.csv")
    assert whole.evaluation.n_rows == found.n_scored == 3
    assert found.rmse == pytest.approx(whole.evaluation["rmse"].value)
    assert found.notes == []


@pytest.mark.parametrize("cells", [["$ 1.5", "$ 20.25", "$ 4"], ["1.5 %", "2 %", "4 %"], ["dear", "cheap", "dear"]])
def test_a_target_that_is_no_such_number_is_said_not_to_be_scored(prices, cells):
    folder, _ = prices
    rows = {"a": [1.5, 2.25, 4.0], "price": cells}
    said = f"could not be compared with the target: .*{cells[0][0]}"
    found = mercer.predict_file(folder / "p.mercer", [rows, rows], folder / "out.csv")
    whole = mercer.predict(folder / "p.mercer", rows)
    assert found.n_scored == 0
    assert whole.evaluation is None
    for notes in (found.notes, whole.notes):
        assert len(notes) == 1
        assert re.search(said, notes[0])
    pl.DataFrame(rows).write_csv(folder / "rows.csv")
    run = CliRunner().invoke(app, ["evaluate", str(folder / "p.mercer"), str(folder / "rows.csv")])
    assert run.exit_code == 2
    assert cells[0] in run.stderr


def test_a_price_in_another_currency_is_refused_wherever_it_comes(tmp_path):
    rows = {"price": ["€ 1.5", "€ 2.25", "€ 1,300.5", "€ 4"] * 10, "t": [1.0, 2.0, 3.0, 4.5] * 10}
    result = mercer.train(rows, "t", learners="tree", quick=True)
    result.save(tmp_path / "m.mercer")
    new = {"price": ["$ 1.5", "$ 4"], "t": [1.0, 4.5]}
    pl.DataFrame(new).write_csv(tmp_path / "new.csv")
    asked = "holds '\\$ 1.5', in \\$ where the rows learned from have €: amounts must be converted"
    calls = [
        lambda: result.predict(pl.DataFrame(new)),
        lambda: result.model.predict(new),
        lambda: result.evaluate(pl.DataFrame(new)),
        lambda: mercer.predict(tmp_path / "m.mercer", tmp_path / "new.csv"),
        lambda: mercer.predict_file(tmp_path / "m.mercer", [new, new], tmp_path / "out.csv"),
        lambda: mercer.evaluate(tmp_path / "m.mercer", pl.DataFrame(new)),
    ]
    for call in calls:
        with pytest.raises(BadColumn, match=asked):
            call()
    run = CliRunner().invoke(app, ["evaluate", str(tmp_path / "m.mercer"), str(tmp_path / "new.csv")])
    assert run.exit_code == 2
    assert "amounts must be converted" in run.stderr


def test_classes_in_chunks_are_scored_as_in_one_table(tmp_path):
    """1.0 is the class 1, and a class never seen is not scored."""
    rows = {"a": list(range(40)), "t": [0, 1] * 20}
    mercer.train(rows, "t", learners="tree", quick=True).save(tmp_path / "m.mercer")
    new = {"a": [1, 2, 3, 4], "t": ["1.0", "0", "2", None]}
    found = mercer.predict_file(tmp_path / "m.mercer", [new], tmp_path / "out.csv")
    whole = mercer.predict(tmp_path / "m.mercer", new)
    assert (found.n_scored, found.unknown_classes) == (whole.evaluation.n_rows, whole.unknown_classes) == (2, 1)
    assert found.accuracy == whole.evaluation["accuracy"].value


@pytest.mark.parametrize("verb", ["predict", "evaluate", "explain", "describe"])
def test_what_is_noted_is_in_the_json_too(place, tmp_path, verb):
    folder, _ = place
    given = [verb, *([] if verb == "describe" else [str(folder / "m.mercer")]), str(folder / "theirs.csv"), "--json"]
    given += ["--out", str(tmp_path / "o.csv")] if verb == "predict" else ["--row", "3"] if verb == "explain" else []
    run = CliRunner().invoke(app, given)
    noted = [line.removeprefix("Note: ") for line in run.stderr.splitlines() if line.startswith("Note: ")]
    assert json.loads(run.stdout)["notices"] == noted
    assert verb == "describe" or len(noted) >= 3


def test_what_is_noted_of_training_and_comparing_is_in_the_json_too(place, tmp_path):
    folder, _ = place
    names, *lines = other_office(table()).splitlines()
    (tmp_path / "twice.csv").write_text("\n".join([f"{names};income", *(f"{line};1" for line in lines), ""]))
    model, rows = str(folder / "m.mercer"), str(folder / "theirs.csv")
    quick = ["--quick", "--learner", "tree", "--out", str(tmp_path / "run")]
    train = ["train", str(tmp_path / "twice.csv"), "--target", "answer", *quick]
    for given in (train, ["compare", model, model, rows]):
        run = CliRunner().invoke(app, [*given, "--json"])
        assert run.exit_code == 0, run.output
        noted = [line.removeprefix("Note: ") for line in run.stderr.splitlines() if line.startswith("Note: ")]
        assert json.loads(run.stdout)["notices"] == noted
        assert any("income" in notice for notice in noted)


def test_what_is_noted_of_chunks_is_in_the_json_too(place, tmp_path):
    folder, _ = place
    parts = cut(other_office(table()), [100], tmp_path)
    given = ["predict", str(folder / "m.mercer"), parts, "--json", "--out", str(tmp_path / "o.csv")]
    found = json.loads(CliRunner().invoke(app, given).stdout)
    assert sum("written otherwise" in notice for notice in found["notices"]) == 3
    assert found["scored"] == N
    assert 0 < found["accuracy"] <= 1


AMOUNTS = np.arange(60) * 31.25 + 578.68
DAYS = np.datetime64("2020-01-01") + AMOUNTS.astype(int)
WRITTEN = {
    "numbers": AMOUNTS,
    "texts": [f"{v}" for v in AMOUNTS],
    "euro": [f"{v:,.2f} €".translate(str.maketrans(",.", ".,")) for v in AMOUNTS],
    "grouped": [f"{v:,.2f}" for v in AMOUNTS],
}
DATED = {
    "dates": DAYS.astype("datetime64[us]"),
    "iso": DAYS.astype(str).tolist(),
    "written": [f"{day:%d.%m.%Y}" for day in DAYS.tolist()],
}
ANSWERED = {
    "numbers": np.arange(60) % 2,
    "flags": np.arange(60) % 2 == 1,
    "texts": [f"{k % 2}.0" for k in range(60)],
    "words": ["yes" if k % 2 else "no" for k in range(60)],
    "others": ["Ja" if k % 2 else "Nein" for k in range(60)],
}


@pytest.mark.parametrize("forms", [WRITTEN, DATED, ANSWERED], ids=["amounts", "dates", "answers"])
@pytest.mark.filterwarnings("ignore::mercer.errors.MercerWarning")
def test_every_way_to_score_reads_a_target_alike(tmp_path, forms):
    a = np.random.default_rng(2).normal(size=60).round(3)
    frames = {name: pl.DataFrame({"a": a, "t": cells}) for name, cells in forms.items()}
    for rows in frames.values():
        result = mercer.train(rows[:40], "t", learners="tree", quick=True)
        path = result.save(tmp_path / "m.mercer")
        for new in frames.values():
            new[30:].write_csv(tmp_path / "new.csv")
            found = [
                mercer.predict(path, new[30:]).evaluation,
                mercer.predict(path, tmp_path / "new.csv").evaluation,
                mercer.evaluate(path, new[30:]),
                mercer.evaluate(path, new[30:].select("a"), new["t"][30:].to_numpy()),
                result.evaluate(new[30:]),
                result.evaluate(tmp_path / "new.csv"),
            ]
            chunks = mercer.predict_file(path, [new[30:50], new[50:]], tmp_path / "lines.csv")
            score = "accuracy" if forms is ANSWERED else "rmse"
            scores = [*(one[score].value for one in found), getattr(chunks, score)]
            assert scores == pytest.approx([scores[0]] * 7, rel=1e-9)
            assert [one.n_rows for one in found] == [30] * 6


def test_dates_are_not_scored_as_numbers(prices):
    folder, result = prices
    rows = pl.DataFrame({"a": [1.5, 2.25], "price": np.array(["2021-01-01", "2021-01-02"], dtype="datetime64[D]")})
    for call in (lambda: mercer.evaluate(folder / "p.mercer", rows), lambda: result.evaluate(rows)):
        with pytest.raises(BadColumn, match="'price' came as dates"):
            call()


COMMAS = str.maketrans(",.", ".,")
STYLES = {
    "plain": lambda v: f"{v:.2f}",
    "whole": lambda v: f"{int(v)}",
    "grouped": lambda v: f"{v:,.2f}",
    "german": lambda v: f"{v:,.2f}".translate(COMMAS),
    "thousands": lambda v: f"{int(v):,}",
    "points": lambda v: f"{int(v):,}".translate(COMMAS),
    "three": lambda v: f"{v:.3f}",
    "euro": lambda v: f"€ {v:,.2f}",
    "german euro": lambda v: f"{v:,.2f} €".translate(COMMAS),
    "dollar": lambda v: f"${v:,.2f}",
    "share": lambda v: f"{v:.1f}%",
    "nothing": lambda v: "NA",
    "words": lambda v: "oops",
}


def random_chunks(chance):
    """Rows in one to four chunks, each in a style of its own, some with a cell in another."""
    chunks = []
    for style in chance.choice(list(STYLES), size=chance.integers(1, 5)):
        cells = [STYLES[style](v) for v in chance.lognormal(6, 1.5, chance.integers(1, 40))]
        if chance.random() < 0.3:
            cells[0] = STYLES[chance.choice(list(STYLES))](123.456)
        chunks.append(cells)
    return chunks


@pytest.mark.parametrize("style", ["plain", "whole", "grouped", "german", "euro", "share"])
@pytest.mark.filterwarnings("ignore::mercer.errors.MercerWarning")
def test_chunks_in_any_styles_are_read_or_refused_as_the_whole_table_is(tmp_path, style):
    chance = np.random.default_rng(len(style))
    amounts = chance.lognormal(6, 1.5, 200)
    rows = {"x": [STYLES[style](v) for v in amounts], "b": chance.random(200)}
    mercer.save(mercer.DecisionTreeRegressor(max_depth=6).fit(rows, np.log(amounts)), tmp_path / "m.mercer", target="t")
    n_read = 0
    for _ in range(25):
        chunks = random_chunks(chance)
        cells = [cell for part in chunks for cell in part]
        try:
            whole = mercer.predict(tmp_path / "m.mercer", {"x": cells, "b": [0.5] * len(cells)})
        except BadColumn:
            whole = None
        parts = [{"x": part, "b": [0.5] * len(part)} for part in chunks]
        if whole is None:
            with pytest.raises(BadColumn):
                mercer.predict_file(tmp_path / "m.mercer", parts, tmp_path / "out.csv")
            continue
        n_read += 1
        mercer.predict_file(tmp_path / "m.mercer", parts, tmp_path / "out.csv")
        found = pl.read_csv(tmp_path / "out.csv")["prediction"].to_list()
        assert found == pytest.approx(whole.frame["prediction"].to_list())
    assert 2 < n_read < 25


def test_a_few_words_among_all_rows_are_missing_in_the_chunk_that_holds_them(numbers):
    chunks = [{"a": [str(k / 8) for k in range(1000)]}, {"a": ["oops"]}, {"a": ["oops", "1.5"]}]
    with pytest.warns(ColumnWarning, match="no numbers are read as missing: 'oops' in row 1") as heard:
        found = mercer.predict_file(numbers / "n.mercer", chunks, numbers / "out.csv")
    assert len(heard) == 1
    assert found.n_rows == 1003
