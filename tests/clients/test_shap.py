"""shap explains what our models answer: its values and the base value add up to the answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

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
