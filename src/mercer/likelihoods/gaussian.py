"""Normal densities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from mercer import _core
from mercer.arrays import Floats, Ints
from mercer.errors import BadTable
from mercer.likelihoods.base import ROUNDING, ColumnTable, Likelihood
from mercer.parameters import Choice, Number, Parameters
from mercer.state import Reader, State
from mercer.table import Kind, Table

Variance = Literal["class", "pooled", "global"]
# A column that is almost constant within a class must not decide alone. In 10-fold cross-validation on 18 tables,
# 1e-3 is more accurate than 1e-9 on digits (88 % against 78 %), zoo (93 and 78) and covtype's dummies (22 and 14), and
# nowhere less; a class whose standard deviation is a tenth of its column's keeps its own variance.
FLOOR = 1e-3
_SPARSE_ROWS = 8192  # rows of a sparse table made dense at a time


@dataclass
class Gaussian(Likelihood):
    """p(x | c) = exp(-(x - mean_c)^2 / (2 var_c)) / sqrt(2 pi var_c).

    Parameters
    ----------
    variance : {"class", "pooled", "global"}, default "class"
        One variance in each class, one within classes, or one around the overall mean.
    ddof : {1, 0}, default 1
        1 divides by n - 1 (sample variance), 0 by n (maximum likelihood, as scikit-learn).
    floor : float, default 0.001
        Smallest variance, as a share of the column's variance over all rows, at least 0.
    var_smoothing : float, default 0.0
        Added to every variance, as a share of the largest variance among the columns of the group, at least 0. For
        columns of one unit, such as pixels, where an almost constant column tells little (scikit-learn's).

    Attributes
    ----------
    n : ndarray of shape (n_classes, n_columns)
        Weight of the cells that are not missing.
    mean : ndarray of shape (n_classes, n_columns)
        Their mean.
    m2 : ndarray of shape (n_classes, n_columns)
        Their sum of squared deviations from the mean.

    Examples
    --------
    >>> import mercer
    >>> from mercer.likelihoods import Gaussian
    >>> model = mercer.NaiveBayes(Gaussian(variance="pooled")).fit([[1.0], [3.0], [8.0], [10.0]], ["a", "a", "b", "b"])
    >>> model.tables()["x0"].values[:2]
    array([[2., 9.],
           [2., 2.]])
    """

    key: ClassVar[str] = "gaussian"
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)
    parameters: ClassVar[Parameters] = {
        "variance": Choice(Variance),
        "ddof": Number(0, 1, whole=True),
        "floor": Number(0),
        "var_smoothing": Number(0),
    }

    variance: Variance = "class"
    ddof: int = 1
    floor: float = FLOOR
    var_smoothing: float = 0.0

    def _reset_statistics(self) -> None:
        shape = (self.n_classes, len(self.columns))
        self.n, self.mean, self.m2 = np.zeros(shape), np.zeros(shape), np.zeros(shape)

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        step = _SPARSE_ROWS if table.is_sparse else max(len(table), 1)
        for start in range(0, len(table), step):
            rows = slice(start, start + step)
            part = table.take(rows) if table.is_sparse else table
            with np.errstate(invalid="ignore", over="ignore"):
                found = _core.class_moments(
                    part.numbers(self.names), classes[rows], None if weight is None else weight[rows],
                    self.n_classes, n_jobs,
                )  # fmt: skip
            self._refuse_infinity(found[1])
            self._add(slice(None), *found)

    def _refuse_infinity(self, mean: Floats) -> None:
        bad = ~np.isfinite(mean).all(axis=0)
        if bad.any():
            name = self.columns[int(bad.argmax())].name
            raise BadTable(f"Column {name!r} holds infinity, or numbers too large to average.")

    def _add(self, classes: slice | list[int], n: Floats, mean: Floats, m2: Floats) -> None:
        """Combine two disjoint samples (Chan et al. 1983); order does not matter, so chunks may come from anywhere."""
        mine, total = self.n[classes], self.n[classes] + n
        share = np.divide(n, total, out=np.zeros_like(n), where=total > 0)
        delta = mean - self.mean[classes]
        self.m2[classes] += m2 + delta * (mine * share) * delta
        self.mean[classes] += delta * share
        self.n[classes] = total

    def merge(self, other: Self, classes: Sequence[int]) -> None:
        self._add(list(classes), other.n, other.mean, other.m2)

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and variance of each column in each class, defined everywhere.

        A class with too few cells for a variance takes the pooled one; a class with no cell at all takes the column's
        overall mean and variance, which favours no class.

        Returns
        -------
        mean, variance : ndarray of shape (n_classes, n_columns)
            The parameters of the normal densities.
        """
        n, m2 = self.n.sum(axis=0), self.m2.sum(axis=0)
        overall = _share((self.n * self.mean).sum(axis=0), n)
        spread = m2 + (self.n * (self.mean - overall) ** 2).sum(axis=0)
        whole = _share(spread, n - self.ddof, spread)
        whole = np.where(whole > (ROUNDING * overall) ** 2, whole, 0.0)
        variance = np.where(self.n > 0, self._variance(whole, n, m2), whole)
        variance = variance + self.var_smoothing * whole.max(initial=0.0)
        smallest = np.where(whole > 0, self.floor * whole, 1.0)
        variance = np.maximum(variance, np.where(smallest > 0, smallest, np.finfo(float).tiny))
        return np.where(self.n > 0, self.mean, overall), variance

    def _variance(self, whole: Floats, n: Floats, m2: Floats) -> Floats:
        """As the `variance` parameter says, (n_classes, n_columns); `whole` is the variance over all rows."""
        if self.variance == "global":
            return np.broadcast_to(whole, self.n.shape)
        pooled = _share(m2, n - self.ddof * (self.n > 0).sum(axis=0), whole)
        if self.variance == "pooled":
            return np.broadcast_to(pooled, self.n.shape)
        return _share(self.m2, self.n - self.ddof, pooled)

    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        mean, variance = self.moments()
        log_scale = -0.5 * np.log(2 * np.pi * variance)
        step = _SPARSE_ROWS if table.is_sparse else max(len(table), 1)
        for start in range(0, len(table), step):
            rows = slice(start, start + step)
            part = table.take(rows) if table.is_sparse else table
            _core.add_gaussian_scores(part.numbers(self.names), mean, 1 / variance, log_scale, out[rows], n_jobs)

    def column_log_prob(self, table: Table) -> Floats:
        mean, variance = self.moments()
        x = table.numbers(self.names)[:, :, None]
        scores = -0.5 * np.log(2 * np.pi * variance.T) - 0.5 * (x - mean.T) ** 2 / variance.T
        return np.where(np.isnan(x), 0.0, scores)

    def tables(self) -> list[ColumnTable]:
        mean, variance = self.moments()
        rows = ("mean", "variance", "standard deviation", "cells")
        return [
            ColumnTable(
                c.name, self.key, rows,
                np.stack([mean[:, j], variance[:, j], np.sqrt(variance[:, j]), self.n[:, j]]),
            )
            for j, c in enumerate(self.columns)
        ]  # fmt: skip

    def _statistics_state(self) -> State:
        return {"n": self.n, "mean": self.mean, "m2": self.m2}

    def _restore_statistics(self, state: Reader) -> None:
        shape = (self.n_classes, len(self.columns))
        self.n = state.array("n", "float64", shape, low=0.0)
        self.mean = state.array("mean", "float64", shape)
        self.m2 = state.array("m2", "float64", shape, low=0.0)


def _share(top: Floats, bottom: Floats, otherwise: Floats | float = 0.0) -> Floats:
    """top / bottom where bottom > 0, `otherwise` elsewhere."""
    otherwise = np.broadcast_to(np.asarray(otherwise, dtype=np.float64), top.shape)
    return np.divide(top, bottom, out=otherwise.copy(), where=bottom > 0)
