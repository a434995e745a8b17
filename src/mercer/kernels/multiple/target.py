"""What the weights of kernels are learned from: classes, numbers, or rows alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from mercer.arrays import Floats, Ints, Longs
from mercer.errors import BadTarget


@dataclass(frozen=True)
class Target:
    """Class codes, (n,), or numbers, (n, k); neither where rows are all there is."""

    codes: Ints | None = None
    numbers: Floats | None = None

    @classmethod
    def of(cls, y: Any, n_rows: int) -> Target:
        """Floats are numbers to predict, anything else is classes; a constant target says nothing."""
        if y is None:
            return cls()
        values = np.asarray(y)
        if len(values) != n_rows or values.ndim not in (1, 2):
            raise BadTarget(f"y: expected a target for each of {n_rows} rows, found an array of shape {values.shape}.")
        if values.dtype.kind == "f":
            return cls._of_numbers(values.reshape(n_rows, -1).astype(np.float64))
        if values.ndim == 2:
            raise BadTarget("y: several targets must be numbers (floats).")
        levels, codes = np.unique(values, return_inverse=True)
        return cls(codes=codes.astype(np.int32)) if len(levels) > 1 else cls()

    @classmethod
    def _of_numbers(cls, numbers: Floats) -> Target:
        if not np.isfinite(numbers).all():
            raise BadTarget("y holds NaN or infinity: no weights of kernels can be learned from it. Remove these rows.")
        varied = np.ptp(numbers, axis=0) > 0
        kept = numbers[:, varied]
        return cls(numbers=kept / np.abs(kept).max(axis=0)) if varied.any() else cls()  # their unit does not matter

    def take(self, rows: Longs) -> Target:
        """Of some of the rows."""
        if self.codes is not None:
            return Target.of(self.codes[rows], len(rows))
        return self if self.numbers is None else Target.of(self.numbers[rows], len(rows))

    @property
    def known(self) -> bool:
        """Whether there is one."""
        return self.codes is not None or self.numbers is not None

    def columns(self) -> Floats:
        """Z with ZZ' the Gram matrix of the target: products of numbers, or whether classes are equal, (n, k)."""
        if self.codes is not None:
            return np.eye(int(self.codes.max()) + 1)[self.codes]
        assert self.numbers is not None
        return self.numbers

    def standardised(self, weight: Floats) -> Floats:
        """Numbers less their mean, over their standard deviation, (n, k)."""
        assert self.numbers is not None
        share = weight / weight.sum()
        centred: Floats = self.numbers - share @ self.numbers
        return centred / np.sqrt(share @ np.square(centred))

    def pairs(self, n_rows: int) -> list[tuple[Longs, Floats]]:
        """(rows, signs) of each pair of classes, the first of them 1; all rows, of sign 1, where there is no target."""
        if self.codes is None:
            return [(np.arange(n_rows), np.ones(n_rows))]
        found = []
        for i, j in combinations(range(int(self.codes.max()) + 1), 2):
            rows = np.flatnonzero((self.codes == i) | (self.codes == j))
            found.append((rows, np.where(self.codes[rows] == i, 1.0, -1.0)))
        return found


def thinned(weight: Floats, most: int | None) -> Longs:
    """Numbers of the rows of positive weight, of at most so many, evenly spaced."""
    rows = np.flatnonzero(weight > 0)
    if most is None or len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, int(most)).astype(np.int64)]
