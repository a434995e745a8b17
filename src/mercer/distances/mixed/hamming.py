"""Counting the columns that differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.distances.column_sum import Cells, ColumnSum
from mercer.distances.sum_distance import SumDistance
from mercer.docstrings import shares_docs
from mercer.table import Kind


@shares_docs()
class Hamming(SumDistance):
    """d(a, b) = share of the columns whose levels differ, among those missing in neither row.

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import Hamming
    >>> rows = read_table({"city": ["Oslo", "Rome", "Oslo"], "job": ["sales", "clerk", "clerk"]})
    >>> Hamming().fit(rows).between(rows, rows)[0]
    array([0. , 1. , 0.5])
    """

    compares = (Kind.BINARY, Kind.CATEGORY, Kind.ORDINAL)

    def _names(self, *kinds: Kind) -> Sequence[str]:
        """Order does not matter here: ordinal columns are levels like the others."""
        if kinds == (Kind.ORDINAL,):
            return ()
        return self.schema_.of_kind(*kinds, *((Kind.ORDINAL,) if Kind.CATEGORY in kinds else ()))

    def _column_sum(self, cells: Cells, levels: Ints, classes: Ints | None, weight: Floats | None) -> ColumnSum:
        return ColumnSum.of(np.zeros(0), np.ones(len(levels)), levels, power=1.0)

    def _from_sums(self, sums: Floats) -> Floats:
        return sums / len(self.column_sum_.weight)
