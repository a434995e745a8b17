"""Counts that share one total: numeric count columns together, or the words of a text column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.errors import BadTable
from mercer.likelihoods.base import ColumnTable, Likelihood, place_classes
from mercer.likelihoods.bernoulli import class_matrix
from mercer.likelihoods.smoothing import smoothing_from, smoothing_from_state
from mercer.state import Reader, State
from mercer.table import Column, Kind, Table


@dataclass
class Multinomial(Likelihood):
    """log p(x | c) = sum_j x_j log theta_cj,  theta_cj = smoothed share of column j in the total of class c.

    For counts: how often each thing was met, non-negative. The coefficient, the same in every class, is left out.

    Parameters
    ----------
    smoothing : as for Categorical, over the columns of the group
    """

    key: ClassVar[str] = "multinomial"
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)

    smoothing: object = "laplace"

    def _clear(self) -> None:
        smoothing_from(self.smoothing)
        self.counts = np.zeros((self.n_classes, len(self.columns)))

    def _counts_of(self, table: Table) -> Any:
        """(n_rows, n_columns), missing cells as 0: they add to no total."""
        if table.is_sparse:
            x = table.sparse(self.names)
            smallest = x.data.min() if x.nnz else 0.0
        else:
            x = np.nan_to_num(table.numbers(self.names), nan=0.0)
            smallest = x.min() if x.size else 0.0
        if smallest < 0:
            raise BadTable(f"Negative values in data passed to multinomial (found {smallest:g}): it models counts.")
        return x

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        found = class_matrix(classes, weight, self.n_classes) @ self._counts_of(table)
        self.counts += found.toarray() if table.is_sparse else found

    def widen(self, columns: Sequence[Column], places: Sequence[int], n_classes: int) -> Self:
        wide = type(self)(self.smoothing).start(columns, n_classes)
        wide.counts = place_classes(self.counts, places, n_classes)
        return wide

    def merge(self, other: Self) -> None:
        self.counts += other.counts

    def log_shares(self) -> Floats:
        """log theta, (n_classes, n_columns)."""
        return smoothing_from(self.smoothing).log_prob(self.counts)[:, :-1]

    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        shares = self.log_shares()
        if np.isfinite(shares).all():
            out += self._counts_of(table) @ shares.T
        else:
            out += self.column_log_prob(table).sum(axis=1)

    def column_log_prob(self, table: Table) -> Floats:
        x = self._counts_of(table)
        x = (x.toarray() if table.is_sparse else x)[:, :, None]
        with np.errstate(invalid="ignore"):
            return np.where(x > 0, x * self.log_shares().T, 0.0)

    def tables(self) -> list[ColumnTable]:
        shares = np.exp(self.log_shares())
        return [
            ColumnTable(c.name, self.key, ("share",), shares[:, [j]].T, self.counts[:, [j]].T)
            for j, c in enumerate(self.columns)
        ]

    def to_state(self) -> State:
        return {"smoothing": smoothing_from(self.smoothing).to_state(), "counts": self.counts}

    @classmethod
    def from_state(cls, state: Reader, columns: Sequence[Column], n_classes: int) -> Self:
        part = cls(smoothing_from_state(state.child("smoothing"))).start(columns, n_classes)
        part.counts = state.array("counts", "float64", (n_classes, len(columns)), low=0.0)
        state.finish()
        return part
