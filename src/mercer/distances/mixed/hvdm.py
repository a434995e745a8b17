"""Wilson and Martinez's heterogeneous value difference metric: levels are alike when their class frequencies are."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.distances.column_scale import column_scales
from mercer.distances.column_sum import Cells, ColumnSum
from mercer.distances.sum_distance import SumDistance
from mercer.docstrings import shares_docs
from mercer.errors import BadTarget


@shares_docs()
class HVDM(SumDistance):
    """d(a, b) = sqrt(sum_j d_j^2), d_j = |a - b| / (4 std) of numbers, sqrt(sum_c (P(c|a) - P(c|b))^2) of levels.

    P(c|a) is the share of class c among the training rows with level a. d_j = 1 when either cell is missing or a level
    was never seen. Wilson and Martinez (1997), Improved heterogeneous distance functions, eq. 14-16 (normalized_vdm2).

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import read_table
    >>> from mercer.distances import HVDM
    >>> rows = read_table({"age": [30.0, 50.0, 40.0], "job": ["sales", "clerk", "sales"]})
    >>> HVDM().fit(rows, np.array([0, 1, 0], dtype=np.int32)).between(rows, rows)[0].round(4)
    array([0.    , 1.5411, 0.3062])
    """

    learns_costs = True

    def _column_sum(self, cells: Cells, levels: Ints, classes: Ints | None, weight: Floats | None) -> ColumnSum:
        if classes is None:
            raise BadTarget(
                "HVDM compares levels by their class frequencies, so it needs class labels. Use HEOM or Gower."
            )
        n_classes = int(classes.max()) + 1
        tables = []
        for j, size in enumerate(levels):
            seen = cells.codes[:, j] >= 0
            counts = np.zeros((size, n_classes))
            np.add.at(counts, (cells.codes[seen, j], classes[seen]), 1.0 if weight is None else weight[seen])
            total = counts.sum(axis=1, keepdims=True)
            share = counts / np.where(total > 0, total, 1.0)
            tables.append(np.maximum(_squared(share), 0.0))
        scales = column_scales(cells.numbers, "std", weight) / 4
        return ColumnSum.of(scales, np.ones(len(levels)), levels, tables=tables, leave_out=False)

    def _codes(self, codes: Ints) -> Ints:
        return np.where(codes >= self._levels(), -1, codes).astype(np.int32)

    def _from_sums(self, sums: Floats) -> Floats:
        return np.sqrt(sums)


def _squared(share: Floats) -> Floats:
    """|p_a - p_b|^2 of every pair of rows, one class at a time to stay small with many levels."""
    out = np.zeros((len(share), len(share)))
    for column in share.T:
        out += (column[:, None] - column[None, :]) ** 2
    return out
