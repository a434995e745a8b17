"""What columns add to boosted trees: they add up, and are what all sets of columns give."""

from __future__ import annotations

from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

import mercer
from mercer.solvers.boost.shapley import forest_shapley

RNG = np.random.default_rng(8)


def _known(model: Any, bins: Any, tree: int, node: int, known: set[int]) -> float:
    """The value of a tree when only the cells of some columns are known, node by node."""
    forest = model.forest_
    column = int(forest.column[node])
    if column < 0:
        return float(forest.value[node])
    left, right = int(forest.left[node]), int(forest.right[node])
    if column not in known:
        rows = forest.rows[[left, right]] / forest.rows[[left, right]].sum()
        sides = [_known(model, bins, tree, child, known) for child in (left, right)]
        return float(rows @ sides)
    cell = int(bins[column])
    goes = cell <= forest.cut[node]
    if forest.set[node] >= 0:
        goes = bool(int(forest.left_bins[forest.set[node], cell >> 6]) >> (cell & 63) & 1)
    if cell == forest.missing_bin[column]:
        if forest.missing_left[node] == 2:
            return float(forest.value[node])
        goes = bool(forest.missing_left[node] == 1)
    return _known(model, bins, tree, left if goes else right, known)


def test_they_are_what_all_sets_of_columns_give() -> None:
    n = 300
    rows = {
        "a": np.where(RNG.random(n) < 0.2, np.nan, RNG.normal(size=n)),
        "b": RNG.normal(size=n),
        "job": RNG.choice(["cook", "clerk", "smith", "guard"], n),
    }
    y = np.nan_to_num(rows["a"]) * rows["b"] + (rows["job"] == "cook") * rows["b"]
    model = mercer.HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=5, max_leaf_nodes=8).fit(rows, y)
    fresh = {"a": [0.1, np.nan, 2.0], "b": [1.0, -1.0, np.nan], "job": ["cook", "smith", "pilot"]}
    bins = model._bins(fresh)
    p = bins.shape[1]
    _, values = forest_shapley(model.forest_, bins, np.arange(p, dtype=np.int32), p)
    for i, cells in enumerate(bins):
        for j in range(p):
            others, expected = [k for k in range(p) if k != j], 0.0
            for size in range(p):
                for chosen in combinations(others, size):
                    share = factorial(size) * factorial(p - size - 1) / factorial(p)
                    for tree, root in enumerate(model.forest_.root.tolist()):
                        with_j, without = ({*chosen, j}, {*chosen})
                        expected += share * _known(model, cells, tree, root, with_j)
                        expected -= share * _known(model, cells, tree, root, without)
            assert_allclose(values[i, 0, j], expected, atol=1e-12)


def test_they_add_up_to_the_answer() -> None:
    penguins = mercer.load_penguins()
    known = ~penguins.missing("Sex")
    table, sex = penguins.drop(["Sex"]).take(known), penguins.column("Sex")[known]
    model = mercer.HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=5).fit(table, sex)
    rows = table.take(slice(0, 40))
    found = mercer.explain(model, rows)
    assert found.unit == "log odds" and found.error is None
    assert len(model.classes_) == 2
    assert_allclose(found.total, model.decision_function(rows), atol=1e-9)
    assert (found.for_class == model.classes_[1]).all()


def test_of_several_classes_the_best_is_compared_with_the_runner_up() -> None:
    X, y = load_iris(return_X_y=True)
    model = mercer.HistGradientBoostingClassifier(max_iter=10).fit(X, y)
    found = mercer.explain(model, X[::10])
    shares = np.sort(model.predict_proba(X[::10]), axis=1)
    assert_allclose(found.total, np.log(shares[:, -1] / shares[:, -2]), atol=1e-8)
    assert (found.for_class == model.predict(X[::10])).all()


def test_a_number_predicted_is_the_sum() -> None:
    X = RNG.normal(size=(200, 4))
    for loss in ("squared_error", "absolute_error", "poisson"):
        y = np.exp(X[:, 0])
        model = mercer.HistGradientBoostingRegressor(loss, max_iter=5).fit(X, y)
        found = mercer.explain(model, X[:5], background=X[:20])
        assert_allclose(found.total, model.predict(X[:5]), atol=1e-8)
        assert ("sum of trees" in found.method) == (loss != "poisson")
