"""Presence or absence: numbers above a threshold or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Array, Floats, Ints
from mercer.docstrings import shares_docs
from mercer.errors import BadTable
from mercer.likelihoods.base import ColumnTable, Likelihood, class_matrix
from mercer.likelihoods.smoothing import COLUMN_SMOOTHING, ColumnSmoothing, MEstimate, column_rule
from mercer.parameters import Number, Parameters
from mercer.state import Reader, State
from mercer.table import Kind, Table


@shares_docs()
@dataclass
class Bernoulli(Likelihood):
    """p(x | c) = p_c if x > threshold else 1 - p_c, on numeric columns (binary ones are Categorical with two levels).

    Parameters
    ----------
    {column_smoothing}
    threshold : float or None, default 0.0
        Numbers above it count as present. None for numbers that are 0 and 1 already, or shares between them.

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
    parameters: ClassVar[Parameters] = {"smoothing": COLUMN_SMOOTHING, "threshold": Number(optional=True)}

    smoothing: ColumnSmoothing = "laplace"
    threshold: float | None = 0.0

    def _reset_statistics(self) -> None:
        column_rule(self.smoothing, len(self.columns))
        self.absent, self.present = (np.zeros((self.n_classes, len(self.columns))) for _ in range(2))

    def _indicators(self, table: Table) -> tuple[Any, Any]:
        """1 where the cell is present, 1 where it is missing, (n_rows, n_columns) each; sparse of a sparse table."""
        threshold = 0.0 if self.threshold is None else self.threshold
        if not table.is_sparse or threshold < 0:  # below 0 every zero is present
            x = table.numbers(self.names)
            return self._above(x), np.isnan(x).astype(np.float64)
        x = table.csr(self.names)
        parts = self._above(x.data), np.isnan(x.data).astype(np.float64)
        return tuple(sp.csr_array((values, x.indices, x.indptr), shape=x.shape) for values in parts)

    def _above(self, x: Array) -> Floats:
        """1 for numbers above the threshold, 0 for others and for missing cells."""
        if self.threshold is not None:
            return (x > self.threshold).astype(np.float64)
        if (x < 0).any() or (x > 1).any():
            raise BadTable("Without a threshold numbers are indicators: from 0 to 1. Give a threshold (binarize).")
        return np.nan_to_num(np.asarray(x, dtype=np.float64), nan=0.0)

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        present, missing = self._indicators(table)
        by_class = class_matrix(classes, weight, self.n_classes)
        found, unknown = (_dense(by_class @ cells) for cells in (present, missing))
        self.present += found
        self.absent += np.maximum(by_class.sum(axis=1)[:, None] - unknown - found, 0.0)

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
        rule = column_rule(self.smoothing, len(self.columns))
        if isinstance(rule, MEstimate):
            both = np.stack([self.absent, self.present], axis=-1)  # (classes, columns, 2)
            found = np.stack([rule.log_prob(both[:, j]) for j in range(len(self.columns))], axis=1)
            return found[:, :, 0], found[:, :, 1]
        alpha = np.asarray(rule.alpha)
        total = self.absent + self.present + 2 * alpha
        with np.errstate(divide="ignore", invalid="ignore"):
            absent, present = (np.log(cells + alpha) - np.log(total) for cells in (self.absent, self.present))
        return np.where(total > 0, absent, 0.0), np.where(total > 0, present, 0.0)

    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        absent, present = self.log_outcomes()
        x, missing = self._indicators(table)
        no_absent, no_present = np.isneginf(absent), np.isneginf(present)
        out += _outcomes(x, missing, np.where(no_absent, 0.0, absent), np.where(no_present, 0.0, present))
        if no_absent.any() or no_present.any():  # 0 * -inf must stay 0
            out[_outcomes(x, missing, no_absent.astype(float), no_present.astype(float)) > 0.5] = -np.inf

    def column_log_prob(self, table: Table) -> Floats:
        absent, present = self.log_outcomes()
        x, missing = (_dense(cells)[:, :, None] for cells in self._indicators(table))
        with np.errstate(invalid="ignore"):
            outcome = np.where(x > 0, x * present.T, 0.0) + np.where(x < 1, (1 - x) * absent.T, 0.0)
        return np.where(missing > 0, 0.0, outcome)

    def tables(self) -> list[ColumnTable]:
        values = np.exp(np.stack(self.log_outcomes()))  # (2, classes, columns)
        counts = np.stack([self.absent, self.present])
        rows = ("0", "1") if self.threshold is None else (f"at most {self.threshold:g}", f"above {self.threshold:g}")
        return [
            ColumnTable(c.name, self.key, rows, values[:, :, j], counts[:, :, j]) for j, c in enumerate(self.columns)
        ]

    def _statistics_state(self) -> State:
        return {"absent": self.absent, "present": self.present}

    def _restore_statistics(self, state: Reader) -> None:
        shape = (self.n_classes, len(self.columns))
        self.absent = state.array("absent", "float64", shape, low=0.0)
        self.present = state.array("present", "float64", shape, low=0.0)


def _outcomes(present: Any, missing: Any, if_absent: Floats, if_present: Floats) -> Floats:
    """Sum over columns of `if_present` or `if_absent`, (n_classes, n_columns) each, of cells that are not missing."""
    found: Floats = present @ (if_present - if_absent).T - missing @ if_absent.T + if_absent.sum(axis=1)
    return found


def _dense(cells: Any) -> Floats:
    return np.asarray(cells.toarray() if sp.issparse(cells) else cells, dtype=np.float64)
