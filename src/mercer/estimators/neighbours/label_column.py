"""One column of labels, as neighbours vote with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from mercer._core.neighbours import vote_curve
from mercer.arrays import Floats, Ints
from mercer.distances import Neighbours
from mercer.errors import MercerError
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.state import Reader, State
from mercer.table.target import class_codes

ClassWeight: TypeAlias = str | Mapping[Any, float] | None


@dataclass(frozen=True)
class LabelColumn:
    """Classes in order, the class of each row, and a factor on the votes of each class (None: all 1)."""

    classes: NDArray[Any]
    codes: Ints  # (n_rows,)
    factor: Floats | None  # (n_classes,)

    @classmethod
    def learn(cls, y: Any, n_rows: int, class_weight: ClassWeight) -> Self:
        classes, codes = class_codes(y, n_rows)
        if class_weight is None:
            return cls(classes, codes, None)
        factor = compute_class_weight(class_weight, classes=classes, y=classes[codes])
        if not (np.isfinite(factor).all() and (factor >= 0).all()):
            raise MercerError(f"class_weight={class_weight!r}: factors must be numbers of at least 0.")
        return cls(classes, codes, factor)

    def take(self, rows: NDArray[Any]) -> LabelColumn:
        return LabelColumn(self.classes, self.codes[rows], self.factor)

    def shares(self, row: Ints, votes: Floats) -> Floats:
        """Share of each class in the votes of the neighbours, (n_queries, n_classes); equal when none has a vote."""
        label = self.codes[row]
        if self.factor is not None:
            votes = votes * self.factor[label]
        sums = np.zeros((len(votes), len(self.classes)))
        np.add.at(sums, (np.arange(len(votes))[:, None], label), votes)
        total = sums.sum(axis=1, keepdims=True)
        return np.where(total > 0, sums / np.where(total > 0, total, 1.0), 1.0 / len(self.classes))

    def right(self, found: Neighbours, weight: Floats | None, n_jobs: int) -> Floats:
        """Share of the training rows that 1, 2, ... neighbours get right, for votes 1, 1/d, 1/d^2, (3, k)."""
        factor = None if self.factor is None else self.factor[self.codes]
        size = len(self.classes)
        right = vote_curve(found.row, found.distance, self.codes, factor, self.codes, weight, size, n_jobs)
        accuracy: Floats = right / (len(self.codes) if weight is None else weight.sum())
        return accuracy

    def to_state(self) -> State:
        factor = {} if self.factor is None else {"factor": self.factor}
        return {"classes": labels_state(self.classes), "codes": self.codes, **factor}

    @classmethod
    def from_state(cls, state: Reader, n_rows: int) -> Self:
        classes = labels_from_state(state.child("classes"))
        size = len(classes)
        codes = state.array("codes", "int32", (n_rows,), low=0, high=size - 1)
        given = state.has("factor")
        return cls(classes, codes, state.array("factor", "float64", (size,), low=0.0) if given else None)

    @property
    def class_weight(self) -> dict[Any, float] | None:
        """The factors by class."""
        return None if self.factor is None else dict(zip(self.classes.tolist(), self.factor.tolist(), strict=True))


def combined(columns: Sequence[LabelColumn]) -> Ints:
    """Each combination of labels as a class of its own, (n_rows,): what a distance that looks at classes sees."""
    if len(columns) == 1:
        return columns[0].codes
    rows = np.unique(np.column_stack([c.codes for c in columns]), axis=0, return_inverse=True)[1]
    return rows.ravel().astype(np.int32)


def side_by_side(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Labels of several targets, (n_rows, n_targets); texts beside numbers stay what they are, as objects."""
    mixed = len({c.dtype.kind for c in columns}) > 1 and any(c.dtype.kind in "OUS" for c in columns)
    return np.stack([c.astype(object) if mixed else c for c in columns], axis=1)
