"""P(class): what the `priors` parameter of naive Bayes may be and what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.parameters import Choice, Dictionary, Either, Numbers

Priors: TypeAlias = Literal["uniform"] | Mapping[Any, float] | Sequence[float] | None
PRIORS = Either(Choice(("uniform", None)), Dictionary(optional=False), Numbers())


def class_priors(priors: Priors, classes: NDArray[Any], class_count: Floats) -> Floats:
    """P(class), (n_classes,): shares of the counts for None, equal for "uniform", or those given."""
    n = len(classes)
    if priors is None:
        return class_count / class_count.sum()
    if isinstance(priors, str):
        return np.full(n, 1.0 / n)
    listed = [priors.get(c, np.nan) for c in classes.tolist()] if isinstance(priors, Mapping) else priors
    values = np.asarray(listed, dtype=np.float64)
    if values.shape != (n,):
        raise MercerError(f"Number of priors must match number of classes: {n} classes, {len(values)} priors.")
    if np.isnan(values).any():
        raise MercerError(f"priors lacks the class '{classes[int(np.isnan(values).argmax())]}'.")
    if (values < 0).any() or not np.isclose(values.sum(), 1.0):
        raise MercerError("Priors must be non-negative. The sum of the priors should be 1.")
    return values
