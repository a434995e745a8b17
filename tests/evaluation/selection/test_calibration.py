"""Probabilities recalibrated in the main job where log loss falls by it, and left alone where it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

import mercer
from mercer.combine.adapted.recalibrated import RecalibratedClassifier, fit_calibrators, recalibrated
from mercer.combine.members import model_state
from mercer.errors import BadFile, MercerError
from mercer.state import Reader
from mercer.store.registry import read_model
from mercer.workbench.training.leaderboard import preference

RNG = np.random.default_rng(0)
N = 1500


def table(n_classes: int, n: int = N, rng: np.random.Generator = RNG) -> pd.DataFrame:
    """The same column six times over, which naive Bayes takes for six independent witnesses: far too sure."""
    y = rng.integers(n_classes, size=n)
    x = rng.normal(size=n) + y
    rows = {f"x{j}": x + rng.normal(scale=0.05, size=n) for j in range(6)}
    return pd.DataFrame(rows).assign(job=rng.choice(["cook", "clerk"], n), sort=np.array([*"bac"])[y])


TWO, THREE = table(2), table(3)


@pytest.mark.parametrize(("rows", "method"), [(TWO, "auto"), (TWO, "sigmoid"), (THREE, "auto")])
def test_naive_bayes_is_recalibrated_and_stored(rows: pd.DataFrame, method: Any, tmp_path: Path) -> None:
    options: dict[str, Any] = {"learners": ["naive_bayes", "baseline"], "quick": True}
    plain = mercer.train(rows, "sort", calibrate="none", **options)
    found = mercer.train(rows, "sort", calibrate=method, **options)
    model = found.comparison.best_model
    assert isinstance(model, RecalibratedClassifier) and isinstance(model.model, mercer.NaiveBayes)
    assert sum("Naive Bayes: probabilities recalibrated by" in n for n in found.notices) == 1
    for where in ("cross_validated", "held_out"):
        assert getattr(found.best, where)["log_loss"].value < 0.8 * getattr(plain.best, where)["log_loss"].value
    np.testing.assert_allclose(found.predict_proba(rows).sum(axis=1), 1.0)
    new = table(2) if rows is TWO else table(3)  # rows never seen: columns go with the classes
    assert log_loss(new["sort"], found.predict_proba(new)) < 0.8 * log_loss(new["sort"], plain.predict_proba(new))
    found.write(tmp_path / "out")
    loaded = mercer.load(tmp_path / "out" / "model.mercer")
    np.testing.assert_array_equal(loaded.predict_proba(rows), found.predict_proba(rows))
    assert mercer.predict(tmp_path / "out" / "model.mercer", rows).evaluation is not None
    assert len(mercer.explain(tmp_path / "out" / "model.mercer", rows, 0)) == 1
    assert "recalibrated by" in (tmp_path / "out" / "report.html").read_text()


def test_what_is_reliable_already_is_left_alone() -> None:
    rows = TWO[["x0", "job", "sort"]]
    found = mercer.train(rows, "sort", learners=["linear", "baseline"], quick=True)
    assert isinstance(found.comparison.best_model, mercer.LogisticRegression)
    assert not any("recalibrated" in n for n in found.notices)
    asked = mercer.train(rows, "sort", calibrate="sigmoid", learners=["linear", "baseline"], quick=True)
    assert isinstance(asked.comparison.best_model, mercer.LogisticRegression)
    assert any("is not recalibrated, which would not pay" in n for n in asked.notices)


def test_the_leaderboard_is_ranked_by_the_scores_after_calibration(tmp_path: Path) -> None:
    overtaken = 0
    for seed in (8, 13, 20, 22):
        rows = table(2, 400, np.random.default_rng(seed)).drop(columns="job")
        options: dict[str, Any] = {"learners": ["naive_bayes", "linear"], "quick": True, "metric": "accuracy"}
        found = mercer.train(rows, "sort", **options)
        first, second = found.leaderboard
        assert first["accuracy"] >= second["accuracy"]
        assert first["behind"] is None
        assert second["behind"] == pytest.approx(first["accuracy"] - second["accuracy"], abs=1e-3)  # a mean of folds
        said = preference(found.comparison)
        if found.best.key == first["key"]:
            assert not said
        else:
            overtaken += 1
            assert f"Kept: {found.best.title}, chosen before its probabilities were recalibrated" in said
            page = found.report(tmp_path / f"{seed}.html").read_text()
            assert f"{found.best.title} is kept, chosen before its probabilities were recalibrated" in page
    assert overtaken


def test_bad_names_and_numbers() -> None:
    with pytest.raises(MercerError, match=r"no calibration 'isotnic'. Did you mean 'isotonic'"):
        mercer.train(TWO, "sort", calibrate="isotnic")  # type: ignore[arg-type]
    found = mercer.train(TWO, "x0", calibrate="auto", learners="baseline", quick=True)
    assert not any("Calibration" in n for n in found.notices)


def test_with_a_threshold_and_costs() -> None:
    options: dict[str, Any] = {"learners": ["naive_bayes", "baseline"], "quick": True, "calibrate": "isotonic"}
    found = mercer.train(TWO, "sort", threshold="f1", **options)
    called = found.predict(TWO)
    positive = found.comparison.decision.positive
    shares = found.predict_proba(TWO)[:, list(found.classes).index(positive)]
    np.testing.assert_array_equal(called == positive, shares >= found.threshold)


def test_calibrators_of_a_missing_class_and_damage() -> None:
    shares = RNG.dirichlet([1, 1, 1], 60)
    assert fit_calibrators(shares, np.zeros(60, dtype=np.int64), None, "sigmoid") == []
    codes = np.array([RNG.choice(3, p=p) for p in shares])
    calibrators = fit_calibrators(shares, codes, None, "sigmoid")
    np.testing.assert_allclose(recalibrated(shares, calibrators).sum(axis=1), 1.0)
    inner = mercer.NaiveBayes().fit(TWO.drop(columns="sort"), TWO["sort"])
    state = model_state(RecalibratedClassifier(inner, calibrators[:1]))
    assert isinstance(read_model(Reader(state)), RecalibratedClassifier)
    state["state"]["parameters"]["calibrators"] *= 2
    with pytest.raises(BadFile, match="calibrators for 2 classes"):
        read_model(Reader(state))
