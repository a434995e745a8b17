"""Distances between points: Minkowski's family. Levels count as dummies of size alpha."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, TypeAlias

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.distances.column_scale import ColumnScale, column_scales
from mercer.distances.mixture import Cells, Mixture
from mercer.distances.sum_distance import SumDistance
from mercer.errors import BadParameter
from mercer.parameters import Choice, Number, Numbers, Parameters

ColumnWeights: TypeAlias = Sequence[float] | Floats | None


class PowerDistance(SumDistance, abstract=True):
    """d(a, b) = (sum_j w_j |a_j - b_j|^p)^(1/p); two levels that differ add 2 alpha^p, as dummies of size alpha do.

    Subclasses say the power p. A column missing in either row is left out of the pair, and the sum grows by weight of
    all columns / weight of those compared, as in scikit-learn's nan_euclidean_distances.
    """

    parameters: ClassVar[Parameters] = {
        "alpha": Number(0),
        "scale": Choice(ColumnScale),
        "w": Numbers(0, any_positive=True, optional=True),
    }
    alpha: float
    scale: ColumnScale
    w: ColumnWeights

    @property
    @abstractmethod
    def power(self) -> float:
        """p of the formula, at least 1."""

    def _mixture(self, cells: Cells, levels: Ints, classes: Ints | None) -> Mixture:
        power, largest = self.power, np.isinf(self.power)
        differ = self.alpha if largest else 2 * self.alpha**power
        scales = column_scales(cells.numbers, self.scale)
        if self.w is None:
            return Mixture.of(scales, np.full(len(levels), differ), levels, power=power)
        weight = self._column_weights()
        factor = (weight > 0).astype(np.float64) if largest else weight
        n = len(scales)
        stretch = factor[:n] if largest else factor[:n] ** (1 / power)
        return replace(Mixture.of(scales * stretch, differ * factor[n:], levels, power=power), weight=weight)

    def _column_weights(self) -> Floats:
        """`w` in the order of the cells."""
        w, names = np.asarray(self.w, dtype=np.float64), self.schema_.names
        if len(w) != len(names):
            raise BadParameter(
                f"w has {len(w)} weights for {len(names)} columns ({', '.join(names[:4])}, ...). Give one for each."
            )
        place = {name: j for j, name in enumerate(names)}
        return w[[place[name] for name in self.columns]]

    def _finish(self, sums: Floats) -> Floats:
        if self.power == 2:
            return np.sqrt(sums)
        return sums if self.power == 1 or np.isinf(self.power) else sums ** (1 / self.power)


class Minkowski(PowerDistance):
    """d(a, b) = (sum_j w_j |a_j - b_j|^p)^(1/p); two levels that differ add 2 alpha^p, as dummies of size alpha do.

    p : at least 1; inf takes the largest difference
    """

    parameters: ClassVar[Parameters] = {"p": Number(1, math.inf), **PowerDistance.parameters}

    def __init__(
        self, p: float = 2.0, *, alpha: float = 1.0, scale: ColumnScale = "none", w: ColumnWeights = None
    ) -> None:
        self.p = p
        self.alpha = alpha
        self.scale = scale
        self.w = w

    @property
    def power(self) -> float:
        return float(self.p)


class Euclidean(PowerDistance):
    """d(a, b) = sqrt(sum_j (a_j - b_j)^2): Minkowski's with p = 2."""

    power = 2.0

    def __init__(self, *, alpha: float = 1.0, scale: ColumnScale = "none", w: ColumnWeights = None) -> None:
        self.alpha = alpha
        self.scale = scale
        self.w = w


class SquaredEuclidean(Euclidean):
    """d(a, b) = sum_j (a_j - b_j)^2: same order as Euclidean, far rows weigh more (no triangle inequality)."""

    def _finish(self, sums: Floats) -> Floats:
        return sums


class Manhattan(Euclidean):
    """d(a, b) = sum_j |a_j - b_j|: Minkowski's with p = 1."""

    power = 1.0


class Chebyshev(Euclidean):
    """d(a, b) = max_j |a_j - b_j|; two levels that differ are alpha apart."""

    power = np.inf
