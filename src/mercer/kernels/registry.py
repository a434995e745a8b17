"""Every kernel by its class name: what a model file may name, and what the tests go through one by one."""

from __future__ import annotations

from typing import Any, TypeVar

KERNELS: dict[str, Any] = {}

_K = TypeVar("_K", bound=type)


def register(kernel: _K) -> _K:
    """Class decorator: the kernel can be stored in a model file.

    A name belongs to one module, which may define it again: a notebook's cell is run more than once.
    """
    known = KERNELS.get(kernel.__name__)
    if known is not None and known.__module__ != kernel.__module__:
        raise TypeError(f"There is a kernel named {kernel.__name__} already, in {known.__module__}.")
    KERNELS[kernel.__name__] = kernel
    return kernel
