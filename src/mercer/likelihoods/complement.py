"""Counts judged by the classes that a row is not of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer.arrays import Floats
from mercer.likelihoods.base import ColumnTable
from mercer.likelihoods.multinomial import Multinomial
from mercer.likelihoods.smoothing import smoothing_from
from mercer.state import Reader, State
from mercer.table import Column


@dataclass
class Complement(Multinomial):
    """score(x | c) = -sum_j x_j log theta_cj,  theta_cj = smoothed share of column j in the total of all classes but c.

    For counts, as Multinomial, where classes differ much in size: every theta is learned from nearly all rows. A score,
    not a probability: what it gives should be read as an order of the classes. Reference: Rennie, Shih, Teevan and
    Karger 2003, Tackling the poor assumptions of naive Bayes text classifiers, section 3.1.

    Parameters
    ----------
    smoothing : as for Multinomial
    normalise : whether the weights of a class are divided by their sum (section 3.2), for texts of unlike length
    """

    key: ClassVar[str] = "complement"

    normalise: bool = False

    def widen(self, columns: Sequence[Column], places: Sequence[int], n_classes: int) -> Self:
        wide = super().widen(columns, places, n_classes)
        wide.normalise = self.normalise
        return wide

    def _log_elsewhere(self) -> Floats:
        """log theta, (n_classes, n_columns)."""
        return smoothing_from(self.smoothing).log_prob(self.counts.sum(axis=0) - self.counts)[:, :-1]

    def log_shares(self) -> Floats:
        """What one more of each column adds to the score of each class, (n_classes, n_columns)."""
        found = -self._log_elsewhere()
        total = found.sum(axis=1, keepdims=True)
        return np.divide(found, total, out=np.zeros_like(found), where=total > 0) if self.normalise else found

    def tables(self) -> list[ColumnTable]:
        elsewhere, counts = np.exp(self._log_elsewhere()), self.counts.sum(axis=0) - self.counts
        return [
            ColumnTable(c.name, self.key, ("share elsewhere",), elsewhere[:, [j]].T, counts[:, [j]].T)
            for j, c in enumerate(self.columns)
        ]

    def to_state(self) -> State:
        return super().to_state() | {"normalise": bool(self.normalise)}

    @classmethod
    def from_state(cls, state: Reader, columns: Sequence[Column], n_classes: int) -> Self:
        normalise = state.flag("normalise")
        part = super().from_state(state, columns, n_classes)
        part.normalise = normalise
        return part
