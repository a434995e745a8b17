"""mercer.compare: models, estimators and predictions side by side."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score

import mercer
from mercer.errors import MercerError

RNG = np.random.default_rng(0)
N = 200
X = pd.DataFrame({"size": RNG.normal(size=N), "noise": RNG.normal(size=N)})
Y = np.where(X["size"] + 0.5 * RNG.normal(size=N) > 0, "yes", "no")


def test_folds_are_the_same_for_every_estimator() -> None:
    found = mercer.compare(LogisticRegression(), [mercer.MajorityClass(), mercer.NaiveBayes()], X, Y, cv=4)
    assert found.names == ("LogisticRegression", "MajorityClass", "NaiveBayes")
    gaps = np.subtract(found.evaluations[0].folds["accuracy"], found.evaluations[1].folds["accuracy"])
    assert found.difference("accuracy").value == pytest.approx(gaps.mean())
    assert found.better("accuracy") == "LogisticRegression"
    assert found.better("log_loss") == "LogisticRegression"
    assert found.difference("accuracy", 2).method == "corrected resampled t"
    assert "2 comparisons" in str(found)
    splits = [(np.arange(100), np.arange(100, 200)), (np.arange(100, 200), np.arange(100))]
    theirs = cross_val_score(LogisticRegression(), X, Y, cv=splits)
    by_list = mercer.compare(LogisticRegression(), mercer.NaiveBayes(), X, Y, cv=splits)
    assert by_list.evaluations[0].folds["accuracy"] == pytest.approx(theirs.tolist())


def test_fitted_models_on_test_rows_and_files(tmp_path: Path) -> None:
    first, second = mercer.NaiveBayes().fit(X[:100], Y[:100]), mercer.MajorityClass().fit(X[:100], Y[:100])
    found = mercer.compare(first, {"most frequent": second}, X[100:], Y[100:])
    assert found.names == ("NaiveBayes", "most frequent")
    assert found.better("roc_auc") == "NaiveBayes"
    assert found.difference("accuracy").method.startswith("McNemar")
    mercer.save(first, tmp_path / "a.mercer", target="y")
    mercer.save(second, tmp_path / "b.mercer", target="y")
    rows = X[100:].assign(y=Y[100:])
    again = mercer.compare(tmp_path / "a.mercer", tmp_path / "b.mercer", rows)
    assert again.differences == found.differences


def test_a_model_is_not_better_than_itself() -> None:
    model = mercer.NaiveBayes().fit(X[:100], Y[:100])
    found = mercer.compare(model, model, X[100:], Y[100:])
    assert found.names == ("NaiveBayes 1", "NaiveBayes 2")
    assert all(found.better(key) is None for key in found.evaluations[0].scores)
    assert all(d.value == 0 and d.p_value == 1 for d in found.differences[0])


def test_weights() -> None:
    first, second = mercer.NaiveBayes().fit(X[:100], Y[:100]), mercer.MajorityClass().fit(X[:100], Y[:100])
    heavy = np.where(Y[100:] == "yes", 3.0, 1.0)
    found = mercer.compare(first, second, X[100:], Y[100:], sample_weight=heavy)
    repeated = np.repeat(np.arange(100), heavy.astype(int))
    again = mercer.compare(first, second, X[100:].iloc[repeated], Y[100:][repeated])
    for key in found.evaluations[0].scores:
        assert found.difference(key).value == pytest.approx(again.difference(key).value)
    assert found.difference("accuracy").method == "infinitesimal jackknife"


def test_costs_of_rows_are_compared() -> None:
    first, second = mercer.NaiveBayes().fit(X[:100], Y[:100]), mercer.MajorityClass().fit(X[:100], Y[:100])
    found = mercer.compare(first, second, X[100:], Y[100:], positive="yes", cost="fn=20,fp=1")
    prices = {("yes", "no"): 20.0, ("no", "yes"): 1.0}
    costs = [[prices.get(pair, 0.0) for pair in zip(Y[100:], m.predict(X[100:]), strict=True)] for m in (first, second)]
    gap, theirs = found.difference("cost"), stats.ttest_rel(*costs)
    ends = theirs.confidence_interval()
    assert (gap.value, gap.p_value) == pytest.approx((np.subtract(*costs).mean(), theirs.pvalue))
    assert (gap.low, gap.high) == pytest.approx((ends.low, ends.high))
    assert found.evaluations[0]["cost"].value == pytest.approx(np.mean(costs[0]))
    with pytest.raises(MercerError, match="leave cv out"):
        mercer.compare(first, second, X, Y, cv=3, cost="fn=20")


def test_costs_are_those_of_the_model_files(tmp_path: Path) -> None:
    rows = X.assign(y=Y)
    for name, cost, learner in (
        ("a", "fn=9,fp=1", "naive_bayes"),
        ("b", "fn=9,fp=1", "tree"),
        ("c", "fn=2,fp=1", "tree"),
    ):
        result = mercer.train(rows[:120], target="y", cost=cost, learners=[learner], folds=2)
        result.save(tmp_path / f"{name}.mercer")
    a, b, c = (tmp_path / f"{name}.mercer" for name in "abc")
    found = mercer.compare(a, b, rows[120:])
    cost = found.difference("cost")
    assert cost.low < cost.value < cost.high
    assert not any("Costs are those" in note for note in found.notes)
    assert any("Costs are those of" in note for note in mercer.compare(a, c, rows[120:]).notes)


def test_text_html_and_json() -> None:
    found = mercer.compare_predictions(Y, Y, np.roll(Y, 1), names=("right", "<shifted>"))
    assert "McNemar" in str(found)
    assert "&lt;shifted&gt;" in found._repr_html_()
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["differences"][0][0]["metric"] == "accuracy"


def test_bad_input() -> None:
    regression = LinearRegression().fit(X, X["size"])
    model = mercer.NaiveBayes().fit(X, Y)
    with pytest.raises(MercerError, match="others numbers"):
        mercer.compare(model, regression, X, Y)
    with pytest.raises(MercerError, match="b is empty"):
        mercer.compare(model, [], X, Y)
    with pytest.raises(MercerError, match="kind='labels'"):
        mercer.compare_predictions(Y, Y, Y, kind="labels")  # type: ignore[arg-type]
    with pytest.raises(MercerError, match="has 3 rows"):
        mercer.compare_predictions(Y, Y, Y[:3])
