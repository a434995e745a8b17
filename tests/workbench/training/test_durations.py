"""Durations as users write them."""

from __future__ import annotations

import pytest

from mercer.errors import MercerError
from mercer.workbench.training.durations import budget_and_column, seconds


@pytest.mark.parametrize(
    ("given", "expected"),
    [(60, 60), ("60", 60), ("60s", 60), ("1.5 min", 90), ("5m", 300), ("1h", 3600), (".5", 0.5), ("2 hours", 7200)],
)
def test_a_number_with_or_without_a_unit(given: str | float, expected: float) -> None:
    assert seconds(given) == expected


@pytest.mark.parametrize("given", ["0", "-5", -1, float("nan"), float("inf"), "5 days", "soon", ""])
def test_what_is_no_duration_is_refused(given: str | float) -> None:
    with pytest.raises(MercerError, match="as in 60s, 5m or 1h"):
        seconds(given)


def test_time_is_a_budget_or_a_column() -> None:
    assert budget_and_column(60, None, None) == (60, None)
    assert budget_and_column("date", None, None) == (None, "date")
    assert budget_and_column("5m", None, "date") == (300, "date")
    assert budget_and_column(None, "1h", "5m") == (3600, "5m")
    assert budget_and_column("5 days", None, None) == (None, "5 days")  # a column's name
    with pytest.raises(MercerError, match="above 0"):
        budget_and_column("-5", None, None)
    with pytest.raises(MercerError, match="one budget"):
        budget_and_column(5, 6, None)
    with pytest.raises(MercerError, match="one column"):
        budget_and_column("date", None, "day")
