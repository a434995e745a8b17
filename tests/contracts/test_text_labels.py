"""Labels that are objects, as of a pandas column: so are the classes and the predictions, as scikit-learn's are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import is_classifier

import mercer

from .estimators import exported

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
TEXTS = np.where(X[:, 0] > 0, "a", "longer")
CLASSIFIERS = [learner for learner in exported() if is_classifier(learner())]


@pytest.mark.parametrize("learner", CLASSIFIERS, ids=lambda found: found.__name__)
def test_predictions_of_objects_are_objects(learner: Any) -> None:
    rows = np.abs(X)  # some take counts
    model = learner().fit(rows, TEXTS.astype(object))
    found = model.predict(rows)
    assert found.dtype == model.classes_.dtype == object
    assert np.array_equal(found, learner().fit(rows, TEXTS).predict(rows))


@pytest.mark.parametrize(
    ("labels", "kept"),
    [
        (np.array([True, False] * 10, dtype=object), bool),
        (pd.Series([True, False, None] * 10, dtype=object).dropna(), bool),
        (np.array([3, 7] * 10, dtype=object), np.int64),
        (pa.array(["a", "b"] * 10), object),
        (pa.array([3, 7] * 10), np.int64),
        (pa.chunked_array([[True, False] * 10]), bool),
    ],
    ids=[
        "truth values",
        "of pandas beside missing cells",
        "numbers",
        "arrow texts",
        "arrow numbers",
        "arrow truth values",
    ],
)
def test_labels_among_objects_and_of_arrow_are_what_they_hold(labels: Any, kept: Any) -> None:
    rows, plain = np.arange(40.0).reshape(20, 2), np.asarray(labels).tolist()
    model, expected = (mercer.LogisticRegression().fit(rows, y) for y in (labels, plain))
    assert model.classes_.dtype == kept
    assert model.classes_.tolist() == expected.classes_.tolist()
    np.testing.assert_array_equal(model.predict_proba(rows), expected.predict_proba(rows))
    assert mercer.evaluate(model, rows, labels)["accuracy"] == mercer.evaluate(expected, rows, plain)["accuracy"]


def test_objects_of_several_types_are_refused_still() -> None:
    with pytest.raises(ValueError, match="Unknown label type"):
        mercer.LogisticRegression().fit(np.arange(8.0).reshape(4, 2), np.array([True, 1, False, 0], dtype=object))
