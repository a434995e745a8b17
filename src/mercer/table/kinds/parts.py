"""Columns beside a date: its month, weekday, day of the month and hour, and the days since another date.

The date stays on a time axis, which tells what was before and what after. A part is added where it says something else:
where it varies, and its values come back at other dates. The days between two dates are added where the dates lie in
the same time: a tree cannot subtract, and coefficients of two dates that nearly cancel are what a penalty forbids.
"""

from __future__ import annotations

from datetime import date
from typing import Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints
from mercer.errors import BadColumn

DateUnit: TypeAlias = Literal["", "D", "s"]  # as which numbers of days are shown: numbers, dates or moments
MONTH, WEEKDAY, DAY, HOUR = "month", "weekday", "day of month", "hour"
PARTS = (MONTH, WEEKDAY, DAY, HOUR)
SINCE = "days since"  # another date
LEVELS: dict[str, tuple[str, ...]] = {
    MONTH: (
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ),
    WEEKDAY: ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    DAY: (),
    HOUR: (),
}  # fmt: skip
_FEW_ROWS = 20  # with fewer, a part says nothing
_MAX_DAYS = 1e8  # 270,000 years: more is no date
_ZONE_DAYS = 9e7  # within which polars knows the clocks of the world
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_897  # of the years 1 to 9999, which ISO 8601 and datetime.date have
_UNITS = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}  # of a second


def as_dates(days: Floats, unit: DateUnit) -> NDArray[np.datetime64]:
    """Numbers of days since 1970-01-01 as dates or moments, rounded; NaT outside of the years 1 to 9999."""
    known = (days >= _FIRST_DAY) & (days < _LAST_DAY)
    steps = np.round(np.where(known, days, 0.0) * (1 if unit == "D" else 86_400)).astype(np.int64)
    dates: NDArray[np.datetime64] = np.where(known, steps.astype(f"datetime64[{unit}]"), np.datetime64("NaT"))
    return dates


def date_text(days: float, unit: DateUnit) -> str:
    """A number of days since 1970-01-01 as a date or a moment."""
    return str(as_dates(np.array([days]), unit)[0])


def days_of(moment: str | date | np.datetime64) -> float:
    """Days since 1970-01-01 of a date or moment, which texts give by ISO 8601; ValueError for other texts."""
    found = np.datetime64(moment).astype("datetime64[us]")
    if np.isnat(found):
        raise ValueError(f"{moment!r} is no date")
    return float(found.astype(np.int64)) / 86_400e6


def part_name(name: str, part: str, since: str = "") -> str:
    """The name of the column that holds a part of the dates of a column, or the days since those of another."""
    return f"{name} ({part} {since})" if since else f"{name} ({part})"


def typed_days(cells: pl.Series) -> pl.Series:
    """Dates or moments as days since 1970-01-01, as the clock showed at their place."""
    if not isinstance(cells.dtype, pl.Datetime) or cells.dtype.time_zone is None:
        return utc_days(cells)
    days = utc_days(cells)
    if (days.abs() > _ZONE_DAYS).any():
        row = int((days.abs() > _ZONE_DAYS).arg_max() or 0)
        raise BadColumn(
            f"Column {cells.name!r}, row {row + 1}: a moment {days[row] / 365.2425:,.0f} years from 1970 has no time "
            f"of day in {cells.dtype.time_zone}. Correct the row, or hand the column over without its time zone."
        )
    return utc_days(cells.dt.replace_time_zone(None))


def utc_days(cells: pl.Series) -> pl.Series:
    """Dates or moments as days since 1970-01-01 in universal time, however far from it."""
    if isinstance(cells.dtype, pl.Datetime):
        return cells.to_physical() / (86_400 * _UNITS[cells.dtype.time_unit])
    return cells.to_physical().cast(pl.Float64)


def seconds(cells: pl.Series) -> pl.Series:
    """Durations, or times of day since midnight, in seconds."""
    unit = cells.dtype.time_unit if isinstance(cells.dtype, pl.Duration) else "ns"
    return cells.to_physical() / _UNITS[unit]


def part_values(part: str, days: Floats) -> Ints:
    """A part of each date as a whole number from 0 on (the day of the month from 1), -1 where the date is missing."""
    known = np.isfinite(days) & (np.abs(days) < _MAX_DAYS)
    whole = np.floor(np.where(known, days, 0.0))
    if part == WEEKDAY:
        values = (whole.astype(np.int64) + 3) % 7  # 1970-01-01 was a Thursday
    elif part == HOUR:
        # Half a microsecond more, since days as floats are not exact to it.
        values = np.floor((np.where(known, days, 0.0) - whole) * 24 + 1e-9).astype(np.int64)
    else:
        dates = whole.astype(np.int64).astype("datetime64[D]")
        months = dates.astype("datetime64[M]")
        first = months.astype("datetime64[D]")
        values = months.astype(np.int64) % 12 if part == MONTH else (dates - first).astype(np.int64) + 1
    return np.where(known, values, -1).astype(np.int32)


def parts_that_vary(days: Floats, n_known: int) -> list[str]:
    """The parts that are worth a column.

    days : the different dates, or many of them; n_known : rows that have one
    """
    days = days[np.isfinite(days) & (np.abs(days) < _MAX_DAYS)]
    if n_known < _FEW_ROWS or len(days) < 2:
        return []
    whole = np.unique(np.floor(days))
    months = whole.astype(np.int64).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    several_days = len(np.unique(months)) < len(whole)  # rather than a date for each month
    found = [MONTH] if _comes_back(months % 12, months // 12) else []
    if several_days and _comes_back(part_values(WEEKDAY, whole), np.floor((whole + 3) / 7)):
        found.append(WEEKDAY)
    if several_days and _comes_back(part_values(DAY, whole), months):
        found.append(DAY)
    if _comes_back(part_values(HOUR, days), np.floor(days)):
        found.append(HOUR)
    return found


def in_the_same_time(days: Floats, others: Floats) -> bool:
    """Whether the dates of two columns overlap: otherwise one of them says next to all that their distance does."""
    return bool(len(days) and len(others) and days.min() <= others.max() and others.min() <= days.max())


def _comes_back(part: NDArray[np.number], period: NDArray[np.number]) -> bool:
    """Whether a part has several values, and one of them in several periods (a month in two years)."""
    if len(np.unique(part)) < 2:
        return False
    pairs = np.unique(np.column_stack([part, period]), axis=0)
    return len(np.unique(pairs[:, 0])) < len(pairs)
