"""A target with a missing label is refused in words, whatever says that it is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import is_classifier

import mercer
from mercer.errors import BadTarget

from .estimators import exported

RNG = np.random.default_rng(0)
N = 30
X = RNG.normal(size=(N, 2))
TEXTS: list[Any] = np.where(X[:, 0] > 0, "a", "b").tolist()
FLAGS: list[Any] = [text == "a" for text in TEXTS]
NUMBERS: list[Any] = X[:, 0].tolist()


def objects(values: list[Any]) -> np.ndarray:
    return np.array(values, dtype=object)


LABELS = {
    "list with None": [None, *TEXTS[1:]],
    "list with NaN": [np.nan, *TEXTS[1:]],
    "objects with None": objects([None, *TEXTS[1:]]),
    "objects with NaN": objects([np.nan, *TEXTS[1:]]),
    "objects with NA": objects([pd.NA, *TEXTS[1:]]),
    "objects with NaT": objects([pd.NaT, *TEXTS[1:]]),
    "nothing but None": objects([None] * N),
    "floats": np.array([np.nan, *FLAGS[1:]], dtype=float),
    "pandas string": pd.Series([None, *TEXTS[1:]], dtype="string"),
    "pandas category": pd.Series([None, *TEXTS[1:]], dtype="category"),
    "pandas Int64": pd.Series([None, *map(int, FLAGS[1:])], dtype="Int64"),
    "pandas boolean": pd.Series([None, *FLAGS[1:]], dtype="boolean"),
    "pandas frame": pd.DataFrame({"y": [None, *TEXTS[1:]]}),
    "polars text": pl.Series([None, *TEXTS[1:]]),
    "polars whole numbers": pl.Series([None, *map(int, FLAGS[1:])]),
}
TARGETS = {
    "list with None": [None, *NUMBERS[1:]],
    "list with NaN": [np.nan, *NUMBERS[1:]],
    "objects with NA": objects([pd.NA, *NUMBERS[1:]]),
    "nothing but NaN": np.full(N, np.nan),
    "pandas Float64": pd.Series([None, *NUMBERS[1:]], dtype="Float64"),
    "pandas Int64": pd.Series([None, *range(1, N)], dtype="Int64"),
    "polars": pl.Series([None, *NUMBERS[1:]]),
}
CASES = [
    (c, name)
    for c in exported()
    if c is not mercer.LaplacianSVC  # learns from them
    for name in (LABELS if is_classifier(c()) else TARGETS)
]


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize(("learner", "name"), CASES, ids=lambda v: v if isinstance(v, str) else v.__name__)
def test_a_missing_label_is_refused(learner: Any, name: str) -> None:
    y = (LABELS if is_classifier(learner()) else TARGETS)[name]
    with pytest.raises(BadTarget, match="leave out the rows whose target is missing"):
        learner().fit(X, y)
    if hasattr(learner, "partial_fit") and is_classifier(learner()):
        with pytest.raises(BadTarget, match="leave out the rows whose target is missing"):
            learner().partial_fit(X, y, classes=sorted(set(TEXTS)))
