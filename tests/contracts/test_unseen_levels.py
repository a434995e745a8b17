"""A value that a binary column never held is an unseen level to every learner, not the first level."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

import mercer

from .estimators import CHECKED
from .test_frames_of_numbers import answers

RNG = np.random.default_rng(4)
N = 60
SECOND = RNG.random(N) < 0.45
NOISE = RNG.normal(size=N)
LABELS = np.where(SECOND ^ (RNG.random(N) < 0.1), "yes", "no")
NUMBERS = 3.0 * SECOND + 0.1 * NOISE
NEW = RNG.normal(size=20)
NOISE, NEW = NOISE - min(NOISE.min(), NEW.min()), NEW - min(NOISE.min(), NEW.min())  # some learners take counts
# The levels of the column as they come, and two values that it never held.
COLUMNS: dict[str, tuple[list[Any], list[Any]]] = {
    "text": (["u", "v"], ["z", "other"]),
    "whole numbers": ([0, 1], [2, -1]),
    "numbers": ([0, 1], [0.5, 7.0]),
}
WITHOUT_COLUMNS = (mercer.MajorityClass, mercer.MeanTarget, mercer.RoteLearner)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("estimator", [e for e in CHECKED if not isinstance(e, WITHOUT_COLUMNS)], ids=repr)
def test_a_value_never_seen_is_no_level(estimator: Any, column: str) -> None:
    levels, strange = COLUMNS[column]
    frame = pd.DataFrame({"b": np.where(SECOND, levels[1], levels[0]), "x": NOISE})
    table = mercer.read_table(frame, kinds={"b": "binary"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # linear models say that the level is new
        model = clone(estimator).fit(table, LABELS if is_classifier(estimator) else NUMBERS)
        first, second, new, newer = (answers(model, {"b": [v] * 20, "x": NEW}) for v in (*levels, *strange))
    np.testing.assert_array_equal(new, newer)
    assert np.isfinite(new).all()
    for known in (first, second):
        assert not np.allclose(new, known, rtol=1e-6, atol=1e-6)
