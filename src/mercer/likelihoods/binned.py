"""Numbers cut into bins, each bin counted like a level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np

from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.likelihoods.base import ColumnTable
from mercer.likelihoods.density import weighted_quantiles
from mercer.likelihoods.samples import Sample, Sampled
from mercer.likelihoods.smoothing import smoothing_from, smoothing_from_state
from mercer.state import Reader, State
from mercer.table import Column

CUTS = ("frequency", "width")


@dataclass
class Binned(Sampled):
    """p(x | c) = smoothed share of x's bin in class c; numbers beyond the outer edges fall in the outer bins.

    Parameters
    ----------
    n_bins : at most so many bins, from 2 up; fewer when edges coincide
    cut : "frequency" (bins of equal weight) or "width" (bins of equal width)
    smoothing : as for Categorical, over the bins
    """

    key: ClassVar[str] = "binned"

    n_bins: int = 10
    cut: str = "frequency"
    smoothing: object = "laplace"

    def _check(self) -> None:
        smoothing_from(self.smoothing)
        if self.cut not in CUTS:
            raise MercerError(f"cut={self.cut!r}: one of {', '.join(CUTS)}.")
        if self.n_bins < 2:
            raise MercerError(f"n_bins={self.n_bins}: at least 2.")

    def _fresh(self) -> Self:
        return type(self)(self.n_bins, self.cut, self.smoothing)

    def edges(self, sample: Sample) -> Floats:
        """Inner edges, increasing; a number at an edge belongs to the bin on its left."""
        if len(sample.values) < 2:
            return np.empty(0)
        shares = np.arange(1, self.n_bins) / self.n_bins
        if self.cut == "width":
            low, high = sample.values[0], sample.values[-1]
            return low + shares * (high - low)
        found = np.unique(weighted_quantiles(sample.values, sample.weights.sum(axis=0), list(shares)))
        return found[found < sample.values[-1]]

    def counts(self, sample: Sample) -> tuple[Floats, Floats]:
        """Inner edges, and the weight of each class in each bin (n_classes, n_bins)."""
        edges = self.edges(sample)
        place = np.searchsorted(edges, sample.values)
        found = np.zeros((self.n_classes, len(edges) + 1))
        np.add.at(found.T, place, sample.weights.T)
        return edges, found

    def _log_prob(self, sample: Sample, x: Floats) -> Floats:
        edges, found = self.counts(sample)
        scores = smoothing_from(self.smoothing).log_prob(found)
        return scores[:, np.searchsorted(edges, x)].T

    def tables(self) -> list[ColumnTable]:
        tables = []
        for column, sample in zip(self.columns, self.samples, strict=True):
            edges, found = self.counts(sample)
            shares = np.exp(smoothing_from(self.smoothing).log_prob(found)[:, :-1])
            tables.append(ColumnTable(column.name, self.key, _intervals(edges), shares.T, found.T))
        return tables

    def to_state(self) -> State:
        return {
            "n_bins": int(self.n_bins), "cut": self.cut, "smoothing": smoothing_from(self.smoothing).to_state(),
            "samples": self._samples_state(),
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader, columns: Sequence[Column], n_classes: int) -> Self:
        part = cls(
            state.integer("n_bins", 2, 1_000_000),
            state.text("cut", CUTS),
            smoothing_from_state(state.child("smoothing")),
        )
        return part._restore(state, columns, n_classes)


def _intervals(edges: Floats) -> tuple[str, ...]:
    if not len(edges):
        return ("all",)
    inner = [f"{a:g} to {b:g}" for a, b in pairwise(edges)]
    return (f"at most {edges[0]:g}", *inner, f"above {edges[-1]:g}")
