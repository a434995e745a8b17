"""Remedies for rare classes in the main job: kept where they pay, said in the notices, refused for numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import mercer
from mercer.cli.app import app
from mercer.errors import MercerError
from mercer.estimators.registry import learners
from mercer.evaluation.selection.remedies import REMEDIES, variant
from mercer.table import Task

RNG = np.random.default_rng(3)
N = 700
RARE = RNG.random(N) < 0.15
ROWS = pd.DataFrame({f"x{j}": RNG.normal(size=N) + 0.7 * RARE for j in range(6)})
ROWS["job"] = np.where(RNG.random(N) < 0.3 + 0.3 * RARE, "cook", "clerk")
ROWS.loc[::11, "x0"] = np.nan
ROWS["ill"] = np.where(RARE, "yes", "no")


def trained(**options: Any) -> Any:
    return mercer.train(ROWS, "ill", **{"quick": True, "learners": ["tree", "baseline"], **options})


def test_a_tree_gains_by_bagging_and_the_file_holds_it(tmp_path: Path) -> None:
    found = trained(imbalance="bagging", quick=False)
    best = found.best
    assert best.title == "Decision tree, bagging" and best.key == "tree"
    plain = trained(quick=False).best.cross_validated["roc_auc"].value
    assert best.cross_validated["roc_auc"].value > plain and "in place of" in best.note
    assert isinstance(found.comparison.best_model, mercer.BalancedBagging)
    assert sum("bagging: the mean of fits to under-sampled rows" in n for n in found.notices) == 1
    assert abs(found.predict_proba(ROWS)[:, 1].mean() - RARE.mean()) < 0.05  # corrected for the shares
    found.write(tmp_path / "out")
    loaded = mercer.load(tmp_path / "out" / "model.mercer")
    np.testing.assert_array_equal(loaded.predict_proba(ROWS), found.predict_proba(ROWS))
    assert "Decision tree, bagging" in (tmp_path / "out" / "report.html").read_text()


def test_auto_tries_all_on_the_best_and_says_what_each_did() -> None:
    found = trained(learners=["naive_bayes", "baseline"], imbalance="auto")
    said = next(n for n in found.notices if n.startswith("Rare classes: no remedy pays for Naive Bayes"))
    assert all(f"{method} 0." in said for method in REMEDIES)
    assert found.best.title == "Naive Bayes"
    assert any("one-class detection" in n and "ROC AUC" in n for n in found.notices)


def test_none_is_the_default_and_changes_nothing() -> None:
    assert not any("Rare classes" in n for n in trained().notices)


def test_numbers_and_unknown_names_are_refused_before_work() -> None:
    with pytest.raises(MercerError, match=r"no remedy 'smot' for rare classes. Did you mean 'smote'"):
        trained(imbalance="smot")
    with pytest.raises(MercerError, match="'x1' has numbers"):
        mercer.train(ROWS, "x1", learners="baseline", imbalance="smote")
    assert not any("Rare" in n for n in mercer.train(ROWS, "x1", learners="baseline", imbalance="auto").notices)


def test_a_class_of_one_row_and_a_budget_of_a_second() -> None:
    few = ROWS.head(120).assign(ill=["yes", "once", *["no", "yes", "no"] * 39, "no"])
    found = mercer.train(few, "ill", learners=["naive_bayes", "baseline"], quick=True, imbalance="smote")
    assert any("Rare classes" in n for n in found.notices)
    found = trained(imbalance="auto", time=1)
    assert any("Rare classes" in n for n in found.notices)


@pytest.mark.parametrize("method", ["smote", "bagging"])
def test_a_variant_has_the_settings_of_the_learner(method: str) -> None:
    for learner in learners(Task.CLASSIFICATION):
        made = variant(learner, method).make(Task.CLASSIFICATION, 7, 1)
        assert repr(made.estimator) == repr(learner.make(Task.CLASSIFICATION, 7, 1)) and made.random_state == 7


def test_the_command_line(tmp_path: Path) -> None:
    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    words = ["train", tmp_path / "rows.csv", "-t", "ill", "--imbalance", "over", "--quick", "--learner", "naive_bayes"]
    done = CliRunner().invoke(app, [*map(str, words), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0 and "Rare classes: no remedy pays for Naive Bayes" in done.output
    assert "--imbalance over" in (tmp_path / "out" / "result.json").read_text()
