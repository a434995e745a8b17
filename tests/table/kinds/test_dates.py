"""Dates: on a time axis, with the parts that come back, and shown as dates."""

import re
from datetime import date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mercer
from mercer.errors import BadColumn, BadFile
from mercer.state import Reader
from mercer.table import Schema, conform_table, shown_number
from mercer.table.kinds.parts import PARTS, date_text, part_values, parts_that_vary

FIRST = date(2021, 3, 1)
ISO = [str(FIRST + timedelta(days=3 * i)) for i in range(300)]
PART_NAMES = [f"day ({part})" for part in ("month", "weekday", "day of month")]


def test_parts_are_those_of_the_calendar():
    moments = [datetime(1905, 2, 28, 23, 59, 59) + timedelta(hours=7919 * i) for i in range(500)]
    days = np.array([(m - datetime(1970, 1, 1)).total_seconds() / 86400 for m in moments])
    wanted = {
        "month": [m.month - 1 for m in moments],
        "weekday": [m.weekday() for m in moments],
        "day of month": [m.day for m in moments],
        "hour": [m.hour for m in moments],
    }
    assert {part: part_values(part, days).tolist() for part in PARTS} == wanted
    assert all(part_values(part, np.array([np.nan])).tolist() == [-1] for part in PARTS)


@pytest.mark.parametrize(
    "cells",
    [
        ISO,
        [f"{d[8:]}/{d[5:7]}/{d[:4]}" for d in ISO],
        [f"{d[5:7]}/{d[8:]}/{d[:4]}" for d in ISO],
        [f"{d[8:]}.{d[5:7]}.{d[:4]}" for d in ISO],
        [date.fromisoformat(d) for d in ISO],
        pd.to_datetime(ISO).tz_localize("Asia/Tokyo"),
        [datetime.fromisoformat(f"{d}T23:30:00+09:00").isoformat()[:10] for d in ISO],
    ],
    ids=["iso", "day first", "month first", "points", "dates", "zone", "text"],
)
def test_a_date_comes_with_its_parts(cells):
    table = mercer.read_table(pd.DataFrame({"day": cells}))
    assert list(table.columns) == ["day", *PART_NAMES]
    days = [date.fromisoformat(d) for d in ISO]
    assert table.column("day (weekday)").tolist() == [f"{d:%A}" for d in days]
    assert table.column("day (month)").tolist() == [f"{d:%B}" for d in days]
    assert table.numbers("day (day of month)").ravel().tolist() == [d.day for d in days]
    assert table.numbers("day").ravel().tolist() == [(d - date(1970, 1, 1)).days for d in days]


@pytest.mark.parametrize(
    ("days", "parts"),
    [
        (range(0, 7), []),  # one week
        (range(0, 28), ["weekday"]),  # one month
        (range(0, 300), ["weekday", "day of month"]),  # no month comes back
        (range(0, 800), ["month", "weekday", "day of month"]),
        (range(4, 4 + 7 * 30, 7), ["day of month"]),  # every Monday
        (np.arange(0, 3, 0.125), ["hour"]),
    ],
)
def test_only_parts_that_vary_and_come_back(days, parts):
    assert parts_that_vary(np.array(days, dtype=float), 50) == parts
    assert parts_that_vary(np.array(days, dtype=float), 19) == []


def test_dates_of_a_month_each_have_no_weekday():
    months = np.arange(np.datetime64("2015-01"), np.datetime64("2020-01")).astype("datetime64[D]").astype(float)
    assert parts_that_vary(months, 60) == ["month"]


def _weekends(n=400, seed=0):
    rng = np.random.default_rng(seed)
    days = [FIRST + timedelta(days=int(d)) for d in rng.integers(0, 900, n)]
    y = np.array(["rest" if d.weekday() >= 5 else "work" for d in days])
    return pd.DataFrame({"day": [str(d) for d in days], "noise": rng.normal(size=n)}), y


@pytest.mark.parametrize(
    "model",
    [mercer.DecisionTreeClassifier(), mercer.NaiveBayes(), mercer.LogisticRegression()],
    ids=lambda m: type(m).__name__,
)
def test_a_weekday_that_decides_is_found(model, tmp_path):
    X, y = _weekends()
    new, answer = _weekends(seed=1)
    model.fit(X, y)
    assert model.score(new, answer) > 0.98
    assert model.n_features_in_ == 2
    assert model.feature_names_in_.tolist() == ["day", "noise"]
    mercer.save(model, tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.predict(new).tolist() == model.predict(new).tolist()
    assert loaded.predict(new[["noise", "day"]].head(1)).tolist() == model.predict(new.head(1)).tolist()
    with pytest.raises(BadColumn, match="'day' is missing"):
        loaded.predict(new[["noise"]])


def test_a_file_of_dates_is_read_by_the_model(tmp_path):
    X, y = _weekends()
    X["day"] = [f"{d[8:]}/{d[5:7]}/{d[:4]}" for d in X["day"]]
    X.assign(y=y).to_csv(tmp_path / "train.csv", index=False)
    X.head(3).assign(day=["01/02/2022", "05/02/2022", ""]).to_csv(tmp_path / "new.csv", index=False)
    model = mercer.DecisionTreeClassifier().fit(X, y)
    assert model.predict(tmp_path / "new.csv")[:2].tolist() == ["work", "rest"]
    rows = conform_table(tmp_path / "new.csv", model.schema_)
    assert rows.missing("day (weekday)").tolist() == [False, False, True]


def test_trees_and_explanations_show_dates():
    rng = np.random.default_rng(0)
    days = [FIRST + timedelta(days=int(d)) for d in rng.integers(0, 900, 300)]
    y = np.array(["late" if d >= date(2022, 6, 15) else "early" for d in days])
    X = pl.DataFrame({"day": days})
    text = str(mercer.DecisionTreeClassifier().fit(X, y).rules())
    shown = re.search(r"day <= (\d{4}-\d\d-\d\d)", text)[1]
    assert f"day > {shown}" in text
    assert max(d for d in days if d < date(2022, 6, 15)) <= date.fromisoformat(shown) < date(2022, 6, 15)
    explained = repr(mercer.NaiveBayes().fit(X, y).explain(X[:2]))
    assert str(days[0]) in explained
    assert str(mercer.read_table(X)).count(str(days[0])) >= 1


def test_times_are_shown_as_times():
    schema = mercer.read_table({"at": ["12:30", "13:45:10", "9:00"]}).schema
    assert [shown_number(schema["at"], x) for x in (45000, 49510, -5400, 32400.5)] == [
        "12:30",
        "13:45:10",
        "-1:30",
        "9:00:00.5",
    ]
    moments = mercer.read_table({"t": ["2024-12-31 06:00", "2024-12-31 07:30", "2025-01-01 08:00"]}).schema
    assert shown_number(moments["t"], 20088.25) == "2024-12-31 06:00"


def test_the_clock_of_the_place_is_read():
    zone = timezone(timedelta(hours=9))
    moments = [datetime(2024, 1, 1, 0, 30, tzinfo=zone) + timedelta(hours=13 * i) for i in range(60)]
    wanted = [m.hour for m in moments]
    text = mercer.read_table({"t": [m.isoformat() for m in moments]})
    pandas = mercer.read_table(
        pd.DataFrame({"t": pd.to_datetime([m.replace(tzinfo=None) for m in moments]).tz_localize("Asia/Tokyo")})
    )
    polars = mercer.read_table(
        pl.DataFrame({"t": [m.replace(tzinfo=None) for m in moments]}).with_columns(
            pl.col("t").dt.replace_time_zone("Asia/Tokyo")
        )
    )
    for table in (text, pandas, polars):
        assert table.numbers("t (hour)").ravel().tolist() == wanted


def test_a_schema_of_parts_is_stored_and_checked():
    schema = mercer.read_table({"day": ISO}).schema
    state = schema.to_state()
    assert Schema.from_state(Reader(state)) == schema
    for change in ({"part": "year"}, {"origin": ""}, {"format": ""}, {"levels": ["a", "b"]}, {"kind": "numeric"}):
        broken = {**state, "columns": [*state["columns"][:2], {**state["columns"][2], **change}]}
        with pytest.raises(BadFile):
            Schema.from_state(Reader(broken))


def test_a_name_that_is_taken_is_not_taken_twice():
    table = mercer.read_table({"day": ISO, "day (month)": np.arange(300.0)})
    assert list(table.columns) == ["day", "day (weekday)", "day (day of month)", "day (month)"]


def test_parts_can_be_refused():
    assert list(mercer.read_table({"day": ISO}, kinds={"day": "numeric"}).columns) == ["day"]


def test_parts_alone_are_read_from_the_date():
    table = mercer.read_table({"day": ISO, "x": np.arange(300.0)})
    model = mercer.NaiveBayes().fit(table[["day (weekday)", "x"]], ["a", "b"] * 150)
    assert len(model.predict({"day": ISO[:5], "x": [1.0] * 5})) == 5


def test_naive_bayes_shows_the_mean_of_dates_as_a_date():
    days = [FIRST + timedelta(days=i) for i in range(40)]
    X, y = pl.DataFrame({"day": days}), ["early"] * 21 + ["late"] * 19
    assert "2021-03-11" in str(mercer.NaiveBayes().fit(X, y).tables())
    assert "at most 2021-03-" in str(mercer.NaiveBayes(likelihoods={"day": "binned"}).fit(X, y).tables())


FAR = [2**62, -(2**62), 2**63 - 1, -(2**63), 2**55, 2**31 - 1, -(2**31)]


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
@pytest.mark.parametrize("far", FAR)
def test_moments_and_durations_however_far_are_numbers(unit, far):
    per_second = {"ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    cells = pl.Series([0, 1000, far], dtype=pl.Int64)
    table = mercer.read_table(
        pl.DataFrame({"moment": cells.cast(pl.Datetime(unit)), "time": cells.cast(pl.Duration(unit))})
    )
    np.testing.assert_allclose(table["moment"], [0, 1000 / per_second / 86400, far / per_second / 86400], rtol=1e-15)
    np.testing.assert_allclose(table["time"], [0, 1000 / per_second, far / per_second], rtol=1e-15)


@pytest.mark.parametrize("far", [2**31 - 1, -(2**31), 2**26])
def test_dates_however_far_are_numbers(far, tmp_path):
    """polars panics where it writes a date that no calendar has."""
    frame = pl.DataFrame({"day": pl.Series([*range(30), far], dtype=pl.Int32).cast(pl.Date)})
    frame.write_parquet(tmp_path / "t.parquet")
    for source in (frame, tmp_path / "t.parquet"):
        assert mercer.read_table(source)["day"].tolist() == [*range(30), far]
    with pytest.raises(BadColumn, match=r"'day' of type Date cannot be read: .* Correct it, or leave it out"):
        mercer.read_table(frame.to_arrow())


def test_a_moment_without_a_clock_is_refused():
    """Days that a time zone cannot know, and seconds that NumPy would wrap around."""
    cells = pl.Series([0, 2**62], dtype=pl.Int64).cast(pl.Datetime("ms", "Europe/Berlin"))
    with pytest.raises(BadColumn, match=r"'m', row 2: a moment 146,\d+,\d+ years from 1970 .* without its time zone"):
        mercer.read_table(pl.DataFrame({"m": cells}))
    seconds = np.array([0, 2**60]).astype("datetime64[s]")
    with pytest.raises(BadColumn, match="'m' holds moments beyond 290,000 years"):
        mercer.read_table(pd.DataFrame({"m": seconds}))
    nanoseconds = np.array([5, 86_400_000_000_001]).astype("datetime64[ns]")
    assert mercer.read_table(pd.DataFrame({"m": nanoseconds})).shape == (2, 1)


@pytest.mark.parametrize(
    ("zones", "differ"), [(["Z", "+00:00", " UTC"], False), (["+02:00", "+0200"], False), (["+01:00", "+02:00"], True)]
)
def test_moments_of_several_time_zones_say_how_they_are_read(zones, differ):
    cells = [f"2024-01-{day:02}T{day % 24:02}:30:00{zone}" for day in range(1, 29) for zone in zones]
    table = mercer.read_table({"when": cells})
    assert ("each is read as its clock showed" in table.schema["when"].reason) == differ
    assert table.numbers("when (hour)")[:, 0].tolist() == [day % 24 for day in range(1, 29) for _ in zones]


def test_minus_zero_is_zero():
    schema = mercer.read_table({"x": ["-0.0", "0.0", "1.5", "-2.5"]}).schema
    assert [shown_number(schema["x"], value) for value in (-0.0, 0.0, -2.5)] == ["0", "0", "-2.5"]


def test_months_are_dates_and_seasons_are_not():
    months = [f"{2015 + k // 12}-{k % 12 + 1:02d}" for k in range(96)]
    table = mercer.read_table({"when": months})
    assert table.columns == ("when", "when (month)")
    assert table.schema["when"].reason.endswith("read as date YYYY-MM")
    assert date_text(table.numbers("when")[13, 0], "D") == "2016-02-01"
    assert mercer.read_table({"x": months[:12] * 3}).schema["x"].levels == tuple(months[:12])
    for others in (
        [f"20{k:02d}-{k + 1:02d}" for k in range(12)],
        [f"4711-{k % 12 + 1:02d}" for k in range(30)],
    ):
        assert mercer.read_table({"x": others * 3}).schema["x"].kind == "category"


SPREAD = [date(2019, 1, 1) + timedelta(days=67 * k) for k in range(60)]


def _quarter(day):
    return date(day.year, 3 * ((day.month - 1) // 3) + 1, 1)


@pytest.mark.parametrize(
    ("write", "means"),
    [
        (lambda d: f"{d.year}Q{(d.month + 2) // 3}", _quarter),
        (lambda d: f"{d.year}-Q{(d.month + 2) // 3}", _quarter),
        (lambda d: f"Q{(d.month + 2) // 3} {d.year}", _quarter),
        (lambda d: f"{(d.month + 2) // 3}Q{d:%y}", _quarter),
        (lambda d: f"{d.year}H{(d.month + 5) // 6}", lambda d: date(d.year, 1 + 6 * (d.month > 6), 1)),
        (lambda d: "{}-W{:02}".format(*d.isocalendar()[:2]), lambda d: d - timedelta(days=d.weekday())),
        (lambda d: f"{d:%b %Y}", lambda d: d.replace(day=1)),
        (lambda d: f"{d:%B %Y}", lambda d: d.replace(day=1)),
        (lambda d: f"{d:%m/%Y}", lambda d: d.replace(day=1)),
        (lambda d: f"{d:%b-%y}", lambda d: d.replace(day=1)),
        (lambda d: f"{d:%Y%m}", lambda d: d.replace(day=1)),
        (lambda d: f"{d:%Y%m%d}", lambda d: d),
        (lambda d: f"{d:%d.%m.%y}", lambda d: d),
        (lambda d: f"{d:%m/%d/%y}", lambda d: d),
        (lambda d: f"{d:%d-%b-%y}", lambda d: d),
        (lambda d: f"{d:%d%b%Y}", lambda d: d),
        (lambda d: f"{d:%Y.%m.%d}", lambda d: d),
        (lambda d: f"{d:%A, %d %B %Y}", lambda d: d),
        (lambda d: f"{d:%a %d %b %Y}", lambda d: d),
        (lambda d: f"{d:%d.%m.%Y}" if d.day % 2 else d.isoformat(), lambda d: d),
    ],
    ids=lambda f: f(SPREAD[1]) if isinstance(f(SPREAD[1]), str) else "",
)
@pytest.mark.parametrize("as_file", [False, True])
def test_periods_and_dates_of_offices_are_dates(tmp_path, write, means, as_file):
    cells = [write(d) for d in SPREAD]
    if as_file:
        (tmp_path / "t.csv").write_text("when,n\n" + "".join(f'"{c}",{k}\n' for k, c in enumerate(cells)))
    table = mercer.read_table(tmp_path / "t.csv" if as_file else {"when": cells})
    assert table.numbers("when").ravel().tolist() == [(means(d) - date(1970, 1, 1)).days for d in SPREAD]
    again = conform_table({"when": cells[:2], "n": [0, 0]}, table.schema)  # by themselves they might be something else
    assert again.numbers("when").ravel().tolist() == table.numbers("when").ravel().tolist()[:2]


def test_two_digits_of_a_year_are_those_of_spreadsheets():
    cells = ["31.12.29", "01.01.30", "24.05.65", "02.03.99"]
    days = mercer.read_table({"x": cells}).numbers("x").ravel()
    assert [date_text(d, "D")[:4] for d in days] == ["2029", "1930", "1965", "1999"]


@pytest.mark.parametrize(
    "cells",
    [
        [f"{k}1.{k}2.{k}3" for k in range(1, 10)],  # no such days
        [str(20190101 + k) for k in range(60)],  # not all are days
        [str(202000 + k) for k in range(60)],
        [f"{k}Q" for k in range(1, 30)],
        [f"Abc {2000 + k}" for k in range(30)],
    ],
)
def test_what_looks_like_a_date_only(cells):
    assert [c.name for c in mercer.read_table({"x": cells, "y": [1.5] * len(cells)}).schema if c.is_date] == []


@pytest.mark.parametrize(
    ("cells", "seconds"),
    [
        (["1:05 PM", "12:00 AM", "12:30 pm"], [47100, 0, 45000]),
        (["1:05:30 a.m.", "11:59:59 p.m.", "12:00:00 p.m."], [3930, 86399, 43200]),
        (["08:15 Uhr", "23:05 Uhr"], [29700, 83100]),
        (["2h 30m", "0h 05m", "11h 0m"], [9000, 300, 39600]),
        (["9h05", "17h30"], [32700, 63000]),
    ],
)
def test_times_of_day_and_durations_as_people_write_them(cells, seconds):
    assert mercer.read_table({"x": cells}).numbers("x").ravel().tolist() == seconds


def test_moments_with_am_and_pm():
    cells = ["3/14/2021 1:30:00 PM", "3/15/2021 12:00:00 AM", "12/1/2021 6:00:00 AM"]
    found = mercer.read_table({"x": cells}).numbers("x").ravel()
    assert [date_text(d, "s") for d in found] == ["2021-03-14T13:30:00", "2021-03-15T00:00:00", "2021-12-01T06:00:00"]
    assert mercer.read_table({"x": ["13:30 PM", "1:05 AM", "2:10 PM"]}).schema["x"].kind == "category"


@pytest.mark.parametrize("stand_in", ["9999-12-31", "1900-01-01"])
@pytest.mark.parametrize("form", ["text", "typed"])
def test_dates_that_mean_none_are_pointed_out(stand_in, form):
    cells = [str(date(2021, 1, 1) + timedelta(days=k)) for k in range(100)] + [stand_in] * 3
    frame = pl.DataFrame({"end": cells})
    frame = frame if form == "text" else frame.with_columns(pl.col("end").str.to_date())
    said = mercer.read_table(frame).schema["end"].reason
    assert f"; {stand_in} is far from all others" in said
    assert said.endswith(f"say --missing 'end={stand_in}'")
    named = mercer.read_table(frame, missing=f"end={stand_in}")
    assert named.missing("end").sum() == 3
    assert "far" not in named.schema["end"].reason
    spread = [str(date(1890 + k, 1, 1)) for k in range(60)]
    assert "far" not in mercer.read_table({"end": spread}).schema["end"].reason
