"""p(column | class): the common shape of every likelihood.

A part looks after a group of columns at once. What it learns are statistics that add up: `update` takes in rows,
`merge` adds what another part has seen, and both lead to the same numbers as one pass over all rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints
from mercer.errors import BadColumn
from mercer.state import Reader, State
from mercer.table import Column, Kind, Table


@dataclass(frozen=True)
class ColumnTable:
    """What was learned about one column, as the lectures print it: a row per level or statistic, a column per class."""

    name: str
    likelihood: str
    rows: tuple[str, ...]
    values: Floats  # (n_rows, n_classes)
    counts: Floats | None = None  # weights behind the values, when they are probabilities


@dataclass
class Likelihood(ABC):
    """One way to model columns given the class."""

    key: ClassVar[str]
    kinds: ClassVar[tuple[Kind, ...]]

    columns: tuple[Column, ...] = field(default=(), init=False, repr=False)
    n_classes: int = field(default=0, init=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)

    def start(self, columns: Sequence[Column], n_classes: int) -> Self:
        """Forget everything and look after these columns."""
        for column in columns:
            if column.kind not in self.kinds:
                kinds = " or ".join(self.kinds)
                raise BadColumn(f"{self.key} models {kinds} columns, but {column.name!r} is {column.kind}.")
        self.columns, self.n_classes = tuple(columns), n_classes
        self._clear()
        return self

    @abstractmethod
    def _clear(self) -> None:
        """Statistics of no rows."""

    @abstractmethod
    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        """Take in rows: `classes` codes (n_rows,), weights or None."""

    @abstractmethod
    def widen(self, columns: Sequence[Column], places: Sequence[int], n_classes: int) -> Self:
        """The same statistics for columns that may have more levels and for classes moved to `places`."""

    @abstractmethod
    def merge(self, other: Self) -> None:
        """Add what another part of the same columns and classes has seen."""

    @abstractmethod
    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        """out[i, c] += log p(seen cells of these columns in row i | class c)."""

    @abstractmethod
    def column_log_prob(self, table: Table) -> Floats:
        """(n_rows, n_columns, n_classes): the same by column; 0 where the cell is missing."""

    @abstractmethod
    def tables(self) -> list[ColumnTable]:
        """What was learned, column by column."""

    @abstractmethod
    def to_state(self) -> State:
        """Options and statistics as plain data."""

    @classmethod
    @abstractmethod
    def from_state(cls, state: Reader, columns: Sequence[Column], n_classes: int) -> Self:
        """A fitted part from checked values."""


def place_classes(values: NDArray[Any], places: Sequence[int], n_classes: int) -> NDArray[Any]:
    """Move the rows (classes) of a statistic to their places among n_classes; the others are zero."""
    wide = np.zeros((n_classes, *values.shape[1:]), dtype=values.dtype)
    wide[list(places)] = values
    return wide
