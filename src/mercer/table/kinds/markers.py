"""Numbers that may stand for a missing value: -999 where all others lie between 0 and 40, or -1 beside incomes.

A code such as 99, 98 and 99, or -1 at an end of a column is one where it is further from the others than these are from
each other, or where there is a gap before it that no neighbours have and it comes back: a code has many rows, while the
last numbers of an amount have few.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Self, TypeAlias

import numpy as np

from mercer.arrays import Floats
from mercer.formatting import percent

Met: TypeAlias = tuple[float, int]  # a number, and how many rows have it
_FEWEST = 2  # rows: one alone is an outlier or a slip
_MOST_CODES = 4
_NEIGHBOURS = 10  # the numbers next to a code, whose gaps and rows are those of amounts
_KEPT = _MOST_CODES + _NEIGHBOURS
_WIDER, _MUCH_WIDER, _MORE = 3.0, 5.0, 2.0  # than the widest gap of the neighbours; times the mean of their rows
_BELOW_ALL = 10.0  # times a code such as 99, where all numbers are larger
_DRAWN = 2000


@dataclass(frozen=True)
class Ends:
    """The smallest different numbers of a column, and the largest, from the outermost on."""

    low: tuple[Met, ...]
    high: tuple[Met, ...]

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Of numbers, none of them missing."""
        return cls(_smallest(values), _negated(_smallest(-values)))

    def merge(self, other: Ends) -> Ends:
        """Of both samples together."""
        high = _merged(_negated(self.high), _negated(other.high))
        return Ends(_merged(self.low, other.low), _negated(high))

    def marker(self) -> Marker | None:
        """The codes of the low end, or else of the high one; None where neither has such."""
        found = _marker(self.low, self.high[0][0])
        if found is None:
            found = _marker(_negated(self.high), -self.low[0][0], high=True)
        return found


def may_hold_codes(low: float, high: float) -> bool:
    """Whether the smallest or the largest number of a column is a code, so that a look at its neighbours is due."""
    return _is_code(low, high=False) or _is_code(high, high=True)


@dataclass(frozen=True)
class Marker:
    """A number that so many rows have, apart from the nearest of the others; beside : further codes next to it."""

    value: float
    n_rows: int
    nearest: float
    beside: tuple[float, ...] = ()
    is_far: bool = True

    @property
    def values(self) -> tuple[float, ...]:
        """All codes."""
        return (self.value, *self.beside)

    def statement(self, column: str, n_known: int) -> str:
        """What there is to see, and what to do; n_known : rows of the column that have a number."""
        several = bool(self.beside)
        apart = f"{'are' if several else 'is'} {'far' if self.is_far else 'apart'} from all others"
        codes = " and ".join(f"{value:.0f}" for value in self.values)
        return (
            f"{codes}, in {percent(self.n_rows / n_known)} of the known cells, {apart} (the nearest is "
            f"{self.nearest:g}): where "
            f"{'they mean' if several else 'it means'} that a value is missing, say "
            f"{' '.join(option(column, value) for value in self.values)}"
        )


def option(column: str, value: float) -> str:
    """What to type so that a number of this column is read as missing.

    >>> option("income", 99.0)
    "--missing 'income=99'"
    """
    return f"--missing {f'{column}={value:.0f}'!r}"


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
    Marker(value=-999.0, n_rows=2, nearest=12.0, beside=(), is_far=True)
    >>> missing_marker(np.array([97.0, 98.0, 99.0, 99.0]))
    """
    known = values[np.isfinite(values)]
    if not len(known) or not may_hold_codes(float(known.min()), float(known.max())):
        return None
    return Ends.of(known).marker()


def _is_code(value: float, *, high: bool) -> bool:
    """Whether a number may be the outermost of codes: nines, some of 98, 97, 88 and 77, or -1 to -9 at the low end."""
    size = abs(value)
    if not size < 1e15 or size != int(size) or size == 0:
        return False
    digits = str(int(size))
    last = digits[-1] >= "7" or (not high and -10 < value < 0)
    return set(digits) in ({"7"}, {"8"}) or (set(digits[:-1]) <= {"9"} and last)


def _is_anchor(value: float, *, high: bool) -> bool:
    """Whether a number is a code by itself, beside which others are: 98, 88 and 77 beside 99, -2 and -9 beside -1."""
    return is_nines(value) or (value == -1 and not high)


def _is_beside(value: float, anchor: float, *, high: bool) -> bool:
    if not _is_code(value, high=high) or (value < 0) != (anchor < 0):
        return False
    return len(f"{abs(value):.0f}") == len(f"{abs(anchor):.0f}")


def _marker(met: tuple[Met, ...], far: float, *, high: bool = False) -> Marker | None:
    """The codes at the low end of numbers; `far` is the largest of them. At the high end all have the other sign."""
    anchor = next((value for value, _ in met[:_MOST_CODES] if _is_anchor(value, high=high)), None)
    if anchor is None:
        return None
    codes = list(takewhile(lambda one: _is_beside(one[0], anchor, high=high), met[:_MOST_CODES]))
    others = met[len(codes) :]
    apart = _apart(codes, others, far, high=high) if anchor in dict(codes) and others else ""
    if not apart:
        return None
    sign = -1.0 if high else 1.0
    beside = tuple(sign * value for value, _ in codes if value != anchor)
    return Marker(sign * anchor, sum(n for _, n in codes), sign * others[0][0], beside, apart == "far")


def _apart(codes: list[Met], others: tuple[Met, ...], far: float, *, high: bool) -> str:
    """Whether codes stand "far" from the others or "apart" from them; "" where they do not."""
    (last, _), (nearest, _) = codes[-1], others[0]
    n_rows, gap, spread = sum(n for _, n in codes), nearest - last, far - nearest
    if n_rows < _FEWEST or _are_prices(others):
        return ""
    if gap > spread > 0 and (is_nines(codes[0][0]) or len(codes) > 1):
        return "far"
    neighbours = others[:_NEIGHBOURS]
    if len(neighbours) < _NEIGHBOURS:
        return ""
    widest = max(b - a for (a, _), (b, _) in pairwise(neighbours))
    comes_back = n_rows > _MORE * len(codes) * sum(n for _, n in neighbours) / len(neighbours)
    if last < 0 and not high:
        found = nearest > 0 and gap > (widest if comes_back else _WIDER * widest)
    else:
        found = comes_back and (gap > _MUCH_WIDER * widest if high else gap > widest and nearest > _BELOW_ALL * last)
    return "apart" if found else ""


def _are_prices(others: tuple[Met, ...]) -> bool:
    """Whether most of the numbers end in 9, as 19, 49 and 299 do, so that 999 is one of them."""
    nines = sum(abs(value) % 10 == 9 for value, _ in others)
    return 2 * nines > len(others)


def _smallest(values: Floats) -> tuple[Met, ...]:
    """The smallest different numbers, each with its rows."""
    bound = np.unique(values[:: max(1, len(values) // _DRAWN)])
    if len(bound) >= _KEPT:  # no number above these can be among them
        numbers, rows = np.unique(values[values <= bound[_KEPT - 1]], return_counts=True)
        return tuple(zip(numbers[:_KEPT].tolist(), rows[:_KEPT].tolist(), strict=True))
    found: list[Met] = []
    while len(values) and len(found) < _KEPT:  # few differ: a pass for each costs less than to sort them
        others = values[values > values.min()]
        found.append((float(values.min()), len(values) - len(others)))
        values = others
    return tuple(found)


def _merged(a: tuple[Met, ...], b: tuple[Met, ...]) -> tuple[Met, ...]:
    counts = dict(a)
    for value, n in b:
        counts[value] = counts.get(value, 0) + n
    return tuple(sorted(counts.items())[:_KEPT])


def _negated(met: tuple[Met, ...]) -> tuple[Met, ...]:
    return tuple((-value, n) for value, n in met)
