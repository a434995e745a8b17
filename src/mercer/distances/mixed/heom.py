"""Wilson and Martinez's heterogeneous Euclidean-overlap metric."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.distances.column_scale import column_scales
from mercer.distances.mixture import Cells, Mixture
from mercer.distances.sum_distance import SumDistance


class HEOM(SumDistance):
    """d(a, b) = sqrt(sum_j d_j^2), d_j = |a - b| / range of numbers, 0 or 1 of levels, 1 when either is missing.

    Wilson and Martinez 1997, eq. 11-13.
    """

    def _mixture(self, cells: Cells, levels: Ints, classes: Ints | None) -> Mixture:
        scales = column_scales(cells.numbers, "range")
        return Mixture.of(scales, np.ones(len(levels)), levels, leave_out=False)

    def _finish(self, sums: Floats) -> Floats:
        return np.sqrt(sums)
