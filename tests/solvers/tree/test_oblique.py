"""Oblique tests: one cut of a sum where single columns need a staircase, readable and storable."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import mercer
from mercer.errors import BadFile, MercerError
from mercer.estimators.tree.columns import sum_of
from mercer.solvers.tree.oblique import extended
from mercer.solvers.tree.tree import Columns
from mercer.state import Reader


def diagonal(seed=0, n=600):
    """Two classes on either side of a + b = 1, with a gap; c is noise, d a category without meaning."""
    rng = np.random.default_rng(seed)
    cells = rng.uniform(size=(3 * n, 3))
    cells = cells[np.abs(cells[:, 0] + cells[:, 1] - 1) > 0.02][:n]
    frame = pd.DataFrame(cells, columns=["a", "b", "c"]).assign(d=rng.choice(list("pqr"), n))
    return frame, np.where(cells[:, 0] + cells[:, 1] > 1, "over", "under")


def test_a_diagonal_needs_one_oblique_test_and_many_plain_ones():
    frame, label = diagonal()
    fresh, truth = diagonal(1)
    plain = mercer.DecisionTreeClassifier().fit(frame, label)
    model = mercer.DecisionTreeClassifier(oblique=True).fit(frame, label)
    assert model.get_n_leaves() == 2
    assert plain.get_n_leaves() > 10
    assert model.score(fresh, truth) > 0.99 > plain.score(fresh, truth)
    a, b, c = model.combinations_[0]
    assert c == 0
    assert a / b == pytest.approx(1, abs=0.1)
    np.testing.assert_allclose(model.feature_importances_, [0.5, 0.5, 0, 0])


def test_an_oblique_tree_is_read_and_stored_like_any_other():
    frame, label = diagonal()
    model = mercer.DecisionTreeClassifier(oblique=True).fit(frame, label)
    condition = model.rules()[0].conditions[0]
    assert " a + " in f" {condition}"
    assert condition in model.to_text() or condition in [c for r in model.explain(frame) for c in r.conditions]
    ElementTree.fromstring(model.to_svg())
    copy = mercer.DecisionTreeClassifier.from_state(Reader(model.to_state()))
    np.testing.assert_array_equal(copy.predict_proba(frame), model.predict_proba(frame))
    assert copy.to_text() == model.to_text()
    state = model.to_state()
    fitted = state["fitted"]
    for damage in (model.combinations_[:, :2].copy(), model.combinations_[:0], 0 * model.combinations_):
        columns = fitted["columns"] | {"combinations": damage}
        with pytest.raises(BadFile):
            mercer.DecisionTreeClassifier.from_state(Reader(state | {"fitted": fitted | {"columns": columns}}))


def test_a_step_along_a_sum_is_one_test_of_a_regression():
    frame, label = diagonal()
    y = np.where(label == "over", 3.0, 1.0)
    model = mercer.DecisionTreeRegressor(oblique=True, max_depth=1).fit(frame, y)
    plain = mercer.DecisionTreeRegressor(max_depth=1).fit(frame, y)
    assert (model.combinations_ != 0).sum() == 2
    assert model.score(frame, y) > 0.9
    assert plain.score(frame, y) < 0.6


@pytest.mark.parametrize("prune", ["cv", "pessimistic"])
def test_three_classes_missing_cells_and_noise(prune):
    rng = np.random.default_rng(2)
    frame, _ = diagonal(2)
    total = frame["a"] + frame["b"]
    label = np.where(total > 1.3, "high", np.where(total > 0.7, "middle", "low"))
    label = np.where(rng.random(len(label)) < 0.1, "low", label)
    holes = frame.mask(pd.DataFrame(rng.random(frame.shape) < 0.1, columns=frame.columns))
    plain, model = (
        mercer.DecisionTreeClassifier(criterion="entropy", min_samples_leaf=10, prune=prune, oblique=oblique).fit(
            holes, label
        )
        for oblique in (False, True)
    )
    assert model.get_n_leaves() < plain.get_n_leaves()
    assert len(model.combinations_) >= 2
    fresh, _ = diagonal(3)
    total = fresh["a"] + fresh["b"]
    truth = np.where(total > 1.3, "high", np.where(total > 0.7, "middle", "low"))
    assert model.score(fresh, truth) > max(0.9, plain.score(fresh, truth))
    np.testing.assert_allclose(model.predict_proba(holes).sum(axis=1), 1)
    np.testing.assert_allclose(model.tree_.weight[model.tree_.kind == 0].sum(), len(label), rtol=0.01)


def test_single_columns_are_asked_where_sums_do_not_help():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4))
    label = (x[:, 1] > 0.3).astype(int)
    model = mercer.DecisionTreeClassifier(oblique=True).fit(x, label)
    assert len(model.combinations_) == 0
    assert model.to_text() == mercer.DecisionTreeClassifier().fit(x, label).to_text()


def test_what_oblique_tests_do_not_go_with():
    frame, label = diagonal(n=50)
    with pytest.raises(MercerError, match="no surrogates"):
        mercer.DecisionTreeClassifier(oblique=True, missing="surrogate").fit(frame, label)
    with pytest.raises(MercerError, match="no max_leaf_nodes"):
        mercer.DecisionTreeClassifier(oblique=True, max_leaf_nodes=5).fit(frame, label)
    alike = mercer.DecisionTreeClassifier(oblique=True).fit(np.ones((6, 2)), [0, 1] * 3)
    assert alike.get_n_leaves() == 1


def test_several_outputs_share_their_sums():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.column_stack([X[:, 0] + X[:, 1] > 0, X[:, 1] - X[:, 2] > 0])
    model = mercer.DecisionTreeClassifier(oblique=True, max_depth=2).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.95
    assert len(model.combinations_) >= 2


def test_sums_by_hand():
    columns = Columns.of(np.array([[1.0, 2.0, np.nan], [np.nan, 2.0, 3.0]]))
    assert extended(columns, np.array([[1.0, -0.5, 0.0]])).numbers[:, 3].tolist()[0] == 0.0
    assert np.isnan(extended(columns, np.array([[1.0, -0.5, 0.0]])).numbers[1, 3])
    assert sum_of(["a", "b"], np.array([-0.5, 1.0])) == "-0.5 a + b"
