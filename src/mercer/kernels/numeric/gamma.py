"""gamma, the inverse width that several kernels share: a number, or learned from the training rows."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from mercer._core.gram import Matrix
from mercer.arrays import Array
from mercer.kernels.numeric.base import NumericKernel
from mercer.kernels.numeric.pairwise import is_sparse
from mercer.parameters import Number
from mercer.state import Reader, State

Gamma: TypeAlias = float | Literal["scale", "auto"]
GAMMA = Number(0, above=True, words=("scale", "auto"))


class GammaKernel(NumericKernel):
    """A numeric kernel with `gamma`; fit sets `gamma_`."""

    gamma: Gamma
    gamma_: float

    def _learn(self, x: Matrix, weight: Array) -> None:
        self.gamma_ = find_gamma(self.gamma, x, weight)

    def _learned(self) -> State:
        return super()._learned() | {"gamma": float(self.gamma_)}

    def _restore(self, state: Reader) -> None:
        super()._restore(state)
        self.gamma_ = state.number("gamma", np.nextafter(0, 1))


def find_gamma(gamma: Gamma, x: Matrix, weight: Array) -> float:
    """The number itself; "auto" is 1 / n_columns; "scale" is 1 / (n_columns * variance of all cells), or 1."""
    if gamma == "auto":
        return 1 / int(x.shape[1])
    if gamma == "scale":
        variance = _variance(x, weight / (weight.sum() * x.shape[1]))
        return 1 / (x.shape[1] * variance) if variance > 0 else 1.0
    return float(gamma)


def _variance(x: Matrix, share: Array) -> float:
    """Of all cells, each row with its share."""
    mean = float((share @ x).sum())
    if is_sparse(x):
        return float((share @ x.multiply(x)).sum()) - mean**2
    return float(share @ np.square(x - mean).sum(axis=1))
