"""Tables beyond a learner's row limit: a sample of the rows, or settings that take more, whichever predicts better."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mercer.estimators.registry import LEARNERS, ManyRows
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.options import ComparisonOptions
from mercer.evaluation.run.learner import run_learner
from mercer.evaluation.selection import many_rows
from mercer.evaluation.selection.many_rows import for_many_rows
from mercer.table import open_source

SVM = next(one for one in LEARNERS if one.key == "svm")
QUIET: dict[str, Any] = {"repeats": 1, "folds": 2}


@pytest.fixture(autouse=True)
def few(monkeypatch: Any) -> None:
    monkeypatch.setattr(many_rows, "LEFT_OUT", 150)


def board(n: int = 900, **options: Any) -> Any:
    """A chess board of 16 fields: the more rows, the better its borders are known."""
    x = np.random.default_rng(0).uniform(0, 4, size=(n, 2))
    side = np.where(np.floor(x).sum(axis=1) % 2 == 0, "white", "black")
    return prepare(
        open_source({"a": x[:, 0].tolist(), "b": x[:, 1].tolist(), "y": side.tolist()}),
        "y",
        ComparisonOptions(**{**QUIET, **options}),
    )


def limited(settings: dict[str, Any], rows: int) -> Any:
    return replace(SVM, max_rows=60, many_rows=ManyRows(settings, "in cells of about 200 rows", rows))


def test_more_rows_in_cells_are_taken_where_they_predict_better() -> None:
    where = board()
    found, said = for_many_rows(limited({"approximation": "cells", "rank": 200}, 600), where, lambda what: None)
    assert found.max_rows == 600 and found.key == "svm"
    assert "learns from 600 rows in cells of about 200 rows, for ROC AUC" in said
    run = run_learner(found, where, lambda what: None)
    assert run.model.approximation == "cells" and run.model.shape_fit_[0] in (599, 600)
    assert "of 720 rows, its row limit" in run.entry.note


def test_a_sample_is_kept_where_more_rows_predict_no_better() -> None:
    learner = limited({"C": 1e-6, "gamma": 1e-6}, 600)
    assert for_many_rows(learner, board(), lambda what: None) == (learner, "")


@pytest.mark.parametrize("settings", [{"rank": -1}, {"kernel": "none"}])
def test_settings_that_fail_are_not_taken(settings: dict[str, Any]) -> None:
    learner = limited(settings, 600)
    assert for_many_rows(learner, board(), lambda what: None) == (learner, "")


def test_nothing_is_tried_within_the_limit_or_under_costs() -> None:
    steps: list[str] = []
    assert for_many_rows(SVM, board(), steps.append) == (SVM, "")
    learner = limited({}, 600)
    assert for_many_rows(learner, board(costs="fn=5"), steps.append) == (learner, "")
    assert not steps


def test_the_comparison_says_what_it_took(monkeypatch: Any) -> None:
    learner = limited({"approximation": "cells", "rank": 200}, 600)
    monkeypatch.setattr("mercer.estimators.registry.LEARNERS", (learner, *(o for o in LEARNERS if o.is_baseline)))
    found = compare_learners(board(learners=("svm", "baseline")), lambda what, share: None)
    assert any("in cells of about 200 rows" in notice for notice in found.notices)
