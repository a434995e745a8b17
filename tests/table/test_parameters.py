"""Constructor parameters survive a model file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mercer
from mercer.errors import BadFile
from mercer.state import Reader
from mercer.table.parameters import parameters_state, read_parameters

ROWS = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], "c": ["a", "b"] * 4}
LABEL = np.array([0, 0, 1, 0, 1, 1, 1, 0])

GIVEN: list[Any] = [
    mercer.DecisionTreeClassifier(
        "entropy", max_depth=2, min_samples_leaf=0.2, class_weight={0: 1.0, 1: 2.5}, n_jobs=1
    ),
    mercer.DecisionTreeRegressor(prune="cv", set_penalty=0.5, kinds={"c": ["b", "a"], "x": "numeric"}),
    mercer.KNeighborsClassifier(
        "cv",
        weights="cv",
        cv=2,
        metric="euclidean",
        metric_params={"scale": "std", "w": [1.0, 2.0]},
        leaf_size=7,
        class_weight={0: 1.0, 1: 2.5},
        kinds={"c": "category"},
    ),
    mercer.KNeighborsRegressor(3, weights="distance", algorithm="brute", metric="gower", max_neighbors=9, n_jobs=1),
    mercer.LocallyWeightedRegression(5, kernel="uniform", ridge=0.5, terms=1, kinds={"c": ["b", "a"]}),
]


@pytest.mark.parametrize("model", GIVEN, ids=lambda m: type(m).__name__)
def test_a_restored_model_has_the_parameters_of_the_stored_one(model: Any) -> None:
    model.fit(ROWS, LABEL)
    copy = type(model).from_state(Reader(model.to_state()))
    assert copy.get_params() == model.get_params()
    np.testing.assert_array_equal(copy.predict(ROWS), model.predict(ROWS))


def test_what_is_not_plain_keeps_its_default() -> None:
    state = parameters_state({"a": np.float64(1.5), "b": np.inf, "c": np.ones(2), "d": {1: len}, "e": None, "f": True})
    assert read_parameters(Reader(state), dict.fromkeys("abcdef")) == {"a": 1.5, "e": None, "f": True}


@pytest.mark.parametrize(
    "damage",
    [
        {"names": ["other"]},
        {"names": ["a", "b"]},
        {"values": [[1]]},
        {"mappings": [{"name": "a", "keys": [1], "lists": np.array([-1]), "values": []}]},
        {"mappings": [{"name": "a", "keys": [1], "lists": np.array([2]), "values": [3]}]},
        {"mappings": [{"name": "a", "keys": [1], "lists": np.array([-2]), "values": [3, 4]}]},
        {"mappings": [{"name": "a", "keys": [1], "lists": np.array([], dtype=np.int64), "values": [3]}]},
        {"mappings": [{"name": "other", "keys": [1], "lists": np.array([-1]), "values": [2]}]},
    ],
)
def test_damaged_parameters_are_refused(damage: dict[str, Any]) -> None:
    state = parameters_state({"a": 1})
    with pytest.raises(BadFile):
        read_parameters(Reader(state | damage), {"a": 0})
