"""Counts of levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np

from mercer import _core
from mercer.arrays import Floats, Ints
from mercer.likelihoods.base import ColumnTable, Likelihood, place_classes
from mercer.likelihoods.smoothing import Smoothing, smoothing_from, smoothing_from_state
from mercer.state import Reader, State
from mercer.table import Column, Kind, Table


@dataclass
class Categorical(Likelihood):
    """p(x = l | c) = smoothed share of level l among the cells of class c that are not missing.

    Parameters
    ----------
    smoothing : "laplace", "none", a number alpha, Alpha(...) or MEstimate(...)
    """

    key: ClassVar[str] = "categorical"
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.BINARY, Kind.CATEGORY, Kind.ORDINAL)

    smoothing: object = "laplace"

    @property
    def rule(self) -> Smoothing:
        return smoothing_from(self.smoothing)

    def _clear(self) -> None:
        smoothing_from(self.smoothing)
        # One slot more than levels: cells whose level the schema does not know.
        self.offsets = np.cumsum([0, *(len(c.levels) + 1 for c in self.columns)]).astype(np.int64)
        self.counts = np.zeros((self.n_classes, int(self.offsets[-1])))

    def _slots(self) -> list[slice]:
        return [slice(int(a), int(b)) for a, b in pairwise(self.offsets)]

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        codes = table.codes(self.names)
        self.counts += _core.count_codes(codes, classes, weight, self.offsets, self.n_classes, n_jobs)

    def widen(self, columns: Sequence[Column], places: Sequence[int], n_classes: int) -> Self:
        wide = type(self)(self.smoothing).start(columns, n_classes)
        counts = place_classes(self.counts, places, n_classes)
        for mine, theirs, old, new in zip(self._slots(), wide._slots(), self.columns, columns, strict=True):
            code = {level: k for k, level in enumerate(new.levels)}
            moved = [*(code[level] for level in old.levels), len(new.levels)]
            wide.counts[:, theirs][:, moved] = counts[:, mine]
        return wide

    def merge(self, other: Self) -> None:
        self.counts += other.counts

    def log_table(self) -> Floats:
        """(n_classes, all slots): log p(level | class), each column's last slot for levels never seen."""
        rule = self.rule
        parts = [rule.log_prob(self.counts[:, s][:, :-1]) for s in self._slots()]
        return np.hstack(parts) if parts else self.counts

    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        _core.add_code_scores(table.codes(self.names), self.log_table(), self.offsets, out, n_jobs)

    def column_log_prob(self, table: Table) -> Floats:
        codes, scores = table.codes(self.names), self.log_table()
        found = np.zeros((len(table), len(self.columns), self.n_classes))
        for j, slots in enumerate(self._slots()):
            seen = codes[:, j] >= 0
            found[seen, j] = scores[:, slots][:, codes[seen, j]].T
        return found

    def tables(self) -> list[ColumnTable]:
        scores = self.log_table()
        return [
            ColumnTable(c.name, self.key, c.levels, np.exp(scores[:, s][:, :-1]).T, self.counts[:, s][:, :-1].T)
            for c, s in zip(self.columns, self._slots(), strict=True)
        ]

    def to_state(self) -> State:
        return {"smoothing": self.rule.to_state(), "counts": self.counts}

    @classmethod
    def from_state(cls, state: Reader, columns: Sequence[Column], n_classes: int) -> Self:
        part = cls(smoothing_from_state(state.child("smoothing"))).start(columns, n_classes)
        part.counts = state.array("counts", "float64", (n_classes, int(part.offsets[-1])), low=0.0)
        state.finish()
        return part
