"""gamma, the inverse width that several kernels share: a number, or learned from the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.arrays import Array
from mercer.kernels.base import Kernel
from mercer.kernels.geometry import Rows, is_sparse
from mercer.kernels.numeric import NumericKernel
from mercer.parameters import Number
from mercer.state import Reader, State

GAMMA = Number(0, above=True, words=("scale", "auto"))


class WidthKernel(NumericKernel):
    """A numeric kernel with `gamma`; fit sets `gamma_`."""

    gamma: float | str
    gamma_: float

    def _learn(self, x: Rows, weight: Array) -> None:
        self.gamma_ = find_gamma(self.gamma, x, weight)

    def _learned(self) -> State:
        return super()._learned() | {"gamma": float(self.gamma_)}

    def _restore(self, state: Reader) -> None:
        super()._restore(state)
        self.gamma_ = state.number("gamma", np.nextafter(0, 1), np.finfo(np.float64).max)


def find_gamma(gamma: float | str, x: Rows, weight: Array) -> float:
    """The number itself; "auto" is 1 / columns; "scale" is 1 / (columns * variance of all cells), 1 when all
    are equal.
    """
    if gamma == "auto":
        return 1 / int(x.shape[1])
    if gamma == "scale":
        variance = _variance(x, weight / (weight.sum() * x.shape[1]))
        return 1 / (x.shape[1] * variance) if variance > 0 else 1.0
    return float(gamma)


def has_gamma(kernel: Kernel) -> bool:
    """Whether there is a gamma in the kernel or in a part of it."""
    return any(name == "gamma" or name.endswith("__gamma") for name in kernel.get_params())


def first_gamma(fitted: Kernel) -> float | None:
    """The gamma_ of a fitted kernel, or of the first of its parts that has one."""
    if hasattr(fitted, "gamma_"):
        return float(fitted.gamma_)
    found = (first_gamma(part) for part in getattr(fitted, "fitted_parts", ()))
    return next((gamma for gamma in found if gamma is not None), None)


def widened(kernel: Kernel, factor: float, table: Any, unlabelled: Any = None, weight: Any = None) -> Kernel:
    """The kernel with every gamma in it times `factor`, fitted. What "scale" stands for is learned first."""
    made = clone(kernel)
    _multiply(made, clone(kernel).fit(table, unlabelled, weight), float(factor))
    return made.fit(table, unlabelled, weight)


def _multiply(kernel: Kernel, fitted: Kernel, factor: float) -> None:
    if hasattr(fitted, "gamma_"):
        kernel.set_params(gamma=factor * fitted.gamma_)
        if getattr(kernel, "sigma", None) is not None:
            kernel.set_params(sigma=None)
    for name in getattr(kernel, "part_names", ()):
        _multiply(getattr(kernel, name), getattr(fitted, f"{name}_"), factor)


def _variance(x: Rows, share: Array) -> float:
    """Of all cells, each row with its share."""
    mean = float((share @ x).sum())
    if is_sparse(x):
        return float((share @ x.multiply(x)).sum()) - mean**2
    return float(share @ np.square(x - mean).sum(axis=1))
