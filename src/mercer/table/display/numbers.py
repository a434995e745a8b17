"""One number of a column as people read it: a date as a date, a time of day as a time, other numbers as numbers."""

from __future__ import annotations

import math

import numpy as np

from mercer.table.display.frames import date_cells, holds_dates
from mercer.table.formats.notation import TIME, has_time_of_day
from mercer.table.schema import Column


def shown_number(column: Column, value: float, digits: int = 6) -> str:
    """A value of a numeric column, or a threshold between two of them, as text.

    A threshold between two dates is shown as the earlier one, so that `<=` and `>` stay true.

    Parameters
    ----------
    column : Column
        The column.
    value : float
        A number in its units: days since 1970-01-01 for dates.
    digits : int, default 6
        Significant digits of other numbers.

    Returns
    -------
    text : str
        For instance "2024-12-31", "2024-12-31 06:00", "12:30" or "3.5".

    Examples
    --------
    >>> import mercer
    >>> from mercer.table import shown_number
    >>> schema = mercer.read_table({"day": ["2024-12-31", "2025-01-01", "2025-01-02"]}).schema
    >>> shown_number(schema["day"], 20088.5)
    '2024-12-31'
    """
    cells = np.array([value], dtype=np.float64)
    if math.isfinite(value) and holds_dates(column, cells):
        return _moment(column, cells)
    if column.format == TIME and math.isfinite(value):
        return _clock(value)
    return f"{value + 0.0:.{digits}g}"  # 0.0 for -0.0


def _moment(column: Column, days: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    if not has_time_of_day(column.format):
        return str(date_cells(column, np.floor(days))[0])
    moment = np.datetime64(round(float(days[0]) * 86400), "s")  # days as floats are not exact to a microsecond
    text = str(moment).replace("T", " ")
    return text.removesuffix(":00")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(abs(seconds), 3), 60)
    text = f"{int(minutes // 60)}:{int(minutes % 60):02}" + (f":{rest:06.3f}".rstrip("0").rstrip(".") if rest else "")
    return f"-{text}" if seconds < 0 else text
