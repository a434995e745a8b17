"""Rows weighted by their class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.errors import MercerError, did_you_mean


def class_weights(
    class_weight: str | Mapping[Any, float] | None, classes: NDArray[Any], codes: NDArray[np.int32],
    weight: Floats | None,
) -> Floats | None:  # fmt: skip
    """Each row's weight times that of its class; "balanced" is (weight of all) / (classes * weight of the class)."""
    if class_weight is None:
        return weight
    counts = np.bincount(codes, weights=weight, minlength=len(classes)).astype(np.float64)
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise MercerError(f"class_weight={class_weight!r}: 'balanced', a mapping or None.")
        factors = counts.sum() / (len(classes) * counts)
    else:
        known = list(classes)
        for label in class_weight:
            if label not in known:
                raise MercerError(f"class_weight: no class {label!r}. {did_you_mean(str(label), map(str, known))}")
        factors = np.array([float(class_weight.get(c, 1.0)) for c in known])
        if not (np.isfinite(factors) & (factors > 0)).all():
            raise MercerError("class_weight: weights must be above 0.")
    found: Floats = factors[codes]
    return found if weight is None else found * weight
