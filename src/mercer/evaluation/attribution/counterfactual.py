"""The nearest row with another answer: fewest columns changed, then the smallest change.

Problem: of the rows that differ from x in k columns and get the answer asked for, find the one with the smallest k, and
then the smallest sum over changed columns of |x'_j - x_j| / s_j, or 1 for another level (the L0, then L1 distance of
Wachter et al. 2018, scaled). Values stay within those of the training rows.
Method: every candidate value of one column; then every pair of values of two, and so on while the sets are few; numbers
are then brought nearer to the row as far as the answer holds. Where sets are many, the change that moves the score most
is made, again and again, and changes that turn out not to be needed are taken back; where that leads nowhere, as on the
plateaus of a tree, some values of every set are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np

from mercer.arrays import Floats
from mercer.evaluation.attribution.candidates import Candidates, ChangedRows

SET_BUDGET = 10_000  # scores computed for sets of two columns, of three, ...
_NEAR = 8  # hits that are brought nearer
_POINTS, _ROUNDS = 16, 3  # numbers tried between the row and a hit, again and again: to 1/4,096 of their distance

Margin = Callable[[Any], Floats]  # rows -> how far they are beyond the answer asked for; above 0 they have it


@dataclass(frozen=True)
class CellChanges:
    """Changes of one row: for each changed column the row of the pool, or a number, and the distance."""

    places: dict[int, int] = field(default_factory=dict)
    numbers: dict[int, float] = field(default_factory=dict)
    distance: dict[int, float] = field(default_factory=dict)

    @property
    def cost(self) -> float:
        """Sum of the distances."""
        return sum(self.distance.values())

    @property
    def columns(self) -> list[int]:
        """The columns that are changed."""
        return sorted(self.distance)

    def with_candidate(self, j: int, c: Candidates, k: int) -> CellChanges:
        """The same with column j changed to its candidate k."""
        numbers = {i: v for i, v in self.numbers.items() if i != j}
        return CellChanges(self.places | {j: int(c.places[k])}, numbers, self.distance | {j: float(c.distance[k])})

    def with_number(self, j: int, value: float, c: Candidates) -> CellChanges:
        """The same with a number between the row and a candidate."""
        distance = abs(value - c.own) / c.scale
        return CellChanges(self.places, self.numbers | {j: value}, self.distance | {j: distance})

    def without(self, j: int) -> CellChanges:
        """The same with column j as it was."""
        parts = (self.places, self.numbers, self.distance)
        return CellChanges(*({i: v for i, v in part.items() if i != j} for part in parts))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Search:
    """The rows that may be tried and how far each is beyond the answer."""

    rows: ChangedRows
    margin: Margin

    def margins(self, attempts: Sequence[CellChanges]) -> Floats:
        """How far each attempt is beyond the answer."""
        shape = (len(attempts), len(self.rows.names))
        index, numbers = np.zeros(shape, dtype=np.int64), np.full(shape, np.nan)
        for i, attempt in enumerate(attempts):
            for j, place in attempt.places.items():
                index[i, j] = place
            for j, value in attempt.numbers.items():
                numbers[i, j] = value
        return self.margin(self.rows.build(index, numbers)) if len(attempts) else np.empty(0)

    def singles(self, start: CellChanges) -> list[CellChanges]:
        """Every change of one further column."""
        free = [j for j in self.rows.free if j not in start.distance]
        columns = self.rows.columns
        return [start.with_candidate(j, columns[j], k) for j in free for k in range(len(columns[j].places))]

    def nearest(self, most: int) -> tuple[CellChanges | None, bool]:
        """The nearest attempt with the answer asked for, and whether every candidate was tried for so few columns."""
        singles = self.singles(CellChanges())
        margins = self.margins(singles)
        found, all_tried = self._best(singles, margins), True
        for size in range(2, most + 1):
            if found is not None:
                break
            values, all_tried = self._values(size, singles, margins)
            many = size > 2 and not all_tried
            found = self._greedy(most) if many else None
            if found is None:
                sets = self._sets(size, values)
                found = self._best(sets, self.margins(sets))
            if many:
                break
        return found, all_tried

    def _best(self, attempts: list[CellChanges], margins: Floats) -> CellChanges | None:
        """The nearest of those with the answer, their numbers brought nearer; one of each set of columns at first."""
        hits = [t for t, m in zip(attempts, margins, strict=True) if m > 0]
        nearest: dict[tuple[int, ...], CellChanges] = {}
        for attempt in sorted(hits, key=lambda t: t.cost):
            nearest.setdefault(tuple(attempt.columns), attempt)
        near = [self._nearer(attempt) for attempt in list(nearest.values())[:_NEAR]]
        return min(near, key=lambda t: t.cost, default=None)

    def _values(self, size: int, singles: list[CellChanges], margins: Floats) -> tuple[dict[int, list[int]], bool]:
        """Of each column the candidates that the budget allows in sets of `size`, and whether these are all.

        The most promising columns come first; of each there are two values or more.
        """
        promise = dict.fromkeys(self.rows.free, -np.inf)
        for attempt, m in zip(singles, margins, strict=True):
            promise[attempt.columns[0]] = max(promise[attempt.columns[0]], float(m))
        n_columns = len(promise)
        while n_columns > size and comb(n_columns, size) * 2**size > SET_BUDGET:
            n_columns -= 1
        n_values = max(2, int((SET_BUDGET / max(comb(n_columns, size), 1)) ** (1 / size)))
        columns = sorted(promise, key=lambda j: -promise[j])[:n_columns]
        chosen = {j: self._some(j, n_values, singles, margins) for j in columns}
        return chosen, sum(map(len, chosen.values())) == len(singles)

    def _sets(self, size: int, values: dict[int, list[int]]) -> list[CellChanges]:
        """Every change of so many columns to these candidates."""
        columns, found = self.rows.columns, []
        for chosen in combinations(values, size):
            for places in product(*(values[j] for j in chosen)):
                attempt = CellChanges()
                for j, k in zip(chosen, places, strict=True):
                    attempt = attempt.with_candidate(j, columns[j], k)
                found.append(attempt)
        return found

    def _some(self, j: int, size: int, singles: list[CellChanges], margins: Floats) -> list[int]:
        """Places of some candidates: numbers from end to end, the levels that move the score most."""
        c = self.rows.columns[j]
        if len(c.places) <= size:
            return list(range(len(c.places)))
        if c.numbers is not None:
            return np.unique(np.linspace(0, len(c.places) - 1, size).round().astype(int)).tolist()
        own = {t.places[j]: float(m) for t, m in zip(singles, margins, strict=True) if j in t.places}
        return sorted(range(len(c.places)), key=lambda k: -own[int(c.places[k])])[:size]

    def _nearer(self, attempt: CellChanges) -> CellChanges:
        """Numbers brought nearer to the row, one column after the other, as far as the answer holds."""
        for j in sorted(attempt.distance, key=lambda j: -attempt.distance[j]):
            c = self.rows.columns[j]
            if c.numbers is not None and c.continuous and not np.isnan(c.own):
                attempt = self._nearer_in(attempt, j, c)
        return attempt

    def _nearer_in(self, attempt: CellChanges, j: int, c: Candidates) -> CellChanges:
        assert c.numbers is not None
        value = attempt.numbers.get(j, float(c.numbers[np.flatnonzero(c.places == attempt.places[j])[0]]))
        low, high = c.own, value
        for _ in range(_ROUNDS):
            points = np.linspace(low, high, _POINTS + 2)[1:-1]
            points = np.unique(np.ceil(points) if value > c.own else np.floor(points)) if c.whole else points
            points = points[np.argsort(np.abs(points - c.own))]
            points = points[(points != c.own) & (points != high)]
            hit = np.flatnonzero(self.margins([attempt.with_number(j, float(v), c) for v in points]) > 0)
            if len(hit):
                high = float(points[hit[0]])
            missed = points[: hit[0]] if len(hit) else points
            low = float(missed[-1]) if len(missed) else low
            if c.whole and abs(high - low) <= 1:
                break
        return self._rounded(attempt, j, c, high)

    def _rounded(self, attempt: CellChanges, j: int, c: Candidates, value: float) -> CellChanges:
        """A round number just beyond, if it is within the range and has the answer too."""
        assert c.numbers is not None
        exact = attempt.with_number(j, value, c)
        step = 10.0 ** np.floor(np.log10(c.scale / 20))
        up = value > c.own
        near = float((np.ceil if up else np.floor)(value / step) * step)
        near = round(near, max(0, -int(np.log10(step))) + 1)
        if c.whole or not c.numbers[0] <= near <= c.numbers[-1]:
            return exact
        rounded = attempt.with_number(j, near, c)
        return rounded if self.margins([rounded])[0] > 0 else exact

    def _greedy(self, most: int) -> CellChanges | None:
        """The change that moves the score most, again and again; then without those that are not needed."""
        attempt = CellChanges()
        for _ in range(most):
            options = self.singles(attempt)
            margins = self.margins(options)
            if not len(options):
                return None
            hits = [t for t, m in zip(options, margins, strict=True) if m > 0]
            if hits:
                return self._needed(min(hits, key=lambda t: t.cost))
            attempt = options[int(np.argmax(margins))]
        return None

    def _needed(self, attempt: CellChanges) -> CellChanges:
        for j in sorted(attempt.distance, key=lambda j: -attempt.distance[j]):
            less = attempt.without(j)
            if less.distance and self.margins([less])[0] > 0:
                attempt = less
        return self._nearer(attempt)
