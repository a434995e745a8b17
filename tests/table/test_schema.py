"""What columns are and why: causes of leaving out, dates, and a schema as plain data."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import numpy as np
import polars as pl
import pytest

import mercer
from mercer.errors import BadFile
from mercer.state import Reader
from mercer.table import Cause, Kind, Schema, conform_table

FRAME = pl.DataFrame(
    {
        "age": [31.5, 45.0, 58.0, 40.0] * 6,
        "id": [f"row {i}" for i in range(24)],
        "planet": ["Earth"] * 24,
        "nothing": [None] * 24,
        "list": [[1, 2]] * 24,
        "unwanted": [1.0, 2.0, 3.0] * 8,
        "duration": [timedelta(days=i) for i in range(24)],
        "time": [time(i) for i in range(24)],
    }
)
CAUSES = {
    "id": Cause.IDENTIFIER,
    "planet": Cause.CONSTANT,
    "nothing": Cause.EMPTY,
    "list": Cause.UNREADABLE,
    "unwanted": Cause.REQUESTED,
}


def test_every_column_left_out_has_a_cause_and_keeps_it_in_a_file():
    schema = mercer.read_table(FRAME, kinds={"unwanted": "skip"}).schema
    assert {column.name: column.cause for column in schema.left_out} == CAUSES
    assert schema.names == ("age", "duration", "time")
    assert Schema.from_state(Reader(schema.to_state())) == schema


def test_an_unknown_cause_is_refused():
    state = mercer.read_table(FRAME, kinds={"unwanted": "skip"}).schema.to_state()
    state["left_out"][0]["cause"] = "mood"
    with pytest.raises(BadFile, match="cause: expected one of empty, constant"):
        Schema.from_state(Reader(state))


@pytest.mark.parametrize("kinds", [None, {"duration": "numeric", "time": "numeric"}])
def test_durations_and_times_are_seconds_in_frames_and_files(kinds):
    table = mercer.read_table(FRAME, kinds=kinds)
    assert table.numbers(["duration", "time"])[2].tolist() == [2 * 86400, 2 * 3600]
    written = {"duration": ["24:00:00", "-0:30"], "time": ["12:30", "01:00:01.5"]}
    new = conform_table(written, table.schema.select(["duration", "time"]))
    assert new.numbers().tolist() == [[86400, 45000], [-1800, 3601.5]]


@pytest.mark.parametrize(
    ("cells", "written"),
    [
        ([date(2021, 4, 3), date(2020, 1, 1), None], ["2021-04-03", "2020-01-01", ""]),
        ([datetime(2021, 4, 3, 12), datetime(2020, 1, 1), None], ["2021-04-03 12:00:00", "2020-01-01 00:00:00", ""]),
    ],
)
def test_dates_of_a_data_frame_are_met_again_as_text(cells, written):
    """A model fitted on Parquet or a data frame predicts on a text file, where the same dates are written out."""
    table = mercer.read_table(pl.DataFrame({"day": cells, "x": [1.0, 2.5, 3.0]}))
    column = table.schema["day"]
    assert column.kind is Kind.NUMERIC
    assert column.is_date
    assert not table.schema["x"].is_date
    again = conform_table({"day": written, "x": [1.0, 2.5, 3.0]}, table.schema)
    np.testing.assert_array_equal(again.numbers(), table.numbers())
