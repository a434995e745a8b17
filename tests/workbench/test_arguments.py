"""Arguments of the main jobs that cannot be meant are refused by name, whatever their type."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mercer
from mercer.errors import BadParameter, BadTable, MercerError
from mercer.workbench.arguments import ARGUMENTS
from mercer.workbench.train import TrainArguments

X = pd.DataFrame({"a": np.arange(40.0), "b": ["x", "y"] * 20})
Y = np.repeat(["no", "yes"], 20)
MODEL = mercer.DecisionTreeClassifier(max_depth=2).fit(X, Y)
JOBS = {
    "evaluate": (MODEL, X, Y),
    "compare": (MODEL, MODEL, X, Y),
    "explain": (MODEL, X, [0]),
    "counterfactual": (MODEL, X, 0),
    "score_predictions": (Y, Y),
    "learning_curve": (MODEL, X, Y),
    "validation_curve": (MODEL, X, Y, "max_depth", [1, 2]),
    "train": (X.assign(y=Y), "y"),
}
CASES = [
    (job, name)
    for job in JOBS
    for name in list(inspect.signature(getattr(mercer, job)).parameters)[len(JOBS[job]) :]
    if name in ARGUMENTS
]


@pytest.mark.parametrize(("job", "name"), CASES)
def test_an_object_is_no_argument(job: str, name: str) -> None:
    with pytest.raises(BadParameter, match=f"The '{name}' parameter of {job} must be "):
        getattr(mercer, job)(*JOBS[job], **{name: object()})


@pytest.mark.parametrize("job", [job for job in JOBS if job not in ("train", "explain", "counterfactual")])
@pytest.mark.parametrize("level", [0, 1, 1.5, "high", [0.9], np.array([0.9, 0.95]), None])
def test_a_level_is_a_share(job: str, level: Any) -> None:
    with pytest.raises(MercerError, match="a confidence level lies between 0 and 1"):
        getattr(mercer, job)(*JOBS[job], level=level)


def test_tables_of_every_kind_are_tables() -> None:
    frames = [X, pl.DataFrame(X.to_dict("list")), pl.LazyFrame(X.to_dict("list")), X.to_dict("list")]
    for rows in [*frames, mercer.read_table(X)]:
        assert ARGUMENTS["X"].accepts(rows)
    for nothing in (None, 3, 2.5, True, 1j, object(), b"bytes", np.float64(1), np.array(3)):
        assert not ARGUMENTS["X"].accepts(nothing)


def test_numbers_of_numpy_are_taken_as_numbers() -> None:
    """An int8 of them cannot hold the seeds that follow from it, and an array is no option of a command."""
    table = X.assign(y=Y)
    small = mercer.train(
        table,
        "y",
        learners="tree",
        test_size=np.float64(0.25),
        folds=np.int64(3),
        seed=np.int8(127),
        quick=np.bool_(True),
    )
    plain = mercer.train(table, "y", learners="tree", test_size=0.25, folds=3, seed=127, quick=True)
    assert small.comparison.command == plain.comparison.command
    np.testing.assert_array_equal(small.predict(table), plain.predict(table))


@pytest.mark.parametrize("cv", [[["h", "i"]], [(0, 1, 2)], "five", 0, True, {"a": 1}, 2.5])
def test_splits_that_are_none(cv: Any) -> None:
    with pytest.raises(MercerError, match="cv"):
        mercer.evaluate(MODEL, X, Y, cv=cv)


def test_weights_groups_sizes_and_cells_that_are_none() -> None:
    with pytest.raises(MercerError, match="sample_weight: weights are numbers"):
        mercer.evaluate(MODEL, X, Y, sample_weight=Y)
    with pytest.raises(BadTable, match="groups has several columns"):
        mercer.evaluate(MODEL, X, Y, groups=X)
    with pytest.raises(MercerError, match="'half' is no number of rows"):
        mercer.learning_curve(MODEL, X, Y, sizes=["half"])
    with pytest.raises(BadTable, match="Column 'a' is a single float"):
        mercer.evaluate(MODEL, {"a": 1.0}, Y)
    with pytest.raises(MercerError, match=r"time = \[5\]: give seconds above 0"):
        mercer.train(X.assign(y=Y), "y", time=[5])


@pytest.mark.parametrize("given", ["yes", {"yes": 1}])
def test_a_text_or_a_mapping_is_no_column_of_labels(given: Any) -> None:
    with pytest.raises(BadParameter, match=r"'predicted' parameter of score_predictions must be .* a list or array"):
        mercer.score_predictions(Y, given)
    with pytest.raises(MercerError, match="give the label or number of each row"):
        mercer.score_predictions(given, Y)


def test_labels_are_needed_for_scores() -> None:
    with pytest.raises(MercerError, match="y=None: give the label or number of each row"):
        mercer.score_predictions(None, Y)


def test_probabilities_are_numbers() -> None:
    with pytest.raises(MercerError, match="probabilities: numbers from 0 to 1 are expected"):
        mercer.score_predictions(Y, Y, probabilities=X)


@pytest.mark.parametrize("given", [np.array([[0, 1]] * len(Y)), np.array([[0]] * len(Y) + [[0, 1]], dtype=object)])
def test_predicted_labels_are_one_a_row(given: Any) -> None:
    with pytest.raises(MercerError, match="give one label or number a row"):
        mercer.score_predictions(Y, given)


def test_type_checkers_see_the_options_of_train_and_one_result_for_one_target():
    signature = inspect.signature(mercer.train)
    options = {name: one for name, one in signature.parameters.items() if one.kind is one.KEYWORD_ONLY}
    declared = {name: kind.__forward_arg__ for name, kind in TrainArguments.__annotations__.items()}
    assert {name: one.annotation for name, one in options.items()} == declared
    one, any_target = typing.get_overloads(inspect.unwrap(mercer.train))
    assert one.__annotations__["target"] == "str | int"
    assert one.__annotations__["return"] == "TrainResult"
    assert any_target.__annotations__["return"] == signature.return_annotation
