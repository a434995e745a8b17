"""A fitted classifier whose `predict` follows the decision that was chosen for it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from mercer.arrays import Floats
from mercer.select.costs import RowAmounts
from mercer.select.decisions import DecisionRule


class Decided(ClassifierMixin, BaseEstimator):
    """A fitted classifier that calls rows by least expected cost, by a threshold, or the most probable ones.

    Parameters
    ----------
    estimator : estimator
        Fitted, with `predict_proba`.
    rule : DecisionRule
        For the classes in the order of the estimator's.
    by_row : mapping of str to ndarray, optional
        What errors cost on each row of the one table that it is to answer for, where the rule asks for that.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Those of the estimator.
    """

    def __init__(self, estimator: Any, rule: DecisionRule, by_row: RowAmounts | None = None) -> None:
        self.estimator = estimator
        self.rule = rule
        self.by_row = by_row

    @property
    def classes_(self) -> NDArray[Any]:
        found: NDArray[Any] = self.estimator.classes_
        return found

    def fit(self, X: Any, y: Any = None) -> Self:
        """Nothing: the estimator is fitted, and the rule was chosen on other rows."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, without the class weights of the fit.

        Parameters
        ----------
        X : Table, data frame or array
            Rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Rows add up to 1.
        """
        return self.rule.probabilities(self.estimator.predict_proba(X))

    def predict(self, X: Any, by_row: RowAmounts | None = None) -> NDArray[Any]:
        """The class that each row is called.

        Parameters
        ----------
        X : Table, data frame or array
            Rows.
        by_row : mapping of str to ndarray, optional
            What errors on each row cost, where the rule asks for that; those of the constructor when None.

        Returns
        -------
        ndarray of shape (n_rows,)
            Classes.
        """
        by_row = self.by_row if by_row is None else by_row
        found: NDArray[Any] = np.asarray(self.classes_)[self.rule.decide(self.predict_proba(X), by_row)]
        return found
