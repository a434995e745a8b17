"""LaplacianSVC against closed forms, SVC where the graph has no weight, and LabelSpreading; marks of missing labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.datasets import load_digits, load_iris, make_moons
from sklearn.neighbors import kneighbors_graph
from sklearn.semi_supervised import LabelSpreading

import mercer
from mercer.errors import MercerError, TooLarge
from mercer.kernels import RBF, Lin

RNG = np.random.default_rng(0)
X, Y = make_moons(60, noise=0.1, random_state=0)
LABELLED = np.sort(RNG.choice(60, 14, replace=False))
FEW = np.full(60, -1)
FEW[LABELLED] = Y[LABELLED]
NEW = RNG.normal(size=(20, 2))
IRIS, SPECIES = load_iris(return_X_y=True)


def laplacian(k: int) -> Any:
    joined = kneighbors_graph(X, k).toarray()
    joined = np.maximum(joined, joined.T)
    return np.diag(joined.sum(axis=1)) - joined


def test_squared_loss_is_the_closed_form_of_laplacian_regularised_least_squares() -> None:
    model = mercer.LaplacianSVC(3.0, gamma_manifold=0.4, n_neighbors=5, loss="squared", kernel=RBF(2.0)).fit(X, FEW)
    gram, graph = RBF(2.0).fit(X).gram(X), laplacian(5)
    given, ones = np.diag(FEW >= 0).astype(float), (FEW >= 0).astype(float)
    signs = np.where(FEW == 1, 1.0, -1.0) * ones
    # Derivatives by the coefficients a of f = K a + b and by b, divided by K.
    system = np.block([
        [3 * given @ gram + np.eye(60) + 0.4 * graph @ gram, 3 * ones[:, None]],
        [ones @ gram, ones.sum()],
    ])  # fmt: skip
    found = np.linalg.solve(system, np.append(3 * signs, signs.sum()))
    expected = model.kernel_.gram(NEW, X) @ found[:60] + found[60]
    assert_allclose(model.decision_function(NEW), expected, atol=1e-8)


def test_the_hinge_machine_has_the_least_value_of_its_primal() -> None:
    model = mercer.LaplacianSVC(2.0, gamma_manifold=0.3, n_neighbors=4, kernel="linear", tol=1e-9).fit(X, FEW)
    graph, known, signs = laplacian(4), FEW >= 0, np.where(FEW == 1, 1.0, -1.0)

    def primal(at: Any) -> float:
        f = X @ at[:2] + at[2]
        lost = np.maximum(0, 1 - signs[known] * f[known]).sum()
        smooth = f - at[2]  # a constant is smooth: L 1 = 0
        return float(at[:2] @ at[:2] / 2 + 0.3 / 2 * smooth @ graph @ smooth + 2 * lost)

    own = np.append(model.dual_coef_[0] @ X[model.support_], model.intercept_[0])
    found = minimize(primal, own, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13})
    assert primal(own) <= found.fun * (1 + 1e-8)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_without_weight_of_the_graph_it_is_the_plain_machine_on_the_rows_with_a_label(multi_class: Any) -> None:
    known = RNG.random(150) < 0.5
    partly = np.where(known, SPECIES, -1)
    given = {"gamma": 0.3, "multi_class": multi_class}
    hinge = mercer.LaplacianSVC(gamma_manifold=0, tol=1e-9, **given).fit(IRIS, partly)
    plain = mercer.SVC(tol=1e-9, **given).fit(IRIS[known], SPECIES[known])
    assert_allclose(hinge.decision_function(IRIS), plain.decision_function(IRIS), atol=1e-5)
    squares = mercer.LaplacianSVC(gamma_manifold=0, loss="squared", **given).fit(IRIS, partly)
    least = mercer.LSSVC(**given).fit(IRIS[known], SPECIES[known])
    assert_allclose(squares.decision_function(IRIS), least.decision_function(IRIS), atol=1e-8)


@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_two_moons_with_few_labels_are_told_apart_as_by_label_spreading(loss: Any) -> None:
    scores = []
    for seed in range(6):
        rows, sides = make_moons(150, noise=0.07, random_state=seed)
        few = np.full(150, -1)
        for side in (0, 1):
            few[np.flatnonzero(sides == side)[:2]] = side
        machine = mercer.LaplacianSVC(100.0, gamma=10.0, gamma_manifold=10.0, loss=loss).fit(rows, few)
        plain = mercer.SVC(C=100.0, gamma=10.0).fit(rows[few >= 0], few[few >= 0])
        scores.append([m.score(rows, sides) for m in (machine, LabelSpreading(gamma=30).fit(rows, few), plain)])
    smooth, spread, plain_score = np.mean(scores, axis=0)
    assert smooth > spread and smooth > plain_score + 0.1


def test_every_mark_of_a_missing_label_means_the_same() -> None:
    expected = mercer.LaplacianSVC().fit(X, FEW).decision_function(NEW)
    nothing = np.array([None if c < 0 else int(c) for c in FEW], dtype=object)
    names = np.array([None if c < 0 else "ab"[c] for c in FEW], dtype=object)
    for y in (nothing, names, np.where(FEW < 0, np.nan, FEW), pd.Series(nothing, dtype="Int64"), FEW.astype(float)):
        model = mercer.LaplacianSVC().fit(X, y)
        assert model.n_labelled_ == 14 and len(model.classes_) == 2
        assert_allclose(model.decision_function(NEW), expected)
    both = mercer.LaplacianSVC().fit(X, np.where(Y == 1, 1, -1))
    assert both.classes_.tolist() == [-1, 1] and both.n_labelled_ == 60


@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_a_mixed_table_and_a_file(loss: Any, tmp_path: Path) -> None:
    names = np.array(["setosa", "versicolor", "virginica"], dtype=object)[SPECIES]
    partly = np.where(RNG.random(150) < 0.3, names, None)
    table = {"length": np.where(RNG.random(150) < 0.1, np.nan, IRIS[:, 2]), "wide": np.where(IRIS[:, 3] > 1, "y", "n")}
    for kernel in ("rbf", mercer.kernels.Encoded(RBF(0.5)) + Lin()):
        model = mercer.LaplacianSVC(10.0, loss=loss, gamma_manifold=0.1, kernel=kernel).fit(table, partly)
        assert model.score(table, names.astype(str)) > 0.8
        mercer.save(model, tmp_path / "model.mercer")
        again = mercer.load(tmp_path / "model.mercer")
        np.testing.assert_array_equal(again.decision_function(table), model.decision_function(table))
        assert again.n_labelled_ == model.n_labelled_


def test_bad_input_is_refused_in_words() -> None:
    with pytest.raises(TooLarge, match="holds the kernel matrix"):
        mercer.LaplacianSVC(cache_size=1e-3).fit(X, FEW)
    with pytest.raises(ValueError, match="No row has a label"):
        mercer.LaplacianSVC().fit(X, [None] * 60)
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        mercer.LaplacianSVC().fit(X, np.where(FEW == 1, 1.0, np.nan))
    with pytest.raises(MercerError, match="deformed kernel is singular"):
        mercer.LaplacianSVC(kernel="linear", gamma_manifold=1e60).fit(X, FEW)
    with pytest.raises(MercerError, match="deformed kernel is singular"):
        mercer.LaplacianSVC(gamma_manifold=0, C=1e3, loss="squared", kernel="precomputed").fit(-1e-3 * np.eye(60), Y)
    with pytest.raises(MercerError, match="learns from the target"):
        mercer.LaplacianSVC(kernel=mercer.kernels.MultipleKernel([RBF(1.0), RBF(5.0)])).fit(X, FEW)


def test_the_usual_weight_of_the_graph_is_that_which_suits_the_table() -> None:
    """None where neighbours are of either class, some where classes lie apart along the graph."""
    images, digits = (part[:400] for part in load_digits(return_X_y=True))
    few = np.where(np.arange(400) % 8 == 0, digits, -1)
    along = mercer.LaplacianSVC(kernel="mixed").fit(images, few)
    plain = mercer.LaplacianSVC(kernel="mixed", gamma_manifold=0).fit(images, few)
    assert along.gamma_manifold_ > 0 and along.score(images, digits) > plain.score(images, digits) + 0.05
    random = np.random.default_rng(0)
    rows = random.normal(size=(200, 6))
    side = (rows[:, 0] > 0.5).astype(int)  # across the graph, and one class is rare
    known = np.where(np.arange(200) % 5 == 0, side, -1)
    across = mercer.LaplacianSVC().fit(rows, known)
    assert across.score(rows, side) > mercer.LaplacianSVC(gamma_manifold=1.0).fit(rows, known).score(rows, side) + 0.05
