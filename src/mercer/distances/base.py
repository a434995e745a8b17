"""What a distance is: fitted on a table, it measures rows against rows and finds the nearest.

A missing cell is the distance's business: it is left out of the pair, or counts as far apart, as each class says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator

from mercer.arrays import Floats, Ints
from mercer.parameters import Parameters
from mercer.table import Table


@dataclass(frozen=True)
class Neighbours:
    """The nearest rows of each query: distance and row number, each (n_queries, k), nearest first, ties by number."""

    distance: Floats
    row: Ints


class Distance(BaseEstimator, ABC):
    """d(a, b): how unlike two rows are."""

    parameters: ClassVar[Parameters] = {}

    @abstractmethod
    def fit(self, table: Table, classes: Ints | None = None) -> Self:
        """Learn what the formula needs (ranges, deviations, class shares of levels)."""

    @abstractmethod
    def cells(self, table: Table) -> Any:
        """The rows of a table as `between` and `nearest` want them; worth keeping when they are asked often."""

    @abstractmethod
    def between(self, a: Any, b: Any, *, n_jobs: int = 1) -> Floats:
        """Distance of every row of `a` to every row of `b`, (n_a, n_b)."""

    @abstractmethod
    def nearest(
        self, rows: Any, queries: Any, k: int, *, groups: tuple[Ints, Ints] | None = None, n_jobs: int = 1
    ) -> Neighbours:
        """The k nearest of `rows` for each of `queries`.

        groups : (of rows, of queries): a row whose group is the query's is passed over. Row numbers leave each
        query's own row out; fold numbers leave its fold out.
        """
