"""Impurity and answers of a set of rows: how the tree's NumPy twin measures them, each set from its rows anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import xlogy

from mercer.arrays import Array, Floats, Ints

ENTROPY, GAIN_RATIO, GINI, ERROR, SQUARED, POISSON, ABSOLUTE = range(7)
HALF_SLACK = 1e-12  # weights reach half of their sum only up to rounding


@dataclass
class Entries:
    """Rows of a node, the part of each that is here, and the weight of that part."""

    row: Array
    part: Floats
    weight: Floats

    def take(self, chosen: Array) -> Self:
        return type(self)(self.row[chosen], self.part[chosen], self.weight[chosen])

    def __len__(self) -> int:
        return len(self.row)


@dataclass
class Measure:
    """What is predicted, (n_rows, n_outputs), classes of each output (0: a number), and the criterion."""

    target: Array
    classes: Ints
    criterion: int

    @property
    def by_class(self) -> bool:
        return bool(self.classes[0])

    def spread(self, entries: Entries) -> float:
        """Weight times impurity, mean of the outputs."""
        if not len(entries):
            return 0.0
        outputs = range(len(self.classes))
        return float(np.mean([self._spread(self.target[entries.row, k], entries.weight, k) for k in outputs]))

    def _spread(self, y: Array, weight: Floats, k: int) -> float:
        w = weight.sum()
        if self.by_class:
            cell = np.bincount(y, weight, self.classes[k])
            if self.criterion == GINI:
                return max(0.0, float(w - (cell**2).sum() / w))
            if self.criterion == ERROR:
                return float(w - cell.max())
            return max(0.0, xlog(w) - sum(xlog(float(v)) for v in cell))
        if self.criterion == ABSOLUTE:
            return float((weight * np.abs(y - median(y, weight))).sum())
        mean = (weight * y).sum() / w
        if self.criterion == SQUARED:
            return max(0.0, float((weight * (y - mean) ** 2).sum() - (weight * (y - mean)).sum() ** 2 / w))
        parts = float((weight * xlogy(y, y)).sum())
        found = parts - float(xlogy(w * mean, mean)) if mean > 0 else 0.0
        return found if found > 1e-14 * abs(parts) else 0.0

    def answer(self, entries: Entries) -> Floats:
        """Shares of the classes, or means (medians), one output after the other."""
        y, weight = self.target[entries.row], entries.weight
        parts: list[Floats] = []
        for k, size in enumerate(self.classes):
            if size:
                parts.append(np.bincount(y[:, k], weight, size) / weight.sum())
            elif self.criterion == ABSOLUTE:
                parts.append(np.array([median(y[:, k], weight)]))
            else:
                parts.append(np.array([(weight * y[:, k]).sum() / weight.sum()]))
        return np.concatenate(parts)

    def pure(self, answer: Floats) -> float:
        """Impurity up to this is rounding."""
        if self.by_class:
            return 1e-12
        squares = float((answer**2).mean())
        return 1e-26 * squares if self.criterion == SQUARED else 1e-13 * np.sqrt(squares)


def median(y: Floats, weight: Floats) -> float:
    """The weighted median; halfway between two values where the weight up to the lower one is half."""
    order = np.argsort(y, kind="stable")
    seen, half = np.cumsum(weight[order]), weight.sum() / 2
    k = int(np.searchsorted(seen[:-1], half * (1 - HALF_SLACK)))
    between = k + 1 < len(y) and seen[k] <= half * (1 + HALF_SLACK)
    return float(0.5 * y[order[k]] + 0.5 * y[order[k + 1]] if between else y[order[k]])


def xlog(x: float) -> float:
    return float(x * np.log2(x)) if x > 0 else 0.0
