"""How neighbours vote: the vote of each by its distance, and the share of each class in the votes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from mercer._core.neighbours import vote_curve
from mercer.arrays import Floats, Ints, Longs
from mercer.distances import Neighbours
from mercer.errors import MercerError
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.weights.class_weight import ClassWeight, class_factors, class_weight_of_each
from mercer.state import Reader, State
from mercer.table.target import class_codes, target_columns

VoteName = Literal["uniform", "distance", "distance2"]
VoteFunction: TypeAlias = Callable[[Floats], Floats]  # distances (n, k) to votes (n, k)
VOTE_NAMES: tuple[VoteName, ...] = get_args(VoteName)


@dataclass(frozen=True)
class NeighbourExplanation:
    """Why one row was predicted so: its neighbours, their distances and votes, and what each column adds.

    Attributes
    ----------
    rows : ndarray of shape (k,)
        Row numbers of the neighbours among the training rows, nearest first.
    distances : ndarray of shape (k,)
        Their distances.
    votes : ndarray of shape (k,)
        Their votes, which sum to 1.
    targets : ndarray of shape (k,) or (k, n_targets)
        Their targets.
    columns : tuple of str
        Names of the columns of `terms`.
    terms : ndarray of shape (k, n_columns)
        What each column adds to the sum that the distance is; no columns for distances that are no such sum.
    """

    rows: Longs
    distances: Floats
    votes: Floats
    targets: NDArray[Any]
    columns: tuple[str, ...]
    terms: Floats


def votes(weights: VoteName | VoteFunction, distance: Floats, mass: Floats) -> Floats:
    """mass * 1, mass / d, mass / d^2, or mass * weights(d), (n_queries, k).

    Neighbours at distance 0, where there are any, vote alone; when all are infinitely far, they vote alike.
    """
    if callable(weights):
        return _votes_of_function(weights, distance, mass)
    if weights == "uniform":
        return mass
    zero = (distance == 0) & (mass > 0)
    power = 1 if weights == "distance" else 2
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = distance / np.where(distance[:, :1] > 0, distance[:, :1], 1.0)  # so that nothing overflows
        found = np.where(zero.any(axis=1, keepdims=True), zero, 1.0 / relative**power)
    found = np.where(np.isfinite(found), found, 0.0) * mass
    return np.where(found.sum(axis=1, keepdims=True) > 0, found, mass)


def _votes_of_function(weights: VoteFunction, distance: Floats, mass: Floats) -> Floats:
    """mass * weights(d); infinite votes, where there are any, count alone."""
    found = np.asarray(weights(distance), dtype=np.float64)
    if found.shape != distance.shape:
        raise MercerError(f"weights: the callable gave shape {found.shape} for distances of shape {distance.shape}.")
    if not (found >= 0).all():
        raise MercerError("weights: the callable gave a vote that is negative or not a number.")
    infinite = np.isinf(found) & (mass > 0)
    found = np.where(infinite.any(axis=1, keepdims=True), infinite, np.where(np.isinf(found), 0.0, found)) * mass
    none = ~(found.sum(axis=1) > 0)
    if none.any():
        raise MercerError(
            "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you "
            f"are using a user-defined function. It gave no neighbour of row {int(none.argmax()) + 1} a vote above 0."
        )
    return found


@dataclass(frozen=True)
class LabelColumn:
    """One target of classes: its classes, the class of each row, and a factor on the votes of each (None: all 1)."""

    classes: NDArray[Any]
    codes: Ints  # (n_rows,)
    factor: Floats | None  # (n_classes,)

    @classmethod
    def fit(cls, y: Any, n_rows: int, class_weight: ClassWeight, weight: Floats | None) -> Self:
        """Codes of the labels, and the factors that `class_weight` means for them."""
        classes, codes = class_codes(y, n_rows)
        return cls(
            classes, codes, None if class_weight is None else class_factors(class_weight, classes, codes, weight)
        )

    def take(self, rows: NDArray[Any]) -> LabelColumn:
        """The labels of some rows."""
        return LabelColumn(self.classes, self.codes[rows], self.factor)

    def shares(self, row: Ints, votes: Floats) -> Floats:
        """Share of each class in the votes of the neighbours, (n_queries, n_classes); equal when none has a vote."""
        label = self.codes[row]
        if self.factor is not None:
            votes = votes * self.factor[label]
        size = len(self.classes)
        place = np.arange(len(votes))[:, None] * size + label  # a count of these is 20 times as fast as np.add.at
        sums = np.bincount(place.ravel(), votes.ravel(), len(votes) * size).reshape(len(votes), size)
        total = sums.sum(axis=1, keepdims=True)
        return np.where(total > 0, sums / np.where(total > 0, total, 1.0), 1.0 / len(self.classes))

    def accuracy(self, found: Neighbours, weight: Floats | None, n_jobs: int) -> Floats:
        """Share of the training rows classified correctly by 1, 2, ... neighbours, for votes 1, 1/d, 1/d^2, (3, k)."""
        factor = None if self.factor is None else self.factor[self.codes]
        size = len(self.classes)
        correct = vote_curve(found.row, found.distance, self.codes, factor, self.codes, weight, size, n_jobs)
        share: Floats = correct / (len(self.codes) if weight is None else weight.sum())
        return share

    def to_state(self) -> State:
        factor = {} if self.factor is None else {"factor": self.factor}
        return {"classes": labels_state(self.classes), "codes": self.codes, **factor}

    @classmethod
    def from_state(cls, state: Reader, n_rows: int) -> Self:
        classes = labels_from_state(state.child("classes"))
        size = len(classes)
        codes = state.array("codes", "int32", (n_rows,), low=0, high=size - 1)
        factor = state.array("factor", "float64", (size,), low=0.0) if state.has("factor") else None
        if factor is not None and not factor.any():
            raise state.refuse("factor", "a factor above 0")
        state.finish()
        return cls(classes, codes, factor)


def label_columns(
    y: Any, n_rows: int, class_weight: ClassWeight | Sequence[ClassWeight], weight: Floats | None
) -> list[LabelColumn]:
    """A LabelColumn for each target; one column of a two-dimensional array is flattened, with a warning."""
    columns = target_columns(y, n_rows) or [y]
    columns = columns if len(columns) > 1 else [y]
    each = class_weight_of_each(class_weight, len(columns))
    return [LabelColumn.fit(column, n_rows, one, weight) for column, one in zip(columns, each, strict=True)]


def joint_codes(columns: Sequence[LabelColumn]) -> Ints:
    """Each combination of labels as a class of its own, (n_rows,): the classes by which a distance and folds go."""
    if len(columns) == 1:
        return columns[0].codes
    rows = np.unique(np.column_stack([c.codes for c in columns]), axis=0, return_inverse=True)[1]
    return rows.ravel().astype(np.int32)
