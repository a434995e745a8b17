"""Linear models that share a design are those that do not, and the cells are encoded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mercer
from mercer.encode.design import Design
from mercer.estimators.sharing import sharing, sharing_groups

RNG = np.random.default_rng(0)
N = 300
X = mercer.read_table(
    {
        "a": np.where(RNG.random(N) < 0.1, np.nan, RNG.normal(size=N)),
        "job": RNG.choice(["baker", "smith", "clerk"], N),
        "note": np.array([f"word{i % 7} told word{i % 11} of {i}" for i in range(N)]),
    },
    kinds={"note": "text"},
)
NUMBERS = np.nan_to_num(X.numbers()[:, 0]) + RNG.normal(size=N)
CLASSES = (NUMBERS > 0).astype(int)


def classifiers() -> list[Any]:
    make = mercer.LogisticRegression
    return [make(), make(C=0.1), make(C=0.01, class_weight="balanced"), make(scale=True)]


def regressors() -> list[Any]:
    make = mercer.LinearRegression
    return [make(alpha=1.0), make(alpha=10.0, fit_intercept=False), make(alpha=1.0, errors="HC3")]


@pytest.mark.parametrize(("make", "y"), [(classifiers, CLASSES), (regressors, NUMBERS)])
@pytest.mark.parametrize("weight", [None, RNG.integers(1, 4, N).astype(float), RNG.integers(0, 3, N).astype(float)])
def test_models_fitted_together_are_those_fitted_alone(make: Callable[[], list[Any]], y: Any, weight: Any) -> None:
    alone = [m.fit(X, y, sample_weight=weight).predict(X) for m in make()]
    models = make()
    with sharing(models, 10**9):
        together = [m.fit(X, y, sample_weight=weight).predict(X) for m in models]
    for model, ours, theirs in zip(models, together, alone, strict=True):
        np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(model.predict(X), theirs)  # after it, as if nothing had been shared


def test_rows_are_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    learned, encoded = [], []
    learn, matrix = Design.learn, Design.matrix
    monkeypatch.setattr(Design, "learn", lambda *given: learned.append(1) or learn(*given))
    monkeypatch.setattr(Design, "matrix", lambda *given: encoded.append(1) or matrix(*given))
    models = classifiers()
    test = X.take(np.arange(100))
    with sharing(models, 10**9):
        for model in models:
            model.fit(X, CLASSES)
        for model in models:
            model.predict(test)
    assert len(learned) == 1 and len(encoded) == 2  # to learn, and to predict


def test_rows_or_weights_of_another_fit_are_encoded_anew() -> None:
    first, second, third = (mercer.LogisticRegression(C=C) for C in (1.0, 0.1, 0.01))
    half, weight = X.take(np.arange(150)), np.where(np.arange(150) < 20, 5.0, 1.0)
    with sharing([first, second, third], 10**9):
        first.fit(X, CLASSES)
        second.fit(half, CLASSES[:150])
        third.fit(half, CLASSES[:150], sample_weight=weight)
    theirs = mercer.LogisticRegression(C=0.1).fit(half, CLASSES[:150])
    weighed = mercer.LogisticRegression(C=0.01).fit(half, CLASSES[:150], sample_weight=weight)
    np.testing.assert_array_equal(second.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(third.predict_proba(X), weighed.predict_proba(X))


def test_who_shares_a_design_with_whom() -> None:
    make = mercer.LogisticRegression
    models = [make(), make(baseline="common"), make(C=3.0), make(terms=["a^2"]), make(kinds={"a": "text"})]
    assert sharing_groups([*models, make(terms=["a^2"], C=2.0)]) == [[0, 2], [1], [3, 5], [4]]
