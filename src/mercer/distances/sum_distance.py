"""Distances that add up over columns: they say what a column adds, and compiled code does the rest."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._core import neighbours
from mercer.arrays import Floats, Ints
from mercer.distances.base import Distance, Neighbours
from mercer.distances.column_sum import Cells, ColumnSum
from mercer.distances.sparse_rows import (
    SparseCells,
    SparseForm,
    nearest_sums,
    refuse_dense,
    sparse_cells,
    sums_between,
)
from mercer.docstrings import shares_docs
from mercer.errors import BadColumn, BadFile, BadTable, MercerError
from mercer.parameters import check_parameters, parameters_state, read_parameters
from mercer.state import Reader, State
from mercer.table import Kind, Schema, Table
from mercer.table.schema import representatives

MOST_DUMMIES = 256  # beyond, comparing codes is cheaper than multiplying dummies

DISTANCES: dict[str, type[SumDistance]] = {}


@shares_docs()
class SumDistance(Distance):
    """d(a, b) = g(sum_j t_j(a_j, b_j)): a distance that adds up over columns.

    Subclasses write t_j as a `ColumnSum` and g as `_from_sums`. Ordinal levels are numbers from 0 to 1, in equal steps.

    Attributes
    ----------
    {compared_schema_}
    {column_sum_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import Gower, SumDistance
    >>> rows = read_table({"age": [30.0, 50.0, 40.0], "job": ["sales", "clerk", "sales"]})
    >>> distance = Gower().fit(rows)
    >>> isinstance(distance, SumDistance), distance.columns
    (True, ('age', 'job'))
    >>> distance.terms(rows.take([0]), rows)
    array([[0. , 0. ],
           [1. , 1. ],
           [0.5, 0. ]])
    """

    schema_: Schema
    column_sum_: ColumnSum

    def __init_subclass__(cls, abstract: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not abstract:
            DISTANCES[cls.__name__] = cls

    learns_costs: ClassVar[bool] = False  # whether levels have costs of their own
    compares: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC, Kind.BINARY, Kind.CATEGORY, Kind.ORDINAL)

    @abstractmethod
    def _column_sum(self, cells: Cells, levels: Ints, classes: Ints | None, weight: Floats | None) -> ColumnSum:
        """What each column adds, learned from these rows. Ordinal columns come last among the numbers, in [0, 1]."""

    @abstractmethod
    def _from_sums(self, sums: Floats) -> Floats:
        """From sums to distances; must not change their order."""

    def fit(self, table: Table, classes: Ints | None = None, weight: Floats | None = None) -> Self:
        check_parameters(self)
        if not len(table):
            raise BadTable(f"{type(self).__name__}: the table has no rows.")
        for column in representatives(table.schema.columns):
            if column.kind not in self.compares:
                kinds = ", ".join(self.compares)
                raise BadColumn(
                    f"{type(self).__name__} compares {kinds} columns, but {column.name!r} is {column.kind}."
                )
        self.schema_ = table.schema
        self.column_sum_ = self._column_sum(self.cells(table), self._levels(), classes, weight)
        return self

    def _names(self, *kinds: Kind) -> Sequence[str]:
        return self.schema_.of_kind(*kinds)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names in the order of the cells: numbers, ordinals, then levels."""
        return (*self._names(Kind.NUMERIC), *self._names(Kind.ORDINAL), *self._names(Kind.BINARY, Kind.CATEGORY))

    def _width(self) -> int:
        """How many terms the sum has."""
        return len(self.columns)

    def _levels(self) -> Ints:
        names = self._names(Kind.BINARY, Kind.CATEGORY)
        return np.array([len(self.schema_[n].levels) for n in names], np.int32)

    @property
    def _sparse_form(self) -> SparseForm | None:
        """How rows held sparse are compared; None: with their zeros."""
        return None

    def cells(self, table: Table) -> Any:
        if table.is_sparse:
            numbers_alone = len(self._names(Kind.NUMERIC)) == len(self.schema_)
            held = numbers_alone and self._sparse_form is not None
            sparse = sparse_cells(table.csr(self.schema_.names)) if held else None
            if sparse is not None:
                return sparse
            refuse_dense(len(table), len(self.schema_), type(self).__name__)
        parts = []
        if self._names(Kind.NUMERIC):
            parts.append(np.asarray(table.numbers(self._names(Kind.NUMERIC)), dtype=np.float64))
        if self._names(Kind.ORDINAL):
            names = self._names(Kind.ORDINAL)
            steps = np.array([max(len(self.schema_[n].levels) - 1, 1) for n in names])
            codes = table.codes(names)
            parts.append(np.where((codes < 0) | (codes > steps), np.nan, codes / steps))
        numbers = np.ascontiguousarray(np.hstack(parts)) if parts else np.zeros((len(table), 0))
        if np.isinf(numbers).any():
            raise BadTable(f"{type(self).__name__}: a number is infinite, so its distance to others is not defined.")
        names = self._names(Kind.BINARY, Kind.CATEGORY)
        codes = table.codes(names) if names else np.zeros((len(table), 0), dtype=np.int32)
        return Cells(numbers, self._codes(np.ascontiguousarray(codes)))

    def _codes(self, codes: Ints) -> Ints:
        return codes

    def between(self, a: Any, b: Any, *, n_jobs: int = 1) -> Floats:
        check_is_fitted(self, "column_sum_")
        a, b = self._alike(a, b)
        if isinstance(a, SparseCells):
            assert self._sparse_form is not None
            return self._from_sums(sums_between(self._sparse_form, a, b))
        return self._from_sums(self._sums(self.column_sum_, a, b, n_jobs))

    @staticmethod
    def _sums(column_sum: ColumnSum, a: Cells, b: Cells, n_jobs: int) -> Floats:
        sums: Floats = neighbours.all_mixed(column_sum.arrays(), b.numbers, b.codes, a.numbers, a.codes, n_jobs)
        return sums

    def nearest(
        self, rows: Any, queries: Any, k: int, *, groups: tuple[Ints, Ints] | None = None, n_jobs: int = 1
    ) -> Neighbours:
        check_is_fitted(self, "column_sum_")
        rows, queries = self._alike(rows, queries)
        if isinstance(rows, SparseCells):
            assert self._sparse_form is not None
            found = nearest_sums(self._sparse_form, rows, queries, k, groups)
            return replace(found, distance=self._from_sums(found.distance))
        of_rows, of_queries = groups or (None, None)
        fast = self._euclidean_view(rows, queries)
        if fast is not None:
            sums, row = neighbours.nearest_euclidean(*fast, k, of_rows, of_queries, n_jobs)
            return Neighbours(self._from_sums(self._from_squared(sums)), row)
        sums, row = neighbours.nearest_mixed(
            self.column_sum_.arrays(),
            rows.numbers,
            rows.codes,
            queries.numbers,
            queries.codes,
            k,
            of_rows,
            of_queries,
            n_jobs,
        )
        return Neighbours(self._from_sums(sums), row)

    def _euclidean_view(self, rows: Cells, queries: Cells) -> tuple[Floats, Floats] | None:
        """Rows and queries whose squared Euclidean distance orders as this one, when there is such a view."""
        column_sum = self.column_sum_
        wide = len(column_sum.cost) > 0 or len(column_sum.scale) + int(column_sum.levels.sum()) > MOST_DUMMIES
        if column_sum.power != 2 or column_sum.cosine or wide or not (rows.complete and queries.complete):
            return None
        return self._dummies(rows), self._dummies(queries)

    def _dummies(self, cells: Cells) -> Floats:
        """Numbers scaled, and a column per level whose size makes two levels as far apart as `differ` says."""
        column_sum = self.column_sum_
        parts = [cells.numbers if (column_sum.scale == 1).all() else cells.numbers * column_sum.scale]
        for j, size in enumerate(column_sum.levels):
            met = cells.codes[:, j, None] == np.arange(size + 1)  # one more for a level never seen
            parts.append(np.sqrt(column_sum.differ[j] / 2) * met)
        return parts[0] if len(parts) == 1 else np.ascontiguousarray(np.hstack(parts))

    def _from_squared(self, squared: Floats) -> Floats:
        return squared

    def _alike(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Rows and rows as cells, both held sparse or both with their zeros."""
        a, b = (rows if isinstance(rows, Cells | SparseCells) else self.cells(rows) for rows in (a, b))
        if type(a) is type(b):
            return a, b
        return (a.dense(), b) if isinstance(a, SparseCells) else (a, b.dense())

    def terms(self, query: Any, rows: Any) -> Floats:
        """What each of `columns` adds to the sum, between one query and each row.

        Parameters
        ----------
        query : Table, or what `cells` gave
            One row.
        rows : Table, or what `cells` gave
            The rows it is compared with.

        Returns
        -------
        terms : ndarray of shape (n_rows, n_columns)
            t_j of each column; NaN where a cell is missing and the column is left out.
        """
        check_is_fitted(self, "column_sum_")
        query, rows = self._alike(query, rows)
        if isinstance(rows, SparseCells):
            apart = np.abs(rows.numbers - query.numbers[np.zeros(len(rows), np.int32)])
            return np.asarray(apart.power(self.column_sum_.power).toarray())
        p = query.numbers.shape[1]
        out = np.zeros((len(rows), len(self.columns)))
        for j in range(out.shape[1]):
            numbers, codes = (slice(j, j + 1), slice(0, 0)) if j < p else (slice(0, 0), slice(j - p, j - p + 1))
            a, b = (
                Cells(np.ascontiguousarray(c.numbers[:, numbers]), np.ascontiguousarray(c.codes[:, codes]))
                for c in (query, rows)
            )
            sums = self._sums(self.column_sum_.only(j), a, b, 1)[0]
            out[:, j] = np.where(np.isinf(sums), np.nan, sums)
        return out

    def to_state(self) -> State:
        """A fitted distance as plain data."""
        check_is_fitted(self, "column_sum_")
        return distance_parameters_state(self) | {
            "schema": self.schema_.to_state(),
            "column_sum": self.column_sum_.to_state(),
        }

    @staticmethod
    def from_state(state: Reader) -> SumDistance:
        """The fitted distance of checked values."""
        made = _from_parameters(state)
        made.schema_ = Schema.from_state(state.child("schema"))
        made.column_sum_ = ColumnSum.from_state(state.child("column_sum"))
        state.finish()
        if len(made.column_sum_.weight) != made._width() or not np.array_equal(made.column_sum_.levels, made._levels()):
            raise state.refuse("column_sum", "one term per column of the schema")
        made._expect_own_terms(state)
        return made

    def _expect_own_terms(self, state: Reader) -> None:
        """Refuse a sum that this distance would not make; only scales and costs are learned from rows."""
        found, levels = self.column_sum_, self._levels().astype(np.int64)
        if not np.array_equal(np.diff(found.cost_start), levels**2 if self.learns_costs else np.zeros_like(levels)):
            raise state.refuse("column_sum", f"the costs of levels that {type(self).__name__} has")
        nothing = Cells(np.full((1, len(found.scale)), np.nan), np.full((1, len(levels)), -1, np.int32))
        try:
            expected = self._column_sum(nothing, self._levels(), np.zeros(1, np.int32), None)
        except MercerError as error:
            raise BadFile(f"{state.where}: {error}") from None
        for name, value in expected.arrays().items():
            if name not in ("scale", "cost") and not np.array_equal(value, found.arrays()[name]):
                raise state.refuse("column_sum", f"the {name} of {type(self).__name__}")


def distance_parameters_state(distance: SumDistance) -> State:
    """The name and the parameters of a distance, fitted or not, as plain data."""
    return {"distance": type(distance).__name__, "parameters": parameters_state(distance)}


def distance_from_parameters(state: Reader) -> SumDistance:
    """The distance, not fitted, that `distance_parameters_state` wrote."""
    made = _from_parameters(state)
    state.finish()
    return made


def _from_parameters(state: Reader) -> SumDistance:
    kind = DISTANCES[state.text("distance", tuple(DISTANCES))]
    return kind(**read_parameters(state.child("parameters"), kind.parameters))
