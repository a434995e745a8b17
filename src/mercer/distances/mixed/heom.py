"""Wilson and Martinez's heterogeneous Euclidean-overlap metric."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.distances.column_scale import column_scales
from mercer.distances.column_sum import Cells, ColumnSum
from mercer.distances.sum_distance import SumDistance
from mercer.docstrings import shares_docs


@shares_docs()
class HEOM(SumDistance):
    """d(a, b) = sqrt(sum_j d_j^2), d_j = |a - b| / range (numbers), 0 or 1 (levels), 1 when either is missing.

    Wilson and Martinez (1997), Improved heterogeneous distance functions, eq. 11-13. Ranges are those in fit.

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import HEOM
    >>> rows = read_table({"age": [30.0, 50.0, 40.0], "job": ["sales", "clerk", "sales"]})
    >>> HEOM().fit(rows).between(rows, rows)[0].round(4)
    array([0.    , 1.4142, 0.5   ])
    """

    def _column_sum(self, cells: Cells, levels: Ints, classes: Ints | None, weight: Floats | None) -> ColumnSum:
        scales = column_scales(cells.numbers, "range")
        return ColumnSum.of(scales, np.ones(len(levels)), levels, leave_out=False)

    def _from_sums(self, sums: Floats) -> Floats:
        return np.sqrt(sums)
