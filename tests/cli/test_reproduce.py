"""mercer reproduce: the list, one example, the page; bad input leaves nothing behind."""

import json
import os
import sys
from dataclasses import replace

import pytest

import mercer.cli.jobs.reproduce as job
from mercer.gallery.comparison import Comparison
from mercer.gallery.example import examples, find
from mercer.gallery.figure_table import FigureTable

FEW = ["nbk/meningitis", "lim/bayes_rule"]


@pytest.fixture
def few(monkeypatch):
    """Two quick examples, and one that needs a table."""
    needy = [e for e in examples() if e.needs][:1]
    monkeypatch.setattr(job, "examples", lambda: find(FEW) + needy)
    return needy


def test_the_list(mercer_in):
    result = mercer_in("reproduce")
    assert result.exit_code == 0
    for example in examples():
        assert example.name in result.stdout
    listed = json.loads(mercer_in("reproduce", "--json").stdout)
    assert [e["name"] for e in listed] == [e.name for e in examples()]


def test_one_example(mercer_in, tmp_path):
    result = mercer_in("reproduce", "nbk/meningitis")
    assert result.exit_code == 0, result.output
    assert "P(meningitis | stiff neck)  0.0002  0.000200  ± 5e-05    yes" in result.stdout
    [picture] = (tmp_path / "mercer-gallery").iterdir()
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "(replaced)" in mercer_in("reproduce", "nbk/meningitis").stdout


def test_as_json(mercer_in, tmp_path):
    found = json.loads(mercer_in("reproduce", *FEW, "--out", "here", "--json").stdout)
    assert [e["name"] for e in found["examples"]] == FEW
    assert all(c["verdict"] == "agrees" for e in found["examples"] for c in e["comparisons"])
    files = {p["file"] for e in found["examples"] for p in e["pictures"]}
    assert {p.name for p in (tmp_path / "here").iterdir()} == files


def test_tables_in_the_layout_of_the_text(mercer_in, monkeypatch):
    table = FigureTable("Table 4.5: ensembles", ["AUC", "#model"], {"Fold1": [0.82552, "5"]}, "Means of folds.")
    run = job.reproduce
    monkeypatch.setattr(job, "reproduce", lambda *given: replace(run(*given), tables=(table,)))
    shown = mercer_in("reproduce", "nbk/meningitis").stdout
    assert "\nTable 4.5: ensembles\n" in shown
    assert "Fold1  0.8255  5" in shown
    assert "Means of folds." in shown
    [example] = json.loads(mercer_in("reproduce", "nbk/meningitis", "--json").stdout)["examples"]
    assert example["tables"][0]["rows"] == [{"name": "Fold1", "AUC": 0.82552, "#model": "5"}]


def test_the_page(mercer_in, tmp_path, few):
    result = mercer_in("reproduce", "--all", "--data", tmp_path)
    assert result.exit_code == 0, result.output
    [page] = (tmp_path / "mercer-gallery").iterdir()
    text = page.read_text(encoding="utf-8")
    assert page.name == "gallery.html"
    assert text.count("<article") == 2
    for example in few:
        assert f"{example.name} was not run" in result.stderr
        assert example.needs[0].file in text
    found = json.loads(mercer_in("reproduce", "--all", "--json").stdout)
    assert [e["name"] for e in found["not_run"]] == [e.name for e in few]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nbk/meningitus"], "Did you mean 'nbk/meningitis'"),
        (["meningitis"], "Did you mean 'nbk/meningitis'"),
        (["--all", "--data", "nowhere"], "There is no folder nowhere"),
        (["nbk/meningitis", "--data", "nowhere"], "There is no folder nowhere"),
        (["nbk/meningitis", "--all"], "leave nbk/meningitis out"),
        (["nbk/meningitis", "--out", "a-file"], "a part of the path is a file"),
        (["nbk/meningitis", "--out", "a-file/below"], "a part of the path is a file"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(mercer_in, tmp_path, words, message):
    (tmp_path / "a-file").write_text("mine")
    result = mercer_in("reproduce", *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["a-file"]


def test_a_table_that_is_not_there_or_of_another_version(mercer_in, tmp_path):
    result = mercer_in("reproduce", "lim/california")
    assert result.exit_code == 2
    assert "name the folder with --data" in result.stderr
    (tmp_path / "data" / "california_housing").mkdir(parents=True)
    result = mercer_in("reproduce", "lim/california", "--data", "data")
    assert result.exit_code == 2
    assert "data/california_housing/cal_housing.data is not there" in result.stderr.replace(os.sep, "/")
    assert "20,640 rows and 9 columns" in result.stderr
    (tmp_path / "data" / "california_housing" / "cal_housing.data").write_text("a,b\n1,2\n3,4\n5,6\n")
    result = mercer_in("reproduce", "lim/california", "--data", "data")
    assert result.exit_code == 2
    assert "it has 3 rows and 2 columns, this example was written for 20,640 rows and 9 columns" in result.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["data"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind here")
def test_a_folder_that_may_not_be_written(mercer_in, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    result = mercer_in("reproduce", "nbk/meningitis", "--out", "closed")
    assert result.exit_code == 2
    assert "may not be written to" in result.stderr


def test_a_folder_in_the_place_of_a_picture(mercer_in, tmp_path):
    place = tmp_path / "out" / "nbk-meningitis-posterior.png"
    place.mkdir(parents=True)
    result = mercer_in("reproduce", "lim/bayes_rule", "nbk/meningitis", "--out", "out")
    assert result.exit_code == 2
    assert list((tmp_path / "out").iterdir()) == [place]


def test_without_matplotlib(mercer_in, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = mercer_in("reproduce", "nbk/meningitis")
    assert result.exit_code == 2
    assert "pip install mercer[plot]" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_figure_without_a_reason_is_an_error_code(mercer_in, monkeypatch):
    monkeypatch.setattr(Comparison, "agrees", False)
    result = mercer_in("reproduce", "nbk/meningitis")
    assert result.exit_code == 1
    assert "1 figure of the texts did not come out" in result.stderr
