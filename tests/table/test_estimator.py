"""What every estimator on tables does: its constructor parameters come back on load."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mercer
from mercer.errors import BadFile, MercerError, MercerWarning, TooLarge
from mercer.state import Reader

ROWS = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], "c": ["a", "b"] * 4}
LABEL = np.array([0, 0, 1, 0, 1, 1, 1, 0])

MODELS: list[Any] = [
    mercer.DecisionTreeClassifier(
        criterion="entropy", max_depth=2, min_samples_leaf=0.2, class_weight={0: 1.0, 1: 2.5}, n_jobs=1
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


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_a_restored_model_has_the_parameters_of_the_stored_one(model: Any) -> None:
    model.fit(ROWS, LABEL)
    copy = type(model).from_state(Reader(model.to_state()))
    assert copy.get_params() == model.get_params()
    np.testing.assert_array_equal(copy.predict(ROWS), model.predict(ROWS))


@pytest.mark.parametrize("model", [mercer.DecisionTreeClassifier(), mercer.RandomForestClassifier(n_estimators=2)])
def test_zeros_of_a_sparse_matrix_that_no_memory_holds_are_refused(model: Any) -> None:
    n = 100_000
    hashed = sp.csr_array((np.ones(n), (np.arange(n), np.arange(n))), shape=(n, 2**17))
    with pytest.raises(TooLarge, match=r"100,000 sparse rows of 131,072 columns .* zeros, which takes .* LinearSVC"):
        model.fit(hashed, np.arange(n) % 2)


def test_a_file_of_a_tree_that_claims_more_columns_than_can_be_made_is_refused() -> None:
    state = mercer.DecisionTreeClassifier().fit(np.arange(8.0)[:, None], LABEL).to_state()
    state["input"]["schema"]["array"] = state["input"]["n_columns"] = 1 << 30
    with pytest.raises(BadFile, match=r"1,073,741,824 columns, and a tree tests up to 2,097,152"):
        mercer.DecisionTreeClassifier.from_state(Reader(state))


@pytest.mark.parametrize(
    ("model", "changed"),
    [
        (mercer.SVC(), {"probability": "sigmoid"}),
        (mercer.SVR(), {"approximation": "nystroem"}),
        (mercer.LSSVC(), {"probability": "sigmoid"}),
        (mercer.Perceptron(), {"probability": True}),
        (mercer.QuantileSVR(), {"conformal": True}),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, dict) else None,
)
def test_a_model_whose_parameters_ask_for_more_than_its_fit_found_is_not_stored(model: Any, changed: Any) -> None:
    model.fit(ROWS, LABEL)
    before = {name: model.get_params()[name] for name in changed}
    with pytest.raises(MercerError, match=r"changed after it had been fitted\. Fit it again"):
        model.set_params(**changed).to_state()
    model.set_params(**before).to_state()


def test_columns_of_an_array_are_found_by_place_where_one_is_left_out() -> None:
    """Its names stood behind those that are learned from, so that an array was read in another order."""
    y = np.arange(60) % 2
    cells = np.column_stack([np.arange(60) // 2, np.full(60, 5.0), y])
    texts = np.array([["u", "v"][k % 2] for k in range(60)] + ["same"] * 60 + [["p", "q"][k] for k in y], dtype=object)
    texts = texts.reshape(3, 60).T
    named = dict(zip("abc", texts.T.tolist(), strict=True))
    tables = [(mercer.read_table(cells, kinds={"x0": "numeric"}), cells), (mercer.read_table(texts), texts)]
    for given, rows in [*tables, (named, texts)]:
        model = mercer.DecisionTreeClassifier().fit(given, y)
        assert model.schema_.left_out
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if given is named else "error")  # of names that an array has not
            np.testing.assert_array_equal(model.predict(rows), y)
        np.testing.assert_array_equal(model.predict(given), y)


def test_names_of_an_array_are_names_of_a_frame_too() -> None:
    rows = np.column_stack([np.arange(60) % 2, np.arange(60), np.full(60, 5.0)])
    model = mercer.DecisionTreeClassifier().fit(mercer.read_table(rows, kinds={"x0": "numeric"}), rows[:, 0])
    frame = pd.DataFrame({"x1": rows[:, 1], "x0": rows[:, 0]})
    np.testing.assert_array_equal(model.predict(frame), rows[:, 0])
    with pytest.warns(MercerWarning, match="ignored: 'y'"):
        np.testing.assert_array_equal(model.predict(frame.assign(y=1.0)), rows[:, 0])
