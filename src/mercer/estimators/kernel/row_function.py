"""Kernels that are functions of two rows, as scikit-learn's KernelRidge and Nystroem take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


class OfRows:
    """A function of two rows with further arguments, as one of two arrays."""

    def __init__(self, function: Callable[..., Any], arguments: Mapping[str, Any] | None) -> None:
        self.function, self.arguments = function, dict(arguments or {})
        self.__name__ = getattr(function, "__name__", str(function))

    def __call__(self, a: Any, b: Any) -> Any:
        if a is not b:
            return np.array([[self.function(x, z, **self.arguments) for z in b] for x in a])
        found = np.empty((len(a), len(a)))
        for i, j in zip(*np.triu_indices(len(a)), strict=True):
            found[i, j] = found[j, i] = self.function(a[i], a[j], **self.arguments)
        return found
