"""mercer explain: bars, words and changes in the terminal, JSON and a page; bad rows, columns and levels."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import mercer
from mercer.cli.app import app

N = 80


def people() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(1)
    rows = pd.DataFrame({"age": rng.integers(18, 80, N), "pay": rng.normal(size=N), "job": rng.choice(["a", "b"], N)})
    return rows, (rows.age - 45) / 20 + rows.pay + (rows.job == "a")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explain")
    rows, score = people()
    label = np.where(score > 0.3, "yes", "no")
    rows.assign(churn=label).to_csv(folder / "rows.csv", index=False)
    mercer.save(mercer.LogisticRegression().fit(rows, label), folder / "linear.mercer", target="churn")
    mercer.save(mercer.KNeighborsClassifier().fit(rows, label), folder / "near.mercer", target="churn")
    mercer.save(mercer.LinearRegression().fit(rows, score), folder / "number.mercer", target="churn")
    return folder


def run(*arguments: object):
    return CliRunner().invoke(app, ["explain", *map(str, arguments)])


def test_bars_words_and_change(files: Path) -> None:
    done = run(files / "linear.mercer", files / "rows.csv", "--row", 3)
    assert done.exit_code == 0, done.output
    for words in ("Row 3", "(base)", "(sum)", "█", "Mostly because", "It would be", "exact"):
        assert words in done.output


def test_json_adds_up_and_counts_rows_from_one(files: Path) -> None:
    done = run(files / "near.mercer", files / "rows.csv", "--row", 2, "--row", 5, "--json")
    found = json.loads(done.stdout)
    assert [r["row"] for r in found["rows"]] == [2, 5]
    rows, _ = people()
    model = mercer.load(files / "near.mercer")
    for one in found["rows"]:
        share = model.predict_proba(rows.iloc[[one["row"] - 1]])[0, 1]
        assert one["base"] + sum(c["adds"] for c in one["columns"]) == pytest.approx(share)
        assert one["answer"] == one["change"]["before"] == ("yes" if share > 0.5 else "no")
        cells = {c["column"]: c["cell"] for c in one["columns"]}
        assert cells["job"] == rows.job[one["row"] - 1]


def test_a_bar_moves_with_the_rows(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, float]] = []

    @contextmanager
    def bar(what: str) -> Iterator[Callable[[str, float], None]]:
        told.append((what, 0.0))
        yield lambda now, share: told.append((now, share))

    monkeypatch.setattr("mercer.cli.jobs.explain.progress_bar", bar)
    assert run(files / "near.mercer", files / "rows.csv", "--row", 2, "--row", 5).exit_code == 0
    wanted = ["Contributions of columns", "What would change row 2", "What would change row 5"]
    assert told == [(words, pytest.approx(done / 3)) for done, words in enumerate(wanted)]


def test_a_number_to_pass(files: Path) -> None:
    plain = run(files / "number.mercer", files / "rows.csv", "--row", 1)
    assert plain.exit_code == 0 and "would be" not in plain.output
    done = run(files / "number.mercer", files / "rows.csv", "--row", 1, "--above", 3)
    assert "The prediction would be" in done.output
    refused = run(files / "number.mercer", files / "rows.csv", "--to", "yes")
    assert refused.exit_code == 2 and "--to yes: the model predicts numbers. Give --above or --below." in refused.output


def test_texts_alone_are_explained_without_a_change(tmp_path: Path) -> None:
    texts = [f"{'win a prize' if i % 2 else 'see you at noon'} number {i}" for i in range(60)]
    rows = pd.DataFrame({"text": texts, "sort": ["spam" if i % 2 else "ham" for i in range(60)]})
    rows.to_csv(tmp_path / "texts.csv", index=False)
    path = mercer.train(rows, "sort", learners="naive_bayes", quick=True).save(tmp_path / "m.mercer")
    done = run(path, tmp_path / "texts.csv", "--row", 2)
    assert done.exit_code == 0, done.output
    assert "of 'spam'" in done.output and "would be" not in done.output
    asked = run(path, tmp_path / "texts.csv", "--row", 2, "--to", "ham")
    assert asked.exit_code == 2 and "No column can be changed" in asked.output


def test_columns_can_be_fixed(files: Path) -> None:
    done = run(files / "linear.mercer", files / "rows.csv", "-r", 1, "--fixed", "pay", "--fixed", "job", "--json")
    changes = json.loads(done.stdout)["rows"][0]["change"]["changes"]
    assert [c["column"] for c in changes] in ([], ["age"])


def test_a_page(files: Path, tmp_path: Path) -> None:
    page = tmp_path / "rows.html"
    done = run(files / "near.mercer", files / "rows.csv", "--row", 4, "--html", page)
    assert done.exit_code == 0 and "Row 4" in page.read_text() and "<svg" in page.read_text()


def test_one_row_alone_needs_a_background(files: Path, tmp_path: Path) -> None:
    rows, _ = people()
    rows[:1].to_csv(tmp_path / "one.csv", index=False)
    alone = run(files / "near.mercer", tmp_path / "one.csv")
    assert alone.exit_code == 2 and "background" in alone.output
    assert run(files / "near.mercer", tmp_path / "one.csv", "--background", files / "rows.csv").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--row", 81), "There is no row 81"),
        (("--row", 0), "There is no row 0"),
        (("--to", "maybe"), "no class of the model"),
        (("--fixed", "agee"), "no column 'agee'"),
        (("--html", "page.txt"), "ends in .html"),
        (("--above", 3), "predicts classes: give --to CLASS"),
        (("--below", "x"), "--below x: give a number"),
    ],
)
def test_bad_options(files: Path, arguments, words: str) -> None:
    done = run(files / "linear.mercer", files / "rows.csv", *arguments)
    assert done.exit_code == 2 and words in done.output


def test_a_missing_column_and_a_level_never_seen(files: Path, tmp_path: Path) -> None:
    rows, _ = people()
    rows.drop(columns="pay").to_csv(tmp_path / "few.csv", index=False)
    done = run(files / "linear.mercer", tmp_path / "few.csv")
    assert done.exit_code == 2 and "'pay'" in done.output
    rows.loc[0, "job"] = "zookeeper"
    rows.to_csv(tmp_path / "new.csv", index=False)
    done = run(files / "linear.mercer", tmp_path / "new.csv", "--row", 1)
    assert done.exit_code == 0 and "never seen" in done.output and "zookeeper" in done.output


def test_a_wrong_path(files: Path) -> None:
    done = run(files / "no.mercer", files / "rows.csv")
    assert done.exit_code == 2 and "no.mercer" in done.output
