"""The rote learner: every training row by heart, and nothing else."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats
from mercer.errors import BadFile, MercerError
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.state import Reader, State
from mercer.table import Table, table_from_state, table_state

DEFAULTS = ("majority", "abstain")
_CELLS = 4_000_000  # turned into keys at once


@dataclass(frozen=True)
class RoteMatch:
    """The training rows that are the row asked about, and their weight by class; none when it was never seen."""

    rows: NDArray[np.int64]
    counts: Floats  # (n_classes,)


class RoteLearner(TableClassifier):
    """P(c | x) = share of class c among the training rows equal to x in every column; of other rows it knows nothing.

    For tables whose rows repeat, and as the limit of learning by heart: perfect on its own rows, blind to all others.
    Numbers match when they are equal, levels and texts when they are the same, a missing cell matches a missing cell.
    Equal rows of different classes vote, by weight; equal votes go to the class that comes first in `classes_`.

    Parameters
    ----------
    default : what is said of a row never seen: "majority", the shares of the classes in the training rows, or
        "abstain", None as the class and NaN as its probabilities
    kinds : column -> kind, overriding what is inferred from a data frame

    Attributes
    ----------
    classes_, class_prior_, schema_
    rows_ : the different training rows, a Table
    counts_ : weight of each class among the rows equal to each of them, (n_different, n_classes)

    Examples
    --------
    >>> import mercer
    >>> rows = {"wings": ["yes", "yes", "no"], "legs": [2, 2, 4]}
    >>> model = mercer.RoteLearner("abstain").fit(rows, ["bird", "bird", "cat"])
    >>> model.predict({"wings": ["yes", "no"], "legs": [2, 2]}).tolist(), model.matches(rows).tolist()
    (['bird', None], [True, True, True])
    """

    def __init__(self, default: str = "majority", *, kinds: Any = None) -> None:
        self.default = default
        self.kinds = kinds

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the different rows, and the weight of each class among the rows equal to each."""
        if self.default not in DEFAULTS:
            raise MercerError(f"default={self.default!r} is not one of {', '.join(DEFAULTS)}.")
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        weight = self._weights(sample_weight, len(table))
        weight = np.ones(len(table)) if weight is None else weight
        kept = np.flatnonzero(weight > 0)
        self.places_: dict[Hashable, int] = {}
        found = [self.places_.setdefault(key, len(self.places_)) for key in _keys(table.take(kept))]
        self.group_ = np.full(len(table), -1, dtype=np.int64)
        self.group_[kept] = found
        first = kept[np.unique(found, return_index=True)[1]]
        self.rows_ = table.take(first)
        self.counts_ = np.zeros((len(first), len(self.classes_)))
        np.add.at(self.counts_, (self.group_[kept], codes[kept]), weight[kept])
        self._set_prior()
        return self

    def _set_prior(self) -> None:
        total = self.counts_.sum(axis=0)
        self.class_prior_ = total / total.sum()

    def _find(self, X: Any) -> NDArray[np.int64]:
        """The place of each row among the different training rows, -1 when it is none of them."""
        table = self._predict_table(X)
        return np.fromiter((self.places_.get(key, -1) for key in _keys(table)), dtype=np.int64, count=len(table))

    def matches(self, X: Any) -> NDArray[np.bool_]:
        """Which rows equal a training row."""
        return self._find(X) >= 0

    def predict_proba(self, X: Any) -> Floats:
        """Share of each class among the equal training rows, (n_rows, n_classes)."""
        place = self._find(X)
        counts = self.counts_[place]
        share = counts / counts.sum(axis=1, keepdims=True)
        share[place < 0] = np.nan if self.default == "abstain" else self.class_prior_
        return share

    def predict(self, X: Any) -> NDArray[Any]:
        """The commonest class among the equal training rows; None for rows it abstains from."""
        share = self.predict_proba(X)
        known = ~np.isnan(share[:, 0])
        labels: NDArray[Any] = self.classes_[np.where(known[:, None], share, 0.0).argmax(axis=1)]
        if self.default == "abstain":
            labels = labels.astype(object)
            labels[~known] = None
        return labels

    def explain(self, X: Any) -> list[RoteMatch]:
        """For each row the training rows that equal it, and their weight by class."""
        nothing = np.zeros(len(self.classes_))
        return [
            RoteMatch(np.flatnonzero(self.group_ == place) if place >= 0 else np.zeros(0, np.int64), counts)
            for place, counts in ((p, self.counts_[p] if p >= 0 else nothing) for p in self._find(X))
        ]

    def to_state(self) -> State:
        """The model is its training rows: whoever has the file has them."""
        check_is_fitted(self)
        return {
            "input": self._input_state(), "classes": labels_state(self.classes_), "default": self.default,
            "rows": table_state(self.rows_), "counts": self.counts_, "group": self.group_,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls(state.text("default", DEFAULTS))
        model._restore_input(state.child("input"))
        model.classes_ = labels_from_state(state.child("classes"))
        model.rows_ = table_from_state(state.child("rows"))
        n = len(model.rows_)
        model.counts_ = state.array("counts", "float64", (n, len(model.classes_)), low=0.0)
        model.group_ = state.array("group", "int64", (None,), low=-1, high=n - 1)
        model.places_ = {key: place for place, key in enumerate(_keys(model.rows_))}
        if model.rows_.schema.columns != model.schema_.columns or not n or len(model.places_) < n:
            raise BadFile(f"{state.where}.rows: expected different rows of the columns the model takes.")
        if not (model.counts_.sum(axis=1) > 0).all():
            raise state.refuse("counts", "a weight above 0 for every row")
        model._set_prior()
        state.finish()
        return model


def _keys(table: Table) -> list[Hashable]:
    """What makes a row itself: the bytes of its numbers and codes, and its texts. 0 and -0 are one, and so is NaN."""
    found: list[Hashable] = []
    size = max(1, _CELLS // max(len(table.schema), 1))
    for part in table.chunks(size):
        numbers = part.numbers().astype(np.float64) + 0.0
        numbers[np.isnan(numbers)] = np.nan
        cells = [np.ascontiguousarray(block).view(np.uint8) for block in (numbers, part.codes()) if block.shape[1]]
        if cells:
            joined = np.ascontiguousarray(np.hstack(cells))
            found += list(zip(joined.view(f"V{joined.shape[1]}")[:, 0].tolist(), *part.texts().T, strict=True))
        else:
            found += [(b"", *texts) for texts in part.texts()]
    return found
