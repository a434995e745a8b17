"""Learners that `mercer train` runs only where they are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mercer
from mercer.errors import MercerError
from mercer.estimators.registry import LEARNERS, learner_keys, learners
from mercer.table.target import Task

RNG = np.random.default_rng(0)
TABLE = {
    "age": RNG.normal(50, 15, 80),
    "job": RNG.choice(["clerk", "smith", "sales"], 80),
    "noise": RNG.normal(size=80),
}
TABLE["bought"] = np.where((TABLE["age"] > 55) | (TABLE["job"] == "sales"), "yes", "no")
TABLE["paid"] = TABLE["age"] * np.where(TABLE["job"] == "sales", 2.0, 1.0)
ASKED = [one.key for one in LEARNERS if one.on_request]


def test_they_are_left_out_unless_named() -> None:
    for task in Task:
        usual = {one.key for one in learners(task)}
        assert not usual & set(ASKED) and usual <= set(learner_keys(task))
        assert [one.key for one in learners(task, ["kernel_ridge"])] == ["kernel_ridge"]
    with pytest.raises(MercerError, match="kernel_logistic"):
        learners(Task.CLASSIFICATION, ["kernel_logit"])


@pytest.mark.parametrize("key", ASKED)
@pytest.mark.parametrize("target", ["bought", "paid"])
def test_each_runs_in_a_comparison_and_beats_the_baseline(key: str, target: str) -> None:
    if key not in learner_keys(Task.CLASSIFICATION if target == "bought" else Task.REGRESSION):
        return
    drop = ["paid" if target == "bought" else "bought"]
    result = mercer.train(TABLE, target, learners=[key, "baseline"], quick=True, drop=drop)
    assert [row["key"] for row in result.leaderboard] == [key, "baseline"]
    assert not any(row["error"] for row in result.leaderboard)


def test_the_report_names_the_columns_that_matter(tmp_path: Path) -> None:
    result = mercer.train(TABLE, "bought", learners=["column_weights"], quick=True, drop=["paid"])
    page = result.report(tmp_path / "report.html").read_text()
    places = [page.find(f"Weight of {name}") for name in ("age", "job", "noise")]
    assert min(places[:2]) > 0 and (places[2] < 0 or places[2] > max(places[:2]))
