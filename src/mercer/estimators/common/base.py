"""What classifiers and regressors do with their target."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.errors import BadTarget
from mercer.table.estimator import TableEstimator
from mercer.table.target import class_codes, label_codes, one_column

__all__ = ["TableClassifier", "TableEstimator", "TableRegressor", "label_codes"]


class TableClassifier(ClassifierMixin, TableEstimator):
    """Base of classifiers: labels of any type become class codes."""

    classes_: NDArray[Any]

    def _fit_labels(self, y: Any, n_rows: int) -> Ints:
        """Codes of the labels, (n_rows,); sets `classes_`."""
        self.classes_, codes = class_codes(y, n_rows)
        return codes

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
        best = np.argmax(self.predict_proba(X), axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    @abstractmethod
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, (n_rows, n_classes), columns as in `classes_`."""


class TableRegressor(RegressorMixin, TableEstimator):
    """Base of regressors."""

    def _fit_target(self, y: Any, n_rows: int) -> Floats:
        return regression_target(y, n_rows)


def regression_target(y: Any, n_rows: int) -> Floats:
    """The target as numbers, (n_rows,); BadTarget when they are not, or not finite."""
    y = one_column(y, n_rows)
    try:
        target = y.astype(np.float64)
    except (TypeError, ValueError):
        raise BadTarget(f"A regression target must be numbers; found {y[0]!r}. Use a classifier.") from None
    if not np.isfinite(target).all():
        raise BadTarget("Input y contains NaN or infinity: leave out the rows whose target is missing.")
    values: Floats = target
    return values
