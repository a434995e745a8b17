"""Kernel density estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
from scipy.special import logsumexp

from mercer.arrays import Floats
from mercer.likelihoods.base import ROUNDING, ColumnTable
from mercer.likelihoods.empirical import EmpiricalLikelihood, Sample
from mercer.parameters import Number, Parameters

BandwidthRule = Literal["silverman", "scott", "root"]
_EXACT = 2048  # more distinct numbers than this are spread over a grid first
_GRID = 8192
_CELLS = 1 << 22  # cells of the numbers-by-points matrix held at a time


@dataclass
class Density(EmpiricalLikelihood):
    """p(x | c) = sum_i w_i N(x; x_i, h_c^2) / sum_i w_i, over the numbers x_i of class c.

    For columns that are not bell-shaped (skewed, several peaks).

    Parameters
    ----------
    bandwidth : float or {"silverman", "scott", "root"}, default "silverman"
        h as a number above 0; or "silverman" 0.9 min(s, IQR / 1.34) n^(-1/5), "scott" 1.06 s n^(-1/5), "root"
        s / sqrt(n) (John & Langley 1995), with s the standard deviation and n the weight of the class.

    Attributes
    ----------
    samples : list of Sample
        For each column its distinct numbers, and the weight of each in each class.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.NaiveBayes("density").fit([[1.0], [1.2], [5.0], [5.1], [9.0]], ["a", "a", "b", "b", "a"])
    >>> model.predict([[5.2], [8.8]])
    array(['b', 'a'], dtype='<U1')
    """

    key: ClassVar[str] = "density"
    parameters: ClassVar[Parameters] = {"bandwidth": Number(0, above=True, words=get_args(BandwidthRule))}

    bandwidth: float | BandwidthRule = "silverman"

    def widths(self, sample: Sample) -> Floats:
        """The bandwidth h of each class in one column.

        Parameters
        ----------
        sample : Sample
            The numbers of the column.

        Returns
        -------
        widths : ndarray of shape (n_classes,)
            A class whose numbers do not vary takes the bandwidth of all classes together.
        """
        together = self._width(sample.values, sample.weights.sum(axis=0))
        found = np.array([self._width(sample.values, w) for w in sample.weights])
        return np.where(found > 0, found, together if together > 0 else 1.0)

    def _width(self, values: Floats, weights: Floats) -> float:
        if not isinstance(self.bandwidth, str):
            return float(self.bandwidth)
        n = weights.sum()
        if n <= 1:
            return 0.0
        if self.bandwidth == "root":
            return _deviation(values, weights) / float(np.sqrt(n))
        if self.bandwidth == "scott":
            return 1.06 * _deviation(values, weights) * float(n**-0.2)
        return silverman(values, weights)

    def _log_prob(self, sample: Sample, x: Floats) -> Floats:
        found = np.empty((len(x), self.n_classes))
        for c, width in enumerate(self.widths(sample)):
            weights = sample.weights[c] if sample.weights[c].any() else sample.weights.sum(axis=0)
            kept = weights > 0
            points, mass = to_grid(sample.values[kept], weights[kept])
            found[:, c] = log_density(x, points, mass, width)
        return found

    def tables(self) -> list[ColumnTable]:
        tables = []
        for column, sample in zip(self.columns, self.samples, strict=True):
            cells = sample.weights.sum(axis=1)
            mean = np.divide(sample.weights @ sample.values, cells, out=np.zeros_like(cells), where=cells > 0)
            rows = ("mean", "bandwidth", "cells")
            values = np.stack([mean, self.widths(sample), cells])
            tables.append(ColumnTable(column.name, self.key, rows, values, None, column))
        return tables


def log_density(x: Floats, points: Floats, mass: Floats, width: float) -> Floats:
    """log of the mixture of normals of this width at `points`, weighted by `mass`, at each x."""
    log_mass = np.log(mass / mass.sum())
    step = max(1, _CELLS // len(points))
    parts = [
        logsumexp(-0.5 * ((x[i : i + step, None] - points) / width) ** 2 + log_mass, axis=1)
        for i in range(0, len(x), step)
    ]
    return np.concatenate(parts) - np.log(width) - 0.5 * np.log(2 * np.pi)


def to_grid(points: Floats, mass: Floats) -> tuple[Floats, Floats]:
    """The same mass on an even grid, each point shared by its two neighbours in proportion; few points stay."""
    if len(points) <= _EXACT:
        return points, mass
    grid = np.linspace(points[0], points[-1], _GRID)
    at = (points - points[0]) / (points[-1] - points[0]) * (_GRID - 1)
    left = np.minimum(at.astype(np.int64), _GRID - 2)
    right_share = at - left
    spread = np.zeros(_GRID)
    np.add.at(spread, left, mass * (1 - right_share))
    np.add.at(spread, left + 1, mass * right_share)
    kept = spread > 0
    return grid[kept], spread[kept]


def weighted_quantiles(values: Floats, weights: Floats, shares: Sequence[float]) -> list[float]:
    """The smallest value below or at which lies each share of the weight; values in increasing order."""
    reached = np.cumsum(weights) / weights.sum()
    places = np.searchsorted(reached, np.asarray(shares) - 1e-12)
    return [float(values[min(p, len(values) - 1)]) for p in places]


def silverman(values: Floats, weights: Floats) -> float:
    """0.9 min(s, IQR / 1.34) n^(-1/5), values in any order; 0 when they do not vary."""
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    n = weights.sum()
    if n <= 1:
        return 0.0
    deviation = _deviation(values, weights)
    low, high = weighted_quantiles(values, weights, [0.25, 0.75])
    return 0.9 * (min(deviation, (high - low) / 1.34) if high > low else deviation) * float(n**-0.2)


def _deviation(values: Floats, weights: Floats) -> float:
    n = weights.sum()
    largest = float(np.abs(values).max(initial=0.0))
    unit = 2.0 ** int(np.log2(largest)) if largest > 1e145 else 1.0  # so that squares do not overflow
    mean = np.average(values / unit, weights=weights)
    deviation = float(np.sqrt(np.average((values / unit - mean) ** 2, weights=weights) * n / (n - 1)))
    return deviation * unit if deviation > ROUNDING * abs(mean) else 0.0
