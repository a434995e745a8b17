"""SVC and SVR on kernels of low rank and in cells: beside the exact machine, on mixed tables, from stored state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import SVC, SVR, Grid, read_table, tune
from mercer.errors import BadFile, MercerError
from mercer.estimators.svm.approximation.cell_search import CellSearch
from mercer.kernels import RBF, Laplacian, Lin, Linear, Matern, Overlap, default_kernel
from mercer.state import Reader

RNG = np.random.default_rng(0)
N = 300
X = RNG.normal(size=(N, 2))
RING = np.where((X**2).sum(axis=1) < 1.5, "in", "out")
WAVE = np.sin(2 * X[:, 0]) + 0.1 * RNG.normal(size=N)
MIXED = pd.DataFrame(
    {
        "age": np.where(RNG.random(N) < 0.1, np.nan, X[:, 0]),
        "pay": X[:, 1],
        "job": RNG.choice(["clerk", "cook", "smith", None], N),
    }
)
KIND = np.where(MIXED["job"] == "cook", "a", np.where(X[:, 1] > 0, "b", "c"))
WAYS: list[dict[str, Any]] = [
    {"approximation": "nystroem", "rank": 80},
    {"approximation": "features", "rank": 150},
    {"approximation": "cells", "rank": 60},
]
IDS = [w["approximation"] for w in WAYS]


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_all_rows_as_landmarks_give_the_exact_machine(loss: Any, C: float) -> None:
    weight = RNG.uniform(0, 2, N)
    exact = SVC(C=C, loss=loss, class_weight="balanced").fit(X, RING, weight)
    found = SVC(C=C, loss=loss, class_weight="balanced", approximation="nystroem", rank=N).fit(X, RING, weight)
    assert found.approximation_error_ < 1e-6
    assert 0 <= found.duality_gap_ <= 1e-3 * found.primal_
    assert_allclose(found.primal_, exact.primal_, rtol=2e-3)
    assert_allclose(found.decision_function(X), exact.decision_function(X), atol=0.2)
    assert (found.predict(X) == exact.predict(X)).mean() > 0.98
    assert_allclose(found.margin_, exact.margin_, rtol=0.05)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regression_on_all_landmarks_is_the_exact_one(loss: Any) -> None:
    exact = SVR(C=3, loss=loss).fit(X, WAVE)
    found = SVR(C=3, loss=loss, approximation="nystroem", rank=N).fit(X, WAVE)
    assert_allclose(found.predict(X), exact.predict(X), atol=0.05)
    assert 0 <= found.duality_gap_ <= 1e-3 * found.primal_


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_each_way_is_nearly_as_good_as_the_exact_machine(way: Any) -> None:
    exact, found = SVC(C=5).fit(X, RING), SVC(C=5, random_state=0, **way).fit(X, RING)
    assert found.score(X, RING) > exact.score(X, RING) - 0.03
    exact, found = SVR(C=5).fit(X, WAVE), SVR(C=5, **way).fit(X, WAVE)
    assert found.score(X, WAVE) > exact.score(X, WAVE) - 0.03
    assert np.isnan(found.approximation_error_) == (way["approximation"] == "cells")


@pytest.mark.parametrize("strategy", ["ovo", "ovr", "ecoc"])
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_several_classes_probabilities_and_stored_state(way: Any, strategy: Any) -> None:
    model = SVC(C=5, multi_class=strategy, probability="sigmoid", random_state=0, **way)
    model.fit(MIXED, KIND, sample_weight=RNG.uniform(0.5, 2, N))
    assert model.score(MIXED, KIND) > 0.85
    found = model.predict_proba(MIXED)
    assert_allclose(found.sum(axis=1), 1)
    assert_array_equal(model.classes_[found.argmax(axis=1)], model.predict(MIXED))
    again = SVC.from_state(Reader(model.to_state()))
    assert_array_equal(again.predict_proba(MIXED), found)
    assert again.get_params() == model.get_params()
    same = SVC(C=5, multi_class=strategy, random_state=0, n_jobs=1, **way).fit(MIXED, KIND)
    other = SVC(C=5, multi_class=strategy, random_state=0, n_jobs=2, **way).fit(MIXED, KIND)
    assert_array_equal(same.decision_function(MIXED), other.decision_function(MIXED))


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_regression_is_stored(way: Any) -> None:
    model = SVR(C=5, **way).fit(MIXED, WAVE)
    assert_array_equal(SVR.from_state(Reader(model.to_state())).predict(MIXED), model.predict(MIXED))


@pytest.mark.parametrize("approximation", ["nystroem", "features"])
def test_polishing_gives_the_exact_machine(approximation: Any) -> None:
    exact = SVC(C=5, tol=1e-5).fit(MIXED, KIND)
    model = SVC(C=5, tol=1e-5, approximation=approximation, rank=50, polish=True, random_state=0).fit(MIXED, KIND)
    assert_allclose(model.decision_function(MIXED), exact.decision_function(MIXED), atol=1e-3)
    assert_array_equal(model.support_, exact.support_)
    again = SVC.from_state(Reader(model.to_state()))
    assert_array_equal(again.predict(MIXED), model.predict(MIXED))
    exact_r = SVR(tol=1e-5).fit(X, WAVE)
    model_r = SVR(tol=1e-5, approximation=approximation, rank=50, polish=True).fit(X, WAVE)
    assert_allclose(model_r.predict(X), exact_r.predict(X), atol=1e-3)


def test_one_cell_is_the_exact_machine_and_a_second_fit_forgets_the_first() -> None:
    exact = SVC(C=5, kernel=Overlap()).fit(MIXED, KIND)
    model = SVC(C=5, kernel=Overlap(), approximation="cells").fit(MIXED, KIND)
    assert_allclose(model.decision_function(MIXED), exact.decision_function(MIXED), atol=1e-6)
    assert_array_equal(np.sort(model.support_), np.sort(exact.support_))
    model.set_params(approximation=None).fit(MIXED, KIND)
    assert_array_equal(model.decision_function(MIXED), exact.decision_function(MIXED))


def test_cells_of_one_class_and_rows_that_are_all_alike() -> None:
    blobs = np.vstack([RNG.normal(m, 0.1, size=(40, 2)) for m in (0, 5, 10)])
    names = np.repeat(["a", "b", "c"], 40)
    model = SVC(approximation="cells", rank=20, random_state=0).fit(blobs, names)
    assert_array_equal(model.predict(blobs), names)
    alike = SVC(approximation="cells", rank=2).fit(np.ones((10, 2)), [0, 1] * 5)
    assert len(alike.predict(np.ones((3, 2)))) == 3


def test_a_local_kernel_has_no_offset_in_cells_so_that_the_nearest_rows_answer_far_away() -> None:
    exact = SVC(C=5, gamma=1.0, tol=1e-5).fit(X, RING)
    model = SVC(C=5, gamma=1.0, tol=1e-5, approximation="cells").fit(X, RING)
    assert model.dual_ > exact.dual_  # a constraint less on the dual: at least as high
    decisions = RBF(gamma=1.0).fit(X).gram(X, model.support_vectors_) @ model.dual_coef_[0]
    assert_allclose(model.decision_function(X), decisions, atol=1e-6)
    line, side = np.array([[0.0], [0.1], [0.2], [1.0]]), np.array(["a", "a", "a", "b"])
    near = SVC(C=10, gamma=30.0, approximation="cells").fit(line, side)
    assert near.predict([[2.0], [-1.0], [1e4]]).tolist() == ["b", "a", "a"]  # out of reach: the more frequent class


def test_which_kernels_are_local() -> None:
    rbf, linear = RBF(), Linear()
    assert all(k.local for k in (rbf, Laplacian(), Matern(), 2 * rbf, rbf * linear, rbf + rbf))
    assert not any(k.local for k in (linear, Overlap(), rbf + linear, rbf + 1 * linear))
    assert default_kernel(read_table(MIXED).schema).local


@pytest.mark.parametrize("scoring", [None, "accuracy", "roc_auc", "neg_log_loss", "balanced_accuracy"])
def test_the_search_compares_points_within_cells(scoring: Any) -> None:
    grid = Grid(C=[0.1, 10], gamma=[0.01, 1], cv=3, scoring=scoring)
    model = SVC(C="cv", gamma="cv", grid=grid, approximation="cells", rank=100, random_state=0).fit(X, RING)
    assert model.tuning_.n_rows == N and all(point.exact for point in model.tuning_.points)
    assert {"C": model.C_, "gamma": model.gamma_} == model.tuning_.best_params == {"C": 10.0, "gamma": 1.0}
    points = model.tuning_.leading(3)
    assert points[0] == model.tuning_.best_params and len(points) == 3
    given = [SVC(**p, approximation="cells", rank=100, random_state=0).fit(X, RING) for p in points]
    assert_allclose(model.decision_function(X), np.mean([g.decision_function(X) for g in given], axis=0), atol=1e-6)
    again = SVC.from_state(Reader(model.to_state()))
    assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
def test_the_mean_of_machines_has_probabilities_and_is_stored(strategy: Any) -> None:
    grid = Grid(C=[1, 10], gamma=[0.05, 0.5], cv=3)
    model = SVC(C="cv", gamma="cv", grid=grid, multi_class=strategy, probability="sigmoid", approximation="cells")
    model.set_params(rank=100, random_state=0).fit(MIXED, KIND)
    assert model.score(MIXED, KIND) > 0.85 and len(model.dual_coef_[0]) == len(model.support_)
    again = SVC.from_state(Reader(model.to_state()))
    assert_array_equal(again.predict_proba(MIXED), model.predict_proba(MIXED))
    state = model.to_state()
    state["fitted"]["map"]["of_kernel"] = state["fitted"]["map"]["of_kernel"][::-1].copy()
    with pytest.raises(BadFile, match="order of cells"):
        SVC.from_state(Reader(state))
    fixed = model.set_params(C=1.0, gamma=0.5).fit(MIXED, KIND)
    assert len(np.unique(fixed.support_)) == len(fixed.support_)  # one machine: every row once


def test_the_score_of_a_search_is_the_mean_over_cells() -> None:
    folds = np.arange(N) % 3
    model = SVC(C=3.0, gamma=1.0, approximation="cells", rank=100, random_state=0)
    problem = model.tunable_problem(X, RING)
    assert isinstance(problem, CellSearch) and len(np.unique(problem.own)) > 1
    splits = [(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(3)]
    found = tune(model, X, RING, {"C": [3.0]}, cv=splits)
    right = np.zeros(N, dtype=bool)
    for cell in np.unique(problem.own):
        for f in range(3):
            train, test = (np.flatnonzero((problem.own == cell) & ((folds == f) == held)) for held in (False, True))
            one = SVC(C=3.0, gamma=1.0, approximation="cells", rank=N, tol=1e-4).fit(X[train], RING[train])
            right[test] = one.predict(X[test]) == RING[test]
    expected = [right[folds == f].mean() for f in range(3)]
    assert_allclose(found.points[0].scores, expected, atol=0.011)  # a row at the border


def test_a_search_draws_whole_cells_and_falls_back_to_rows_where_none_can_be_compared() -> None:
    problem = SVC(approximation="cells", rank=50, random_state=0).tunable_problem(X, RING)
    drawn, sizes = problem.take(np.arange(120)), np.bincount(problem.own)
    assert set(np.bincount(drawn.own)) <= set(sizes)
    assert (np.bincount(drawn.own) ** 2).sum() <= 120**2 < (sizes**2).sum()
    apart = np.repeat([[0.0], [100.0]], 30, axis=0) + RNG.normal(size=(60, 1))
    grid = Grid(C=[1, 10], gamma=[1.0], cv=2)
    model = SVC(C="cv", gamma="cv", grid=grid, approximation="cells", rank=20, random_state=0)
    assert model.fit(apart, np.repeat(["a", "b"], 30)).score(apart, np.repeat(["a", "b"], 30)) == 1


@pytest.mark.parametrize("kernel", ["linear", RBF(gamma=0.5)], ids=["linear", "an object"])
def test_regression_and_other_kernels_are_searched_in_cells(kernel: Any) -> None:
    grid = Grid(C=[1.0, 10.0], epsilon=[0.1], gamma=[0.5, 2.0], cv=3)
    for model, target in ((SVR(epsilon="cv"), WAVE), (SVC(multi_class="ecoc"), KIND)):
        model.set_params(C="cv", gamma="cv", kernel=kernel, grid=grid, approximation="cells", rank=100)
        found = model.fit(X, target)
        assert found.C_ in (1.0, 10.0) and len(found.tuning_.points) >= 2


def test_bad_input_is_refused_in_words() -> None:
    with pytest.raises(MercerError, match="gives their matrix"):
        SVC(kernel="precomputed", approximation="nystroem").fit(X[:5] @ X[:5].T, RING[:5])
    with pytest.raises(MercerError, match="Nystroem takes any kernel"):
        SVC(kernel=Lin(), approximation="features").fit(MIXED, KIND)
    with pytest.raises(MercerError, match="finite C"):
        SVC(C=np.inf, approximation="nystroem").fit(X, RING)
    state = SVC(approximation="cells", rank=50, random_state=0).fit(X, RING).to_state()
    state["fitted"]["map"]["of_support"] = state["fitted"]["map"]["of_support"][::-1].copy()
    with pytest.raises(BadFile, match="order of cells"):
        SVC.from_state(Reader(state))
