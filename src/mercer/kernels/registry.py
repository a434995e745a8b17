"""Every kernel by its class name: what a model file may name, and what the tests go through one by one."""

from __future__ import annotations

from typing import Any, TypeVar

KERNELS: dict[str, Any] = {}

_K = TypeVar("_K", bound=type)


def register(kernel: _K) -> _K:
    """Class decorator: the kernel can be stored in a model file. A name is taken once."""
    if kernel.__name__ in KERNELS:
        raise TypeError(f"There is a kernel named {kernel.__name__} already.")
    KERNELS[kernel.__name__] = kernel
    return kernel
