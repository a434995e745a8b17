"""A data frame of numbers gives the model that the array of the same numbers gives."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

import mercer

from .estimators import CHECKED

RNG = np.random.default_rng(8)
N = 90
NUMBERS = pd.DataFrame(
    {
        "float": RNG.normal(size=N),
        "single": RNG.normal(size=N).astype(np.float32),
        "yes": RNG.integers(0, 2, N),
        "flag": RNG.integers(0, 2, N).astype(np.uint8) * 7,
        "level": pd.array(RNG.integers(1, 5, N), dtype="Int64"),
        "id": np.arange(1, N + 1),
        "constant": np.full(N, 3),
    }
)
HOLES = NUMBERS.assign(float=NUMBERS["float"].mask(RNG.random(N) < 0.1))
HOLES["level"] = HOLES["level"].mask(RNG.random(N) < 0.1)
SINGLE = NUMBERS[["single", "yes", "flag"]].astype({"single": "float32", "yes": "int8"})
SIGNAL = NUMBERS["float"].to_numpy() + NUMBERS["yes"].to_numpy() * (NUMBERS["level"].to_numpy(float) - 2)
LABELS = np.where(SIGNAL + 0.3 * RNG.normal(size=N) > 0, "a", "b")


def array(frame: pd.DataFrame) -> np.ndarray:
    if set(frame) == set(SINGLE):
        return frame.to_numpy()
    return frame.to_numpy(float, na_value=np.nan)


def answers(model: Any, rows: Any) -> np.ndarray:
    for method in ("predict_proba", "decision_function"):
        if hasattr(model, method):
            return getattr(model, method)(rows)
    return model.predict(rows)


def as_mapping(frame: pd.DataFrame) -> dict[str, np.ndarray]:
    return {
        n: frame[n].to_numpy() if frame[n].dtype != "Int64" else frame[n].to_numpy(float, na_value=np.nan)
        for n in frame
    }


CONTAINERS = {"pandas": lambda f: f, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas, "mapping": as_mapping}


@pytest.mark.parametrize("frame", [NUMBERS, HOLES, SINGLE], ids=["numbers", "missing", "float32"])
@pytest.mark.parametrize("estimator", CHECKED, ids=repr)
def test_a_frame_of_numbers_is_its_array(estimator: Any, frame: pd.DataFrame) -> None:
    y = LABELS if is_classifier(estimator) else SIGNAL
    if get_tags(estimator).input_tags.positive_only:
        frame = frame.abs()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_array = clone(estimator).fit(array(frame), y)
        by_frame = clone(estimator).fit(frame, y)
        expected = answers(by_array, array(frame))
        assert [str(c.kind) for c in by_frame.schema_] == ["numeric"] * frame.shape[1]
        np.testing.assert_array_equal(answers(by_frame, frame), expected)
        np.testing.assert_array_equal(answers(by_frame, array(frame)), expected)
        np.testing.assert_array_equal(answers(by_array, frame), expected)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("estimator", [mercer.SVC(), mercer.DecisionTreeClassifier(), mercer.NaiveBayes()], ids=repr)
def test_numbers_of_every_container(estimator: Any, container: str) -> None:
    expected = answers(clone(estimator).fit(array(HOLES), LABELS), array(HOLES))
    rows = CONTAINERS[container](HOLES)
    np.testing.assert_array_equal(answers(clone(estimator).fit(rows, LABELS), rows), expected)
