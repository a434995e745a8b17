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
    """The nearest rows of each query, nearest first; equal distances by row number.

    Parameters
    ----------
    distance : ndarray of shape (n_queries, k)
        Distance of each.
    row : ndarray of shape (n_queries, k)
        Row number of each.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import Euclidean
    >>> rows = read_table({"x": [0.0, 5.5, 1.5]})
    >>> found = Euclidean().fit(rows).nearest(rows, rows.take([0]), 2)
    >>> found.row, found.distance
    (array([[0, 2]], dtype=int32), array([[0. , 1.5]]))
    """

    distance: Floats
    row: Ints


class Distance(BaseEstimator, ABC):
    """d(a, b): how unlike two rows are.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import Gower
    >>> rows = read_table({"age": [30.0, 50.0, 40.0], "job": ["sales", "clerk", "sales"]})
    >>> Gower().fit(rows).between(rows, rows)[0]
    array([0.  , 1.  , 0.25])
    """

    parameters: ClassVar[Parameters] = {}

    @abstractmethod
    def fit(self, table: Table, classes: Ints | None = None, weight: Floats | None = None) -> Self:
        """Learn what the formula needs: ranges, standard deviations, class frequencies of levels.

        Parameters
        ----------
        table : Table
            The training rows.
        classes : ndarray of shape (n_rows,) or None, default None
            Class codes 0, 1, ... of the rows, for distances that learn from labels.
        weight : ndarray of shape (n_rows,) or None, default None
            Weight of each row, above 0: a row of weight 2 is two rows. None weighs all alike.

        Returns
        -------
        self : Distance
            The same object, fitted.
        """

    @abstractmethod
    def cells(self, table: Table) -> Any:
        """The rows of a table as `between` and `nearest` compare them; worth keeping when they are compared often.

        Parameters
        ----------
        table : Table
            Rows in the schema of fit.

        Returns
        -------
        cells : object with len and take
            The rows.
        """

    @abstractmethod
    def between(self, a: Any, b: Any, *, n_jobs: int = 1) -> Floats:
        """Distance of every row of `a` to every row of `b`.

        Parameters
        ----------
        a : Table, or what `cells` gave
            The first rows.
        b : Table, or what `cells` gave
            The second rows.
        n_jobs : int, default 1
            Threads. Results do not depend on it.

        Returns
        -------
        distances : ndarray of shape (n_a, n_b)
            distances[i, j] = d(a_i, b_j).
        """

    @abstractmethod
    def nearest(
        self, rows: Any, queries: Any, k: int, *, groups: tuple[Ints, Ints] | None = None, n_jobs: int = 1
    ) -> Neighbours:
        """The k nearest of `rows` for each of `queries`.

        Parameters
        ----------
        rows : Table, or what `cells` gave
            The rows to search.
        queries : Table, or what `cells` gave
            The rows whose neighbours are sought.
        k : int
            How many.
        groups : tuple of two ndarrays (of rows, of queries), or None, default None
            A row whose group is the query's is skipped: row numbers leave each query's own row out, fold numbers its
            fold.
        n_jobs : int, default 1
            Threads. Results do not depend on it.

        Returns
        -------
        found : Neighbours
            Distances and row numbers, nearest first.
        """
