"""Distance along the surface of a sphere."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.distances.column_sum import Cells, ColumnSum
from mercer.distances.sum_distance import SumDistance
from mercer.docstrings import shares_docs
from mercer.errors import BadTable
from mercer.table import Kind, Table


@shares_docs()
class Haversine(SumDistance):
    """d(a, b) = 2 asin sqrt(sin^2((p - q) / 2) + cos p cos q sin^2((l - m) / 2)), a = (p, l) and b = (q, m).

    Two columns, latitude and longitude in radians (`np.radians`); d is an angle: times 6371 for kilometres on Earth.
    As points on the unit sphere, |u - v|^2 = 4 sin^2(d / 2): the search is Euclid's, in three columns.
    A place of which a coordinate is missing is infinitely far from all.

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> import mercer, numpy as np
    >>> from mercer.distances import Haversine
    >>> table = mercer.read_table(np.radians([[52.52, 13.4], [48.86, 2.35]]))  # Berlin, Paris
    >>> (6371 * Haversine().fit(table).between(table, table)).round()
    array([[  0., 877.],
           [877.,   0.]])
    """

    compares = (Kind.NUMERIC,)

    def fit(self, table: Table, classes: Ints | None = None, weight: Floats | None = None) -> Self:
        if table.is_sparse:
            raise BadTable("Metric 'haversine' not valid for sparse input. No cell is no place: use X.toarray().")
        return super().fit(table, classes, weight)

    def _width(self) -> int:
        return 3

    def _column_sum(self, cells: Cells, levels: Ints, classes: Ints | None, weight: Floats | None) -> ColumnSum:
        return ColumnSum.of(np.ones(3))

    def _from_sums(self, sums: Floats) -> Floats:
        return np.where(np.isinf(sums), np.inf, 2 * np.arcsin(np.minimum(np.sqrt(sums) / 2, 1.0)))

    def cells(self, table: Table) -> Cells:
        found = super().cells(table)
        known = found.numbers.shape[1] == 2 and not np.isnan(found.numbers).all()
        points = _points(found.numbers) if known else np.full((len(table), 3), np.nan)
        return Cells(points, found.codes)

    def _alike(self, a: Any, b: Any) -> tuple[Any, Any]:
        # Asked where rows are measured, as scikit-learn does; until then other columns hold no places.
        if len(self.schema_) != 2:
            raise BadTable(
                "Haversine distance only valid in 2 dimensions, latitude and longitude; "
                f"the table has {len(self.schema_)} columns."
            )
        return super()._alike(a, b)

    def terms(self, query: Any, rows: Any) -> Floats:
        """The two terms under the root, between one query and each row.

        Parameters
        ----------
        query : Table, or what `cells` gave
            One place.
        rows : Table, or what `cells` gave
            The places it is compared with.

        Returns
        -------
        terms : ndarray of shape (n_rows, 2)
            Of latitude and of longitude.
        """
        (latitude, longitude), (others, meridians) = (_angles(c.numbers) for c in self._alike(query, rows))
        across = np.cos(latitude) * np.cos(others) * np.sin((longitude - meridians) / 2) ** 2
        return np.column_stack([np.sin((latitude - others) / 2) ** 2, across])


def _points(places: Floats) -> Floats:
    """Places as points on the unit sphere, (n, 3)."""
    latitude, longitude = places.T
    beyond = np.abs(latitude) > np.pi / 2 * (1 + 1e-9)
    if beyond.any():
        row = int(beyond.argmax())
        raise BadTable(
            f"Haversine: latitude {latitude[row]:g} in row {row + 1} is beyond pi / 2. Angles are radians: use "
            "np.radians(degrees), latitude first."
        )
    x, y, z = np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)
    points = np.column_stack([x, y, z])
    points[np.isnan(points).any(axis=1)] = np.nan
    return np.ascontiguousarray(points)


def _angles(points: Floats) -> tuple[Floats, Floats]:
    x, y, z = points.T
    return np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x)
