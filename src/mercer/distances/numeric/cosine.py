"""The angle between rows."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.distances.column_sum import Cells, ColumnSum
from mercer.distances.sparse_rows import SparseForm
from mercer.distances.sum_distance import SumDistance
from mercer.docstrings import shares_docs
from mercer.table import Kind


@shares_docs()
class Cosine(SumDistance):
    """d(a, b) = 1 - a . b / (|a| |b|): rows as directions, as if each were scaled to unit length.

    Sums run over the columns missing in neither row. A row of zeros is at distance 1 from every row.

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import Cosine
    >>> rows = read_table({"x": [3.0, 1.0, 6.0], "y": [4.0, 0.0, 8.0]})
    >>> Cosine().fit(rows).between(rows, rows)[0].round(4)
    array([0. , 0.4, 0. ])
    """

    compares = (Kind.NUMERIC,)

    def _column_sum(self, cells: Cells, levels: Ints, classes: Ints | None, weight: Floats | None) -> ColumnSum:
        return ColumnSum.of(np.ones(cells.numbers.shape[1]), cosine=True)

    @property
    def _sparse_form(self) -> SparseForm | None:
        return "cosine"

    def _from_sums(self, sums: Floats) -> Floats:
        return sums

    # With |u| = |v| = 1, |u - v|^2 = 2 (1 - u.v). Rows of zeros become units of their own, at right angles to all.
    def _euclidean_view(self, rows: Cells, queries: Cells) -> tuple[Floats, Floats] | None:
        if not (rows.complete and queries.complete):
            return None
        return _units(rows.numbers, 0), _units(queries.numbers, 1)

    def _from_squared(self, squared: Floats) -> Floats:
        return squared / 2


def _units(x: Floats, own: int) -> Floats:
    top = np.abs(x).max(axis=1, keepdims=True)
    x = x / np.where(top > 0, top, 1.0)
    zero = top[:, 0] == 0
    norm = np.sqrt((x**2).sum(axis=1, keepdims=True))
    extra = np.zeros((len(x), 2))
    extra[zero, own] = 1.0
    return np.ascontiguousarray(np.hstack([x / np.where(norm > 0, norm, 1.0), extra]))
