"""Numbers cut into bins, each bin counted like a level."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.likelihoods.base import ColumnTable
from mercer.likelihoods.density import weighted_quantiles
from mercer.likelihoods.empirical import EmpiricalLikelihood, Sample
from mercer.likelihoods.smoothing import SMOOTHING, Smoothing, smoothing_rule
from mercer.parameters import Choice, Number, Parameters
from mercer.table import Column, shown_number

BinRule = Literal["frequency", "width"]


@shares_docs()
@dataclass
class Binned(EmpiricalLikelihood):
    """p(x | c) = smoothed share of x's bin in class c; numbers beyond the outer edges fall in the outer bins.

    Parameters
    ----------
    n_bins : int, default 10
        At most so many bins, from 2 up; fewer when edges coincide.
    cut : {"frequency", "width"}, default "frequency"
        Bins of equal weight, or of equal width.
    {smoothing}

    Attributes
    ----------
    samples : list of Sample
        For each column its distinct numbers, and the weight of each in each class.

    Examples
    --------
    >>> import mercer
    >>> from mercer.likelihoods import Binned
    >>> model = mercer.NaiveBayes(Binned(n_bins=2)).fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"])
    >>> model.tables()["x0"].rows
    ('at most 2', 'above 2')
    """

    key: ClassVar[str] = "binned"
    parameters: ClassVar[Parameters] = {
        "n_bins": Number(2, 1_000_000, whole=True),
        "cut": Choice(BinRule),
        "smoothing": SMOOTHING,
    }

    n_bins: int = 10
    cut: BinRule = "frequency"
    smoothing: Smoothing = "laplace"

    def _reset_statistics(self) -> None:
        smoothing_rule(self.smoothing)
        super()._reset_statistics()

    def edges(self, sample: Sample) -> Floats:
        """Edges between the bins of one column.

        Parameters
        ----------
        sample : Sample
            The numbers of the column.

        Returns
        -------
        edges : ndarray of shape (n_bins - 1,)
            In increasing order; a number at an edge belongs to the bin on its left.
        """
        if len(sample.values) < 2:
            return np.empty(0)
        shares = np.arange(1, self.n_bins) / self.n_bins
        if self.cut == "width":
            low, high = sample.values[0], sample.values[-1]
            return low + shares * (high - low)
        found = np.unique(weighted_quantiles(sample.values, sample.weights.sum(axis=0), list(shares)))
        return found[found < sample.values[-1]]

    def counts(self, sample: Sample) -> tuple[Floats, Floats]:
        """The bins of one column, and the weight in each.

        Parameters
        ----------
        sample : Sample
            The numbers of the column.

        Returns
        -------
        edges : ndarray of shape (n_bins - 1,)
            Edges between the bins.
        weights : ndarray of shape (n_classes, n_bins)
            Weight of each class in each bin.
        """
        edges = self.edges(sample)
        place = np.searchsorted(edges, sample.values)
        found = np.zeros((self.n_classes, len(edges) + 1))
        np.add.at(found.T, place, sample.weights.T)
        return edges, found

    def _log_prob(self, sample: Sample, x: Floats) -> Floats:
        edges, found = self.counts(sample)
        scores = smoothing_rule(self.smoothing).log_prob(found)
        return scores[:, np.searchsorted(edges, x)].T

    def tables(self) -> list[ColumnTable]:
        tables = []
        for column, sample in zip(self.columns, self.samples, strict=True):
            edges, found = self.counts(sample)
            shares = np.exp(smoothing_rule(self.smoothing).log_prob(found)[:, :-1])
            tables.append(ColumnTable(column.name, self.key, _intervals(column, edges), shares.T, found.T))
        return tables


def _intervals(column: Column, edges: Floats) -> tuple[str, ...]:
    if not len(edges):
        return ("all",)
    shown = [shown_number(column, float(edge)) for edge in edges]
    return (f"at most {shown[0]}", *(f"{a} to {b}" for a, b in pairwise(shown)), f"above {shown[-1]}")
