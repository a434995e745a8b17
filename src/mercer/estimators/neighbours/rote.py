"""The rote learner: predicts for a row what the training rows equal to it say."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Bools, Floats, Longs
from mercer.docstrings import shares_docs
from mercer.errors import BadFile
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.parameters import Choice, Dictionary, Parameters, check_parameters
from mercer.state import Reader, State
from mercer.table import Table, table_from_state, table_state

Default = Literal["majority", "abstain"]
_CELLS = 4_000_000  # turned into keys at once


@dataclass(frozen=True)
class RoteMatch:
    """The training rows that equal a row.

    Attributes
    ----------
    rows : ndarray of shape (n_equal,)
        Row numbers among the training rows; none for a row that was never seen.
    counts : ndarray of shape (n_classes,)
        Their weight by class.
    """

    rows: Longs
    counts: Floats


@shares_docs()
class RoteLearner(TableClassifier):
    """P(c | x) = share of class c among the training rows equal to x in every column; it does not generalise.

    For tables whose rows repeat, and as the extreme of overfitting: right on its training rows, ignorant of all others.
    Numbers match when they are equal, levels and texts when they are the same, a missing cell matches a missing cell.
    Equal rows of different classes vote, by weight; equal votes go to the class that comes first in `classes_`.

    Parameters
    ----------
    default : {"majority", "abstain"}, default "majority"
        The prediction for a row never seen: the shares of the classes in the training rows, or None as the class and
        NaN as its probabilities.
    {kinds}

    Attributes
    ----------
    {classes_}
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class, by weight.
    rows_ : Table
        The distinct training rows.
    counts_ : ndarray of shape (n_distinct, n_classes)
        Weight of each class among the training rows equal to each of them.
    group_ : ndarray of shape (n_rows,)
        For each training row its number among the distinct ones; -1 for a row of weight 0.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"wings": ["yes", "yes", "no"], "legs": [2, 2, 4]}
    >>> model = mercer.RoteLearner("abstain").fit(rows, ["bird", "bird", "cat"])
    >>> model.predict({"wings": ["yes", "no"], "legs": [2, 2]}).tolist(), model.matches(rows).tolist()
    (['bird', None], [True, True, True])
    """

    parameters: ClassVar[Parameters] = {"default": Choice(Default), "kinds": Dictionary()}

    def __init__(self, default: Default = "majority", *, kinds: Mapping[str, Any] | None = None) -> None:
        self.default = default
        self.kinds = kinds

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the distinct rows, and the weight of each class among the rows equal to each.

        Parameters
        ----------
        {X}
        {y_class}
        {sample_weight}

        Returns
        -------
        {self}
        """
        check_parameters(self)
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

    def __getstate__(self) -> dict[str, Any]:
        """Without the places of the rows, which the rows give again: not every format holds keys of bytes."""
        return {name: value for name, value in super().__getstate__().items() if name != "places_"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "rows_" in state:
            self.places_ = _places(self.rows_)

    def _set_prior(self) -> None:
        total = self.counts_.sum(axis=0)
        self.class_prior_ = total / total.sum()

    def _find(self, X: Any) -> Longs:
        """The number of each row among the distinct training rows, -1 when it is none of them."""
        table = self._predict_table(X)
        return np.fromiter((self.places_.get(key, -1) for key in _keys(table)), dtype=np.int64, count=len(table))

    @shares_docs()
    def matches(self, X: Any) -> Bools:
        """Which rows equal a training row.

        Parameters
        ----------
        {X}

        Returns
        -------
        matches : ndarray of bool of shape (n_rows,)
            True for rows that equal a training row.
        """
        return self._find(X) >= 0

    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """Share of each class among the equal training rows.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        place = self._find(X)
        counts = self.counts_[place]
        share = counts / counts.sum(axis=1, keepdims=True)
        share[place < 0] = np.nan if self.default == "abstain" else self.class_prior_
        return share

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The most frequent class among the equal training rows; None where the model abstains.

        Parameters
        ----------
        {X}

        Returns
        -------
        {classes}
        """
        share = self.predict_proba(X)
        known = ~np.isnan(share[:, 0])
        labels: NDArray[Any] = self.classes_[np.where(known[:, None], share, 0.0).argmax(axis=1)]
        if self.default == "abstain":
            labels = labels.astype(object)
            labels[~known] = None
        return labels

    @shares_docs()
    def explain(self, X: Any) -> list[RoteMatch]:
        """The training rows that equal each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        explanations : list of RoteMatch
            For each row the training rows that equal it, and their weight by class.
        """
        nothing = np.zeros(len(self.classes_))
        return [
            RoteMatch(np.flatnonzero(self.group_ == place) if place >= 0 else np.zeros(0, np.int64), counts)
            for place, counts in ((p, self.counts_[p] if p >= 0 else nothing) for p in self._find(X))
        ]

    def _fitted_state(self) -> State:
        """The model is its training rows: whoever has the file has them."""
        return {
            "classes": labels_state(self.classes_), "rows": table_state(self.rows_), "counts": self.counts_,
            "group": self.group_,
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = labels_from_state(state.child("classes"))
        self.rows_ = table_from_state(state.child("rows"))
        n = len(self.rows_)
        self.counts_ = state.array("counts", "float64", (n, len(self.classes_)), low=0.0)
        self.group_ = state.array("group", "int64", (None,), low=-1, high=n - 1)
        self.places_ = _places(self.rows_)
        if self.rows_.schema.columns != self.schema_.columns or not n or len(self.places_) < n:
            raise BadFile(f"{state.where}.rows: expected distinct rows of the columns the model takes.")
        if not (self.counts_.sum(axis=1) > 0).all():
            raise state.refuse("counts", "a weight above 0 for every row")
        self._set_prior()


def _places(rows: Table) -> dict[Hashable, int]:
    """The number of each distinct row, by its key."""
    return {key: place for place, key in enumerate(_keys(rows))}


def _keys(table: Table) -> list[Hashable]:
    """Equal for equal rows: the bytes of numbers and codes, and the texts; 0 is -0, and every NaN is the same."""
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
