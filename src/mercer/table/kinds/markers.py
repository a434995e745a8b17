"""Numbers that may stand for a missing value: -999 where all others lie between 0 and 40."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.arrays import Floats
from mercer.formatting import percent

_FEWEST = 2  # rows: one alone is an outlier or a slip


@dataclass(frozen=True)
class End:
    """The smallest number of a column. n_rows : that have it; next : the second smallest; of nines alone, else 0."""

    value: float
    n_rows: int = 0
    next: float = 0.0

    @classmethod
    def of(cls, low: float, values: Floats) -> Self:
        """Of numbers the smallest of which is `low`; NaN is none."""
        if not is_nines(low):
            return cls(low)
        others = values[values > low]
        return cls(low, int((values == low).sum()), float(others.min()) if len(others) else low)

    def merge(self, other: End) -> End:
        """Of both samples together."""
        if self.value == other.value:
            above = [end.next for end in (self, other) if end.next > end.value]
            return End(self.value, self.n_rows + other.n_rows, min(above, default=self.next))
        first, second = sorted((self, other), key=lambda end: end.value)
        above = [second.value, *([first.next] if first.next > first.value else [])]
        return End(first.value, first.n_rows, min(above)) if is_nines(first.value) else End(first.value)


@dataclass(frozen=True)
class Ends:
    """The smallest number of a column, and the smallest with the other sign for the largest."""

    low: End
    high: End

    @classmethod
    def of(cls, low: float, high: float, values: Floats) -> Self:
        """Of numbers between `low` and `high`; NaN is none."""
        return cls(End.of(low, values), End.of(-high, -values) if is_nines(high) else End(-high))

    def merge(self, other: Ends) -> Ends:
        """Of both samples together."""
        return Ends(self.low.merge(other.low), self.high.merge(other.high))

    def marker(self) -> Marker | None:
        """The end that is further from all others than these are from each other; None where neither is."""
        for end, far, sign in ((self.low, self.high, 1.0), (self.high, self.low, -1.0)):
            spread = -far.value - end.next
            if is_nines(end.value) and end.n_rows >= _FEWEST and end.next - end.value > spread > 0:
                return Marker(sign * end.value, end.n_rows, sign * end.next)
        return None


def option(column: str, value: float) -> str:
    """What to type so that a number of this column is read as missing.

    >>> option("income", 99.0)
    "--missing 'income=99'"
    """
    return f"--missing {f'{column}={value:.0f}'!r}"


@dataclass(frozen=True)
class Marker:
    """A number of nines that so many rows have, far from the nearest of the others."""

    value: float
    n_rows: int
    nearest: float

    def statement(self, column: str, n_known: int) -> str:
        """What there is to see, and what to do; n_known : rows of the column that have a number."""
        return (
            f"{self.value:.0f}, in {percent(self.n_rows / n_known)} of the known cells, is far from all others (the "
            f"nearest is {self.nearest:g}): where it means that a value is missing, say {option(column, self.value)}"
        )


def is_nines(value: float) -> bool:
    """Whether a number is 9, 99, 999, ... or one of these below 0.

    >>> [x for x in (-999.0, 99, 9.9, 0, 989, float("nan"), float("inf")) if is_nines(x)]
    [-999.0, 99]
    """
    size = abs(value)
    return size < 1e15 and size == int(size) and set(str(int(size))) == {"9"}


def missing_marker(values: Floats) -> Marker | None:
    """The number among these that may stand for a missing value; NaN is none of them.

    >>> missing_marker(np.array([12.0, -999.0, 31.5, -999.0, 20.0]))
    Marker(value=-999.0, n_rows=2, nearest=12.0)
    >>> missing_marker(np.array([97.0, 98.0, 99.0, 99.0]))
    """
    known = values[np.isfinite(values)]
    return Ends.of(float(known.min()), float(known.max()), known).marker() if len(known) else None
