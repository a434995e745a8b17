"""Counts of levels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np

from mercer import _core
from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.likelihoods.base import ColumnTable, Likelihood
from mercer.likelihoods.smoothing import SMOOTHING, Smoothing, smoothing_rule
from mercer.parameters import Parameters
from mercer.state import Reader, State
from mercer.table import Kind, Table


@shares_docs()
@dataclass
class Categorical(Likelihood):
    """p(x = l | c) = smoothed share of level l among the cells of class c that are not missing.

    Parameters
    ----------
    {smoothing}

    Attributes
    ----------
    counts : ndarray of shape (n_classes, n_slots)
        Weight of each level in each class, column after column; each column has one slot more than levels, for cells
        whose level the schema does not know.
    offsets : ndarray of shape (n_columns + 1,)
        Where the slots of each column begin and end.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.NaiveBayes().fit({"wind": ["weak", "weak", "strong"]}, ["play", "play", "stay"])
    >>> model.tables()["wind"].values.round(3)
    array([[0.75 , 0.333],
           [0.25 , 0.667]])
    """

    key: ClassVar[str] = "categorical"
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.BINARY, Kind.CATEGORY, Kind.ORDINAL)
    parameters: ClassVar[Parameters] = {"smoothing": SMOOTHING}

    smoothing: Smoothing = "laplace"

    def _reset_statistics(self) -> None:
        smoothing_rule(self.smoothing)
        self._set_sizes([len(c.levels) for c in self.columns])

    def _set_sizes(self, sizes: Sequence[int]) -> None:
        """Counts of 0 for so many levels of each column."""
        self.offsets = np.cumsum([0, *(size + 1 for size in sizes)]).astype(np.int64)
        self.counts = np.zeros((self.n_classes, int(self.offsets[-1])))

    def _slots(self) -> list[slice]:
        return [slice(int(a), int(b)) for a, b in pairwise(self.offsets)]

    def _codes(self, table: Table) -> Ints:
        """The level of each cell, (n_rows, n_columns): -1 where it is missing, the number of levels where unknown."""
        return table.codes(self.names)

    def _levels(self) -> Iterable[tuple[str, ...]]:
        """Names of the levels of each column."""
        return (column.levels for column in self.columns)

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        codes = self._codes(table)
        self.counts += _core.count_codes(codes, classes, weight, self.offsets, self.n_classes, n_jobs)

    def merge(self, other: Self, classes: Sequence[int]) -> None:
        slots = []
        for start, mine, theirs in zip(self.offsets[:-1].tolist(), self.columns, other.columns, strict=True):
            code = {level: k for k, level in enumerate(mine.levels)}
            slots += [start + k for k in (*(code[level] for level in theirs.levels), len(mine.levels))]
        self.counts[np.ix_(list(classes), slots)] += other.counts

    def log_table(self) -> Floats:
        """log p(level | class).

        Returns
        -------
        log_prob : ndarray of shape (n_classes, n_slots)
            Column after column; the last slot of each column is for levels that no training row has.
        """
        rule = smoothing_rule(self.smoothing)
        parts = [rule.log_prob(self.counts[:, s][:, :-1]) for s in self._slots()]
        return np.hstack(parts) if parts else self.counts

    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        _core.add_code_scores(self._codes(table), self.log_table(), self.offsets, out, n_jobs)

    def column_log_prob(self, table: Table) -> Floats:
        codes, scores = self._codes(table), self.log_table()
        found = np.zeros((len(table), len(self.columns), self.n_classes))
        for j, slots in enumerate(self._slots()):
            seen = codes[:, j] >= 0
            found[seen, j] = scores[:, slots][:, codes[seen, j]].T
        return found

    def tables(self) -> list[ColumnTable]:
        scores = self.log_table()
        return [
            ColumnTable(name, self.key, levels, np.exp(scores[:, s][:, :-1]).T, self.counts[:, s][:, :-1].T)
            for name, levels, s in zip(self.names, self._levels(), self._slots(), strict=True)
        ]

    def counts_of(self, name: str) -> tuple[Floats, Floats]:
        """What was counted and estimated of one column.

        Parameters
        ----------
        name : str
            Name of the column.

        Returns
        -------
        counts, log_prob : ndarray of shape (n_classes, n_levels)
            Weight of each level in each class, and log p(level | class).
        """
        slots = self._slots()[list(self.names).index(name)]
        counts = self.counts[:, slots][:, :-1]
        return counts, smoothing_rule(self.smoothing).log_prob(counts)[:, :-1]

    def _statistics_state(self) -> State:
        return {"counts": self.counts}

    def _restore_statistics(self, state: Reader) -> None:
        self.counts = state.array("counts", "float64", self.counts.shape, low=0.0)
