"""Numbers written in any notation are read back; neither the order of rows nor blanks change what a column is."""

from datetime import date, datetime, timedelta

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import mercer
from mercer.table.formats.dates import COMPACT, PERIODS, layouts

MARKS = st.sampled_from(
    [(".", ""), (".", ","), (".", "'"), (".", " "), (",", ""), (",", "."), (",", " "), (",", "\xa0")]
)
BESIDE = st.sampled_from(["{}", "€ {}", "$ {}", "{} EUR", "{} kg", "{} %", "{}%"])
NEGATIVE = st.sampled_from(["-{}", "({})", "{}-"])
# With two decimals no number can be taken for one of thousands.
AMOUNTS = st.lists(st.integers(-(10**9), 10**9).filter(lambda cents: cents % 100), min_size=3, max_size=12, unique=True)


def written(cents: int, marks: tuple[str, str], beside: str, negative: str) -> str:
    point, group = marks
    whole, rest = divmod(abs(cents), 100)
    digits = f"{whole:,}".replace(",", group) + f"{point}{rest:02}"
    if cents >= 0:
        return beside.format(digits)
    return negative.format(beside.format(digits)) if negative == "({})" else beside.format(negative.format(digits))


@given(AMOUNTS, MARKS, BESIDE, NEGATIVE)
def test_numbers_are_read_back(cents, marks, beside, negative):
    cents = [abs(cents[0]), *cents[1:]]  # signs in brackets alone would be names
    if len(set(cents)) < 3 or (negative == "{}-" and ("%" in beside or "{} " in beside)):
        return
    table = mercer.read_table({"x": [written(c, marks, beside, negative) for c in cents]})
    scale = 10000 if "%" in beside else 100
    assert table.schema["x"].kind == "numeric", table.schema["x"].reason
    assert table.numbers("x").ravel().tolist() == [c / 100 / (scale / 100) for c in cents]


CELLS = st.lists(
    st.one_of(
        st.sampled_from(
            ["Low", "High", "medium", "Jan", "May", "1-5", "6+", "<1", "12k", "1,5", "1.234", "oops", "5 kg"]
        ),
        st.from_regex(r"[0-9]{1,4}([.,][0-9]{1,3})?( ?[%kg])?", fullmatch=True),
        st.dates().map(str),
    ),
    min_size=3,
    max_size=30,
)


@given(CELLS, st.randoms())
def test_the_order_of_rows_does_not_matter(cells, random):
    shuffled = random.sample(cells, len(cells))
    assert described(cells) == described(shuffled)


@given(CELLS, st.sampled_from([" {}", "{} ", "  {}\t"]))
def test_blanks_around_cells_do_not_matter(cells, blanks):
    assert described(cells) == described([blanks.format(c) for c in cells])


def described(cells):
    schema = mercer.read_table({"x": cells, "y": [i * 0.5 for i in range(len(cells))]}).schema
    return [(c.name, c.kind, c.levels, c.format) for c in schema], [(c.name, c.cause) for c in schema.left_out]


YEARS = date(1930, 1, 1), date(2029, 12, 31)  # that two digits name


@given(
    st.lists(st.dates(*YEARS), min_size=3, max_size=30, unique=True),
    st.sampled_from(sorted(layouts().keys() - PERIODS.keys() - COMPACT.keys())),
    st.sampled_from(["", "Z", "+02:00"]),
)
def test_dates_are_read_back(days, layout, zone):
    days = [*days, date(2021, 3, 31), date(2021, 12, 13)]  # which settle whether the day or the month comes first
    moments = [datetime(d.year, d.month, d.day, d.day % 24, d.day, d.day) for d in days]
    clock = layout.replace("%H", "%I") if "%p" in layout else layout
    zone = zone if "%H" in clock else ""
    table = mercer.read_table({"x": [f"{m:{clock}}{zone}" for m in moments]})
    exact = "%S" if "%S" in layout else "%M" if "%M" in layout else "%d"
    wanted = [np.datetime64(m.replace(**dict.fromkeys(_BELOW[exact], 0)), "s") for m in moments]
    assert table.to_polars()["x"].cast(pl.Datetime("us")).dt.round("1s").to_list() == [
        w.astype(datetime) for w in wanted
    ]


def begun(day: date, layout: str) -> date:
    """The first day of the period that a day is in."""
    if "week" in layout:
        return day - timedelta(days=day.weekday())
    months = 6 if "half" in layout else 3 if "Q" in layout else 1
    return day if layout == "%Y%m%d" else date(day.year, (day.month - 1) // months * months + 1, 1)


@given(
    st.lists(st.dates(*YEARS), min_size=20, max_size=40, unique_by=lambda day: (day.year, day.month > 6)),
    st.sampled_from(sorted(PERIODS.keys() | COMPACT.keys())),
)
def test_periods_are_read_back_as_their_first_days(days, layout):
    def written(day):
        year, week, _ = day.isocalendar()
        half, quarter = f"H{(day.month + 5) // 6}", (day.month + 2) // 3
        parts = {"%Y week": f"{year}-W{week:02}", "%Y half": f"%Y-{half}", "Q %y": f"{quarter}Q %y"}
        return day.strftime(parts.get(layout, layout.replace("Q", f"Q{quarter}")))

    column = mercer.read_table({"x": [written(day) for day in days], "y": range(len(days))}).to_polars()["x"]
    assert column.cast(pl.Date).to_list() == [begun(day, layout) for day in days]


_BELOW = {"%S": (), "%M": ("second",), "%d": ("hour", "minute", "second")}
