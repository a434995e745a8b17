"""Gower's general coefficient, as a distance."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.distances.column_scale import column_scales
from mercer.distances.column_sum import Cells, ColumnSum
from mercer.distances.sum_distance import SumDistance
from mercer.docstrings import shares_docs


@shares_docs()
class Gower(SumDistance):
    """d(a, b) = mean over the columns both rows have of |a - b| / range (numbers) or 0 / 1 (levels).

    Gower (1971), A general coefficient of similarity and some of its properties. Ranges are those in fit.

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import Gower
    >>> rows = read_table({"age": [30.0, 50.0, 40.0], "job": ["sales", "clerk", "sales"]})
    >>> Gower().fit(rows).between(rows, rows)[0].round(4)
    array([0.  , 1.  , 0.25])
    """

    def _column_sum(self, cells: Cells, levels: Ints, classes: Ints | None, weight: Floats | None) -> ColumnSum:
        scales = column_scales(cells.numbers, "range")
        return ColumnSum.of(scales, np.ones(len(levels)), levels, power=1.0)

    def _from_sums(self, sums: Floats) -> Floats:
        return sums / len(self.column_sum_.weight)
