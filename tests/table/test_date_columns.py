"""Days between two dates, as a column beside them."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mercer
from mercer.errors import BadColumn, BadFile
from mercer.state import Reader
from mercer.table import Schema, conform_table
from mercer.table.formats.source import Source
from mercer.table.infer import infer_profiles
from mercer.table.profile.column import ColumnProfile
from mercer.table.read import open_source

FIRST = date(2021, 1, 1)
DELAY = "reported (days since accident)"


def _claims(n: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Late reports are doubtful; either date by itself says nothing."""
    rng = np.random.default_rng(seed)
    accident = [FIRST + timedelta(days=int(d)) for d in rng.integers(0, 900, n)]
    delay = rng.integers(0, 12, n)
    reported = [a + timedelta(days=int(d)) for a, d in zip(accident, delay, strict=True)]
    frame = pd.DataFrame({"accident": [f"{d:%d.%m.%Y}" for d in accident], "reported": [str(d) for d in reported]})
    return frame, np.where(delay > 5, "doubtful", "clear")


def test_days_between_two_dates_are_a_column() -> None:
    X, _ = _claims()
    table = mercer.read_table(X)
    wanted = pd.to_datetime(X["reported"]) - pd.to_datetime(X["accident"], format="%d.%m.%Y")
    assert table.numbers(DELAY).ravel().tolist() == wanted.dt.days.tolist()
    assert table.schema[DELAY].reason == "days from 'accident' to 'reported'"
    assert table.schema.input_names == ("accident", "reported")


def test_typed_dates_and_moments_have_it_too() -> None:
    X, _ = _claims()
    moments = pd.DataFrame(
        {
            "reported": pd.to_datetime(X["reported"]) + pd.Timedelta(hours=18),
            "accident": pd.to_datetime(X["accident"], format="%d.%m.%Y"),
        }
    )
    days = mercer.read_table(X).numbers(DELAY).ravel()
    np.testing.assert_allclose(mercer.read_table(moments).numbers(DELAY).ravel(), days + 0.75)


def test_dates_of_other_times_have_none() -> None:
    born = [str(date(1950, 1, 1) + timedelta(days=37 * i)) for i in range(300)]
    seen = [str(FIRST + timedelta(days=i)) for i in range(300)]
    assert not [c.name for c in mercer.read_table({"born": born, "seen": seen}).schema if c.since]
    few = mercer.read_table({"a": seen[:19], "b": seen[1:20]})
    assert not [c.name for c in few.schema if c.since]


def test_of_many_dates_the_first_four_are_compared() -> None:
    dates = {f"d{j}": [str(FIRST + timedelta(days=i + 3 * j)) for i in range(60)] for j in range(6)}
    found = [c for c in mercer.read_table(dates).schema if c.since]
    assert len(found) == 6
    assert {name for c in found for name in c.input_names} == {"d0", "d1", "d2", "d3"}


@pytest.mark.parametrize(
    "model",
    [
        mercer.DecisionTreeClassifier(),
        mercer.NaiveBayes(),
        mercer.LogisticRegression(scale=True),
        mercer.HistGradientBoostingClassifier(max_iter=20),
        mercer.SVC(kernel="mixed"),
    ],
    ids=lambda m: type(m).__name__,
)
def test_a_delay_that_decides_is_found_and_kept_in_the_file(model: mercer.SVC, tmp_path: Path) -> None:
    X, y = _claims()
    new, answer = _claims(seed=1)
    model.fit(X, y)
    assert model.n_features_in_ == 2
    assert model.score(new, answer) > 0.85  # 0.5 without the days between the dates
    mercer.save(model, tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.predict(new[["reported", "accident"]]).tolist() == model.predict(new).tolist()
    with pytest.raises(BadColumn, match="'accident' is missing"):
        loaded.predict(new[["reported"]])


def test_a_missing_date_leaves_the_days_missing() -> None:
    X, _ = _claims()
    schema = mercer.read_table(X).schema
    X.loc[3, "accident"] = ""
    assert np.flatnonzero(conform_table(X, schema).missing(DELAY)).tolist() == [3]


def test_with_a_date_goes_what_is_made_from_it() -> None:
    table = mercer.read_table(_claims()[0])
    assert [c.name for c in table.drop(["accident"]).schema if "accident" in c.input_names] == []
    assert DELAY not in mercer.read_table(_claims()[0], kinds={DELAY: "skip"}).schema
    assert DELAY not in mercer.read_table(_claims()[0], kinds={"accident": "category"}).schema


def _profile(chunk: Source, name: str) -> ColumnProfile:
    return ColumnProfile.of(chunk, name, "a chunk")


def test_chunks_have_the_schema_of_the_whole() -> None:
    X, _ = _claims()
    halves = [open_source(X[:200]), open_source(X[200:])]
    merged = {n: _profile(halves[0], n).merge(_profile(halves[1], n)) for n in X.columns}
    assert infer_profiles(merged).names == mercer.read_table(X).schema.names


@pytest.mark.parametrize(
    "lie",
    [
        {"since": ""},
        {"since_format": ""},
        {"part": "month"},
        {"name": "delay"},
        {"kind": "category"},
        {"format": "plain"},
    ],
)
def test_a_file_that_says_otherwise_is_refused(lie: dict[str, str]) -> None:
    state = mercer.read_table(_claims()[0]).schema.to_state()
    assert Schema.from_state(Reader(state)).names[-1] == DELAY
    columns = [c | lie if c["name"] == DELAY else c for c in state["columns"]]
    with pytest.raises(BadFile):
        Schema.from_state(Reader(state | {"columns": columns}))


def test_days_of_no_part_are_refused() -> None:
    state = mercer.read_table(_claims()[0]).schema.to_state()
    columns = [{k: v for k, v in c.items() if k not in ("part", "origin")} for c in state["columns"]]
    with pytest.raises(BadFile):
        Schema.from_state(Reader(state | {"columns": columns}))


def test_a_counterfactual_moves_the_days_with_the_dates() -> None:
    X, y = _claims()
    model = mercer.DecisionTreeClassifier(max_depth=3).fit(X, y)
    place = int(np.flatnonzero(y == "doubtful")[0])
    found = mercer.counterfactual(model, X, place)
    assert {c.column for c in found.changes} <= set(X.columns)  # nobody can change the days alone
    changed = X.iloc[[place]].copy()
    for change in found.changes:
        there = date.fromisoformat(change.after)
        changed[change.column] = f"{there:%d.%m.%Y}" if change.column == "accident" else str(there)
    assert model.predict(changed).tolist() == ["clear"]
