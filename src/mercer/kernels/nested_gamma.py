"""The gammas inside a kernel, however deep: what a search over widths reads and changes."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from mercer.kernels.base import Kernel


def has_gamma(kernel: Kernel) -> bool:
    """Whether there is a gamma in the kernel or in a part of it."""
    return any(name == "gamma" or name.endswith("__gamma") for name in kernel.get_params())


def first_gamma(fitted: Kernel) -> float | None:
    """The gamma_ of a fitted kernel, or of the first of its parts that has one."""
    if hasattr(fitted, "gamma_"):
        return float(fitted.gamma_)
    found = (first_gamma(part) for part in getattr(fitted, "fitted_parts", ()))
    return next((gamma for gamma in found if gamma is not None), None)


def scale_gamma(
    kernel: Kernel, factor: float, table: Any, unlabelled: Any = None, weight: Any = None, y: Any = None
) -> Kernel:
    """The kernel with every gamma in it times `factor`, fitted. What "scale" stands for is learned first."""
    made = clone(kernel)
    _multiply(made, clone(kernel).fit(table, unlabelled, weight, y), float(factor))
    return made.fit(table, unlabelled, weight, y)


def _multiply(kernel: Kernel, fitted: Kernel, factor: float) -> None:
    if hasattr(fitted, "gamma_"):
        kernel.set_params(gamma=factor * fitted.gamma_)
        if getattr(kernel, "sigma", None) is not None:
            kernel.set_params(sigma=None)
    for name in getattr(kernel, "part_names", ()):
        _multiply(getattr(kernel, name), getattr(fitted, f"{name}_"), factor)
