"""What sample_weight means where a method counts rows (smoothing, tests of significance, k neighbours)."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.arrays import Floats
from mercer.errors import BadTable

_MOST = 1e6  # multiples beyond this are not told from rounding
_WHOLE = 1e-7  # distance from a whole number that rounding of weights such as 2/7 and 1/7 leaves


def row_counts(weight: Floats | None) -> Floats | None:
    """How many rows each row stands for, (n_rows,), whatever the unit of the weights; None for one each.

    Weights that are whole multiples of the smallest positive one are counts: those multiples. Any others are relative
    and are scaled to a mean of 1 over the rows of positive weight. So a common factor on all weights changes nothing,
    and a row of weight 2 among rows of weight 1 is two rows. All rows of weight 2 are rows of weight 1: a factor and
    a repetition of every row cannot be told apart.

    >>> row_counts(np.array([0.1, 0.3, 0.0]))
    array([1., 3., 0.])
    >>> row_counts(np.array([0.1, 0.25]))
    array([0.57142857, 1.42857143])
    """
    if weight is None:
        return None
    positive = weight[weight > 0]
    smallest = positive.min()
    if positive.max() / smallest <= _MOST:
        multiple = weight / smallest
        whole = np.rint(multiple)
        if (np.abs(multiple - whole) <= _WHOLE).all():
            return whole
    relative = weight / positive.max()  # first, so that no sum overflows
    return relative / (relative.sum() / len(positive))


def positive_weights(sample_weight: Any) -> Any:
    """Weights with 0 for those below, so that such rows are left out, as LIBSVM and LIBLINEAR leave them out.

    >>> positive_weights([1, -0.5, 2])
    array([1., 0., 2.])
    """
    weight = np.asarray(sample_weight)
    if sample_weight is None or weight.dtype.kind not in "fiu" or np.isnan(weight).any():
        return sample_weight
    if weight.size and not (weight > 0).any():
        raise BadTable(
            "Invalid input - all samples have zero or negative weights. A row of weight 0 or less is left out: give "
            "some rows a weight above 0."
        )
    return np.maximum(weight, 0.0)


def same_sum(weight: Floats | None, counts: Floats | None) -> Floats | None:
    """Weights in the proportions of `weight` that sum to the `counts` of the rows where it is positive.

    So class_weight moves weight between classes, whatever its unit, and leaves the number of rows.
    """
    if weight is None:
        return None
    rows = weight > 0
    if not rows.any():
        raise BadTable("No row has a weight above 0 once sample_weight and class_weight are multiplied.")
    total = float(rows.sum() if counts is None else counts[rows].sum())
    return weight if weight is counts else weight * (total / weight.sum())


def same_weights(a: Floats | None, b: Floats | None) -> bool:
    """Whether rows are weighed alike."""
    return a is b or (a is not None and b is not None and np.array_equal(a, b))
