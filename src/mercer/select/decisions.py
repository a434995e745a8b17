"""From probabilities to the class that a row is called, in training, tests and `mercer predict` alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.errors import BadFile
from mercer.select.costs import CostMatrix, RowAmounts
from mercer.state import Reader, State

MOST_ROWS = 2**53


@dataclass(frozen=True)
class DecisionRule:
    """Which class a row is called.

    By least expected cost, argmin_j sum_i p_i C_ij, where there are several classes or the costs of each row are known;
    otherwise the `top` rows of largest probability; otherwise the rows that reach the threshold.

    Attributes
    ----------
    classes : tuple of str
        Names of the classes, in the order of the probabilities.
    positive : int or None
        Place of the positive one of two classes.
    threshold : float or None
        From which of its probabilities a row is called positive; None: the most probable class.
    top : int or None
        How many rows of a table are called positive, whatever their probability.
    costs : CostMatrix or None
        Of decisions by expected cost.
    class_weights : tuple of float or None
        That the model was fitted with, and that `probabilities` takes out again.
    prices : CostMatrix or None
        What errors cost, to score decisions by that a threshold makes.
    """

    classes: tuple[str, ...]
    positive: int | None = None
    threshold: float | None = None
    top: int | None = None
    costs: CostMatrix | None = None
    class_weights: tuple[float, ...] | None = None
    prices: CostMatrix | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that have the cost of each row."""
        return () if self.costs is None else self.costs.names

    @property
    def priced_by(self) -> tuple[str, ...]:
        """The columns with the cost of each row, also those that decisions are only scored by."""
        return self.columns if self.prices is None else self.prices.names

    def known_prices(self, by_row: RowAmounts | None = None) -> CostMatrix | None:
        """What errors cost; None where nothing, or no column of the rows, says it.

        Parameters
        ----------
        by_row : mapping of str to ndarray, optional
            Costs of each row.

        Returns
        -------
        CostMatrix or None
            Costs.
        """
        found = self.prices or self.costs
        return None if found is None or any(name not in (by_row or {}) for name in found.names) else found

    @property
    def own_threshold(self) -> float | None:
        """The threshold on the probabilities of the model itself, which still have the weights of the classes."""
        if self.class_weights is None or self.threshold is None or self.positive is None:
            return self.threshold
        ours, theirs = self.class_weights[self.positive], self.class_weights[1 - self.positive]
        return self.threshold * ours / (self.threshold * ours + (1 - self.threshold) * theirs)

    def probabilities(self, proba: Floats) -> Floats:
        """Those of a model without the class weights that it was fitted with, as `without_class_weights` has it."""
        return proba if self.class_weights is None else without_class_weights(proba, np.array(self.class_weights))

    def decide(self, proba: Floats, by_row: RowAmounts | None = None) -> Longs:
        """The place of the class that each row is called.

        Parameters
        ----------
        proba : ndarray of shape (n_rows, n_classes)
            From `probabilities`; `top` counts the rows given here as one table.
        by_row : mapping of str to ndarray, optional
            Costs of each row. Where a column is lacking, two classes are told apart by the threshold, and several by
            the mean cost of the training rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Places in `classes`.
        """
        known = all(name in (by_row or {}) for name in self.columns)
        if self.costs is not None and (known or self.positive is None or self.threshold is None):
            return self.costs.expected(proba, by_row).argmin(axis=1)
        if self.positive is None or self.threshold is None:
            return proba.argmax(axis=1)
        if self.top is None:
            called = proba[:, self.positive] >= self.threshold
        else:
            called = np.zeros(len(proba), dtype=bool)
            called[np.argsort(-proba[:, self.positive], kind="stable")[: self.top]] = True
        return np.where(called, self.positive, 1 - self.positive).astype(np.int64)

    def in_order_of(self, classes: Sequence[str]) -> DecisionRule:
        """The same rule for probabilities in another order of the classes.

        Parameters
        ----------
        classes : sequence of str
            The same classes.

        Returns
        -------
        DecisionRule
            Of these.
        """
        order = np.array([self.classes.index(label) for label in classes], dtype=np.int64)
        positive = None if self.positive is None else int(np.flatnonzero(order == self.positive)[0])
        costs = None if self.costs is None else self.costs.take(order)
        weights = None if self.class_weights is None else tuple(self.class_weights[i] for i in order)
        prices = None if self.prices is None else self.prices.take(order)
        return DecisionRule(tuple(classes), positive, self.threshold, self.top, costs, weights, prices)

    def to_state(self) -> State:
        return {
            "classes": list(self.classes),
            "positive": self.positive,
            "threshold": self.threshold,
            "top": self.top,
            "costs": None if self.costs is None else self.costs.to_state(),
            "class_weights": None if self.class_weights is None else np.array(self.class_weights),
            "prices": None if self.prices is None else self.prices.to_state(),
        }

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        classes = state.texts("classes")
        positive = state.integer("positive", 0, 1) if state.has("positive") else None
        costs = CostMatrix.from_state(state.child("costs")) if state.has("costs") else None
        if len(classes) < 2 or (positive is not None) != (len(classes) == 2):
            raise BadFile(f"{state.where}.classes: expected two classes, one of them positive, or more.")
        prices = CostMatrix.from_state(state.child("prices")) if state.has("prices") else None
        if any(found is not None and found.classes != classes for found in (costs, prices)):
            raise BadFile(f"{state.where}.costs: expected the costs of the same classes.")
        return cls(
            classes,
            positive,
            state.number("threshold", 0.0, 1.01) if state.has("threshold") else None,
            state.integer("top", 1, MOST_ROWS) if state.has("top") else None,
            costs,
            _weights(state, len(classes)) if state.has("class_weights") else None,
            prices,
        )


def without_class_weights(proba: Floats, weights: Floats) -> Floats:
    """p_i / w_i, scaled to sum to 1: the probabilities without the weights of the classes in the fit.

    Weights multiply the odds of the classes (Elkan 2001), so dividing by them gives the odds of the rows as they are.

    Parameters
    ----------
    proba : ndarray of shape (n_rows, n_classes)
        Of a model fitted with class weights.
    weights : ndarray of shape (n_classes,)
        Above 0.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        Probabilities.
    """
    parts = proba / weights
    found: Floats = parts / parts.sum(axis=1, keepdims=True)
    return found


def _weights(state: Reader, n_classes: int) -> tuple[float, ...]:
    return tuple(state.array("class_weights", "float64", (n_classes,), low=1e-12, high=1e12).tolist())
