"""Normal densities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer import _core
from mercer.arrays import Floats, Ints
from mercer.errors import BadTable, MercerError
from mercer.likelihoods.base import ColumnTable, Likelihood, place_classes
from mercer.state import Reader, State
from mercer.table import Column, Kind, Table

VARIANCES = ("class", "pooled", "global")
# A column that is almost constant within a class must not decide alone. By 10 folds on 18 tables, 1e-3 is right more
# often than 1e-9 on digits (88 % against 78 %), zoo (93 and 78) and covtype's dummies (22 and 14), and nowhere less
# often; a class ten times as narrow as its column keeps its own variance.
FLOOR = 1e-3
_SPARSE_ROWS = 8192  # rows of a sparse table made dense at a time


@dataclass
class Gaussian(Likelihood):
    """p(x | c) = exp(-(x - mean_c)^2 / (2 var_c)) / sqrt(2 pi var_c).

    Parameters
    ----------
    variance : "class" (one in each class), "pooled" (one, within classes), "global" (one, around the overall mean)
    ddof : 1 divides by n - 1 (sample variance), 0 by n (maximum likelihood, as scikit-learn)
    floor : smallest variance, as a share of the column's variance over all rows, from 0 up
    var_smoothing : added to every variance, as a share of that of the widest column of the group, from 0 up; for
        columns of one unit, such as pixels, where an almost constant column tells little (scikit-learn's)
    """

    key: ClassVar[str] = "gaussian"
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)

    variance: str = "class"
    ddof: int = 1
    floor: float = FLOOR
    var_smoothing: float = 0.0

    def _clear(self) -> None:
        if self.variance not in VARIANCES:
            raise MercerError(f"variance={self.variance!r}: one of {', '.join(VARIANCES)}.")
        if not 0 <= self.var_smoothing < np.inf:
            raise MercerError(f"var_smoothing={self.var_smoothing!r} must be a number of at least 0.")
        shape = (self.n_classes, len(self.columns))
        self.n, self.mean, self.m2 = np.zeros(shape), np.zeros(shape), np.zeros(shape)

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        step = _SPARSE_ROWS if table.is_sparse else max(len(table), 1)
        for start in range(0, len(table), step):
            rows = slice(start, start + step)
            part = table.take(rows) if table.is_sparse else table
            with np.errstate(invalid="ignore"):
                found = _core.class_moments(
                    part.numbers(self.names), classes[rows], None if weight is None else weight[rows],
                    self.n_classes, n_jobs,
                )  # fmt: skip
            self._add(*found)
        self._refuse_infinity()

    def _refuse_infinity(self) -> None:
        bad = ~np.isfinite(self.mean).all(axis=0)
        if bad.any():
            name = self.columns[int(bad.argmax())].name
            raise BadTable(f"Column {name!r} holds infinity, or numbers too large to average.")

    def _add(self, n: Floats, mean: Floats, m2: Floats) -> None:
        """Combine two disjoint samples (Chan et al. 1983); order does not matter, so chunks may come from anywhere."""
        total = self.n + n
        share = np.divide(n, total, out=np.zeros_like(n), where=total > 0)
        delta = mean - self.mean
        self.mean = self.mean + delta * share
        self.m2 = self.m2 + m2 + delta**2 * self.n * share
        self.n = total

    def widen(self, columns: Sequence[Column], places: Sequence[int], n_classes: int) -> Self:
        wide = type(self)(self.variance, self.ddof, self.floor, self.var_smoothing).start(columns, n_classes)
        wide.n, wide.mean, wide.m2 = (place_classes(s, places, n_classes) for s in (self.n, self.mean, self.m2))
        return wide

    def merge(self, other: Self) -> None:
        self._add(other.n, other.mean, other.m2)

    def parameters(self) -> tuple[Floats, Floats]:
        """Mean and variance, each (n_classes, n_columns), defined everywhere.

        A class with too few cells for a variance takes the pooled one; a class with no cell at all takes the column's
        overall mean and variance, which favours no class.
        """
        n, m2 = self.n.sum(axis=0), self.m2.sum(axis=0)
        overall = _share((self.n * self.mean).sum(axis=0), n)
        spread = m2 + (self.n * (self.mean - overall) ** 2).sum(axis=0)
        whole = _share(spread, n - self.ddof, spread)
        classes_seen = (self.n > 0).sum(axis=0)
        pooled = _share(m2, n - self.ddof * classes_seen, whole)
        if self.variance == "class":
            variance = _share(self.m2, self.n - self.ddof, np.broadcast_to(pooled, self.n.shape))
        else:
            variance = np.broadcast_to(pooled if self.variance == "pooled" else whole, self.n.shape)
        variance = np.where(self.n > 0, variance, whole)
        variance = variance + self.var_smoothing * whole.max(initial=0.0)
        smallest = np.where(whole > 0, self.floor * whole, 1.0)
        variance = np.maximum(variance, np.where(smallest > 0, smallest, np.finfo(float).tiny))
        return np.where(self.n > 0, self.mean, overall), variance

    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        mean, variance = self.parameters()
        log_scale = -0.5 * np.log(2 * np.pi * variance)
        step = _SPARSE_ROWS if table.is_sparse else max(len(table), 1)
        for start in range(0, len(table), step):
            rows = slice(start, start + step)
            part = table.take(rows) if table.is_sparse else table
            _core.add_gaussian_scores(part.numbers(self.names), mean, 1 / variance, log_scale, out[rows], n_jobs)

    def column_log_prob(self, table: Table) -> Floats:
        mean, variance = self.parameters()
        x = table.numbers(self.names)[:, :, None]
        scores = -0.5 * np.log(2 * np.pi * variance.T) - 0.5 * (x - mean.T) ** 2 / variance.T
        return np.where(np.isnan(x), 0.0, scores)

    def tables(self) -> list[ColumnTable]:
        mean, variance = self.parameters()
        rows = ("mean", "variance", "standard deviation", "cells")
        return [
            ColumnTable(
                c.name, self.key, rows,
                np.stack([mean[:, j], variance[:, j], np.sqrt(variance[:, j]), self.n[:, j]]),
            )
            for j, c in enumerate(self.columns)
        ]  # fmt: skip

    def to_state(self) -> State:
        return {
            "variance": self.variance, "ddof": self.ddof, "floor": float(self.floor),
            "var_smoothing": float(self.var_smoothing), "n": self.n, "mean": self.mean, "m2": self.m2,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader, columns: Sequence[Column], n_classes: int) -> Self:
        part = cls(state.text("variance", VARIANCES), state.integer("ddof", 0, 1))
        part.floor, part.var_smoothing = (state.number(key, 0.0, 1e300) for key in ("floor", "var_smoothing"))
        part.start(columns, n_classes)
        shape = (n_classes, len(columns))
        part.n = state.array("n", "float64", shape, low=0.0)
        part.mean = state.array("mean", "float64", shape)
        part.m2 = state.array("m2", "float64", shape, low=0.0)
        state.finish()
        return part


def _share(top: Floats, bottom: Floats, otherwise: Floats | float = 0.0) -> Floats:
    """top / bottom where bottom > 0, `otherwise` elsewhere."""
    otherwise = np.broadcast_to(np.asarray(otherwise, dtype=np.float64), top.shape)
    return np.divide(top, bottom, out=otherwise.copy(), where=bottom > 0)
