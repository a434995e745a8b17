"""Counting the columns that differ."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.distances.mixture import Cells, Mixture
from mercer.distances.sum_distance import SumDistance
from mercer.table import Kind


class Hamming(SumDistance):
    """d(a, b) = share of the columns whose levels differ. Missing: over the columns both rows have."""

    compares = (Kind.BINARY, Kind.CATEGORY, Kind.ORDINAL)

    def _names(self, *kinds: Kind) -> tuple[str, ...]:
        """Order does not matter here: ordinal columns are levels like the others."""
        if kinds == (Kind.ORDINAL,):
            return ()
        return self.schema_.of_kind(*kinds, *((Kind.ORDINAL,) if Kind.CATEGORY in kinds else ()))

    def _mixture(self, cells: Cells, levels: Ints, classes: Ints | None) -> Mixture:
        return Mixture.of(np.zeros(0), np.ones(len(levels)), levels, power=1.0)

    def _finish(self, sums: Floats) -> Floats:
        return sums / len(self.mixture_.weight)
