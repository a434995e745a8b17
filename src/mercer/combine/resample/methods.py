"""Which rows a learner is fitted to: the methods by name, and the way each table goes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mercer.arrays import Ints, Longs
from mercer.combine.resample import imbalanced, mixed
from mercer.combine.resample.sample import Sample, expect_classes, oversample, undersample, wanted_more
from mercer.distances import HEOM, Distance
from mercer.errors import BadTable, BadTarget, MercerWarning

Method: TypeAlias = Literal["over", "under", "smote", "borderline", "adasyn", "tomek", "edited"]
GROWS = ("smote", "borderline", "adasyn")


@dataclass(frozen=True)
class Resampling:
    """How rows are resampled: the parameters of `Resampled` that say so."""

    method: Method
    ratio: float
    n_neighbors: int | None
    distance: Distance | None  # None: imbalanced-learn's where it takes the table, HEOM elsewhere
    random_state: Any

    def apply(self, rows: Sample, classes: NDArray[Any]) -> Sample:
        """The rows to fit to, with every class among them."""
        expect_classes(rows.counts())
        found = self._resampled(rows, classes)
        lost = np.flatnonzero(np.bincount(found.codes, minlength=len(classes)) == 0)
        if len(lost):
            raise BadTable(
                f"method={self.method!r} leaves no row of class {str(classes[lost[0]])!r}: each has a row of another "
                "class among its neighbours. Use fewer neighbours, or method='tomek' or 'under'."
            )
        return found

    def _resampled(self, rows: Sample, classes: NDArray[Any]) -> Sample:
        if self.method in ("over", "under"):
            draw = oversample if self.method == "over" else undersample
            return draw(rows, self.ratio, check_random_state(self.random_state))
        k = self._neighbours(rows.counts(), classes)
        if self.distance is None and imbalanced.takes(rows.table, self.method):
            imbalanced.expect_installed()
            return imbalanced.resample(rows, self.method, k, self.ratio, self.random_state)
        distance = HEOM() if self.distance is None else self.distance
        if self.method == "tomek":
            return mixed.tomek(rows, distance)
        if self.method == "edited":
            return mixed.edited(rows, distance, int(k.max()))
        grow = {"smote": mixed.smote, "borderline": mixed.borderline, "adasyn": mixed.adasyn}[self.method]
        return grow(rows, distance, k, self.ratio, check_random_state(self.random_state))

    def _neighbours(self, counts: Longs, classes: NDArray[Any]) -> Ints:
        """How many neighbours are sought in each class, fewer where a class that grows is small."""
        asked = self.n_neighbors if self.n_neighbors is not None else 5 if self.method in GROWS else 3
        k = np.full(len(counts), asked)
        if self.method not in GROWS:
            return np.minimum(k, counts.sum() - 1).astype(np.int32)
        for c in np.flatnonzero(wanted_more(counts, self.ratio)):
            name = repr(str(classes[c]))
            if counts[c] == 1:
                raise BadTarget(
                    f"Class {name} has one row, and method={self.method!r} makes rows between neighbours of a "
                    "class. Use method='over', give more rows of it, or leave it out."
                )
            if counts[c] <= asked:
                warnings.warn(
                    f"Class {name} has {counts[c]} rows: each has {counts[c] - 1} neighbours in it, fewer than "
                    f"the {asked} asked for.",
                    MercerWarning,
                    stacklevel=2,
                )
                k[c] = counts[c] - 1
        return k.astype(np.int32)
