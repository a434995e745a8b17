"""Likelihoods that need the numbers themselves: kernel density and bins.

Both keep the distinct numbers of each column with their weight in each class. Any bandwidth or bin edge can be computed
from these, so merging is exact; merging finished bins would not be.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.errors import BadFile
from mercer.likelihoods.base import Likelihood, spread_classes
from mercer.state import Reader, State
from mercer.table import Kind, Table


@dataclass(frozen=True, slots=True)
class Sample:
    """Distinct numbers in increasing order, and the weight of each in each class."""

    values: Floats  # (m,)
    weights: Floats  # (n_classes, m)

    @classmethod
    def empty(cls, n_classes: int) -> Sample:
        return cls(np.empty(0), np.empty((n_classes, 0)))

    def add(self, values: Floats, weights: Floats) -> Sample:
        """This sample and further numbers, `weights` (n_classes, len(values))."""
        together = np.concatenate([self.values, values])
        distinct, place = np.unique(together, return_inverse=True)
        total = np.zeros((weights.shape[0], len(distinct)))
        stacked = np.hstack([self.weights, weights])
        for c in range(len(total)):
            np.add.at(total[c], place, stacked[c])
        return Sample(distinct, total)


@dataclass
class EmpiricalLikelihood(Likelihood):
    """Base of the likelihoods whose statistics are the numbers themselves."""

    kinds: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)

    def _reset_statistics(self) -> None:
        self.samples = [Sample.empty(self.n_classes) for _ in self.columns]

    @abstractmethod
    def _log_prob(self, sample: Sample, x: Floats) -> Floats:
        """(len(x), n_classes) for numbers without missing ones."""

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        x = np.asarray(table.numbers(self.names), dtype=np.float64)
        mass = np.ones(len(table)) if weight is None else weight
        for j in range(len(self.columns)):
            seen = ~np.isnan(x[:, j]) & (mass > 0)
            values, place = np.unique(x[seen, j], return_inverse=True)
            weights = np.zeros((self.n_classes, len(values)))
            np.add.at(weights, (classes[seen], place), mass[seen])
            self.samples[j] = self.samples[j].add(values, weights)

    def merge(self, other: Self, classes: Sequence[int]) -> None:
        self.samples = [
            mine.add(theirs.values, spread_classes(theirs.weights, classes, self.n_classes))
            for mine, theirs in zip(self.samples, other.samples, strict=True)
        ]

    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        out += self.column_log_prob(table).sum(axis=1)

    def column_log_prob(self, table: Table) -> Floats:
        x = np.asarray(table.numbers(self.names), dtype=np.float64)
        found = np.zeros((len(table), len(self.columns), self.n_classes))
        for j, sample in enumerate(self.samples):
            seen = ~np.isnan(x[:, j])
            if seen.any() and len(sample.values):
                distinct, place = np.unique(x[seen, j], return_inverse=True)
                found[seen, j] = self._log_prob(sample, distinct)[place]
        return found

    def _statistics_state(self) -> State:
        return {"samples": [{"values": s.values, "weights": s.weights} for s in self.samples]}

    def _restore_statistics(self, state: Reader) -> None:
        stored = state.children("samples")
        if len(stored) != len(self.columns):
            raise BadFile(f"{state.where}: {len(stored)} samples for {len(self.columns)} columns.")
        self.samples = [_read_sample(reader, self.n_classes) for reader in stored]


def _read_sample(state: Reader, n_classes: int) -> Sample:
    values = state.array("values", "float64", (None,))
    if not (np.diff(values) > 0).all():
        raise BadFile(f"{state.where}.values must increase.")
    weights = state.array("weights", "float64", (n_classes, len(values)), low=0.0)
    if not weights.any(axis=0).all():
        raise state.refuse("weights", "a weight above 0 for every number")
    return Sample(values, weights)
