"""scikit-learn's inspection of our models on a mixed frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.inspection import (
    DecisionBoundaryDisplay,
    PartialDependenceDisplay,
    partial_dependence,
    permutation_importance,
)

import mercer

from .people import NUMBERS, X, Y


@pytest.mark.parametrize("model", [mercer.SVC(), mercer.NaiveBayes(), mercer.DecisionTreeClassifier(max_depth=2)])
def test_permutation_importance(model: Any) -> None:
    found = permutation_importance(model.fit(X, Y), X, Y, n_repeats=5, random_state=0)
    assert found.importances.shape == (4, 5)
    assert found.importances_mean.argmax() == list(X).index("age")


@pytest.mark.parametrize("model", [mercer.LogisticRegression(), mercer.SVC(probability="sigmoid")])
def test_partial_dependence_is_the_mean_answer(model: Any) -> None:
    model.fit(X, Y)
    found = partial_dependence(model, X, ["pay"], grid_resolution=4, response_method="predict_proba")
    expected = [model.predict_proba(X.assign(pay=value))[:, 1].mean() for value in found["grid_values"][0]]
    np.testing.assert_allclose(found["average"][0], expected)
    levels = partial_dependence(model, X, ["size"], categorical_features=["size"], response_method="predict_proba")
    assert sorted(levels["grid_values"][0]) == ["L", "M", "S"]


def test_partial_dependence_is_drawn() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    model = mercer.NaiveBayes().fit(X, Y)
    drawn = PartialDependenceDisplay.from_estimator(
        model, X, ["pay", "size"], categorical_features=["size"], grid_resolution=4
    )
    assert drawn.axes_.shape == (1, 2)


@pytest.mark.parametrize(
    "model",
    [mercer.SVC(), mercer.DecisionTreeClassifier(), mercer.NaiveBayes(), mercer.KNeighborsClassifier()],
)
def test_decision_boundary_is_drawn(model: Any) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    drawn = DecisionBoundaryDisplay.from_estimator(model.fit(NUMBERS, Y), NUMBERS, grid_resolution=8)
    assert drawn.response.shape == (8, 8) and np.isfinite(drawn.response).all()
