"""Decision values of test rows, scored fold by fold with any scorer of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer

from mercer.arrays import Floats, Longs
from mercer.errors import MercerError
from mercer.select.auc import roc_auc
from mercer.select.grid import Scoring

RowNumbers: TypeAlias = NDArray[np.intp]
FoldScore: TypeAlias = "Callable[[HeldOutPredictions, RowNumbers, NDArray[Any], Floats], float]"  # target, weight


class DecisionReader(Protocol):
    """What the decision values (n_problems, n_rows) of a model mean."""

    @property
    def classes(self) -> NDArray[Any] | None:
        """The labels in the order of their codes; None in regression."""

    def class_codes(self, decisions: Floats) -> Longs:
        """The class of each row."""

    def decision_function(self, decisions: Floats) -> Floats:
        """In the shape of the model's own `decision_function`."""

    def test_probabilities(self, decisions: Floats, test: RowNumbers) -> Floats:
        """Probabilities of the test rows, calibrated on the decisions of all others, (n_test, n_classes)."""


class NumberDecisions:
    """The decision values of a regression, (1, n_rows), are its predictions.

    own_score : name and function of what they are scored by where nothing else is asked for; None for R^2
    """

    classes = None
    own_score: tuple[str, FoldScore] | None = None

    def class_codes(self, decisions: Floats) -> Longs:
        """There are none."""
        raise MercerError("There are no classes in regression.")

    def decision_function(self, decisions: Floats) -> Floats:
        """There is none."""
        raise MercerError("There are no classes in regression.")

    def test_probabilities(self, decisions: Floats, test: RowNumbers) -> Floats:
        """There are none."""
        raise MercerError("There are no classes in regression.")


class FoldScorer:
    """Scores decisions (n_problems, n_rows) on the test rows of a fold; larger is better.

    Parameters
    ----------
    reader : what the decisions mean
    target : class codes or numbers, (n_rows,)
    weight : of each row in the score, or None
    scoring : as `mercer.Grid` has it
    """

    def __init__(self, reader: DecisionReader, target: NDArray[Any], weight: Floats | None, scoring: Scoring) -> None:
        labels = reader.classes
        own = getattr(reader, "own_score", None) if scoring is None else None
        scoring = ("r2" if labels is None else "accuracy") if scoring is None else scoring
        self.reader, self.weight = reader, weight
        self.scorer = get_scorer(scoring)
        self.name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", str(scoring))
        # Numeric labels as they are, so that a metric of class 1 means class 1; texts by their codes.
        self.classes = None if labels is None else labels if labels.dtype.kind in "biuf" else np.arange(len(labels))
        self.target = target if self.classes is None else self.classes[target]
        able = ("r2",) if labels is None else ("accuracy", "neg_log_loss", "roc_auc")[: 3 if len(labels) == 2 else 2]
        self.direct = _DIRECT[scoring] if isinstance(scoring, str) and scoring in able else None
        if own is not None:
            self.name, self.direct = own

    def __call__(self, decisions: Floats, test: RowNumbers) -> float:
        answers = HeldOutPredictions(self, decisions)
        if self.direct is not None:
            weight = np.ones(len(test)) if self.weight is None else self.weight[test]
            return self.direct(answers, test, self.target[test], weight)
        weights = {} if self.weight is None else {"sample_weight": self.weight[test]}
        with nullcontext() if getattr(self.scorer, "never_warns", False) else _undefined_ignored():
            try:
                return float(self.scorer(answers, test, self.target[test], **weights))
            except ValueError as error:
                kind = "numbers" if self.classes is None else f"{len(self.classes)} classes"
                raise MercerError(f"scoring={self.name!r} does not score {kind}: {error}") from error


@contextmanager
def _undefined_ignored() -> Iterator[None]:
    """No warning of an undefined metric: the score is NaN, and its fold left out. Filters are those of all threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        yield


class HeldOutPredictions(BaseEstimator):
    """Predictions for row numbers, in the shape of a fitted estimator, which is what scorers take."""

    def __init__(self, scorer: FoldScorer, decisions: Floats) -> None:
        self.scorer = scorer
        self.decisions = decisions
        if scorer.classes is not None:
            self.classes_ = scorer.classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor" if self.scorer.classes is None else "classifier"
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, test: RowNumbers) -> NDArray[Any]:
        """Classes or numbers."""
        if self.scorer.classes is None:
            return self.decisions[0, test]
        predicted: NDArray[Any] = self.classes_[self.scorer.reader.class_codes(self.decisions[:, test])]
        return predicted

    def decision_function(self, test: RowNumbers) -> Floats:
        """As the model gives them."""
        if self.scorer.classes is None:
            raise MercerError(f"scoring={self.scorer.name!r} asks for decisions between classes: not for regression.")
        return self.scorer.reader.decision_function(self.decisions[:, test])

    def predict_proba(self, test: RowNumbers) -> Floats:
        """Calibrated on the decisions of all other rows."""
        if self.scorer.classes is None:
            raise MercerError(f"scoring={self.scorer.name!r} asks for probabilities of classes: not for regression.")
        return self.scorer.reader.test_probabilities(self.decisions, test)


def _accuracy(answers: HeldOutPredictions, test: RowNumbers, target: NDArray[Any], weight: Floats) -> float:
    return float(((answers.predict(test) == target) * weight).sum() / weight.sum())


def _roc_auc(answers: HeldOutPredictions, test: RowNumbers, target: NDArray[Any], weight: Floats) -> float:
    return roc_auc(target == answers.classes_[1], answers.decision_function(test), weight)


def _neg_log_loss(answers: HeldOutPredictions, test: RowNumbers, target: NDArray[Any], weight: Floats) -> float:
    found = answers.predict_proba(test)[np.arange(len(test)), np.searchsorted(answers.classes_, target)]
    return float((np.log(np.maximum(found, np.finfo(np.float64).eps)) * weight).sum() / weight.sum())


def _r2(answers: HeldOutPredictions, test: RowNumbers, target: NDArray[Any], weight: Floats) -> float:
    total = (weight * (target - (weight * target).sum() / weight.sum()) ** 2).sum()
    return float(1 - (weight * (target - answers.predict(test)) ** 2).sum() / total) if total > 0 else np.nan


# Scorers of scikit-learn take milliseconds to check their input, longer than many a fold takes to solve.
_DIRECT: dict[str, FoldScore] = {
    "accuracy": _accuracy,
    "neg_log_loss": _neg_log_loss,
    "roc_auc": _roc_auc,
    "r2": _r2,
}
