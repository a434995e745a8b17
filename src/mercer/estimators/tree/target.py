"""The target of trees: columns of y and weights of rows as they are grown with, and answers of leaves as classes."""

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
from mercer.estimators.common.labels import stack_labels
from mercer.estimators.common.weights.class_weight import ClassWeight, class_weight_of_each, class_weighted
from mercer.estimators.common.weights.sample_weight import row_counts, same_sum
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


def shares_by_output(values: Floats, classes: Sequence[NDArray[Any]]) -> Any:
    """Shares (n_rows, n_answers) as one array, or a list with one array per output.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_answers)
        Shares of the classes of one output after the other.
    classes : sequence of ndarray
        The classes of each output.

    Returns
    -------
    shares : ndarray of shape (n_rows, n_classes), or list of these
        Of each output.
    """
    sizes = [len(known) for known in classes]
    if max(sizes) == 1:
        values = np.ones_like(values)
    shares = np.split(values, np.cumsum(sizes)[:-1], axis=1)
    return shares if len(classes) > 1 else shares[0]


def most_probable(shares: Any, classes: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The class with the largest share, (n_rows,) or (n_rows, n_outputs)."""
    several = isinstance(shares, list)
    best = [np.argmax(share, axis=1) for share in (shares if several else [shares])]
    labels = [known[k] for known, k in zip(classes, best, strict=True)]
    return stack_labels(labels) if several else labels[0]


def log_shares(shares: Any) -> Any:
    """Logarithms; minus infinity of 0."""
    with np.errstate(divide="ignore"):
        return [np.log(share) for share in shares] if isinstance(shares, list) else np.log(shares)
