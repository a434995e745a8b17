"""Searches of QuantileSVR, TwinSVC, CoreVectorMachine and LaplacianSVC: scores as by refitting in each fold."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics import mean_pinball_loss

import mercer
from mercer.errors import MercerError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
NUMBERS = 50 * (np.sin(X[:, 0]) + X[:, 1] * RNG.normal(size=90))
IRIS, SPECIES = load_iris(return_X_y=True)
IRIS, SPECIES = IRIS[::2], np.array(["setosa", "versicolor", "virginica"])[SPECIES[::2]]
MOONS, SIDE = make_moons(80, noise=0.2, random_state=0)
FOLDS = [(np.flatnonzero(np.arange(240) % 3 != f), np.flatnonzero(np.arange(240) % 3 == f)) for f in range(3)]


def folds(n: int) -> list[Any]:
    return [(train[train < n], test[test < n]) for train, test in FOLDS]


def by_hand(model: Any, x: Any, y: Any, grid: dict[str, list[float]], score: Any) -> Any:
    """Scores (points, folds) of clones fitted to the training rows alone."""
    found = []
    for point in product(*grid.values()):
        made = clone(model).set_params(**dict(zip(grid, point, strict=True)))
        found.append([score(made.fit(x[train], y[train]), x[test], y[test]) for train, test in folds(len(y))])
    return np.array(found)


def pinball(model: Any, x: Any, y: Any) -> float:
    lines = np.atleast_2d(model.predict(x).T)
    return -float(np.mean([mean_pinball_loss(y, q, alpha=t) for t, q in zip(model.quantiles_, lines, strict=True)]))


def squared(model: Any, x: Any, y: Any) -> float:
    e = y - model.predict(x)
    return -float(np.mean(np.where(e > 0, 0.8, 0.2) * e**2))


def accuracy(model: Any, x: Any, y: Any) -> float:
    return float(model.score(x, y))


@pytest.mark.parametrize(
    ("model", "x", "y", "grid", "score", "tolerance"),
    [
        (mercer.QuantileSVR([0.1, 0.9], tol=1e-6), X, NUMBERS, {"C": [5.0, 100.0], "gamma": [0.1, 1.0]}, pinball, 1e-3),
        (mercer.QuantileSVR(0.8, tol=1e-6, loss="expectile"), X, NUMBERS, {"C": [0.1, 10.0], "gamma": [0.1, 1.0]},
         squared, 1e-3),
        (mercer.TwinSVC(), IRIS, SPECIES, {"C": [0.1, 10.0], "alpha": [0.1, 1.0], "gamma": [0.1, 1.0]}, accuracy, 0),
        (mercer.TwinSVC(loss="squared"), MOONS, SIDE, {"C": [0.1, 10.0], "gamma": [0.1, 1.0]}, accuracy, 0),
        (mercer.CoreVectorMachine(), IRIS, SPECIES, {"C": [0.1, 10.0], "gamma": [0.1, 1.0]}, accuracy, 0),
        (mercer.CoreVectorMachine(multi_class="ovr"), MOONS, SIDE, {"C": [0.1, 10.0]}, accuracy, 0),
    ],
)  # fmt: skip
def test_scores_are_those_of_models_refitted_in_each_fold(
    model: Any, x: Any, y: Any, grid: Any, score: Any, tolerance: float
) -> None:
    model = clone(model).set_params(gamma=0.5)
    found = mercer.tune(model, x, y, grid, cv=folds(len(y)))
    expected = by_hand(model, x, y, grid, score)
    got = np.array([p.scores for p in found.points])
    assert_allclose(got, expected, rtol=tolerance, atol=1e-9)
    best = found.best_estimator
    assert {name: getattr(best, f"{name}_") for name in grid} == found.best_params


def test_the_scale_of_a_kernel_is_learned_from_all_rows() -> None:
    found = mercer.tune(mercer.QuantileSVR(), X, NUMBERS, {"C": [5.0, 100.0]}, cv=folds(90))
    width = 1 / (X.shape[1] * X.var())
    expected = by_hand(mercer.QuantileSVR(gamma=width), X, NUMBERS, {"C": [5.0, 100.0]}, pinball)
    assert_allclose([p.scores for p in found.points], expected, rtol=1e-3)


@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_laplacian_hides_labels_and_keeps_the_rows(loss: Any) -> None:
    labels = np.where(np.arange(80) % 4 == 0, SIDE, -1)
    known = np.flatnonzero(labels >= 0)
    model = mercer.LaplacianSVC(loss=loss, gamma=2.0)
    grid = {"C": [1.0, 100.0], "gamma_manifold": [0.0, 0.1]}
    found = mercer.tune(model, MOONS, labels, grid, cv=folds(len(known)))
    expected = []
    for cost, strength in product(*grid.values()):
        made = clone(model).set_params(C=cost, gamma_manifold=strength)
        line = []
        for _, test in folds(len(known)):
            hidden = labels.copy()
            hidden[known[test]] = -1
            line.append(made.fit(MOONS, hidden).score(MOONS[known[test]], SIDE[known[test]]))
        expected.append(line)
    assert_allclose([p.scores for p in found.points], expected)


@pytest.mark.parametrize(
    ("model", "y", "names"),
    [
        (mercer.QuantileSVR([0.1, 0.9], C="cv", gamma="cv"), NUMBERS, ("C", "gamma")),
        (mercer.TwinSVC("cv", alpha="cv"), NUMBERS > 0, ("C", "alpha")),
        (mercer.CoreVectorMachine("cv", gamma="cv"), NUMBERS > 0, ("C", "gamma")),
        (mercer.LaplacianSVC("cv", gamma_manifold="cv", gamma="cv"), NUMBERS > 0, ("C", "gamma_manifold", "gamma")),
    ],
)
def test_cv_on_a_mixed_table_and_in_the_model_file(model: Any, y: Any, names: Any, tmp_path: Path) -> None:
    table = {"a": X[:, 0], "b": X[:, 1], "job": np.where(X[:, 2] > 0, "clerk", "smith")}
    grid = mercer.Grid(C=[1.0, 30.0], alpha=[0.1, 1.0], gamma_manifold=[0.0, 0.1], gamma=["scale", 1.0], cv=3)
    model = model.set_params(grid=grid).fit(table, y)
    assert model.tuning_.names == names
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert again.tuning_ == model.tuning_
    assert [getattr(again, f"{n}_") for n in names] == [getattr(model, f"{n}_") for n in names]
    assert_allclose(again.predict(table), model.predict(table))


def test_a_class_that_a_training_part_has_not_is_no_rows_answer() -> None:
    y = np.where(np.arange(80) == 5, "rare", np.where(SIDE == 1, "up", "down"))
    for model in (mercer.TwinSVC(), mercer.TwinSVC(loss="squared"), mercer.CoreVectorMachine()):
        found = mercer.tune(model, MOONS, y, {"C": [1.0, 10.0]}, cv=folds(80))
        assert np.nanmin([p.mean for p in found.points]) > 0.8


def test_several_lines_have_one_way_to_be_compared() -> None:
    with pytest.raises(MercerError, match="scores one line, and there are 2"):
        mercer.QuantileSVR([0.1, 0.9], C="cv", grid=mercer.Grid(scoring="r2")).fit(X, NUMBERS)
    one = mercer.QuantileSVR(0.5, C="cv", grid=mercer.Grid(scoring="r2", C=[1.0, 10.0])).fit(X, NUMBERS)
    assert one.tuning_.scoring == "r2"


def test_points_whose_system_is_singular_are_not_chosen() -> None:
    labels = np.where(np.arange(80) % 4 == 0, SIDE, -1)
    model = mercer.LaplacianSVC(gamma_manifold="cv", grid=mercer.Grid(gamma_manifold=[0.1, 1e200], cv=3))
    assert model.fit(MOONS, labels).gamma_manifold_ == 0.1
    with pytest.raises(MercerError, match="No point of the grid has a score"):
        model.set_params(grid=mercer.Grid(gamma_manifold=[1e200], cv=3)).fit(MOONS, labels)
