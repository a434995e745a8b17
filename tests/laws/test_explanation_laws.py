"""Laws of explanations: they add up, columns alike get alike, a column that is not used gets nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, RegressorMixin

import mercer

MODELS = [
    mercer.NaiveBayes,
    mercer.LogisticRegression,
    mercer.LinearSVC,
    mercer.Perceptron,
    mercer.SVC,
    mercer.KNeighborsClassifier,
    mercer.DecisionTreeClassifier,
]


@st.composite
def problems(draw):
    """A table of numbers and levels with gaps, and labels of two classes that go with it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(12, 40))
    x = rng.normal(size=n)  # no distances alike
    rows = {"x": x, "z": rng.normal(size=n), "a": rng.choice(["p", "q", "r"], n)}
    rows["z"][rng.random(n) < 0.2] = np.nan
    label = x + (rows["a"] == "q") + rng.normal(size=n) / 2 > 0.3
    label[:2] = True, False
    return rows, label


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", MODELS)
@settings(max_examples=8)
@given(problem=problems())
def test_efficiency_symmetry_and_dummy(make, problem) -> None:
    rows, label = problem
    kinds = {"x": "numeric", "twin": "numeric", "z": "numeric", "a": "category", "unused": "numeric"}
    # the tree takes the first of two columns alike: they are asked about as one and the same where it may choose
    both = rows | {"twin": rows["x"]}
    model = make(kinds={k: v for k, v in kinds.items() if k in both}).fit(both, label)
    found = mercer.explain(model, both, rows=[0, 1, 2])
    if found.unit == "log odds":
        logs = np.log(model.predict_proba(both))
        expected = (logs[:, 1] - logs[:, 0])[:3]
    elif found.unit == "probability":
        expected = model.predict_proba(both)[:3, 1]
    else:
        expected = model.decision_function(both)[:3]
    assert_allclose(found.total, expected, rtol=1e-6, atol=1e-8)
    if make is not mercer.DecisionTreeClassifier:
        assert_allclose(found.values[:, 0], found.values[:, found.columns.index("twin")], rtol=1e-4, atol=1e-5)


class Ignores(RegressorMixin, BaseEstimator):
    """A model that does not look at one of its columns, and treats two others alike."""

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return np.sin(X[:, 0] + X[:, 1]) * X[:, 2]


@given(seed=st.integers(0, 2**32 - 1), extra=st.integers(0, 8))
@settings(max_examples=20)
def test_columns_alike_and_unused_of_any_score(seed, extra) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(9, 4 + extra))
    x[0, 1] = x[0, 0]
    x[1:, 1] = x[1:, 0]
    found = mercer.explain(Ignores(), x, rows=[0], samples=8)
    assert_allclose(found.values[0, 3:], 0, atol=1e-12)
    error = 1e-9 if found.exact else 6 * np.hypot(*found.error[0, :2]) + 1e-9
    assert abs(found.values[0, 0] - found.values[0, 1]) <= error
    assert_allclose(found.total, Ignores().predict(x[:1]))
