"""Counts of whole numbers that stand for levels."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter, BadTable, ColumnWarning
from mercer.likelihoods.categorical import Categorical
from mercer.likelihoods.smoothing import SMOOTHING, smoothing_rule
from mercer.parameters import Either, Number, Numbers, Parameters
from mercer.state import Reader, State
from mercer.table import Kind, Table

MOST_LEVELS = 1_000_000  # of a column: 8 MB of counts a class
N_LEVELS = Either(Number(1, MOST_LEVELS, whole=True, optional=True), Numbers(1, MOST_LEVELS))


@shares_docs()
@dataclass
class Codes(Categorical):
    """p(x = k | c) = smoothed share of k among the cells of class c that are not missing, k = 0, 1, 2, ...

    For levels that came as whole numbers (scikit-learn's OrdinalEncoder). A column has the levels 0 to the largest
    number that a training row holds; larger ones are levels never seen. Fractions are cut off, with a warning.

    Parameters
    ----------
    {smoothing}
    n_levels : int, sequence of int or None, default None
        At least so many levels, in every column or in each of them; None for those that training rows hold.

    Attributes
    ----------
    counts : ndarray of shape (n_classes, n_slots)
        Weight of each level in each class, column after column; each column has one slot more than levels, which stays
        0.
    offsets : ndarray of shape (n_columns + 1,)
        Where the slots of each column begin and end.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.NaiveBayes("codes").fit([[0], [0], [2]], ["play", "play", "stay"])
    >>> model.tables()["x0"].values.round(3)
    array([[0.6 , 0.25],
           [0.2 , 0.25],
           [0.2 , 0.5 ]])
    """

    key: ClassVar[str] = "codes"
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)
    parameters: ClassVar[Parameters] = {"smoothing": SMOOTHING, "n_levels": N_LEVELS}

    n_levels: int | Sequence[int] | None = None

    def _reset_statistics(self) -> None:
        smoothing_rule(self.smoothing)
        least = np.asarray(0 if self.n_levels is None else self.n_levels)
        if least.ndim and len(least) != len(self.columns):
            raise BadParameter(f"n_levels has {len(least)} numbers for {len(self.columns)} columns. Give one for each.")
        self._set_sizes(np.broadcast_to(least, len(self.columns)).astype(np.int64).tolist())

    @property
    def sizes(self) -> Ints:
        """Number of levels of each column, (n_columns,)."""
        return np.asarray(np.diff(self.offsets) - 1)

    def _levels(self) -> Iterable[tuple[str, ...]]:
        return (tuple(map(str, range(size))) for size in self.sizes)

    def _numbers(self, table: Table) -> Floats:
        """Numbers of at least 0, without their fractions; NaN where missing."""
        x = np.asarray(table.numbers(self.names), dtype=np.float64)
        if (x < 0).any():
            raise BadTable(f"Negative values in data passed to {self.key}: levels are the numbers 0, 1, 2, ...")
        return np.trunc(x)

    def _codes(self, table: Table) -> Ints:
        x = np.minimum(self._numbers(table), self.sizes)
        return np.ascontiguousarray(np.where(np.isnan(x), -1, x), dtype=np.int32)

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        if weight is not None and not weight.all():  # rows without weight bring no levels
            kept = np.flatnonzero(weight)
            table, classes, weight = table.take(kept), classes[kept], weight[kept]
        x = self._numbers(table)
        fraction = ~np.isnan(x) & (x != table.numbers(self.names))
        if fraction.any():
            name = self.names[int(fraction.any(axis=0).argmax())]
            said = "fractions are cut off, since levels are the numbers 0, 1, 2, ..."
            warnings.warn(ColumnWarning(name, said), stacklevel=2)
        largest = np.max(x, axis=0, where=~np.isnan(x), initial=-1.0)
        if (largest >= MOST_LEVELS).any():
            name, value = self.names[int(largest.argmax())], largest.max()
            raise BadTable(f"Column {name!r} holds {value:g}: more than {MOST_LEVELS:,} levels. Number them from 0 on.")
        self._grow(largest.astype(np.int64) + 1)
        super().update(table, classes, weight, n_jobs)

    def _grow(self, sizes: Ints) -> None:
        """The same counts, with at least so many levels of each column."""
        old, slots = self.counts, self._slots()
        if (sizes > self.sizes).any():
            self._set_sizes(np.maximum(sizes, self.sizes).tolist())
            for before, after in zip(slots, self._slots(), strict=True):
                n = before.stop - before.start - 1
                self.counts[:, after.start : after.start + n] = old[:, before.start : before.start + n]

    def merge(self, other: Self, classes: Sequence[int]) -> None:
        self._grow(other.sizes)
        for mine, theirs in zip(self._slots(), other._slots(), strict=True):
            n = theirs.stop - theirs.start - 1
            self.counts[list(classes), mine.start : mine.start + n] += other.counts[:, theirs.start : theirs.stop - 1]

    def _statistics_state(self) -> State:
        return {"sizes": self.sizes, "counts": self.counts}

    def _restore_statistics(self, state: Reader) -> None:
        sizes = state.array("sizes", "int64", (len(self.columns),), low=0, high=MOST_LEVELS)
        state.derive("sizes", 8.0 * self.n_classes * float(sizes.sum()))
        self._set_sizes(sizes.tolist())
        super()._restore_statistics(state)
        if self.counts[:, self.offsets[1:] - 1].any():
            raise state.refuse("counts", "nothing in the slots of levels never seen")
