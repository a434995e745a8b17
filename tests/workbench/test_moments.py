"""A target of dates, times or durations is scored as it was learned, whatever library holds it."""

from datetime import time, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import mercer

N = 40
DAYS = pd.date_range("2020-01-01", periods=N, freq="D", tz="America/New_York")
HOURS = pd.to_timedelta(np.arange(N), unit="h")
CLOCK = [time(minute // 60, minute % 60) for minute in range(N)]
NAIVE = pl.Series(list(DAYS.tz_localize(None).to_pydatetime()))
TARGETS = {
    "pandas, with a time zone": pd.Series(DAYS),
    "polars, with a time zone": NAIVE.dt.replace_time_zone("America/New_York"),
    "pyarrow, with a time zone": pa.array(DAYS),
    "pandas, objects": pd.Series([day.date() for day in DAYS], dtype=object),
    "pandas, periods": pd.Series(pd.period_range("2015-01", periods=N, freq="M")),
    "pandas, durations": pd.Series(HOURS),
    "polars, durations": pl.Series([timedelta(hours=k) for k in range(N)]),
    "pyarrow, durations": pa.array(HOURS),
    "pandas, times": pd.Series(CLOCK, dtype=object),
    "polars, times": pl.Series(CLOCK),
}


def frame(library: str, target) -> object:
    columns = {"x": np.arange(float(N)), "t": target}
    return {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library](columns)


@pytest.mark.parametrize("name", TARGETS)
def test_scores_are_the_same_however_the_target_is_given(name):
    rows = frame(name.split(",")[0], TARGETS[name])
    result = mercer.train(rows, "t", learners=["linear", "baseline"], quick=True)
    found = [
        result.evaluate(rows),
        result.evaluate(rows, rows["t"]),
        mercer.evaluate(result.stored(), rows, "t"),
        mercer.predict(result.stored(), rows).evaluation,
    ]
    errors = [one.scores["mae"].value for one in found]
    np.testing.assert_allclose(errors, errors[-1], atol=1e-6)
    assert found[0].scores["r2"].value > 0.99
    alone = mercer.train({"x": np.arange(float(N))}, rows["t"], learners=["linear", "baseline"], quick=True)
    assert alone.predict(rows).tolist() == pytest.approx(result.predict(rows).tolist())


def test_predictions_of_moments_are_scored_without_a_model():
    for y, late in ((HOURS, HOURS + pd.Timedelta("1h")), (pd.Series(DAYS), pd.Series(DAYS) + pd.Timedelta("1D"))):
        error = mercer.score_predictions(y, late).scores["mae"].value
        assert error == pytest.approx(3600 if y is HOURS else 1)
