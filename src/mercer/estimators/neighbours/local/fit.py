"""The local fit around a query: weights of its rows by a kernel of distance, and the columns that the plane has."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.arrays import Floats, Longs
from mercer.encode.design import Design
from mercer.errors import MercerWarning
from mercer.state import Reader, State
from mercer.table import Schema, Table

LocalKernel = Literal["tricube", "epanechnikov", "gaussian", "uniform"]
KERNELS: dict[LocalKernel, Callable[[Floats], Floats]] = {
    "tricube": lambda u: np.clip(1 - np.minimum(u, 1) ** 3, 0, None) ** 3,
    "epanechnikov": lambda u: np.clip(1 - np.minimum(u, 1) ** 2, 0, None),
    "gaussian": lambda u: np.exp(-(np.minimum(u, 40) ** 2) / 2),
    "uniform": lambda u: (u <= 1).astype(np.float64),
}
CELLS = 500_000  # of the neighbours' rows held at once: 4 MB


@dataclass(frozen=True)
class LocalFit:
    """Why one row was predicted so: the rows it was fitted to, their weights, and the plane through them.

    Attributes
    ----------
    rows : ndarray of shape (k,)
        Row numbers among the training rows.
    distances : ndarray of shape (k,)
        Their distances.
    weights : ndarray of shape (k,)
        Their weights, which sum to 1.
    targets : ndarray of shape (k,)
        Their targets.
    prediction : float
        The value of the plane at the row.
    columns : tuple of str
        Names of the terms of the plane; none for a local mean.
    slopes : ndarray of shape (n_terms,)
        Change of the prediction for one unit of each term.
    """

    rows: Longs
    distances: Floats
    weights: Floats
    targets: Floats
    prediction: float
    columns: tuple[str, ...]
    slopes: Floats


@dataclass(frozen=True)
class Neighbourhoods:
    """Some queries, and the rows that each is fitted to: row numbers, distances and weights, (n_queries, k)."""

    queries: NDArray[np.intp]
    row: NDArray[Any]
    distance: Floats
    weight: Floats

    def blocks(self, width: int) -> Iterator[Neighbourhoods]:
        """The same in blocks whose rows of `width` columns fit in CELLS."""
        size = max(1, CELLS // (self.row.shape[1] * max(width, 1)))
        for start in range(0, len(self.row), size):
            part = slice(start, start + size)
            yield Neighbourhoods(self.queries[part], self.row[part], self.distance[part], self.weight[part])


def kernel_weights(kernel: LocalKernel, distance: Floats, mass: Floats, bandwidth: float | None = None) -> Floats:
    """mass * K(d / h), (n_queries, k); the nearest rows weigh alike where K leaves none.

    bandwidth : h; None takes the distance of the furthest row of positive mass
    """
    h: Any = bandwidth
    if bandwidth is None:
        h = np.where((mass > 0) & np.isfinite(distance), distance, 0.0).max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        u = np.where(distance > 0, distance / h, 0.0)
    weight = KERNELS[kernel](u) * mass
    nearest = distance == np.where(mass > 0, distance, np.inf).min(axis=1, keepdims=True)
    return np.where(weight.sum(axis=1, keepdims=True) > 0, weight, nearest * mass)


@dataclass(frozen=True)
class PlaneColumns:
    """z(x): the columns of the plane, in units of their standard deviation; levels as dummies."""

    design: Design
    taken: Longs  # which columns of the design
    unit: Floats  # standard deviation of each of them, 1 for a constant

    @classmethod
    def fit(cls, table: Table, y: Floats, weight: Floats | None, most: int) -> tuple[Self, Floats]:
        """The columns that correlate most with y, at most `most`; and z of the table, (n_rows, n_terms)."""
        design = Design.learn(table, weight)
        matrix = _dense(design.matrix(table))
        size = np.abs(matrix).max(axis=0, initial=0.0)
        size = np.where(size > 1e145, size, 1.0)  # squares of larger numbers overflow
        centred = matrix / size - np.average(matrix / size, axis=0, weights=weight)
        deviation = np.sqrt(np.average(centred**2, axis=0, weights=weight))
        taken = _most_correlated(centred, y, weight, most)
        unit = np.where(deviation > 0, deviation * size, 1.0)[taken]
        return cls(design, taken, unit), matrix[:, taken] / unit

    @property
    def names(self) -> tuple[str, ...]:
        """The term that each column of z is."""
        return tuple(self.design.names[j] for j in self.taken)

    def z(self, table: Table) -> Floats:
        """The columns of the plane, (n_rows, n_terms)."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MercerWarning)  # the distance already sets an unseen level far apart
            return _dense(self.design.matrix(table)[:, self.taken]) / self.unit

    def to_state(self) -> State:
        return {"design": self.design.to_state(), "taken": self.taken, "unit": self.unit}

    @classmethod
    def from_state(cls, state: Reader, schema: Schema) -> Self:
        design = Design.from_state(state.child("design"), schema)
        taken = state.array("taken", "int64", (None,), low=0, high=len(design.names) - 1)
        if not (np.diff(taken) > 0).all():
            raise state.refuse("taken", "columns that increase")
        unit = state.array("unit", "float64", (len(taken),), low=np.nextafter(0.0, 1.0))
        state.finish()
        return cls(design, taken, unit)


def _most_correlated(centred: Floats, y: Floats, weight: Floats | None, most: int) -> Longs:
    """The columns that correlate most with y, in their order; of equal ones the first."""
    w = np.ones(len(y)) if weight is None else weight
    residual = y - np.average(y, weights=w)
    size = np.sqrt(w @ centred**2) * np.sqrt(w @ residual**2)
    correlation = np.abs((w * residual) @ centred) / np.where(size > 0, size, 1.0)
    best = np.argsort(-correlation.round(12), kind="stable")[:most]  # rounding must not choose among equals
    return np.sort(best).astype(np.int64)


def _dense(matrix: Any) -> Floats:
    cells = matrix.toarray() if sp.issparse(matrix) else matrix
    return np.asarray(cells, dtype=np.float64)
