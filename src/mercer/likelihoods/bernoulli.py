"""Presence or absence: numbers above a threshold or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.likelihoods.base import ColumnTable, Likelihood, class_matrix
from mercer.likelihoods.smoothing import SMOOTHING, Smoothing, smoothing_rule
from mercer.parameters import Number, Parameters
from mercer.state import Reader, State
from mercer.table import Kind, Table


@shares_docs()
@dataclass
class Bernoulli(Likelihood):
    """p(x | c) = p_c if x > threshold else 1 - p_c, on numeric columns (binary ones are Categorical with two levels).

    Parameters
    ----------
    {smoothing}
    threshold : float, default 0.0
        Numbers above it count as present.

    Attributes
    ----------
    absent, present : ndarray of shape (n_classes, n_columns)
        Weight of the cells at most, and above, the threshold.

    Examples
    --------
    >>> import mercer
    >>> from mercer.likelihoods import Bernoulli
    >>> model = mercer.NaiveBayes(Bernoulli(threshold=0.5)).fit([[0.0], [1.0], [1.0]], ["a", "a", "b"])
    >>> model.tables()["x0"].values.round(3)
    array([[0.5  , 0.333],
           [0.5  , 0.667]])
    """

    key: ClassVar[str] = "bernoulli"
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)
    parameters: ClassVar[Parameters] = {"smoothing": SMOOTHING, "threshold": Number()}

    smoothing: Smoothing = "laplace"
    threshold: float = 0.0

    def _reset_statistics(self) -> None:
        smoothing_rule(self.smoothing)
        self.absent, self.present = (np.zeros((self.n_classes, len(self.columns))) for _ in range(2))

    def _indicators(self, table: Table) -> tuple[Floats, Floats]:
        """1 where the cell is present, 1 where it is not missing, (n_rows, n_columns) each."""
        x = table.numbers(self.names)
        return (x > self.threshold).astype(np.float64), (~np.isnan(x)).astype(np.float64)

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        present, seen = self._indicators(table)
        by_class = class_matrix(classes, weight, self.n_classes)
        found = by_class @ present
        self.present += found
        self.absent += by_class @ seen - found

    def merge(self, other: Self, classes: Sequence[int]) -> None:
        self.absent[list(classes)] += other.absent
        self.present[list(classes)] += other.present

    def log_outcomes(self) -> tuple[Floats, Floats]:
        """Log probabilities of the two outcomes.

        Returns
        -------
        absent, present : ndarray of shape (n_classes, n_columns)
            log p(at most the threshold), log p(above it).
        """
        rule = smoothing_rule(self.smoothing)
        both = np.stack([self.absent, self.present], axis=-1)  # (classes, columns, 2)
        found = np.stack([rule.log_prob(both[:, j]) for j in range(len(self.columns))], axis=1)
        return found[:, :, 0], found[:, :, 1]

    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        absent, present = self.log_outcomes()
        x, seen = self._indicators(table)
        if np.isfinite(absent).all() and np.isfinite(present).all():
            out += x @ (present - absent).T + seen @ absent.T
        else:  # 0 * -inf must stay 0
            out += self.column_log_prob(table).sum(axis=1)

    def column_log_prob(self, table: Table) -> Floats:
        absent, present = self.log_outcomes()
        x, seen = self._indicators(table)
        outcome = np.where(x[:, :, None] > 0, present.T, absent.T)
        return np.where(seen[:, :, None] > 0, outcome, 0.0)

    def tables(self) -> list[ColumnTable]:
        values = np.exp(np.stack(self.log_outcomes()))  # (2, classes, columns)
        counts = np.stack([self.absent, self.present])
        rows = (f"at most {self.threshold:g}", f"above {self.threshold:g}")
        return [
            ColumnTable(c.name, self.key, rows, values[:, :, j], counts[:, :, j]) for j, c in enumerate(self.columns)
        ]

    def _statistics_state(self) -> State:
        return {"absent": self.absent, "present": self.present}

    def _restore_statistics(self, state: Reader) -> None:
        shape = (self.n_classes, len(self.columns))
        self.absent = state.array("absent", "float64", shape, low=0.0)
        self.present = state.array("present", "float64", shape, low=0.0)
