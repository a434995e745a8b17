"""The sum over columns that most distances are, as compiled code takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints
from mercer.errors import BadFile
from mercer.state import Reader, State


@dataclass(frozen=True)
class Cells:
    """Rows as a distance compares them: numbers (n, p), NaN where missing, and codes (n, q), -1 where missing."""

    numbers: Floats
    codes: Ints

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Any) -> Cells:
        return Cells(np.ascontiguousarray(self.numbers[rows]), np.ascontiguousarray(self.codes[rows]))

    @property
    def complete(self) -> bool:
        """No cell is missing, and no number is so large that its square overflows."""
        return bool((np.abs(self.numbers) < 1e100).all() and (self.codes >= 0).all())


@dataclass(frozen=True)
class ColumnSum:
    """sum over columns of t: (scale |a - b|)^power of numbers, cost[a, b] or `differ` of levels.

    A column missing in either row adds `fill`, or, when `leave_out`, nothing: the sum then grows by weight of all
    columns / weight of those compared. power = inf takes the largest term. cosine: 1 - a . b / (|a| |b|) over the
    numbers missing in neither row.
    """

    scale: Floats  # (p,)
    differ: Floats  # (q,)
    levels: Ints  # (q,)
    weight: Floats  # (p + q,)
    fill: Floats  # (p + q,)
    cost_start: NDArray[np.int64]  # (q + 1,)
    cost: Floats  # tables of the columns that have one, levels x levels, end to end
    power: float = 2.0
    leave_out: bool = True
    cosine: bool = False

    @classmethod
    def of(
        cls,
        scale: Any,
        differ: Any = (),
        levels: Any = (),
        *,
        tables: Sequence[Floats] | None = None,
        power: float = 2.0,
        leave_out: bool = True,
        cosine: bool = False,
    ) -> Self:
        """Every column counts one; a missing cell is left out, or adds one. `tables`: a cost table per category."""
        scale, differ = np.asarray(scale, dtype=np.float64), np.asarray(differ, dtype=np.float64)
        sizes = np.zeros(len(differ), np.int64) if tables is None else np.array([t.size for t in tables], np.int64)
        ones = np.ones(len(scale) + len(differ))
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        cost = np.concatenate([np.zeros(0), *(t.ravel() for t in tables or ())])
        levels = np.asarray(levels, dtype=np.int32)
        return cls(scale, differ, levels, ones, ones, start, cost, power, leave_out, cosine)

    def arrays(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def only(self, column: int) -> ColumnSum:
        """The term of one column alone."""
        p = len(self.scale)
        numbers, codes = slice(column, column + (column < p)), slice(max(column - p, 0), column - p + 1)
        if column < p:
            codes = slice(0, 0)
        start, end = (self.cost_start[column - p], self.cost_start[column - p + 1]) if column >= p else (0, 0)
        one = np.ones(1)
        fill = self.fill[column : column + 1]
        ends = np.array([0, end - start][: 1 if column < p else 2], np.int64)
        return ColumnSum(
            self.scale[numbers], self.differ[codes], self.levels[codes], one, fill, ends,
            self.cost[start:end], self.power, self.leave_out, self.cosine,
        )  # fmt: skip

    def to_state(self) -> State:
        return self.arrays() | {"power": np.array([self.power])}

    @classmethod
    def from_state(cls, state: Reader) -> ColumnSum:
        p = len(state.array("scale", "float64", (None,), low=0))
        levels = state.array("levels", "int32", (None,), low=0)
        q = len(levels)
        start = state.array("cost_start", "int64", (q + 1,), low=0)
        sizes = np.diff(start)
        if start[0] != 0 or not ((sizes == 0) | (sizes == levels.astype(np.int64) ** 2)).all():
            raise BadFile(f"{state.where}.cost_start does not fit the levels.")
        made = cls(
            state.array("scale", "float64", (p,), low=0),
            state.array("differ", "float64", (q,), low=0),
            levels,
            state.array("weight", "float64", (p + q,), low=0),
            state.array("fill", "float64", (p + q,), low=0),
            start,
            state.array("cost", "float64", (int(start[-1]),), low=0),
            _read_power(state),
            state.flag("leave_out"),
            state.flag("cosine"),
        )
        state.finish()
        return made


def _read_power(state: Reader) -> float:
    """Above 0; held as an array because it may be infinite, which no plain number of a file is."""
    power = float(state.array("power", "float64", (1,), finite=False)[0])
    if not power > 0:
        raise state.refuse("power", "a power above 0")
    return power
