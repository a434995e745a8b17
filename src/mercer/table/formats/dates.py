"""Dates and times of day as people write them, as days since 1970-01-01 and as seconds.

A moment with a time zone is read as the clock showed there: hour and weekday of an event are those of its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime

EPOCH = date(1970, 1, 1).toordinal()
_DAYS = {
    "%Y-%m-%d": r"\d{4}-\d{1,2}-\d{1,2}",
    "%Y/%m/%d": r"\d{4}/\d{1,2}/\d{1,2}",
    "%d.%m.%Y": r"\d{1,2}\.\d{1,2}\.\d{4}",
    "%d %b %Y": r"\d{1,2} [A-Za-z]{3} \d{4}",
    "%d-%b-%Y": r"\d{1,2}-[A-Za-z]{3}-\d{4}",
    "%b %d, %Y": r"[A-Za-z]{3} \d{1,2}, \d{4}",
    "%d %B %Y": r"\d{1,2} [A-Za-z]{3,} \d{4}",
    "%B %d, %Y": r"[A-Za-z]{3,} \d{1,2}, \d{4}",
    "%Y.%m.%d": r"\d{4}\.\d{1,2}\.\d{1,2}",
    "%d%b%Y": r"\d{2}[A-Za-z]{3}\d{4}",
    "%d.%m.%y": r"\d\d\.\d\d\.\d\d",
    "%d-%b-%y": r"\d{1,2}-[A-Za-z]{3}-\d\d",
}
# Day first or month first: read only when a column fits one of them and not the other.
_EITHER = {
    "%d/%m/%Y": r"\d{1,2}/\d{1,2}/\d{4}",
    "%m/%d/%Y": r"\d{1,2}/\d{1,2}/\d{4}",
    "%d-%m-%Y": r"\d{1,2}-\d{1,2}-\d{4}",
    "%m-%d-%Y": r"\d{1,2}-\d{1,2}-\d{4}",
    "%d/%m/%y": r"\d{1,2}/\d{1,2}/\d\d",
    "%m/%d/%y": r"\d{1,2}/\d{1,2}/\d\d",
}
_HALF = r" ?[AaPp]\.?[Mm]\.?"
_CLOCK = {
    "": "",
    " %H:%M": r"[ T]\d{1,2}:\d\d",
    " %H:%M:%S": r"[ T]\d{1,2}:\d\d:\d\d(?:[.,]\d+)?",
    " %H:%M %p": rf" \d{{1,2}}:\d\d{_HALF}",
    " %H:%M:%S %p": rf" \d{{1,2}}:\d\d:\d\d{_HALF}",
}
_WEEKDAY = re.compile(r"(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?\.?,? ", re.IGNORECASE)
_YEAR = r"(?:1[5-9]|2[01])\d\d"  # 4711-05 is a name
_MONTH = r"(?:0?[1-9]|1[0-2])"
# Months, quarters, halves and weeks of a year, each with what to read them by.
PERIODS = {
    "%Y-%m": re.compile(rf"(?P<year>{_YEAR})-(?P<month>0[1-9]|1[0-2])", re.ASCII),
    "%m/%Y": re.compile(rf"(?P<month>{_MONTH})[/.](?P<year>{_YEAR})", re.ASCII),
    "%b %Y": re.compile(rf"(?P<name>[A-Za-z]{{3,9}})\.?[ -](?P<year>{_YEAR})", re.ASCII),
    "%b-%y": re.compile(r"(?P<name>[A-Za-z]{3})[- ]'?(?P<short>\d\d)", re.ASCII),
    "%Y Q": re.compile(rf"(?P<year>{_YEAR})[ /-]?Q(?P<quarter>[1-4])", re.ASCII | re.IGNORECASE),
    "Q %Y": re.compile(rf"Q(?P<quarter>[1-4])[ /-]?(?P<year>{_YEAR})", re.ASCII | re.IGNORECASE),
    "Q %y": re.compile(r"(?P<quarter>[1-4])Q[ /-]?'?(?P<short>\d\d)", re.ASCII | re.IGNORECASE),
    "%Y half": re.compile(rf"(?P<year>{_YEAR})[ /-]?H(?P<half>[12])", re.ASCII | re.IGNORECASE),
    "%Y week": re.compile(rf"(?P<year>{_YEAR})-?W(?P<week>[0-5]\d)", re.ASCII | re.IGNORECASE),
}
COMPACT = {  # whole numbers: SAP and databases write dates so
    "%Y%m%d": re.compile(rf"{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", re.ASCII),
    "%Y%m": re.compile(rf"{_YEAR}(?:0[1-9]|1[0-2])", re.ASCII),
}
_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_FIRST_SHORT = 1930  # of the hundred years that two digits name, as in spreadsheets: a birthday in 65 was in 1965
_ZONE = re.compile(r"(:\d\d(?:[.,]\d+)?) ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)$")
_UTC = re.compile("Z|UTC|GMT|[+-]00(:?00)?")
_BEFORE_CLOCK = re.compile(r"[ T](?=\d{1,2}:)")
UNCLEAR_DATE = re.compile(r"\d{1,2}([/-])\d{1,2}\1(\d\d|\d{4})([ T]\d{1,2}:\d\d(:\d\d)?)?")
_DAY_COUNT = re.compile(r"(-?\d{1,6}) days? \+?", re.ASCII)
TIME_PATTERN = re.compile(
    rf"(?:{_DAY_COUNT.pattern})?-?\d{{1,4}}:[0-5]\d(:[0-5]\d(\.\d+)?)?(?: Uhr)?"
    rf"|(?:0?\d|1[0-2]):[0-5]\d(:[0-5]\d)?{_HALF}|\d{{1,3}} ?h ?[0-5]?\d ?(?:m|min)?",
    re.ASCII,
)
_HALF_OF_DAY = re.compile(r"(\d{1,2}:\d\d(?::\d\d)?) ?([AaPp])\.?[Mm]\.?", re.ASCII)
_HOURS_AND_MINUTES = re.compile(r"(\d{1,3}) ?h ?([0-5]?\d) ?(?:m|min)?", re.ASCII)
_WITH_T = "%Y-%m-%dT%H:%M:%S"  # of models stored before every layout took a T


def layouts() -> dict[str, re.Pattern[str]]:
    """The pattern of every layout of dates, with and without a time of day."""
    found = {day + clock: p + c for day, p in (_DAYS | _EITHER).items() for clock, c in _CLOCK.items()}
    return (
        {name: re.compile(p, re.ASCII) for name, p in found.items()}
        | {_WITH_T: re.compile(found["%Y-%m-%d %H:%M:%S"], re.ASCII)}
        | PERIODS
        | COMPACT
    )


def may_be_dates(low: object, high: object) -> bool:
    """Whether whole numbers between these may be days such as 20240131 or months such as 202401."""
    ends = [str(low), str(high)]
    return any(all(pattern.fullmatch(end) for end in ends) for pattern in COMPACT.values())


def day_or_month_first(layout: str) -> bool:
    """Whether the same text may be a date with the day first and one with the month first."""
    return layout.partition(" %H")[0] in _EITHER


def are_seasons(cells: Sequence[str]) -> bool:
    """Whether 2010-11 and the like are no months but all name a year and the next."""
    return all((int(cell[2:4]) + 1) % 100 == int(cell[5:7]) for cell in cells)


def without_zone(cell: str) -> str:
    """A moment without its time zone, a date without its weekday; any other text as it is."""
    cell = _ZONE.sub(r"\1", cell) if ":" in cell else cell
    return _WEEKDAY.sub("", cell, count=1) if cell[:1].isalpha() else cell


def time_zone(cell: str) -> str:
    """The time zone that a moment is written with, "UTC" for all names of that; "" for none."""
    found = _ZONE.search(cell)
    return "" if found is None else "UTC" if _UTC.fullmatch(found[2]) else found[2].replace(":", "")


def days(layout: str) -> Callable[[str], float]:
    """The reader of a layout: days since 1970-01-01, with the time of day as a fraction."""
    if layout in PERIODS:
        return lambda cell: _period(PERIODS[layout], cell)
    day_layout, *clock_layout = re.split(r"[ T](?=%H)", layout)
    short = "%y" in day_layout

    def read(cell: str) -> float:
        day, *clock = _BEFORE_CLOCK.split(cell) if clock_layout else (cell,)
        moment = datetime.strptime(day, day_layout)
        if short:
            moment = moment.replace(year=_year_of_short(moment.year % 100))
        return moment.toordinal() - EPOCH + sum(map(_fraction, clock))

    return read


def _year_of_short(digits: int) -> int:
    return _FIRST_SHORT + (digits - _FIRST_SHORT) % 100


def _month_of(name: str) -> int:
    """The number of a month by its name or the first letters of it; ValueError for other words."""
    found = [place for place, known in enumerate(_MONTH_NAMES, 1) if name in (known, known[:3], known[:4])]
    if not found:
        raise ValueError(f"{name} is no month")
    return found[0]


def _period(pattern: re.Pattern[str], cell: str) -> float:
    """The first day of a month, quarter, half or week of a year."""
    match = pattern.fullmatch(cell)
    if match is None:
        raise ValueError(f"{cell} is no such period")
    found = match.groupdict()
    year = int(found["year"]) if "year" in found else _year_of_short(int(found["short"]))
    if "week" in found:
        return date.fromisocalendar(year, int(found["week"]), 1).toordinal() - EPOCH
    if "name" in found:
        month = _month_of(found["name"].lower())
    elif "month" in found:
        month = int(found["month"])
    else:
        month = 3 * int(found["quarter"]) - 2 if "quarter" in found else 6 * int(found["half"]) - 5
    return date(year, month, 1).toordinal() - EPOCH


def _fraction(clock: str) -> float:
    """The time of a day as a part of it."""
    if (half := clock.rstrip(".").lower()).endswith("m"):
        return (seconds(half) % 86400) / 86400
    hour, minute, *rest = clock.replace(",", ".").split(":")
    second = float(rest[0]) if rest else 0.0
    if int(hour) > 23 or int(minute) > 59 or second >= 61:
        raise ValueError(f"{clock} is no time of day")
    return (int(hour) * 3600 + int(minute) * 60 + second) / 86400


def seconds(cell: str) -> float:
    """Seconds since midnight, or of a duration: 12:30, 1:30 PM, 2h 30m, or as pandas writes it, -1 days +23:59:59.

    >>> seconds("12:30:15"), seconds("12:05 am"), seconds("1:00 p.m."), seconds("9h05"), seconds("-1 days +23:59:59")
    (45015.0, 300.0, 46800.0, 32700.0, -1.0)
    """
    if half := _HALF_OF_DAY.fullmatch(cell):
        hours, _, rest = half[1].partition(":")
        if not 1 <= int(hours) <= 12:
            raise ValueError(f"{cell} is no time of day")
        return seconds(f"{int(hours) % 12 + 12 * (half[2].lower() == 'p')}:{rest}")
    if hours_and_minutes := _HOURS_AND_MINUTES.fullmatch(cell):
        return 3600.0 * int(hours_and_minutes[1]) + 60.0 * int(hours_and_minutes[2])
    cell = cell.removesuffix(" Uhr")
    if found := _DAY_COUNT.match(cell):
        return int(found[1]) * 86_400 + seconds(cell[found.end() :])
    hours, minutes, *rest = cell.lstrip("-").split(":")
    value = int(hours) * 3600 + int(minutes) * 60 + (float(rest[0]) if rest else 0.0)
    return -value if cell.startswith("-") else value
