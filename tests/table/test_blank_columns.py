"""Columns of one value and blanks: a box that is ticked or not, never a constant."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mercer
from mercer.table import Cause, Kind, conform_table
from mercer.table.infer import BLANK

TICKED = [True, False, True, False, False, True]


def written(value: str, blank: str, tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    cells = [value if t else blank for t in TICKED]
    path.write_text("size,box\n" + "".join(f"{i}.5,{c}\n" for i, c in enumerate(cells)))
    return path


@pytest.mark.parametrize(
    ("value", "blank"), [("Y", ""), ("Y", "NA"), ("1", ""), ("2.5", "?"), ("true", ""), ("007", "")]
)
def test_in_a_file_blank_is_the_other_level(value: str, blank: str, tmp_path: Path) -> None:
    table = mercer.read_table(written(value, blank, tmp_path))
    column = table.schema["box"]
    assert (column.kind, column.levels[0]) == (Kind.BINARY, BLANK)
    np.testing.assert_array_equal(table.codes("box")[:, 0], TICKED)
    assert not table.missing("box").any()


@pytest.mark.parametrize(
    "cells",
    [
        pd.Series(["Y" if t else None for t in TICKED]),
        pd.Series(["Y" if t else "" for t in TICKED]),
        pd.Series([True if t else None for t in TICKED], dtype="boolean"),
        pd.Series(pd.Categorical(["Y" if t else None for t in TICKED])),
        pl.Series(["Y" if t else None for t in TICKED], dtype=pl.Enum(["Y"])),
    ],
)
def test_in_a_frame_too(cells: object) -> None:
    frame = pd.DataFrame({"box": cells}) if isinstance(cells, pd.Series) else pl.DataFrame({"box": cells})
    np.testing.assert_array_equal(mercer.read_table(frame).codes("box")[:, 0], TICKED)


def test_new_rows_are_read_likewise(tmp_path: Path) -> None:
    schema = mercer.read_table(written("Y", "", tmp_path)).schema
    new = conform_table({"size": [1.0, 2.0, 3.0], "box": [None, "Y", "N"]}, schema)
    assert new.codes("box")[:, 0].tolist() == [0, 1, 2]  # N was never seen


def test_one_value_without_blanks_is_constant() -> None:
    assert mercer.read_table({"size": [1.0, 2.0], "box": ["Y", "Y"]}).schema.left_out[0].cause is Cause.CONSTANT
    assert mercer.read_table({"size": [1.0, 2.0], "box": [BLANK, None]}).schema.left_out[0].cause is Cause.CONSTANT


def test_learners_use_it() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    rows = {"noise": rng.normal(size=200), "box": np.where((y == 1) ^ (rng.random(200) < 0.1), "Y", None).tolist()}
    for model in (mercer.NaiveBayes(), mercer.SVC(), mercer.LogisticRegression(), mercer.DecisionTreeClassifier()):
        assert model.fit(rows, y).score(rows, y) > 0.85


def test_further_chunks_may_bring_another_level() -> None:
    first = {"box": ["Y", None, "Y", None]}
    model = mercer.NaiveBayes().partial_fit(first, [0, 1, 0, 1])
    model.partial_fit({"box": ["N", None, "N"]}, [1, 1, 1])
    assert model.schema_["box"].levels == (BLANK, "N", "Y")
    assert model.predict({"box": ["Y", None, "N"]}).tolist() == [0, 1, 1]
