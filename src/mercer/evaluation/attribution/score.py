"""What of a model is explained: one number for each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError

from mercer.arrays import Floats, Longs
from mercer.errors import MercerError
from mercer.estimators.common.explanations.explanation import Unit
from mercer.evaluation.pairwise import decides_pairs
from mercer.table.formats.containers import row_count


@dataclass(frozen=True)
class ModelScore:
    """f(x) of a model, a column for each class, or one for a regression and for outliers.

    Attributes
    ----------
    unit : {"probability", "score", "vote", "prediction"}
        What the numbers are.
    classes : ndarray of shape (n_classes,) or None
        The classes; None where there are none.
    of_rows : callable
        Rows to numbers of shape (n_rows, n_classes), or (n_rows, 1) without classes.
    """

    unit: Unit
    classes: NDArray[Any] | None
    of_rows: Callable[[Any], Floats]

    def explained(self, scores: Floats) -> Longs:
        """The column that is explained in each row: the second of two classes, the best of more."""
        if self.classes is None:
            return np.zeros(len(scores), dtype=np.int64)
        if len(self.classes) <= 2:
            return np.full(len(scores), len(self.classes) - 1, dtype=np.int64)
        return np.asarray(scores.argmax(axis=1), dtype=np.int64)

    def sides(self, columns: Longs) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
        """The classes spoken for and, of two, spoken against."""
        if self.classes is None:
            return None, None
        return self.classes[columns], self.classes[0 * columns] if len(self.classes) == 2 else None


def model_score(model: Any, sample: Any) -> ModelScore:
    """What is explained of a model: probabilities, else scores of the classes, else which class is predicted.

    Parameters
    ----------
    model : estimator
        Fitted, of mercer, scikit-learn or of their kind.
    sample : rows
        A few rows, to see what the model gives.

    Returns
    -------
    ModelScore
        As a function of rows.

    Raises
    ------
    MercerError
        If the model has several targets, or does not predict.
    """
    if not hasattr(model, "predict"):
        raise MercerError(f"A {type(model).__name__} does not predict: there is nothing to explain.")
    if not _predicts_classes(model):
        ask = model.decision_function if hasattr(model, "score_samples") else model.predict
        _refuse_several(np.asarray(ask(sample)).size > row_count(sample), model)
        unit: Unit = "score" if hasattr(model, "score_samples") else "prediction"
        return ModelScore(unit, None, lambda rows: np.asarray(ask(rows), dtype=np.float64).reshape(-1, 1))
    classes = model.classes_
    _refuse_several(isinstance(classes, list), model)
    classes = np.asarray(classes)
    found = _scores_by(model, "predict_proba", "probability", sample) or decision_score(model, sample)
    return found or ModelScore(
        "vote", classes, lambda rows: (np.asarray(model.predict(rows))[:, None] == classes).astype(float)
    )


def decision_score(model: Any, sample: Any) -> ModelScore | None:
    """The decision function of a classifier with a column for each class; None where it has none."""
    return None if decides_pairs(model) else _scores_by(model, "decision_function", "score", sample)


def _scores_by(model: Any, name: str, unit: Unit, sample: Any) -> ModelScore | None:
    found, classes = _asked(getattr(model, name, None), sample), np.asarray(model.classes_)
    if found is None or not (found.ndim == 1 or found.shape[1] == len(classes)):
        return None
    return ModelScore(unit, classes, _columns(getattr(model, name)))


def _predicts_classes(model: Any) -> bool:
    try:
        return bool(is_classifier(model))
    except AttributeError:  # no estimator by scikit-learn's rules, but it predicts
        return hasattr(model, "classes_")


def _refuse_several(several: bool, model: Any) -> None:
    if several:
        raise MercerError(
            f"The {type(model).__name__} predicts several targets at once. Explain a model of one target."
        )


def _asked(ask: Callable[[Any], Any] | None, sample: Any) -> Floats | None:
    """What the model answers; None where it was not made to."""
    try:
        return None if ask is None else np.asarray(ask(sample), dtype=np.float64)
    except (AttributeError, NotFittedError):  # SVC that was fitted without `probability`
        return None


def _columns(ask: Callable[[Any], Any]) -> Callable[[Any], Floats]:
    """One column for each class; a decision between two is that of the second, minus that of the first."""

    def scores(rows: Any) -> Floats:
        found = np.asarray(ask(rows), dtype=np.float64)
        return found if found.ndim > 1 else np.column_stack([-found, found])

    return scores
