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
from mercer.likelihoods.base import ColumnTable, Likelihood, class_matrix, possible
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
        """1 where the cell is present, and where it is missing (None: nowhere), (n_rows, n_columns) each.

        Sparse of a sparse table, but for a threshold below 0, of which every zero is above.
        """
        sparse = table.is_sparse and (self.threshold is None or self.threshold >= 0)
        x: Any = table.csr(self.names) if sparse else table.numbers(self.names)
        cells: Any = x.data if sparse else x
        found = [self._above(cells), np.isnan(cells).astype(np.float64) if np.isnan(cells.min(initial=0.0)) else None]
        if sparse:
            found = [v if v is None else sp.csr_array((v, x.indices, x.indptr), shape=x.shape) for v in found]
        return found[0], found[1]

    def _above(self, x: Array) -> Floats:
        """1 for numbers above the threshold, 0 for others and for missing cells."""
        if self.threshold is not None:
            return (x > self.threshold).astype(np.float64)
        if (x < 0).any() or (x > 1).any():
            raise BadTable("Without a threshold numbers are indicators: from 0 to 1. Give a threshold (binarize).")
        return np.nan_to_num(np.asarray(x, dtype=np.float64), nan=0.0)

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        self._forget()
        present, missing = self._indicators(table)
        by_class = class_matrix(classes, weight, self.n_classes)
        found = _dense(by_class @ present)
        unknown = 0.0 if missing is None else _dense(by_class @ missing)
        self.present += found
        self.absent += np.maximum(by_class.sum(axis=1)[:, None] - unknown - found, 0.0)

    def merge(self, other: Self, classes: Sequence[int]) -> None:
        self._forget()
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
        x, missing = self._indicators(table)
        scores, impossible = self._once(self._scores)
        out += scores.sums(x, missing)
        if impossible is not None:
            out[impossible.sums(x, missing) > 0.5] = -np.inf

    def _scores(self) -> tuple[_Outcomes, _Outcomes | None]:
        """The log probabilities that are finite, and 1 for those that are not, if there are any."""
        (absent, never), (present, never_present) = (possible(outcome) for outcome in self.log_outcomes())
        if never is None and never_present is None:
            return _Outcomes.of(absent, present), None
        zero = np.zeros_like(absent)
        impossible = (zero if never is None else never), (zero if never_present is None else never_present)
        return _Outcomes.of(absent, present), _Outcomes.of(*impossible)

    def column_log_prob(self, table: Table) -> Floats:
        absent, present = self.log_outcomes()
        x, missing = self._indicators(table)
        x = _dense(x)[:, :, None]
        with np.errstate(invalid="ignore"):
            outcome = np.where(x > 0, x * present.T, 0.0) + np.where(x < 1, (1 - x) * absent.T, 0.0)
        return outcome if missing is None else np.where(_dense(missing)[:, :, None] > 0, 0.0, outcome)

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


@dataclass(frozen=True)
class _Outcomes:
    """What a cell adds when it is present or absent, as sums of products with indicators."""

    absent: Floats  # (n_columns, n_classes)
    gain: Floats  # present less absent
    none_present: Floats  # (n_classes,): the sum when all columns are absent

    @classmethod
    def of(cls, absent: Floats, present: Floats) -> _Outcomes:
        return cls(absent, present - absent, absent.sum(axis=0))

    def sums(self, present: Any, missing: Any) -> Floats:
        """Over the columns that are not missing, (n_rows, n_classes)."""
        found: Floats = present @ self.gain + self.none_present
        return found if missing is None else found - missing @ self.absent


def _dense(cells: Any) -> Floats:
    return np.asarray(cells.toarray() if sp.issparse(cells) else cells, dtype=np.float64)
