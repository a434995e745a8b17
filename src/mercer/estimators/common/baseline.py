"""What a model must beat: the shares of the classes, the mean of the target."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.estimators.common.base import TableClassifier, TableRegressor
from mercer.estimators.common.explanations.explanation import Explanation, Unit
from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.estimators.common.explanations.text_table import shown_cells
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.formatting import amount, percent, short
from mercer.state import Reader, State
from mercer.table import Table

MOST_CLASSES = 12  # named in the explanation


@shares_docs()
class MajorityClass(TableClassifier):
    """P(c | x) = share of class c among the training rows, whatever x is.

    Attributes
    ----------
    {classes_}
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class, by weight.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> mercer.MajorityClass().fit([[0], [1], [2]], ["a", "b", "b"]).predict([[5]])
    array(['b'], dtype='<U1')
    """

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the classes.

        Parameters
        ----------
        {X}
        {y_class}
        {sample_weight}

        Returns
        -------
        {self}
        """
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        counts = np.bincount(codes, weights=self._weights(sample_weight, len(table)), minlength=len(self.classes_))
        self.class_prior_ = counts / counts.sum()
        return self

    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """The same shares for every row.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        n_rows = len(self._predict_table(X))
        return np.tile(self.class_prior_, (n_rows, 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _explain_columns(self, X: Any) -> Explanation | None:
        """No column adds anything."""
        table = self._predict_table(X)
        best = len(self.classes_) - 1 if len(self.classes_) <= 2 else int(np.argmax(self.class_prior_))
        sides = [np.full(len(table), self.classes_[k], self.classes_.dtype) for k in (best, 0)]
        against = sides[1] if len(self.classes_) == 2 else None
        return _no_contributions(table, float(self.class_prior_[best]), "probability", sides[0], against)

    def _fitted_state(self) -> State:
        return {"classes": labels_state(self.classes_), "class_prior": self.class_prior_}

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = labels_from_state(state.child("classes"))
        self.class_prior_ = state.probabilities("class_prior", (len(self.classes_),))


@shares_docs()
class MeanTarget(TableRegressor):
    """f(x) = mean of the training targets, whatever x is.

    Attributes
    ----------
    mean_ : float
        Mean of the target, by weight.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> mercer.MeanTarget().fit([[0], [1]], [10.0, 20.0]).predict([[5]])
    array([15.])
    """

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Average the targets.

        Parameters
        ----------
        {X}
        {y_number}
        {sample_weight}

        Returns
        -------
        {self}
        """
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        self.mean_ = float(np.average(target, weights=self._weights(sample_weight, len(table))))
        return self

    @shares_docs()
    def predict(self, X: Any) -> Floats:
        """The mean for every row.

        Parameters
        ----------
        {X}

        Returns
        -------
        {numbers}
        """
        n_rows = len(self._predict_table(X))
        return np.full(n_rows, self.mean_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def _explain_columns(self, X: Any) -> Explanation | None:
        """No column adds anything."""
        return _no_contributions(self._predict_table(X), self.mean_, "prediction")

    def _fitted_state(self) -> State:
        return {"mean": self.mean_}

    def _restore_fitted(self, state: Reader) -> None:
        self.mean_ = state.number("mean")


def _no_contributions(table: Table, base: float, unit: Unit, own: Any = None, other: Any = None) -> Explanation:
    names = tuple(table.schema.names)
    zeros, cells = np.zeros((len(table), len(names))), shown_cells(table, names)
    return Explanation(names, zeros, np.full(len(table), base), own, other, cells, unit)


@dataclass(frozen=True, slots=True)
class BaselineDetails:
    """The shares of the classes, most frequent first, or the mean of the target."""

    classes: list[str] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    n_classes: int = 0
    mean: float | None = None


def explain_baseline(fitted: FittedLearner) -> ModelExplanation:
    """What the baseline predicts for every row."""
    lead = "Ignores every column: a learner that beats it has found something in them."
    if not fitted.classes:
        mean = float(fitted.model.mean_)
        fact = Fact("Always predicts", amount(mean), "the mean of the target")
        return ModelExplanation("baseline", lead, [fact], BaselineDetails(mean=mean))
    shares = fitted.model.class_prior_
    order = (-shares).argsort(kind="stable")[:MOST_CLASSES]
    names = [fitted.classes[c] for c in order]
    fact = Fact("Always predicts", short(names[0], 40), f"the most frequent class, {percent(float(shares[order[0]]))}")
    return ModelExplanation("baseline", lead, [fact], BaselineDetails(names, shares[order].tolist(), len(shares)))
