"""Answers of classifiers whose decisions are log odds: what the numbers mean, and the methods that give them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin

from mercer.arrays import Floats, Longs
from mercer.docstrings import shares_docs
from mercer.select.cv_scores import RowNumbers


@dataclass(frozen=True)
class LogOdds:
    """Decisions (n_functions, n_rows) are log odds: one function for two classes, one for each of several."""

    classes: NDArray[Any]

    def class_codes(self, decisions: Floats) -> Longs:
        """The most probable class."""
        return (decisions[0] >= 0).astype(np.int64) if len(decisions) == 1 else np.argmax(decisions, axis=0)

    def decision_function(self, decisions: Floats) -> Floats:
        """(n_rows,) for two classes, else (n_rows, n_classes)."""
        return decisions[0] if len(decisions) == 1 else decisions.T

    def probabilities(self, decisions: Floats) -> Floats:
        """(n_rows, n_classes)."""
        if len(decisions) == 1:
            return np.column_stack([expit(-decisions[0]), expit(decisions[0])])
        return self._of_several(decisions)

    def _of_several(self, decisions: Floats) -> Floats:
        """Those of one multinomial model."""
        return np.asarray(softmax(decisions.T, axis=1))

    def test_probabilities(self, decisions: Floats, test: RowNumbers) -> Floats:
        """The model's own, which need no calibration."""
        return self.probabilities(decisions[:, test])


class OneVsRestOdds(LogOdds):
    """Log odds of the second of two classes, or of each of several against the rest."""

    def _of_several(self, decisions: Floats) -> Floats:
        """Each by itself, divided by their sum."""
        single = np.maximum(expit(decisions.T), 1e-300)
        return np.asarray(single / single.sum(axis=1, keepdims=True))


class LogOddsClassifier(ClassifierMixin):
    """What a classifier answers from its log odds."""

    classes_: NDArray[Any]

    @property
    @abstractmethod
    def _reader(self) -> LogOdds:
        """What the log odds mean."""

    @abstractmethod
    def _log_odds(self, X: Any) -> Floats:
        """(n_functions, n_rows)."""

    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """The log odds of the second of two classes, or a number for each of several that grows with its probability.

        Parameters
        ----------
        {X}

        Returns
        -------
        decisions : ndarray of shape (n_rows,) or (n_rows, n_classes)
            One number a row for two classes, else a column per class.
        """
        found = self._log_odds(X)
        return self._reader.decision_function(found)

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        {classes}
        """
        found = self._log_odds(X)
        labels: NDArray[Any] = self.classes_[self._reader.class_codes(found)]
        return labels

    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        found = self._log_odds(X)
        return self._reader.probabilities(found)

    @shares_docs()
    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        {X}

        Returns
        -------
        log_probabilities : ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))
