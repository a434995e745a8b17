"""Numbers of days since 1970-01-01 as the dates that they are, and dates along an axis."""

from __future__ import annotations

from datetime import date

from mercer.formatting import amount
from mercer.table.kinds.parts import DateUnit, date_text

Mark = tuple[float, str]
EPOCH = date(1970, 1, 1).toordinal()


def value_text(value: float, unit: DateUnit) -> str:
    """A number of days as a date or a moment, and where there is no unit a number."""
    return date_text(value, unit) if unit else amount(value)


def day_ticks(low: float, high: float) -> list[Mark]:
    """`date_ticks` between numbers of days since 1970-01-01; those outside of the years 1 to 9999 have none."""
    ends = [min(max(end + EPOCH, 1.0), float(date.max.toordinal())) for end in (low, high)]
    return [(at - EPOCH, text) for at, text in date_ticks(*ends)]


def date_ticks(low: float, high: float) -> list[Mark]:
    """Four dates or fewer, at starts of years, of months, or whole days: as much of each as tells them apart."""
    first, last = date.fromordinal(int(low)), date.fromordinal(int(high))
    years = [date(y, 1, 1) for y in range(first.year, min(last.year + 2, date.max.year + 1))]
    months = [date(y.year, m, 1) for y in years for m in range(1, 13)] if len(years) < 50 else []
    for starts, pattern in ((years, "%Y"), (months, "%Y-%m")):
        inside = [d for d in starts if low <= d.toordinal() <= high]
        if len(inside) >= 2:
            step = -(-len(inside) // 4)
            return [(float(d.toordinal()), d.strftime(pattern)) for d in inside[::step]]
    ends = dict.fromkeys((first, last))
    return [(float(d.toordinal()), d.isoformat()) for d in ends]
