"""Booleans beside numbers in a data frame, such as pandas' dummies, are 0 and 1 where scikit-learn takes them so."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import is_classifier

import mercer
from mercer.kernels import RBF, Lin
from mercer.patch import replacements

RNG = np.random.default_rng(3)
N = 80
PEOPLE = pd.DataFrame(
    {
        "age": RNG.uniform(20, 60, N).round(),
        "size": RNG.choice(["s", "m", "l"], N),
        "city": RNG.choice(["Rome", "Bonn"], N),
    }
)
DUMMIES = pd.get_dummies(PEOPLE)  # booleans since pandas 2
NUMBERS = DUMMIES.to_numpy(float)
SIGNAL = NUMBERS @ [0.1, 1, 2, 0, -1, 1] + RNG.normal(size=N)
LABELS = np.where(np.median(SIGNAL) < SIGNAL, "yes", "no")


def answers(model: Any, rows: Any) -> np.ndarray:
    for method in ("predict_proba", "decision_function"):
        if hasattr(model, method):
            return np.asarray(getattr(model, method)(rows))
    return np.asarray(model.predict(rows))


@pytest.mark.parametrize("frame", [DUMMIES, DUMMIES.iloc[:, 1:].astype("boolean"), pl.from_pandas(DUMMIES)])
@pytest.mark.parametrize("ours", replacements().values(), ids=lambda c: c.__name__)
def test_dummies_are_the_array_of_their_numbers(ours: Any, frame: Any) -> None:
    model = ours(**{"random_state": 0} if "random_state" in ours().get_params() else {})
    y = LABELS if is_classifier(model) else SIGNAL
    array = frame.to_numpy().astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = answers(model.fit(array, y), array)
        found = model.fit(frame, y)
    np.testing.assert_allclose(answers(found, frame), expected)
    for name in ("coef_", "support_vectors_", "X_fit_", "theta_", "feature_count_"):
        if hasattr(found, name):
            assert getattr(found, name).shape[-1] == array.shape[1]


def test_dummies_give_scikit_learns_answers() -> None:
    theirs, ours = next(pair for pair in replacements().items() if pair[1] is mercer.SVC)
    expected = theirs(tol=1e-7).fit(DUMMIES, LABELS).decision_function(DUMMIES)
    found = ours(tol=1e-7).fit(DUMMIES, LABELS).decision_function(DUMMIES)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize(
    "model",
    [
        mercer.NaiveBayes(),
        mercer.SVC(kernel="mixed"),
        mercer.SVC(kernel=RBF() + Lin()),
        mercer.SVC(kinds={"city_Bonn": "category"}),
        mercer.KNeighborsClassifier(metric="heom"),
    ],
    ids=repr,
)
def test_what_is_not_scikit_learns_sees_two_levels(model: Any) -> None:
    assert str(model.fit(DUMMIES, LABELS).schema_["city_Rome"].kind) == "binary"


def test_beside_text_booleans_have_two_levels() -> None:
    frame = DUMMIES.assign(size=PEOPLE["size"])
    assert str(mercer.SVC().fit(frame, LABELS).schema_["city_Rome"].kind) == "binary"
