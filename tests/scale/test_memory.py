"""Chunks are kept between passes within a budget, and let go after the fit."""

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone, is_classifier

import mercer
from mercer._core.memory import physical_memory
from mercer.scale import memory
from mercer.scale.files import FilePart
from mercer.scale.learners.design import Matrix
from tests.scale.rows import ROWS, cut, expect_same


@dataclass
class Read:
    """A chunk that counts how often it is read."""

    name: str
    frame: object
    times: int = 0

    def read(self, options):
        self.times += 1
        return self.frame


@pytest.mark.parametrize(("budget", "times"), [(1 << 29, 1), (0, 3)])
def test_a_table_that_fits_is_read_once(monkeypatch, budget, times):
    monkeypatch.setattr(memory, "BUDGET", budget)
    memory.forget()
    parts = [Read("the same name", part) for part in cut(ROWS, [100, 350])]
    model = mercer.scale.fit(mercer.NaiveBayes(), mercer.scale.Chunks(lambda: parts, parts=parts), "y")
    assert [part.times for part in parts] == [times] * 3
    expect_same(model, mercer.NaiveBayes().fit(ROWS.drop(columns="y"), ROWS.y))
    assert not memory.MEMORY._kept


def test_a_worker_keeps_a_tenth_of_its_memory(monkeypatch):
    """Beyond 0.8 of it Dask gives a worker no work, for ever where it is what we keep."""
    assert memory.process_memory() == physical_memory()
    monkeypatch.setattr(memory, "process_memory", lambda: 1000)
    kept = memory.Memory()
    assert kept.recall("a fit", "fits", lambda: np.zeros(12)) is kept.recall("a fit", "fits", lambda: None)
    assert kept.recall("a fit", "is large", lambda: np.zeros(1)) is not None
    assert kept.recall("a fit", "is large", lambda: None) is None


def test_text_files_are_read_again_once_their_columns_are_known(tmp_path, monkeypatch):
    times, read = [], FilePart.read
    monkeypatch.setattr(FilePart, "read", lambda part, options: times.append(part.name) or read(part, options))
    for ending, expected in (("csv", 2), ("parquet", 1)):
        path = tmp_path / f"rows.{ending}"
        ROWS.to_csv(path, index=False) if ending == "csv" else pl.from_pandas(ROWS).write_parquet(path)
        times.clear()
        found = mercer.scale.fit(mercer.NaiveBayes(), path, "y")
        assert len(times) == expected
        expect_same(found, mercer.NaiveBayes().fit(ROWS.drop(columns="y"), ROWS.y))


def test_what_is_taken_leaves_its_room(monkeypatch):
    monkeypatch.setattr(memory, "BUDGET", 1 << 20)
    kept = memory.Memory()
    large = np.zeros(memory.BUDGET // 8)
    kept.recall("a fit", 1, lambda: large)
    assert kept.take("another", 1) is None
    assert kept.take("a fit", 1) is large
    assert kept.take("a fit", 1) is None
    assert kept.recall("a fit", 2, lambda: large) is kept.recall("a fit", 2, lambda: None)


def test_nothing_is_kept_of_a_table_whose_columns_are_wrong():
    with pytest.raises(mercer.errors.BadColumn):
        mercer.scale.fit(mercer.NaiveBayes(), [ROWS, ROWS.drop(columns="age")], "y")
    assert not memory.MEMORY._kept


def test_what_does_not_fit_is_made_again(monkeypatch):
    monkeypatch.setattr(memory, "BUDGET", 1 << 20)
    kept = memory.Memory()
    large = np.zeros(memory.BUDGET // 8)
    assert kept.recall("a fit", 1, lambda: large) is large
    made = [kept.recall("a fit", 2, lambda: np.ones(1)) for _ in range(2)]
    assert made[0] is not made[1]
    assert kept.recall("a fit", 1, lambda: None) is large
    assert kept.recall("another", 1, lambda: None) is None


@pytest.mark.parametrize("model", [mercer.LinearRegression(errors="HC3"), mercer.LogisticRegression()])
@pytest.mark.parametrize("n_levels", [3, 80])  # a dense design matrix, and one whose dummies are codes
def test_a_design_matrix_is_made_once_for_a_chunk(monkeypatch, model, n_levels):
    rows = ROWS.assign(shop=[f"shop {k % n_levels}" for k in range(len(ROWS))])
    if not is_classifier(model):
        rows["y"] = np.random.default_rng(0).normal(size=len(rows))
    made, matrix = [], Matrix._made
    monkeypatch.setattr(Matrix, "_made", lambda own, table: made.append(len(table)) or matrix(own, table))
    kept = mercer.scale.fit(clone(model), cut(rows, [100, 350]), "y")
    assert made == [100, 250, 250]
    monkeypatch.setattr(memory, "BUDGET", 0)
    memory.forget()
    expect_same(mercer.scale.fit(clone(model), cut(rows, [100, 350]), "y"), kept, rtol=0)
    assert len(made) > 9
