"""Seconds, minutes and hours as users write them; and what `time` means: a budget, or a column."""

from __future__ import annotations

import math
import re

from mercer.errors import MercerError
from mercer.parameters import Number

_DURATION = re.compile(
    r"(?P<number>\d+(?:\.\d*)?|\.\d+) *(?P<unit>s|sec|seconds?|m|min|minutes?|h|hours?)?", re.IGNORECASE
)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(given: str | float, name: str = "time_budget") -> float:
    """Seconds of 60, "60", "60s", "5m" or "1h".

    Parameters
    ----------
    given : str or float
        A number of seconds, or a number with its unit.
    name : str, default "time_budget"
        What the value is called in errors.

    Returns
    -------
    seconds : float
        Above 0.

    Raises
    ------
    MercerError
        It is no duration, or not above 0.

    Examples
    --------
    >>> from mercer.workbench.training.durations import seconds
    >>> seconds("5m"), seconds(30)
    (300.0, 30.0)
    """
    if isinstance(given, str):
        found = _DURATION.fullmatch(given.strip())
        value = math.nan if found is None else float(found["number"]) * _SECONDS[(found["unit"] or "s")[0].lower()]
    else:
        value = float(given) if Number().accepts(given) else math.nan
    if not (value > 0 and math.isfinite(value)):
        raise MercerError(f"{name} = {given!r}: give seconds above 0, or a number with its unit, as in 60s, 5m or 1h.")
    return value


def budget_and_column(
    time: str | float | None, time_budget: str | float | None, time_column: str | None
) -> tuple[float | None, str | None]:
    """Seconds of the budget, and the column by which rows are split.

    `time` may be either: a number, with or without a unit, is a budget; anything else names a column.

    Examples
    --------
    >>> from mercer.workbench.training.durations import budget_and_column
    >>> budget_and_column("5m", None, "date")
    (300.0, 'date')
    """
    if time is not None:
        if isinstance(time, str) and not _is_number(time):
            if time_column is not None:
                raise MercerError(f"time = {time!r} and time_column = {time_column!r}: name one column.")
            time_column = time
        elif time_budget is not None:
            raise MercerError(f"time = {time!r} and time_budget = {time_budget!r}: give one budget.")
        else:
            time_budget = time
    return None if time_budget is None else seconds(time_budget, "time"), time_column


def _is_number(text: str) -> bool:
    """Whether a text is meant as a duration: also one that is refused, such as -5 or 0."""
    return _DURATION.fullmatch(text.strip().lstrip("-+")) is not None
