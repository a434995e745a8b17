"""Rows weighted by their class: what `class_weight` may be and what it means, once for every classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints
from mercer.errors import BadParameter, did_you_mean
from mercer.parameters import Choice, Dictionary, Either

ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None
CLASS_WEIGHT = Either(Choice(("balanced", None)), Dictionary(optional=False))


def class_factors(class_weight: ClassWeight, classes: NDArray[Any], codes: Ints, weight: Floats | None) -> Floats:
    """The factor of each class, (n_classes,): 1 for None, "balanced" W / (K W_c), with W the weight of all rows, W_c
    that of class c and K the classes that have any; those of a dict, and 1 for a class that it does not name."""
    if class_weight is None:
        return np.ones(len(classes))
    if not CLASS_WEIGHT.accepts(class_weight):
        raise BadParameter(f"class_weight={class_weight!r}: expected {CLASS_WEIGHT}.")
    if isinstance(class_weight, str):
        sums = np.bincount(codes, weights=weight, minlength=len(classes)).astype(np.float64)
        present = sums > 0
        return np.divide(sums.sum(), present.sum() * sums, out=np.zeros_like(sums), where=present)
    known = classes.tolist()
    strange = [label for label in class_weight if label not in known]
    unnamed = [label for label in known if label not in class_weight]
    if strange and unnamed:  # a misspelling; where every class is named, others may be for other data
        near = did_you_mean(str(strange[0]), map(str, known))
        raise BadParameter(
            f"The classes, {unnamed[:5]}, are not in class_weight, but there is no class {strange[0]!r}. {near}"
        )
    factors = np.array([_factor(class_weight.get(label, 1.0)) for label in known])
    if not (np.isfinite(factors) & (factors >= 0)).all() or not factors.any():
        raise BadParameter(f"class_weight={class_weight!r}: expected numbers of at least 0, one of them positive.")
    return factors


def class_weighted(
    class_weight: ClassWeight, classes: NDArray[Any], codes: Ints, weight: Floats | None
) -> Floats | None:
    """Each row's weight times the factor of its class, (n_rows,); None when all rows weigh alike."""
    if class_weight is None:
        return weight
    rows: Floats = class_factors(class_weight, classes, codes, weight)[codes]
    return rows if weight is None else rows * weight


def class_weight_of_each(class_weight: Any, n_targets: int) -> Sequence[ClassWeight]:
    """`class_weight` of each of several targets: a list has one for each, None and "balanced" are for all."""
    if isinstance(class_weight, list | tuple):
        if len(class_weight) != n_targets:
            raise BadParameter(
                "number of elements in class_weight should match number of outputs. "
                f"It has {len(class_weight)} entries for {n_targets} targets: give one for each."
            )
        return class_weight
    if isinstance(class_weight, Mapping) and n_targets > 1:
        raise BadParameter(
            "For multi-output, class_weight should be a list of dicts, or the string 'balanced': "
            f"{class_weight!r} is for one target of {n_targets}. Give a list, one for each."
        )
    return [class_weight] * n_targets


def _factor(value: Any) -> float:
    return float(value) if isinstance(value, int | float | np.number) and not isinstance(value, bool) else np.nan
