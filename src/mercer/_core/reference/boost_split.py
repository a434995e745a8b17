"""The best test of a node of a boosted tree, from its histogram: what native/include/mercer/boost_split.hpp computes.

Gradients and hessians are integers, multiples of a power of two, so that histograms add up exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer._core.reference.tree.random import Random, of_branch
from mercer.arrays import Floats, Ints, Longs

NONE = 2
TINY = 1e-15  # no division by zero where hessians vanish
Triple: TypeAlias = tuple[int, int, int]  # gradient, hessian, rows


@dataclass(frozen=True)
class Units:
    """What 1 stands for in the integers, and the bits behind a hessian that hold a number of rows."""

    gradient: float
    hessian: float
    count_bits: int

    @classmethod
    def of(cls, largest_gradient: float, largest_hessian: float, n_rows: int) -> Self:
        """As fine as sums over all rows leave room for."""
        bits = n_rows.bit_length() if n_rows > 1 else 1
        gradient = math.ldexp(1.0, _exponent(largest_gradient) + bits - 62)
        return cls(gradient, math.ldexp(1.0, _exponent(largest_hessian) + 2 * bits - 62), bits)

    def integers(self, gradient: Floats, hessian: Floats) -> tuple[Longs, Longs]:
        """Both as multiples of their units."""
        return np.rint(gradient / self.gradient).astype(np.int64), np.rint(hessian / self.hessian).astype(np.int64)

    def triple(self, sums: Any) -> Triple:
        """Of an entry of a histogram: gradient, and hessian << count_bits | rows."""
        return int(sums[0]), int(sums[1]) >> self.count_bits, int(sums[1]) & ((1 << self.count_bits) - 1)


def _exponent(largest: float) -> int:
    return math.frexp(largest if largest > 0 else 1.0)[1]


@dataclass
class Split:
    """A test, and what it gains; column -1 for none."""

    gain: float
    column: int = -1
    cut: int = 0
    missing_left: int = 0  # 1: missing cells go left; NONE: there were none, and a row with one stops here
    left_bins: list[int] | None = None
    values: tuple[float, float] = (0.0, 0.0)
    left: Triple = (0, 0, 0)


@dataclass(frozen=True)
class Finder:
    """Looks for the best test of a column of a node with this value and these bounds."""

    rules: Any
    units: Units
    value: float
    low: float
    high: float

    def find(self, j: int, sums: list[Triple], nominal: bool) -> Split:
        """The best test of one column: of every cut with missing cells right, then left; or of sets of levels."""
        n_bins, best = len(sums) - 1, Split(self.rules["min_gain"])
        if nominal:
            return self._levels(best, j, sums)
        some = sums[n_bins][2] > 0
        for side in range(2 if some else 1):
            for cut in range(n_bins - (side or not some)):
                left = [*range(cut + 1), *([n_bins] if side else [])]
                mirrored = side == 1 and not any(sums[b][2] for b in range(cut + 1))
                if (sums[cut][2] or cut == 0) and not mirrored and self._consider(best, sums, left, j, nominal=False):
                    best.cut, best.missing_left = cut, side
        if best.column >= 0 and not some:
            best.missing_left = int(2 * best.left[2] > sum(s[2] for s in sums))
        return best

    def _levels(self, best: Split, j: int, sums: list[Triple]) -> Split:
        present = [b for b, s in enumerate(sums) if s[2]]
        smooth, units = self.rules["level_smooth"], self.units
        key = {b: sums[b][0] * units.gradient / (sums[b][1] * units.hessian + smooth) for b in present}
        order = sorted(present, key=lambda b: (key[b], b))
        for cut in range(len(order) - 1):
            few = min(cut + 1, len(order) - cut - 1) <= self.rules["most_levels"]
            if few and self._consider(best, sums, order[: cut + 1], j, nominal=True):
                best.left_bins = order[: cut + 1]
        if best.left_bins is not None:
            missing = len(sums) - 1
            best.missing_left = int(missing in best.left_bins) if sums[missing][2] else NONE
        return best

    def _consider(self, best: Split, sums: list[Triple], left: list[int], j: int, *, nominal: bool) -> bool:
        rules, units = self.rules, self.units
        l2 = rules["l2"] + (rules["level_l2"] if nominal else 0.0)
        total = [sum(s[k] for s in sums) for k in range(3)]
        one = [sum(sums[b][k] for b in left) for k in range(3)]
        two = [a - b for a, b in zip(total, one, strict=True)]
        if min(one[2], two[2]) < rules["min_rows"] or min(one[1], two[1]) * units.hessian < rules["min_hessian"]:
            return False
        gl, gr = one[0] * units.gradient, two[0] * units.gradient
        a = min(max(-gl / (one[1] * units.hessian + l2 + TINY), self.low), self.high)
        b = min(max(-gr / (two[1] * units.hessian + l2 + TINY), self.low), self.high)
        sign = rules["monotone"][j] if len(rules["monotone"]) else 0
        gain = total[0] * units.gradient * self.value - gl * a - gr * b
        if (b - a) * sign < 0 or not gain > best.gain:
            return False
        best.gain, best.column, best.values, best.left = gain, j, (a, b), (one[0], one[1], one[2])
        return True


def candidates(rules: Any, n_columns: int, path: tuple[int, ...], number: int) -> list[int]:
    """The columns that node `number` looks at, below tests of the columns `path`."""
    columns = list(range(n_columns))
    ends = np.flatnonzero(rules["together"] < 0)
    sets = [part[part >= 0].tolist() for part in np.split(rules["together"], ends + 1)[:-1]]
    if sets:
        columns = sorted({c for s in sets if set(path) <= set(s) for c in s})
    wanted = rules["columns_per_node"]
    if not 0 < wanted < len(columns):
        return columns
    random = Random(of_branch(rules["seed"], number))
    for k in range(wanted):
        other = k + random.below(len(columns) - k)
        columns[k], columns[other] = columns[other], columns[k]
    return sorted(columns[:wanted])


def boost_split(
    histogram: Longs,
    bins: Ints,
    nominal: NDArray[np.uint8],
    rules: Any,
    largest_gradient: float,
    largest_hessian: float,
    n_rows: int,
    value: float,
    low: float,
    high: float,
    number: int,
    path: Ints,
) -> dict[str, Any]:
    """The best test of a node from its histogram (entries, 2), that of column after column; column -1 for none."""
    units = Units.of(largest_gradient, largest_hessian, n_rows)
    ends, best = np.cumsum(bins + 1), Split(0.0)
    finder = Finder(rules, units, value, low, high)
    for j in candidates(rules, len(bins), tuple(path.tolist()), number):
        sums = [units.triple(entry) for entry in histogram[ends[j] - bins[j] - 1 : ends[j]]]
        found = finder.find(j, sums, bool(nominal[j]))
        if found.column >= 0 and (best.column < 0 or found.gain > best.gain):
            best = found
    words = np.zeros(4, dtype=np.uint64)
    for b in best.left_bins or []:
        words[b >> 6] |= np.uint64(1) << np.uint64(b & 63)
    gradient, hessian, rows = best.left
    return {
        "column": best.column,
        "gain": best.gain,
        "cut": best.cut,
        "missing_left": best.missing_left,
        "left_bins": words,
        "left": np.array([gradient, (hessian << units.count_bits) | rows], dtype=np.int64),
        "left_value": best.values[0],
        "right_value": best.values[1],
    }


def boost_histograms(
    cells: NDArray[np.uint8],
    bins: Ints,
    rows: NDArray[np.uint32],
    slot: Ints,
    gradient: Floats,
    hessian: Floats,
    count: NDArray[np.uint32] | None,
    largest_gradient: float,
    largest_hessian: float,
    n_rows: int,
    out: Longs,
    n_jobs: int,
) -> None:
    """out[slot] (n_slots, entries, 2) += gradient, and hessian with the number of rows, of each row in its bins."""
    units = Units.of(largest_gradient, largest_hessian, n_rows)
    g, h = units.integers(gradient, hessian)
    rest = (h << units.count_bits) | (1 if count is None else count.astype(np.int64))
    for j, start in enumerate(np.cumsum(bins + 1) - bins - 1):
        place = slot, start + cells[rows, j].astype(np.int64)
        np.add.at(out[..., 0], place, g)
        np.add.at(out[..., 1], place, rest)
