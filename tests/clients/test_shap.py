"""shap explains what our models answer: its values and the base value add up to the answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

import mercer

from .people import NUMBERS, X, Y

pytestmark = pytest.mark.filterwarnings("ignore:.*:PendingDeprecationWarning:shap")


def test_the_shares_of_a_mixed_frame_add_up() -> None:
    """shap computes with numbers, so that levels go in as codes and are named again in the function explained."""
    shap = pytest.importorskip("shap")
    table = mercer.read_table(X)
    model = mercer.NaiveBayes().fit(table, Y)
    levels = {name: table.schema[name].levels for name in ("job", "size")}
    codes = pd.DataFrame(
        {name: np.where(table.missing(name), np.nan, table.codes(name)[:, 0]) for name in levels}
        | {name: table[name] for name in ("age", "pay")}
    )

    def answer(rows: np.ndarray) -> np.ndarray:
        frame = pd.DataFrame(rows, columns=codes.columns)
        for name, found in levels.items():
            frame[name] = pd.Categorical.from_codes(frame[name].fillna(-1).astype(int), list(found))
        return model.predict_proba(frame)[:, 1]

    explained = shap.Explainer(answer, codes[:20], algorithm="permutation")(codes[:3], silent=True)
    assert explained.values.shape == (3, 4)
    np.testing.assert_allclose(explained.values.sum(axis=1) + explained.base_values, answer(codes[:3]), rtol=1e-9)
    np.testing.assert_allclose(answer(codes[:3]), model.predict_proba(X[:3])[:, 1], rtol=1e-9)


@pytest.mark.parametrize("model", [mercer.SVC(probability="sigmoid"), mercer.DecisionTreeClassifier(max_depth=3)])
def test_kernel_shap(model: mercer.SVC) -> None:
    """TreeExplainer reads scikit-learn's own compiled trees alone, so that ours go this way too."""
    shap = pytest.importorskip("shap")
    rows = NUMBERS.to_numpy()
    model.fit(rows, Y)
    explainer = shap.KernelExplainer(model.predict_proba, rows[:10])
    values = explainer.shap_values(rows[:2], silent=True)
    np.testing.assert_allclose(
        values.sum(axis=1) + explainer.expected_value, model.predict_proba(rows[:2]), rtol=1e-6, atol=1e-9
    )


def test_linear_shap_is_the_coefficient_times_the_deviation() -> None:
    shap = pytest.importorskip("shap")
    rows = NUMBERS.to_numpy()
    model = mercer.LinearRegression().fit(rows, rows @ [2.0, -1.0] + 3)
    values = shap.LinearExplainer(model, rows).shap_values(rows[:4])
    np.testing.assert_allclose(values, (rows[:4] - rows.mean(axis=0)) * [2.0, -1.0], rtol=1e-6, atol=1e-8)


def test_our_values_of_a_tree_are_those_of_shap() -> None:
    shap = pytest.importorskip("shap")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 5))
    y = x[:, 0] * x[:, 1] + np.abs(x[:, 2])
    # large leaves: no two splits gain alike, and both grow the same tree
    ours = mercer.DecisionTreeRegressor(max_depth=5, min_samples_leaf=12).fit(x, y)
    theirs = DecisionTreeRegressor(max_depth=5, min_samples_leaf=12, random_state=0).fit(x, y)
    assert_allclose(np.sort(ours.tree_.threshold), np.sort(theirs.tree_.threshold), atol=1e-6)
    expected = shap.TreeExplainer(theirs, feature_perturbation="tree_path_dependent").shap_values(x[:30])
    found = mercer.explain(ours, x[:30])
    assert_allclose(found.values, expected, atol=1e-9)
    assert_allclose(found.base, y.mean())


def test_a_linear_model_of_scikit_learn_as_shap_has_it() -> None:
    shap = pytest.importorskip("shap")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 12))
    model = LinearRegression().fit(x, x @ rng.normal(size=12) + 3)
    found = mercer.explain(model, x[:4], background=x[:40])
    expected = shap.LinearExplainer(model, x[:40]).shap_values(x[:4])
    assert_allclose(found.values, expected, atol=1e-9)
    assert found.error is not None and found.error.max() < 1e-12  # exact, being a sum


def test_a_linear_model_of_ours_against_a_background_as_shap_has_it() -> None:
    shap = pytest.importorskip("shap")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 4))
    y = x @ rng.normal(size=4) > 0.2
    model = mercer.LogisticRegression().fit(x, y)
    explainer = shap.LinearExplainer((model.coef_[0], model.intercept_[0]), x[:40])
    found = mercer.explain(model, x[:4], background=x[:40])
    assert_allclose(found.values, explainer.shap_values(x[:4]), atol=1e-9)
    alone = mercer.explain(model, x[:4])  # the average training row
    assert_allclose(alone.values, model.coef_[0] * (x[:4] - x.mean(axis=0)), atol=1e-9)
