"""p(column | class): what every likelihood does.

A likelihood models a group of columns given the class. It keeps sufficient statistics that add up: `update` counts
rows, `merge` adds the statistics of another sample, and both lead to the numbers of one pass over all rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats, Ints
from mercer.docstrings import inherit_docs
from mercer.errors import BadColumn
from mercer.parameters import Parameters, check_parameters, parameters_state
from mercer.state import Reader, State
from mercer.table import Column, Kind, Table, shown_number
from mercer.table.array_columns import Numbered
from mercer.table.schema import column_names, representatives

Estimates = TypeVar("Estimates")
# Numbers whose standard deviation is at most this share of their mean are constant: the mean of 100,000 equal numbers
# has a rounding error of 5e-15 of it, which would otherwise pass for a difference between classes.
ROUNDING = 1e-13


@dataclass(frozen=True)
class ColumnTable:
    """The fitted likelihood of one column as a table: a row per level or statistic, a column per class.

    Parameters
    ----------
    name : str
        Name of the column.
    likelihood : str
        Name of its likelihood, such as "gaussian".
    rows : tuple of str
        What each row is: a level, a word, a bin, or a statistic such as "mean".
    values : ndarray of shape (n_rows, n_classes)
        Probabilities or statistics.
    counts : ndarray of shape (n_rows, n_classes) or None, default None
        The weight of the training cells behind each value, where values are probabilities.
    column : Column or None, default None
        What the column is, so that the mean of dates is shown as a date.

    Examples
    --------
    >>> import mercer
    >>> table = mercer.NaiveBayes().fit({"wind": ["weak", "weak", "strong"]}, ["play", "play", "stay"]).tables()["wind"]
    >>> table.rows
    ('weak', 'strong')
    >>> table.counts
    array([[2., 0.],
           [0., 1.]])
    """

    name: str
    likelihood: str
    rows: tuple[str, ...]
    values: Floats
    counts: Floats | None = None
    column: Column | None = None

    def text(self, row: int, value: float) -> str:
        """A statistic as text: the mean of dates is a date.

        Parameters
        ----------
        row : int
            Place of the statistic in `rows`.
        value : float
            Its value in a class.

        Returns
        -------
        text : str
            Six significant digits, a date, or a time of day.
        """
        if self.column is not None and self.rows[row] == "mean":
            return shown_number(self.column, float(value))
        return f"{value:.6g}"


@dataclass
class Likelihood(ABC):
    """p(columns | class) of a group of columns, estimated from statistics that add up.

    A likelihood of one's own declares `key`, `kinds` and `parameters` and fills in the methods below.

    Attributes
    ----------
    columns : sequence of Column
        The columns that it models.
    n_classes : int
        Number of classes.

    Examples
    --------
    >>> import mercer, numpy as np
    >>> from mercer.likelihoods import Categorical
    >>> table = mercer.read_table({"wind": ["weak", "weak", "strong"]})
    >>> wind = Categorical().reset(table.schema, n_classes=2)
    >>> wind.update(table, np.array([0, 0, 1], dtype=np.int32), None)
    >>> np.exp(wind.column_log_prob(table))[:, 0, 0]
    array([0.75, 0.75, 0.25])
    """

    key: ClassVar[str]  # its name in NaiveBayes(likelihoods=...) and in a model file
    kinds: ClassVar[tuple[Kind, ...]]  # the kinds of column that it models
    parameters: ClassVar[Parameters]

    columns: Sequence[Column] = field(default=(), init=False, repr=False, compare=False)
    n_classes: int = field(default=0, init=False, repr=False, compare=False)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        inherit_docs(cls)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_kept"}

    def _once(self, estimate: Callable[[], Estimates]) -> Estimates:
        """What predictions need of the statistics, computed when first asked for; forgotten when these change."""
        if "_kept" not in self.__dict__:
            self._kept = estimate()
        kept: Estimates = self._kept
        return kept

    def _forget(self) -> None:
        """The statistics have changed."""
        self.__dict__.pop("_kept", None)

    @property
    def names(self) -> Sequence[str]:
        """Names of the columns that it models."""
        return column_names(self.columns)

    def unfitted(self) -> Self:
        """A likelihood with the same parameters and no statistics.

        Returns
        -------
        likelihood : Likelihood
            A new object.
        """
        return type(self)(**{name: getattr(self, name) for name in self.parameters})

    def reset(self, columns: Iterable[Column], n_classes: int) -> Self:
        """Check the parameters, and start over with the statistics of no rows.

        Parameters
        ----------
        columns : iterable of Column
            The columns to model.
        n_classes : int
            Number of classes.

        Returns
        -------
        self : Likelihood
            The same object.

        Raises
        ------
        BadParameter
            A parameter is outside its declared set.
        BadColumn
            A column is of a kind that this likelihood does not model.
        """
        check_parameters(self)
        self.columns, self.n_classes = (columns if isinstance(columns, Numbered) else tuple(columns), n_classes)
        for column in representatives(self.columns):
            if column.kind not in self.kinds:
                kinds = " or ".join(self.kinds)
                raise BadColumn(f"{self.key} models {kinds} columns, but {column.name!r} is {column.kind}.")
        self._forget()
        self._reset_statistics()
        return self

    @abstractmethod
    def _reset_statistics(self) -> None:
        """The statistics of no rows."""

    @abstractmethod
    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        """Add the statistics of further rows.

        Parameters
        ----------
        table : Table
            The rows; a missing cell is left out of the statistics of its column.
        classes : ndarray of int32 of shape (n_rows,)
            The class of each row, from 0 to n_classes - 1.
        weight : ndarray of shape (n_rows,) or None
            Weight of each row; None weighs all alike.
        n_jobs : int, default 1
            Threads.
        """

    @abstractmethod
    def merge(self, other: Self, classes: Sequence[int]) -> None:
        """Add the statistics of another sample, fitted with the same parameters on columns of the same names.

        Parameters
        ----------
        other : Likelihood
            Statistics of disjoint rows, whose levels and classes may be fewer; it is left as it is.
        classes : sequence of int
            For each class of `other`, which class it is here.
        """

    @abstractmethod
    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        """Add log p(cells of row i that are not missing | class c) to out[i, c].

        Parameters
        ----------
        table : Table
            The rows.
        out : ndarray of shape (n_rows, n_classes)
            The sums, changed in place.
        n_jobs : int, default 1
            Threads.
        """

    @abstractmethod
    def column_log_prob(self, table: Table) -> Floats:
        """Log probability or density of each cell in each class.

        Parameters
        ----------
        table : Table
            The rows.

        Returns
        -------
        log_prob : ndarray of shape (n_rows, n_columns, n_classes)
            0 where the cell is missing.
        """

    @abstractmethod
    def tables(self) -> list[ColumnTable]:
        """The fitted values of each column.

        Returns
        -------
        tables : list of ColumnTable
            One for each column.
        """

    def parameters_state(self) -> State:
        """Name and parameters, without statistics, as plain data.

        Returns
        -------
        state : dict
            What `registry.read_unfitted` reads.
        """
        return {"likelihood": self.key, "parameters": parameters_state(self)}

    def to_state(self) -> State:
        """Name, parameters, columns and statistics as plain data."""
        fitted = {"columns": list(self.names), "statistics": self._statistics_state()}
        return self.parameters_state() | fitted

    @abstractmethod
    def _statistics_state(self) -> State:
        """The statistics as plain data."""

    @abstractmethod
    def _restore_statistics(self, state: Reader) -> None:
        """Set, after `reset`, what `_statistics_state` gave, checked."""


def class_matrix(classes: Ints, weight: Floats | None, n_classes: int) -> sp.csr_array:
    """(n_classes, n_rows): the weight of each row in its class, so that `@ x` sums x by class."""
    values = np.ones(len(classes)) if weight is None else weight
    return sp.csr_array((values, (classes, np.arange(len(classes)))), shape=(n_classes, len(classes)))


def spread_classes(values: Floats, classes: Sequence[int], n_classes: int) -> Any:
    """Rows of `values` at the positions `classes` among n_classes rows; the others are zero."""
    wide = np.zeros((n_classes, *values.shape[1:]))
    wide[list(classes)] = values
    return wide


def possible(scores: Floats) -> tuple[Floats, Floats | None]:
    """Scores (n_classes, n_columns) turned, -inf as 0 (0 * -inf must stay 0); and 1 where they were -inf, or None."""
    turned = np.ascontiguousarray(scores.T)  # as products with sparse rows take it
    never = np.isneginf(turned)
    if not never.any():
        return turned, None
    turned[never] = 0.0
    return turned, never.astype(np.float64)
