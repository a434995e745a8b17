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
}
# Day first or month first: read only when a column fits one of them and not the other.
_EITHER = {
    "%d/%m/%Y": r"\d{1,2}/\d{1,2}/\d{4}",
    "%m/%d/%Y": r"\d{1,2}/\d{1,2}/\d{4}",
    "%d-%m-%Y": r"\d{1,2}-\d{1,2}-\d{4}",
    "%m-%d-%Y": r"\d{1,2}-\d{1,2}-\d{4}",
}
_CLOCK = {
    "": "",
    " %H:%M": r"[ T]\d{1,2}:\d\d",
    " %H:%M:%S": r"[ T]\d{1,2}:\d\d:\d\d(?:[.,]\d+)?",
}
_ZONE = re.compile(r"(:\d\d(?:[.,]\d+)?) ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)$")
_UTC = re.compile("Z|UTC|GMT|[+-]00(:?00)?")
_BEFORE_CLOCK = re.compile(r"[ T](?=\d{1,2}:)")
MONTH_PATTERN = re.compile(r"(?:1[5-9]|2[01])\d\d-(?:0[1-9]|1[0-2])", re.ASCII)  # 4711-05 is a name
UNCLEAR_DATE = re.compile(r"\d{1,2}([/-])\d{1,2}\1(\d\d|\d{4})([ T]\d{1,2}:\d\d(:\d\d)?)?")
_DAY_COUNT = re.compile(r"(-?\d{1,6}) days? \+?", re.ASCII)
TIME_PATTERN = re.compile(rf"(?:{_DAY_COUNT.pattern})?-?\d{{1,4}}:[0-5]\d(:[0-5]\d(\.\d+)?)?", re.ASCII)
_WITH_T = "%Y-%m-%dT%H:%M:%S"  # of models stored before every layout took a T


def layouts() -> dict[str, re.Pattern[str]]:
    """The pattern of every layout of dates, with and without a time of day."""
    found = {day + clock: p + c for day, p in (_DAYS | _EITHER).items() for clock, c in _CLOCK.items()}
    return {name: re.compile(p, re.ASCII) for name, p in found.items()} | {
        _WITH_T: re.compile(found["%Y-%m-%d %H:%M:%S"], re.ASCII)
    }


def day_or_month_first(layout: str) -> bool:
    """Whether the same text may be a date with the day first and one with the month first."""
    return layout.partition(" %H")[0] in _EITHER


def are_seasons(cells: Sequence[str]) -> bool:
    """Whether 2010-11 and the like are no months but all name a year and the next."""
    return all((int(cell[2:4]) + 1) % 100 == int(cell[5:7]) for cell in cells)


def without_zone(cell: str) -> str:
    """A moment without its time zone; any other text as it is."""
    return _ZONE.sub(r"\1", cell) if ":" in cell else cell


def time_zone(cell: str) -> str:
    """The time zone that a moment is written with, "UTC" for all names of that; "" for none."""
    found = _ZONE.search(cell)
    return "" if found is None else "UTC" if _UTC.fullmatch(found[2]) else found[2].replace(":", "")


def days(layout: str) -> Callable[[str], float]:
    """The reader of a layout: days since 1970-01-01, with the time of day as a fraction."""
    day_layout, *clock_layout = re.split(r"[ T](?=%H)", layout)

    def read(cell: str) -> float:
        day, *clock = _BEFORE_CLOCK.split(cell) if clock_layout else (cell,)
        return datetime.strptime(day, day_layout).toordinal() - EPOCH + sum(map(_fraction, clock))

    return read


def _fraction(clock: str) -> float:
    """The time of a day as a part of it."""
    hour, minute, *rest = clock.replace(",", ".").split(":")
    second = float(rest[0]) if rest else 0.0
    if int(hour) > 23 or int(minute) > 59 or second >= 61:
        raise ValueError(f"{clock} is no time of day")
    return (int(hour) * 3600 + int(minute) * 60 + second) / 86400


def seconds(cell: str) -> float:
    """Seconds since midnight, or of a duration: 12:30 or 12:30:15, or as pandas writes it, -1 days +23:59:59."""
    if found := _DAY_COUNT.match(cell):
        return int(found[1]) * 86_400 + seconds(cell[found.end() :])
    hours, minutes, *rest = cell.lstrip("-").split(":")
    value = int(hours) * 3600 + int(minutes) * 60 + (float(rest[0]) if rest else 0.0)
    return -value if cell.startswith("-") else value
