"""Counts that share one total: numeric columns of counts, all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.errors import BadTable
from mercer.likelihoods.base import ColumnTable, Likelihood, class_matrix, possible
from mercer.likelihoods.smoothing import COLUMN_SMOOTHING, ColumnSmoothing, column_rule
from mercer.parameters import Parameters
from mercer.state import Reader, State
from mercer.table import Kind, Table


@shares_docs()
@dataclass
class Multinomial(Likelihood):
    """log p(x | c) = sum_j x_j log theta_cj,  theta_cj = smoothed share of column j in the total of class c.

    For counts, such as of words in a document: numbers of at least 0. The multinomial coefficient, the same in every
    class, is left out. Smoothing is over the columns of the group.

    Parameters
    ----------
    {column_smoothing}

    Attributes
    ----------
    counts : ndarray of shape (n_classes, n_columns)
        Weighted sum of each column in each class.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.NaiveBayes("multinomial").fit([[3, 0], [2, 1], [0, 4]], ["a", "a", "b"])
    >>> model.predict([[5, 1]])
    array(['a'], dtype='<U1')
    """

    key: ClassVar[str] = "multinomial"
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)
    parameters: ClassVar[Parameters] = {"smoothing": COLUMN_SMOOTHING}

    smoothing: ColumnSmoothing = "laplace"

    def _reset_statistics(self) -> None:
        column_rule(self.smoothing, len(self.columns))
        self.counts = np.zeros((self.n_classes, len(self.columns)))

    def _counts_of(self, table: Table) -> Any:
        """(n_rows, n_columns), missing cells as 0: they add to no total."""
        x: Any = table.csr(self.names) if table.is_sparse else table.numbers(self.names)
        cells: Any = x.data if table.is_sparse else x
        smallest = cells.min(initial=0.0)
        if np.isnan(smallest):
            x = x.copy() if table.is_sparse else np.nan_to_num(x, nan=0.0)
            cells = x.data if table.is_sparse else x
            np.nan_to_num(cells, copy=False, nan=0.0)
            smallest = cells.min(initial=0.0)
        if smallest < 0:
            raise BadTable(f"Negative values in data passed to {self.key} (found {smallest:g}): it models counts.")
        return x

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        self._forget()
        found = class_matrix(classes, weight, self.n_classes) @ self._counts_of(table)
        if table.is_sparse:  # cells that are not stored add nothing, to millions of columns
            rows = np.repeat(np.arange(self.n_classes), np.diff(found.indptr))
            self.counts[rows, found.indices] += found.data
        else:
            self.counts += found

    def merge(self, other: Self, classes: Sequence[int]) -> None:
        self._forget()
        self.counts[list(classes)] += other.counts

    def log_weights(self) -> Floats:
        """What a count of one in each column adds to the score of each class: log theta.

        Returns
        -------
        weights : ndarray of shape (n_classes, n_columns)
            At most 0.
        """
        return self._log_shares(self.counts)

    def _log_shares(self, counts: Floats) -> Floats:
        return column_rule(self.smoothing, len(self.columns)).log_prob(counts)[:, :-1]

    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        x = self._counts_of(table)
        weights, impossible = self._once(lambda: possible(self.log_weights()))
        out += x @ weights
        if impossible is not None:
            out[(x @ impossible) > 0] = -np.inf

    def column_log_prob(self, table: Table) -> Floats:
        x = self._counts_of(table)
        x = (x.toarray() if table.is_sparse else x)[:, :, None]
        with np.errstate(invalid="ignore"):
            return np.where(x > 0, x * self.log_weights().T, 0.0)

    def tables(self) -> list[ColumnTable]:
        return self._share_tables("share", np.exp(self.log_weights()), self.counts)

    def _share_tables(self, row: str, shares: Floats, counts: Floats) -> list[ColumnTable]:
        return [
            ColumnTable(c.name, self.key, (row,), shares[:, [j]].T, counts[:, [j]].T)
            for j, c in enumerate(self.columns)
        ]

    def _statistics_state(self) -> State:
        return {"counts": self.counts}

    def _restore_statistics(self, state: Reader) -> None:
        self.counts = state.array("counts", "float64", (self.n_classes, len(self.columns)), low=0.0)
