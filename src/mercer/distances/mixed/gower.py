"""Gower's general coefficient, as a distance."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.distances.column_scale import column_scales
from mercer.distances.mixture import Cells, Mixture
from mercer.distances.sum_distance import SumDistance


class Gower(SumDistance):
    """d(a, b) = mean over the columns both rows have of |a - b| / range (numbers) or 0 / 1 (levels).

    Gower 1971. Ranges are those of the fitted table.
    """

    def _mixture(self, cells: Cells, levels: Ints, classes: Ints | None) -> Mixture:
        scales = column_scales(cells.numbers, "range")
        return Mixture.of(scales, np.ones(len(levels)), levels, power=1.0)

    def _finish(self, sums: Floats) -> Floats:
        return sums / len(self.mixture_.weight)
