"""Boosted trees that share bins are those that do not, and the cells are binned once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mercer
from mercer.estimators.boosting.training.rows import TableRows
from mercer.estimators.boosting.training.shared import bins_key
from mercer.estimators.sharing import sharing, sharing_groups
from mercer.solvers.boost.binning import Binning

RNG = np.random.default_rng(0)
N = 300
X = mercer.read_table(
    {
        "a": np.where(RNG.random(N) < 0.1, np.nan, RNG.normal(size=N)),
        "job": RNG.choice(["baker", "smith", "clerk"], N),
        "note": np.array([f"word{i % 7} told word{i % 11} of {i}" for i in range(N)]),
    },
    kinds={"note": "text"},
)
Y = (np.nan_to_num(X.numbers()[:, 0]) + RNG.normal(size=N) > 0).astype(int)


def classifiers() -> list[Any]:
    fast = {"max_iter": 10, "n_jobs": 1}
    return [
        mercer.HistGradientBoostingClassifier(random_state=0, **fast),
        mercer.HistGradientBoostingClassifier(max_leaf_nodes=4, subsample=0.7, random_state=1, **fast),
        mercer.HistGradientBoostingClassifier(early_stopping=True, random_state=2, **fast),  # its rows are others
        mercer.HistGradientBoostingClassifier(class_weight="balanced", random_state=3, **fast),
    ]


@pytest.mark.parametrize("weight", [None, RNG.integers(0, 3, N).astype(float)])
def test_trees_fitted_together_are_those_fitted_alone(weight: Any) -> None:
    alone = [m.fit(X, Y, sample_weight=weight).predict_proba(X) for m in classifiers()]
    models = classifiers()
    with sharing(models, 10**9):
        together = [m.fit(X, Y, sample_weight=weight).predict_proba(X) for m in models]
    for ours, theirs in zip(together, alone, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for model, theirs in zip(models, alone, strict=True):
        np.testing.assert_array_equal(model.predict_proba(X), theirs)  # after it, as if nothing had been shared


def test_bins_are_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    learned, transformed = [], []
    learn, transform = TableRows.learn_bins, Binning.transform
    monkeypatch.setattr(TableRows, "learn_bins", lambda *given: learned.append(1) or learn(*given))
    monkeypatch.setattr(Binning, "transform", lambda *given: transformed.append(1) or transform(*given))
    models = classifiers()[:2]
    test = X.take(np.arange(100))
    with sharing(models, 10**9):
        for model in models:
            model.fit(X, Y)
        for rows in (test, X.take(np.arange(50))):
            for model in models:
                model.predict(rows)
    assert len(learned) == 1 and len(transformed) == 3  # to learn, and for each table to predict


def test_rows_of_another_fit_are_binned_anew() -> None:
    first, second = classifiers()[:2]
    half = X.take(np.arange(150))
    with sharing([first, second], 10**9):
        first.fit(X, Y)
        second.fit(half, Y[:150])
    theirs = classifiers()[1].fit(half, Y[:150])
    np.testing.assert_array_equal(second.predict_proba(X), theirs.predict_proba(X))


def test_who_shares_bins_with_whom() -> None:
    make = mercer.HistGradientBoostingClassifier
    models = [
        make(),
        make(max_bins=16),
        make(max_leaf_nodes=4),
        make(warm_start=True),
        make(words=7),
        make(max_bins=16),
    ]
    assert sharing_groups(models) == [[0, 2], [1, 5], [3], [4]]
    assert bins_key(models[3]) is None
