"""Labels that are objects, as of a pandas column: so are the classes and the predictions, as scikit-learn's are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier

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
