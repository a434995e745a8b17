"""Every kernel by its class name: what a model file may name, and what the tests go through one by one."""

from __future__ import annotations

from typing import Any, TypeVar

KERNELS: dict[str, Any] = {}

_K = TypeVar("_K", bound=type)


def register(kernel: _K) -> _K:
    """Class decorator: models with this kernel can be stored in a file.

    A name belongs to one module, which may define it again: a notebook's cell is run more than once.

    Parameters
    ----------
    kernel : type
        A subclass of Kernel.

    Returns
    -------
    kernel : type
        The same class.

    Raises
    ------
    TypeError
        When another module has a kernel of that name.

    Examples
    --------
    >>> from mercer.kernels import KERNELS, RBF, register
    >>> register(RBF) is KERNELS["RBF"]
    True
    """
    known = KERNELS.get(kernel.__name__)
    if known is not None and known.__module__ != kernel.__module__:
        raise TypeError(f"There is a kernel named {kernel.__name__} already, in {known.__module__}.")
    KERNELS[kernel.__name__] = kernel
    return kernel
