"""A model from a file is asked about two rows before it is handed out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.multioutput import MultiOutputRegressor, RegressorChain

import mercer
from mercer.errors import BadFile
from mercer.store.envelope import seal
from mercer.store.manifest import pack
from mercer.store.model import Card
from mercer.store.registry import model_state
from mercer.store.sanity_check import expect_sound_answers, one_row
from mercer.table import CATEGORICAL

ROWS = {"x": np.arange(40.0), "c": ["a", "b"] * 20, "note": ["tea", "milk and tea", "milk", "tea or not"] * 10}
TABLE = mercer.read_table(ROWS, kinds={"note": "text"})
Y = np.repeat([0, 1], 20)


def written(model: Any, path: Path) -> Path:
    """Sealed without being read back first."""
    card = Card(task="classification", created="2020-01-01").to_state()
    pieces = pack({"card": card, "class": type(model).__name__, "state": model.to_state()})
    path.write_bytes(b"".join(seal(*pieces)))
    return path


def test_rows_are_of_the_schema() -> None:
    plain, gaps = (one_row(TABLE.schema, missing=m) for m in (False, True))
    assert plain.numbers().tolist() == [[1.0]]
    assert plain.codes().tolist() == [[0]]
    assert all(gaps.missing(n).all() and not plain.missing(n).any() for n in TABLE.columns)
    assert len(TABLE.schema.of_kind(*CATEGORICAL)) == 1


class Stub:
    """A classifier of fixed answers."""

    __sklearn_tags__ = mercer.NaiveBayes().__sklearn_tags__
    schema_ = TABLE.schema
    classes_ = np.array([0, 1])

    def __init__(self, shares: Any) -> None:
        self.shares = shares

    def predict(self, rows: Any) -> Any:
        return np.zeros(len(rows))

    def predict_proba(self, rows: Any) -> Any:
        if isinstance(self.shares, Exception):
            raise self.shares
        return np.array(self.shares)


@pytest.mark.parametrize("shares", [[[0.5, 0.6]], [[np.nan, 1.0]], [[1.5, -0.5]], [[0.2, 0.3, 0.5]]])
def test_shares_that_are_no_probabilities_are_refused(shares: Any) -> None:
    with pytest.raises(BadFile, match="sum to 1"):
        expect_sound_answers(Stub(shares))


def test_what_mercer_says_about_a_row_is_an_answer() -> None:
    expect_sound_answers(Stub([[0.5, 0.5]]))
    expect_sound_answers(Stub(mercer.errors.BadTable("no missing cells, please")))
    with pytest.raises(IndexError):
        expect_sound_answers(Stub(IndexError("x")))


def test_a_file_whose_model_fails_is_refused_with_the_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(mercer.NaiveBayes().fit(TABLE, Y), tmp_path / "m.mercer")
    mercer.load(path)
    monkeypatch.setattr(mercer.NaiveBayes, "predict_proba", lambda *_: next(iter(())))
    with pytest.raises(BadFile, match="do not fit together") as caught:
        mercer.load(path)
    assert isinstance(caught.value.__cause__, StopIteration)


def test_it_asks_about_two_rows() -> None:
    """So that it costs milliseconds whatever the model was fitted to."""
    asked: list[int] = []

    class Counted(Stub):
        def predict(self, rows: Any) -> Any:
            asked.append(len(rows))
            return super().predict(rows)

    expect_sound_answers(Counted([[0.5, 0.5]]))
    assert asked == [1, 1]


@pytest.mark.parametrize("several", [MultiOutputRegressor, RegressorChain])
def test_a_model_of_one_target_that_predicts_several_is_refused(several: Any, tmp_path: Path) -> None:
    """By a check, not by what scikit-learn meets when it puts the answers side by side."""
    numbers = np.column_stack([ROWS["x"], ROWS["x"] % 7])
    model = several(mercer.LinearRegression()).fit(numbers, np.column_stack([Y, 1 - Y]))
    state = model_state(model)
    state["state"]["fitted"]["estimators"][0]["state"]["fitted"]["several"] = True
    card = Card(task="regression", created="2020-01-01").to_state()
    (tmp_path / "m.mercer").write_bytes(b"".join(seal(*pack({"card": card, **state}))))
    with pytest.raises(BadFile, match="A model of one of several targets predicts several") as caught:
        mercer.load(tmp_path / "m.mercer")
    assert caught.value.__cause__ is None
