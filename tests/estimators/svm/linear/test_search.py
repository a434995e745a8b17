"""LinearSVC and LinearSVR that search their cost: the winner of scikit-learn's exhaustive search, with fewer passes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn import svm
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

import mercer
from mercer.errors import MercerError
from mercer.estimators.svm.linear import problems as linear_problems

RNG = np.random.default_rng(5)
X = RNG.normal(size=(150, 6))
SCORE = X @ RNG.normal(size=6) + 0.8 * RNG.normal(size=150)
LABELS = np.array(["low", "mid", "top"])[np.digitize(SCORE, [-1.0, 1.0])]
COSTS = [0.001, 0.01, 0.1, 1.0]
STRICT = {"tol": 1e-6, "max_iter": 100_000}


@pytest.mark.parametrize(
    ("options", "theirs"),
    [
        ({}, {}),
        ({"loss": "hinge"}, {"loss": "hinge"}),
        ({"multi_class": "crammer_singer"}, {"multi_class": "crammer_singer"}),
        ({"penalty": "l1"}, {"penalty": "l1", "dual": False}),
    ],
    ids=repr,
)
@pytest.mark.parametrize("two", [True, False])
def test_classes_as_an_exhaustive_search_finds_them(options: dict[str, Any], theirs: dict[str, Any], two: bool) -> None:
    y = LABELS == "mid" if two else LABELS
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    ours = mercer.LinearSVC(C="cv", grid=mercer.Grid(C=COSTS[::-1], cv=folds), **options, **STRICT).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = GridSearchCV(svm.LinearSVC(**theirs, **STRICT, random_state=0), {"C": COSTS}, cv=folds).fit(X, y)
    parts = np.array([search.cv_results_[f"split{f}_test_score"] for f in range(4)]).T
    assert_allclose([p.scores for p in ours.tuning_.points], parts, atol=0.03)  # a row on the boundary, at most
    assert_allclose(ours.tuning_.mean.ravel(), search.cv_results_["mean_test_score"], atol=0.01)
    assert ours.C_ == ours.tuning_.best_params["C"] == search.best_params_["C"]
    direct = mercer.LinearSVC(C=ours.C_, **options, **STRICT).fit(X, y)
    assert_allclose(ours.coef_, direct.coef_, atol=1e-6)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_numbers_as_an_exhaustive_search_finds_them(loss: str) -> None:
    folds = KFold(4, shuffle=True, random_state=1)
    ours = mercer.LinearSVR(C="cv", loss=loss, grid=mercer.Grid(C=COSTS, cv=folds), **STRICT).fit(X, SCORE)
    search = GridSearchCV(svm.LinearSVR(loss=loss, **STRICT, random_state=0), {"C": COSTS}, cv=folds).fit(X, SCORE)
    parts = np.array([search.cv_results_[f"split{f}_test_score"] for f in range(4)]).T
    assert_allclose([p.scores for p in ours.tuning_.points], parts, atol=1e-4)
    assert search.best_params_["C"] == ours.C_


def test_default_costs_grow_with_the_target() -> None:
    near, far = (mercer.LinearSVR(C="cv", max_iter=5000).fit(X, k * SCORE) for k in (1.0, 1000.0))
    assert_allclose(np.array(far.tuning_.costs) / near.tuning_.costs, 1000.0)
    squared = mercer.LinearSVR(C="cv", loss="squared_epsilon_insensitive", max_iter=5000).fit(X, 1000 * SCORE)
    assert_allclose(squared.tuning_.costs[0], 4.0**-2)


def test_each_cost_starts_from_the_solution_before(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = []

    def noted(problem: Any, rows: Any, *, start: Any = None, **limits: Any) -> Any:
        starts.append(start is not None)
        return solve(problem, rows, start=start, **limits)

    solve = linear_problems.solve
    monkeypatch.setattr(linear_problems, "solve", noted)
    mercer.LinearSVC(C="cv", loss="hinge", grid=mercer.Grid(C=[0.01, 0.1, 1.0], cv=2)).fit(X, LABELS == "mid")
    assert starts == [False, True, True] * 2 + [False]


def test_sparse_mixed_weighted_few_rows_and_stored(tmp_path: Path) -> None:
    grid = mercer.Grid(C=COSTS, cv=3, scoring="balanced_accuracy", rows=100)
    dense = mercer.LinearSVC(C="cv", grid=grid, max_iter=20_000).fit(X, LABELS)
    sparse = mercer.LinearSVC(C="cv", grid=grid, max_iter=20_000).fit(sp.csr_array(X), LABELS)
    assert_allclose(dense.tuning_.mean, sparse.tuning_.mean)
    assert (dense.tuning_.n_rows, dense.tuning_.scoring) == (99, "balanced_accuracy")
    table = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "u", None)})
    model = mercer.LinearSVC(C="cv", class_weight="balanced", grid=grid, max_iter=20_000)
    model.fit(table, LABELS, np.arange(150) % 2 + 0.5)
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert again.predict(table).tolist() == model.predict(table).tolist()
    assert again.tuning_ == model.tuning_ and again.C_ == model.C_
    plain = model.set_params(C=0.1).fit(table, LABELS)
    assert plain.C_ == 0.1 and not hasattr(plain, "tuning_")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"grid": mercer.Grid(C=[0.0, 1.0])}, "grid: C="),
        ({"grid": mercer.Grid(rows=3)}, "The .rows. parameter of Grid must be a whole number of at least 10"),
        ({"grid": mercer.Grid(cv=1)}, "The .cv. parameter of Grid must be a whole number of at least 2"),
        ({"grid": mercer.Grid(scoring="neg_log_loss")}, "probabilities, which LinearSVC does not give"),
    ],
    ids=lambda v: str(v)[:40],
)
def test_refused_grids(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        mercer.LinearSVC(C="cv", **options).fit(X, LABELS)


def test_no_other_word_than_cv() -> None:
    for model in (mercer.LinearSVC(C="best"), mercer.LinearSVR(C="best")):
        with pytest.raises(MercerError, match=r"The .C. parameter .* Got 'best'"):
            model.fit(X, LABELS if isinstance(model, mercer.LinearSVC) else SCORE)
