"""The features on which a kernel machine becomes a linear one: by landmarks, or drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mercer.arrays import Array, Floats, Longs
from mercer.errors import MercerError
from mercer.estimators.kernel.approximation.choose import choose_landmarks
from mercer.estimators.kernel.approximation.error import entry_error
from mercer.estimators.kernel.approximation.features import RandomMap
from mercer.estimators.kernel.approximation.landmarks import Landmarks
from mercer.kernels import Kernel, Precomputed
from mercer.parameters import Choice, Flag, Number, Parameters
from mercer.table import Table

Approximation = Literal["nystroem", "features", "cells"]
_BLOCK = 8192  # rows whose features are held at a time, where not all are
RANK = 1000  # landmarks or features when no number is given
APPROXIMATION: Parameters = {
    "approximation": Choice((None, "nystroem", "features", "cells")),
    "rank": Number(1, whole=True, optional=True),
    "polish": Flag(),
}


@dataclass(frozen=True)
class Basis:
    """A map z, the dtype of its values, and how far z(a).z(b) is from the kernel on rows of the training table."""

    map: Landmarks | RandomMap
    dtype: np.dtype[Any]
    n_jobs: int
    error: float

    def features(self, table: Table) -> Array:
        """z of every row, (n_rows, n_features)."""
        return self.map.features(table, self.dtype, self.n_jobs)

    def blocks(self, table: Table) -> Iterator[tuple[slice, Array]]:
        """(rows, z of them), some at a time."""
        start = 0
        for part in table.chunks(_BLOCK):
            yield slice(start, start + len(part)), self.features(part)
            start += len(part)

    @property
    def places(self) -> Longs:
        """The training rows that predictions compare with: landmarks, or none."""
        return self.map.places if isinstance(self.map, Landmarks) else np.empty(0, dtype=np.int64)

    @property
    def kept(self) -> RandomMap | None:
        """What a model keeps beside landmarks and coefficients."""
        return None if isinstance(self.map, Landmarks) else self.map

    def coef(self, planes: Floats) -> Floats:
        """Coefficients of landmarks or of features, (n_planes, n), from weights of features, (n_planes, n_features)."""
        return planes @ self.map.normalization.T if isinstance(self.map, Landmarks) else planes


def make_basis(machine: Any, kernel: Kernel, table: Table, dtype: np.dtype[Any], seed: int) -> Basis:
    """Of a fitted kernel, as the parameters `approximation` and `rank` of a machine say."""
    kernel, rank = expect_rows(kernel), machine.rank or RANK
    rng = np.random.RandomState(seed)
    made: Landmarks | RandomMap
    if machine.approximation == "nystroem":
        places = choose_landmarks(kernel, table, rank, "uniform", rng, machine._jobs)
        made = Landmarks.of(kernel, table, places, machine._jobs, dtype)
    else:
        made = RandomMap.draw(kernel, rank, False, rng)
    return Basis(made, dtype, machine._jobs, entry_error(kernel, made.features, table, rng))


def expect_rows(kernel: Kernel) -> Kernel:
    """The kernel; MercerError where it is a matrix."""
    if isinstance(kernel, Precomputed):
        raise MercerError("An approximation compares rows, but kernel='precomputed' gives their matrix. Leave it out.")
    return kernel
