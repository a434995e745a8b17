"""What is typed first by one who does not know the library yet: the right answer, or what to type instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mercer

PEOPLE = pd.DataFrame({"age": [31, 45, 58, 22, 39, 61], "job": ["clerk", "sales", "sales", "clerk", "boss", "boss"]})
BOUGHT = ["no", "yes", "yes", "no", "yes", "no"]
MODELS = [mercer.NaiveBayes(), mercer.SVC(), mercer.DecisionTreeClassifier(), mercer.KNeighborsClassifier(1)]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_rows_as_dicts_are_the_data_frame_of_them(model: Any) -> None:
    rows = PEOPLE.to_dict("records")
    expected = model.fit(PEOPLE, BOUGHT).predict(PEOPLE)
    np.testing.assert_array_equal(model.predict(rows), expected)
    np.testing.assert_array_equal(model.predict(tuple(rows)), expected)
    np.testing.assert_array_equal(model.fit(rows, BOUGHT).predict(rows), expected)
    assert list(model.feature_names_in_) == ["age", "job"]


def test_a_cell_that_a_row_lacks_is_missing() -> None:
    table = mercer.read_table([{"age": 31}, {"job": "clerk", "age": 45}, {"job": "sales"}])
    assert table.schema.names == ("age", "job")
    np.testing.assert_array_equal(table.missing("age"), [False, False, True])
    np.testing.assert_array_equal(table.missing("job"), [True, False, False])


def test_dicts_beside_other_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="Row 1 is a list; the rows before it are dicts"):
        mercer.read_table([{"age": 31}, [45]])


@pytest.mark.parametrize("model", [*MODELS, mercer.LinearRegression(), mercer.SVR()], ids=repr)
def test_the_name_of_the_target_is_no_target(model: Any) -> None:
    with pytest.raises(ValueError, match=r"y is the text 'bought', not a column .* X\['bought'\]\).*mercer\.train"):
        model.fit(PEOPLE.assign(bought=BOUGHT), "bought")


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_name_of_a_file_is_no_table(model: Any) -> None:
    with pytest.raises(ValueError, match=r"X is the text 'people.csv'.*mercer\.read_table\('people.csv'\)"):
        model.fit("people.csv", BOUGHT)


def test_a_loaded_model_predicts_by_itself(tmp_path: Path) -> None:
    mercer.save(mercer.NaiveBayes().fit(PEOPLE, BOUGHT), tmp_path / "model.mercer")
    with pytest.raises(TypeError, match=r"A model file is expected, not a NaiveBayes.*model\.predict"):
        mercer.predict(mercer.load(tmp_path / "model.mercer"), PEOPLE)  # type: ignore[arg-type]
