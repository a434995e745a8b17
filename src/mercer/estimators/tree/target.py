"""What trees predict and how rows count: a column of y per output, weights as counts of rows and in their own unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints
from mercer.errors import BadTarget
from mercer.estimators.common.base import regression_target
from mercer.estimators.common.class_weight import ClassWeight, class_weight_of_each, class_weighted
from mercer.estimators.common.sample_weight import row_counts, same_sum
from mercer.table.target import class_codes, target_columns


@dataclass(frozen=True)
class Weights:
    """Weights of rows as a tree is grown with them, and the unit that makes them those that were given.

    counts (n_rows,) are numbers of rows, whatever the unit (see `row_counts`); None for one each.
    """

    counts: Floats | None
    unit: float = 1.0

    @classmethod
    def of(cls, weight: Floats | None) -> Self:
        """Of weights of rows alone."""
        counts = row_counts(weight)
        return cls(counts) if weight is None or counts is None else cls(counts, float(weight.sum() / counts.sum()))

    @classmethod
    def by_class(cls, weight: Floats | None, labels: Labels, class_weight: ClassWeight | Sequence[ClassWeight]) -> Self:
        """Of weights of rows times those of their classes, of several outputs the product of each one's."""
        counts = row_counts(weight)
        given, grown = weight, counts
        for one, classes, codes in zip(
            class_weight_of_each(class_weight, len(labels.classes)), labels.classes, labels.codes.T, strict=True
        ):
            given = class_weighted(one, classes, codes, given)
            grown = class_weighted(one, classes, codes, grown)
        grown = same_sum(grown, counts)
        return cls(grown) if given is None or grown is None else cls(grown, float(given.sum() / grown.sum()))

    def total(self, n_rows: int) -> float:
        """The weight of all rows, in rows."""
        return float(n_rows if self.counts is None else self.counts.sum())


@dataclass(frozen=True)
class Labels:
    """Classes of each output, and codes of the rows among them, (n_rows, n_outputs)."""

    classes: list[NDArray[Any]]
    codes: Ints

    @classmethod
    def read(cls, y: Any, n_rows: int) -> Self:
        found = [class_codes(column, n_rows) for column in _columns(y, n_rows)]
        return cls([classes for classes, _ in found], np.column_stack([codes for _, codes in found]))


def read_numbers(y: Any, n_rows: int, criterion: str) -> Floats:
    """The target as numbers, (n_rows, n_outputs)."""
    if criterion == "poisson":
        _expect_counts(np.asarray(y, dtype=np.float64))
    numbers: Floats = np.column_stack([regression_target(column, n_rows) for column in _columns(y, n_rows)])
    return numbers


def _columns(y: Any, n_rows: int) -> list[Any]:
    if sp.issparse(y):
        raise TypeError("Sparse data was passed for y, but dense data is required. Use y.toarray().")
    return target_columns(y, n_rows) or [y]


def _expect_counts(y: Floats) -> None:
    if (y < 0).any():
        raise BadTarget(
            "Some value(s) of y are negative which is not allowed for Poisson regression: criterion='poisson' is for "
            "counts and rates. Use 'squared_error'."
        )
    if y.sum() <= 0:
        raise BadTarget(
            "Sum of y is not positive which is necessary for Poisson regression: criterion='poisson' needs a target "
            "above 0. Use 'squared_error'."
        )
