"""Distances between points: Minkowski's family. Levels count as dummies of size alpha."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.distances.base import SumDistance
from mercer.distances.mixture import Cells, Mixture, read_power
from mercer.errors import MercerError
from mercer.state import Reader, State

Weights: TypeAlias = Sequence[float] | Floats | None

SCALES = ("none", "std", "range")


def column_scales(numbers: Floats, scale: str) -> Floats:
    """1, 1 / deviation or 1 / range of each column, missing cells left out; a constant column keeps 1."""
    if scale not in SCALES:
        raise MercerError(f"scale={scale!r} is not one of {', '.join(SCALES)}.")
    ones = np.ones(numbers.shape[1])
    if scale == "none" or not len(numbers):
        return ones
    seen = ~np.isnan(numbers)
    count = np.maximum(seen.sum(axis=0), 1)
    filled = np.where(seen, numbers, 0.0)
    if scale == "std":
        mean = filled.sum(axis=0) / count
        width = np.sqrt((np.where(seen, numbers - mean, 0.0) ** 2).sum(axis=0) / count)
    else:
        low = np.where(seen, numbers, np.inf).min(axis=0)
        high = np.where(seen, numbers, -np.inf).max(axis=0)
        width = np.where(high >= low, high - low, 0.0)
    with np.errstate(divide="ignore"):
        return np.where(width > 0, 1.0 / np.where(width > 0, width, 1.0), ones)


class Minkowski(SumDistance):
    """d(a, b) = (sum_j w_j |a_j - b_j|^p)^(1/p); two levels that differ add 2 alpha^p, as dummies of size alpha do.

    Missing: the column is left out of the pair and the sum grows by columns / columns met, as in scikit-learn's
    nan_euclidean_distances.

    p : at least 1; inf takes the largest difference
    alpha : size of a dummy, the weight of categories against numbers
    scale : "none", or divide each number by its deviation ("std") or range ("range") in the fitted table
    w : weights w_j of at least 0 on what the columns add, in the order of the table; None for 1. With p = inf a column
        counts or, at 0, does not.
    """

    def __init__(self, p: float = 2.0, *, alpha: float = 1.0, scale: str = "none", w: Weights = None) -> None:
        self.p = p
        self.alpha = alpha
        self.scale = scale
        self.w = w

    @property
    def _power(self) -> float:
        return float(self.p)

    def _mixture(self, cells: Cells, levels: Ints, classes: Ints | None) -> Mixture:
        if isinstance(getattr(self, "p", 2), str) or not self._power >= 1:
            raise MercerError(f"p={self.p!r} gives no distance (the triangle inequality fails). Use p of at least 1.")
        if not 0 <= self.alpha < np.inf:
            raise MercerError(f"alpha={self.alpha} must be a number of at least 0.")
        differ = self.alpha if np.isinf(self._power) else 2 * self.alpha**self._power
        scales = column_scales(cells.numbers, self.scale)
        if self.w is None:
            return Mixture.of(scales, np.full(len(levels), differ), levels, power=self._power)
        weight = self._weights()
        grown = (weight > 0).astype(np.float64) if np.isinf(self._power) else weight
        n = len(scales)
        stretch = grown[:n] if np.isinf(self._power) else grown[:n] ** (1 / self._power)
        return replace(Mixture.of(scales * stretch, differ * grown[n:], levels, power=self._power), weight=weight)

    def _weights(self) -> Floats:
        """`w` in the order of the cells."""
        try:
            w = np.asarray(self.w, dtype=np.float64)
        except (TypeError, ValueError):
            w = np.array([np.nan])
        if w.ndim != 1 or not (w >= 0).all() or np.isinf(w).any() or not w.any():
            raise MercerError(f"w={self.w!r}: column weights must be numbers of at least 0, and some above.")
        names = self.schema_.names
        if len(w) != len(names):
            raise MercerError(
                f"w has {len(w)} weights for {len(names)} columns ({', '.join(names[:4])}, ...). Give one for each."
            )
        place = {name: j for j, name in enumerate(names)}
        return w[[place[name] for name in self.columns]]

    def _finish(self, sums: Floats) -> Floats:
        if self._power == 2:
            return np.sqrt(sums)
        return sums if self._power == 1 or np.isinf(self._power) else sums ** (1 / self._power)

    def _parameters(self) -> State:
        given = {k: v for k, v in super()._parameters().items() if v is not None}
        return given | {k: np.atleast_1d(np.asarray(given[k], np.float64)) for k in ("p", "w") if k in given}

    @classmethod
    def _from_parameters(cls, state: Reader) -> Minkowski:
        made = cls(alpha=state.number("alpha", 0), scale=state.text("scale", SCALES))
        made.w = state.array("w", "float64", (None,), low=0) if state.has("w") else None
        if "p" in made.get_params():
            made.p = read_power(state, "p")
        state.finish()
        return made


class Euclidean(Minkowski):
    """d(a, b) = sqrt(sum_j (a_j - b_j)^2): Minkowski's with p = 2."""

    def __init__(self, *, alpha: float = 1.0, scale: str = "none", w: Weights = None) -> None:
        self.alpha = alpha
        self.scale = scale
        self.w = w

    @property
    def _power(self) -> float:
        return 2.0


class SquaredEuclidean(Euclidean):
    """d(a, b) = sum_j (a_j - b_j)^2: same order as Euclidean, far rows weigh more (no triangle inequality)."""

    def _finish(self, sums: Floats) -> Floats:
        return sums


class Manhattan(Euclidean):
    """d(a, b) = sum_j |a_j - b_j|: Minkowski's with p = 1."""

    @property
    def _power(self) -> float:
        return 1.0


class Chebyshev(Euclidean):
    """d(a, b) = max_j |a_j - b_j|; two levels that differ are alpha apart."""

    @property
    def _power(self) -> float:
        return np.inf
