"""Presence of something, of numbers above a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats, Ints
from mercer.likelihoods.base import ColumnTable, Likelihood, place_classes
from mercer.likelihoods.smoothing import smoothing_from, smoothing_from_state
from mercer.state import Reader, State
from mercer.table import Column, Kind, Table


@dataclass
class Bernoulli(Likelihood):
    """p(x | c) = p_c if x > threshold else 1 - p_c, on numeric columns (binary ones are Categorical with two levels).

    Parameters
    ----------
    smoothing : as for Categorical, over the two outcomes
    threshold : numbers above it count as present
    """

    key: ClassVar[str] = "bernoulli"
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)

    smoothing: object = "laplace"
    threshold: float = 0.0

    def _clear(self) -> None:
        smoothing_from(self.smoothing)
        self.absent, self.present = (np.zeros((self.n_classes, len(self.columns))) for _ in range(2))

    def _present(self, table: Table) -> tuple[Floats, Floats]:
        """Indicators of 'present' and of 'seen', (n_rows, n_columns) each."""
        x = table.numbers(self.names)
        return (x > self.threshold).astype(np.float64), (~np.isnan(x)).astype(np.float64)

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        present, seen = self._present(table)
        by_class = class_matrix(classes, weight, self.n_classes)
        found = by_class @ present
        self.present += found
        self.absent += by_class @ seen - found

    def widen(self, columns: Sequence[Column], places: Sequence[int], n_classes: int) -> Self:
        wide = type(self)(self.smoothing, self.threshold).start(columns, n_classes)
        wide.absent = place_classes(self.absent, places, n_classes)
        wide.present = place_classes(self.present, places, n_classes)
        return wide

    def merge(self, other: Self) -> None:
        self.absent += other.absent
        self.present += other.present

    def log_outcomes(self) -> tuple[Floats, Floats]:
        """log p(absent), log p(present), each (n_classes, n_columns)."""
        rule = smoothing_from(self.smoothing)
        both = np.stack([self.absent, self.present], axis=-1)  # (classes, columns, 2)
        found = np.stack([rule.log_prob(both[:, j]) for j in range(len(self.columns))], axis=1)
        return found[:, :, 0], found[:, :, 1]

    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        absent, present = self.log_outcomes()
        x, seen = self._present(table)
        if np.isfinite(absent).all() and np.isfinite(present).all():
            out += x @ (present - absent).T + seen @ absent.T
        else:  # 0 * -inf must stay 0
            out += self.column_log_prob(table).sum(axis=1)

    def column_log_prob(self, table: Table) -> Floats:
        absent, present = self.log_outcomes()
        x, seen = self._present(table)
        chosen = np.where(x[:, :, None] > 0, present.T, absent.T)
        return np.where(seen[:, :, None] > 0, chosen, 0.0)

    def tables(self) -> list[ColumnTable]:
        absent, present = self.log_outcomes()
        rows = (f"at most {self.threshold:g}", f"above {self.threshold:g}")
        return [
            ColumnTable(
                c.name, self.key, rows, np.exp(np.stack([absent[:, j], present[:, j]])),
                np.stack([self.absent[:, j], self.present[:, j]]),
            )
            for j, c in enumerate(self.columns)
        ]  # fmt: skip

    def to_state(self) -> State:
        return {
            "smoothing": smoothing_from(self.smoothing).to_state(), "threshold": float(self.threshold),
            "absent": self.absent, "present": self.present,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader, columns: Sequence[Column], n_classes: int) -> Self:
        part = cls(smoothing_from_state(state.child("smoothing")), state.number("threshold")).start(columns, n_classes)
        shape = (n_classes, len(columns))
        part.absent = state.array("absent", "float64", shape, low=0.0)
        part.present = state.array("present", "float64", shape, low=0.0)
        state.finish()
        return part


def class_matrix(classes: Ints, weight: Floats | None, n_classes: int) -> sp.csr_array:
    """(n_classes, n_rows): the weight of each row in its class, so that `@ x` sums x by class."""
    values = np.ones(len(classes)) if weight is None else weight
    return sp.csr_array((values, (classes, np.arange(len(classes)))), shape=(n_classes, len(classes)))
