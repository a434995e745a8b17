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
from mercer.distances.column_sum import Cells, ColumnSum
from mercer.distances.sparse_rows import SparseForm
from mercer.distances.sum_distance import SumDistance
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter
from mercer.parameters import Choice, Number, Numbers, Parameters

ColumnWeights: TypeAlias = Sequence[float] | Floats | None


@shares_docs()
class PowerDistance(SumDistance, abstract=True):
    """d(a, b) = (sum_j w_j |a_j - b_j|^p)^(1/p); two levels that differ add 2 alpha^p, as dummies of size alpha do.

    Subclasses say the power p. A column missing in either row is left out of the pair, and the sum grows by weight of
    all columns / weight of those compared, as in scikit-learn's nan_euclidean_distances.

    Parameters
    ----------
    {alpha}
    {column_scale}
    {column_weights}

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> from mercer.distances import Chebyshev, Euclidean, Manhattan, Minkowski
    >>> [distance.power for distance in (Manhattan(), Euclidean(), Minkowski(3), Chebyshev())]
    [1.0, 2.0, 3.0, inf]
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
        """p of the formula, above 0."""

    def __init__(self, *, alpha: float = 1.0, scale: ColumnScale = "none", w: ColumnWeights = None) -> None:
        self.alpha = alpha
        self.scale = scale
        self.w = w

    def _column_sum(self, cells: Cells, levels: Ints, classes: Ints | None, weight: Floats | None) -> ColumnSum:
        power, largest = self.power, np.isinf(self.power)
        with np.errstate(over="ignore"):
            differ = self.alpha if largest else 2 * float(np.float64(self.alpha) ** power)
        if not np.isfinite(differ):
            raise BadParameter(f"alpha={self.alpha:g} to the power {power:g} is beyond all numbers. Lower alpha.")
        scales = column_scales(cells.numbers, self.scale, weight)
        if isinstance(cells, Cells):
            self._expect_sound_power(cells.numbers, scales)
        if self.w is None:
            return ColumnSum.of(scales, np.full(len(levels), differ), levels, power=power)
        wanted = self._column_weights()
        factor = (wanted > 0).astype(np.float64) if largest else wanted
        n = len(scales)
        stretch = factor[:n] if largest else factor[:n] ** (1 / power)
        return replace(ColumnSum.of(scales * stretch, differ * factor[n:], levels, power=power), weight=wanted)

    def _expect_sound_power(self, numbers: Floats, scales: Floats) -> None:
        """Refuse a power by which differences of the training rows become infinite, or all of them 0."""
        seen = np.isfinite(numbers).any(axis=0)
        if np.isinf(self.power) or not seen.any():
            return
        spread = scales[seen] * (np.nanmax(numbers[:, seen], axis=0) - np.nanmin(numbers[:, seen], axis=0))
        with np.errstate(over="ignore", under="ignore"):
            largest = float((spread**self.power).sum())
        if np.isinf(largest) or (largest == 0 and spread.any()):
            raise BadParameter(
                f"p={self.power:g}: differences of up to {spread.max():.3g} to that power are beyond what a number can "
                'hold. Use a smaller p, p=inf (the largest difference), or scale="range".'
            )

    def _column_weights(self) -> Floats:
        """`w` in the order of the cells."""
        w, names = np.asarray(self.w, dtype=np.float64), self.schema_.names
        if len(w) != len(names):
            raise BadParameter(
                f"w has {len(w)} weights for {len(names)} columns ({', '.join(names[:4])}, ...). Give one for each."
            )
        place = {name: j for j, name in enumerate(names)}
        return w[[place[name] for name in self.columns]]

    @property
    def _sparse_form(self) -> SparseForm | None:
        if self.scale != "none" or self.w is not None:
            return None
        return "squared" if self.power == 2 else "manhattan" if self.power == 1 else None

    def _from_sums(self, sums: Floats) -> Floats:
        if self.power == 2:
            return np.sqrt(sums)
        return sums if self.power == 1 or np.isinf(self.power) else sums ** (1 / self.power)


@shares_docs()
class Minkowski(PowerDistance):
    """d(a, b) = (sum_j w_j |a_j - b_j|^p)^(1/p); two levels that differ add 2 alpha^p, as dummies of size alpha do.

    A column missing in either row is left out of the pair, and the sum grows by weight of all columns / weight of those
    compared, as in scikit-learn's nan_euclidean_distances.

    Parameters
    ----------
    p : float, default 2.0
        0.01 or more; inf takes the largest difference. Below 1 the triangle inequality does not hold.
    {alpha}
    {column_scale}
    {column_weights}

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import Minkowski
    >>> rows = read_table({"x": [0.0, 3.5], "y": [0.0, 4.5]})
    >>> Minkowski(3).fit(rows).between(rows, rows)[0].round(4)
    array([0.    , 5.1172])
    """

    parameters: ClassVar[Parameters] = {"p": Number(0.01, math.inf), **PowerDistance.parameters}

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


@shares_docs()
class Euclidean(PowerDistance):
    """d(a, b) = sqrt(sum_j w_j (a_j - b_j)^2): Minkowski's with p = 2.

    Parameters
    ----------
    {alpha}
    {column_scale}
    {column_weights}

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import Euclidean
    >>> rows = read_table({"x": [0.0, 3.5], "y": [0.0, 4.5]})
    >>> Euclidean().fit(rows).between(rows, rows)[0].round(4)
    array([0.    , 5.7009])
    """

    power = 2.0


@shares_docs()
class SquaredEuclidean(PowerDistance):
    """d(a, b) = sum_j w_j (a_j - b_j)^2: the order of Euclidean; the triangle inequality does not hold.

    Parameters
    ----------
    {alpha}
    {column_scale}
    {column_weights}

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import SquaredEuclidean
    >>> rows = read_table({"x": [0.0, 3.5], "y": [0.0, 4.5]})
    >>> SquaredEuclidean().fit(rows).between(rows, rows)[0].round(4)
    array([ 0. , 32.5])
    """

    power = 2.0

    def _from_sums(self, sums: Floats) -> Floats:
        return sums


@shares_docs()
class Manhattan(PowerDistance):
    """d(a, b) = sum_j w_j |a_j - b_j|: Minkowski's with p = 1.

    Parameters
    ----------
    {alpha}
    {column_scale}
    {column_weights}

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import Manhattan
    >>> rows = read_table({"x": [0.0, 3.5], "y": [0.0, 4.5]})
    >>> Manhattan().fit(rows).between(rows, rows)[0].round(4)
    array([0., 8.])
    """

    power = 1.0


@shares_docs()
class Chebyshev(PowerDistance):
    """d(a, b) = max_j |a_j - b_j|; two levels that differ are alpha apart.

    Parameters
    ----------
    {alpha}
    {column_scale}
    {column_weights}

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import Chebyshev
    >>> rows = read_table({"x": [0.0, 3.5], "y": [0.0, 4.5]})
    >>> Chebyshev().fit(rows).between(rows, rows)[0].round(4)
    array([0. , 4.5])
    """

    power = np.inf
