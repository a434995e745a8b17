"""What a model must beat: the shares of the classes, the mean of the target."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer.estimators.common.base import TableClassifier, TableRegressor
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.state import Reader, State


class MajorityClass(TableClassifier):
    """P(c | x) = share of class c among the training rows, whatever x is.

    Examples
    --------
    >>> import mercer
    >>> mercer.MajorityClass().fit([[0], [1], [2]], ["a", "b", "b"]).predict([[5]])
    array(['b'], dtype='<U1')
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the classes."""
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        counts = np.bincount(codes, weights=self._weights(sample_weight, len(table)), minlength=len(self.classes_))
        self.class_prior_ = counts / counts.sum()
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The same shares for every row, (n_rows, n_classes)."""
        n_rows = len(self._predict_table(X))
        return np.tile(self.class_prior_, (n_rows, 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def to_state(self) -> State:
        return {
            "input": self._input_state(), "classes": labels_state(self.classes_), "class_prior": self.class_prior_,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        model._restore_input(state.child("input"))
        model.classes_ = labels_from_state(state.child("classes"))
        model.class_prior_ = state.array("class_prior", "float64", (len(model.classes_),), low=0.0, high=1.0)
        state.finish()
        return model


class MeanTarget(TableRegressor):
    """f(x) = mean of the training targets, whatever x is.

    Examples
    --------
    >>> import mercer
    >>> mercer.MeanTarget().fit([[0], [1]], [10.0, 20.0]).predict([[5]])
    array([15.])
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Average the targets."""
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        self.mean_ = float(np.average(target, weights=self._weights(sample_weight, len(table))))
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The mean for every row."""
        n_rows = len(self._predict_table(X))
        return np.full(n_rows, self.mean_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def to_state(self) -> State:
        return {"input": self._input_state(), "mean": self.mean_}

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        model._restore_input(state.child("input"))
        model.mean_ = state.number("mean")
        state.finish()
        return model
