"""Decisions on rows held out, judged by any scorer of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer

from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.estimators.svm.binary_problems import duels
from mercer.select.auc import Ranked
from mercer.select.calibration import METHODS, Curve, fit_curve

Rows: TypeAlias = NDArray[np.intp]
Scorer: TypeAlias = str | Callable[..., float] | None


class Judge:
    """Scores decisions (problems, rows) on the rows held out together; larger is better.

    machine : a classifier with classes_, or a regressor, whose binary problems the decisions belong to
    truth : class codes, or numbers
    own : weights of rows in the score, or None
    """

    def __init__(self, machine: Any, truth: NDArray[Any], own: Floats | None, scoring: Scorer) -> None:
        classes = getattr(machine, "classes_", None) if machine.is_class_machine else None
        scoring = ("r2" if classes is None else "accuracy") if scoring is None else scoring
        self.machine, self.codes, self.own = machine, truth, own
        self.scorer = get_scorer(scoring)
        self.name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", str(scoring))
        # Numeric labels as they are, so that a metric of class 1 means class 1; texts by their place.
        self.classes = None if classes is None else classes if classes.dtype.kind in "biuf" else np.arange(len(classes))
        self.truth = truth if self.classes is None else self.classes[truth]
        able = ("r2",) if classes is None else ("accuracy", "neg_log_loss", "roc_auc")[: 3 if len(classes) == 2 else 2]
        self.usual = _USUAL[scoring] if isinstance(scoring, str) and scoring in able else None

    def __call__(self, decisions: Floats, rows: Rows) -> float:
        answers = HeldOut(self, decisions)
        if self.usual is not None:
            weight = np.ones(len(rows)) if self.own is None else self.own[rows]
            return self.usual(answers, rows, self.truth[rows], weight)
        weights = {} if self.own is None else {"sample_weight": self.own[rows]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)  # the score is NaN, and its fold left out
            try:
                return float(self.scorer(answers, rows, self.truth[rows], **weights))
            except ValueError as error:
                kind = "numbers" if self.classes is None else f"{len(self.classes)} classes"
                raise MercerError(f"scoring={self.name!r} does not judge {kind}: {error}") from error

    def curves(self, decisions: Floats, rows: Rows) -> list[Curve]:
        """Decisions into probabilities for `rows`, by what is known of the other rows."""
        method = self.machine.probability if self.machine.probability in METHODS else METHODS[0]
        others = np.ones(decisions.shape[1], dtype=bool)
        others[rows] = False
        found = []
        pairs = duels(self.codes, len(self.machine.classes_), self.machine.multi_class)
        for decision, duel in zip(decisions, pairs, strict=True):
            used = others[duel.rows] & np.isfinite(decision[duel.rows])
            d, positive = decision[duel.rows][used], duel.y[used] > 0
            both = bool(positive.any() and not positive.all())
            found.append(fit_curve(d, positive, np.ones(len(d)), method) if both else Curve(1.0))
        return found


class HeldOut(BaseEstimator):
    """Answers for row numbers, in the shape of a fitted estimator, which is what scorers take."""

    def __init__(self, judge: Judge, decisions: Floats) -> None:
        self.judge = judge
        self.decisions = decisions
        if judge.classes is not None:
            self.classes_ = judge.classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor" if self.judge.classes is None else "classifier"
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, rows: Rows) -> NDArray[Any]:
        if self.judge.classes is None:
            return self.decisions[0, rows]
        chosen: NDArray[Any] = self.classes_[self.judge.machine._choose(self.decisions[:, rows].T)]
        return chosen

    def decision_function(self, rows: Rows) -> Floats:
        if self.judge.classes is None:
            raise MercerError(f"scoring={self.judge.name!r} asks for decisions between classes: not for regression.")
        shaped: Floats = self.judge.machine._shaped(self.decisions[:, rows].T)
        return shaped

    def predict_proba(self, rows: Rows) -> Floats:
        if self.judge.classes is None:
            raise MercerError(f"scoring={self.judge.name!r} asks for probabilities of classes: not for regression.")
        if not hasattr(self.judge.machine, "_probabilities"):
            machine = type(self.judge.machine).__name__
            raise MercerError(f"scoring={self.judge.name!r} asks for probabilities, which {machine} does not give.")
        curves = self.judge.curves(self.decisions, rows)
        found: Floats = self.judge.machine._probabilities(self.decisions[:, rows].T, curves)
        return found


def _accuracy(answers: HeldOut, rows: Rows, truth: NDArray[Any], weight: Floats) -> float:
    return float(((answers.predict(rows) == truth) * weight).sum() / weight.sum())


def _roc_auc(answers: HeldOut, rows: Rows, truth: NDArray[Any], weight: Floats) -> float:
    return Ranked(truth == answers.classes_[1], answers.decision_function(rows)).roc_auc(weight)


def _neg_log_loss(answers: HeldOut, rows: Rows, truth: NDArray[Any], weight: Floats) -> float:
    found = answers.predict_proba(rows)[np.arange(len(rows)), np.searchsorted(answers.classes_, truth)]
    return float((np.log(np.maximum(found, np.finfo(np.float64).eps)) * weight).sum() / weight.sum())


def _r2(answers: HeldOut, rows: Rows, truth: NDArray[Any], weight: Floats) -> float:
    around = (weight * (truth - (weight * truth).sum() / weight.sum()) ** 2).sum()
    return float(1 - (weight * (truth - answers.predict(rows)) ** 2).sum() / around) if around > 0 else np.nan


# Scorers take milliseconds to look at their input, longer than many a fold takes to solve.
_USUAL: dict[str, Callable[[HeldOut, Rows, NDArray[Any], Floats], float]] = {
    "accuracy": _accuracy,
    "neg_log_loss": _neg_log_loss,
    "roc_auc": _roc_auc,
    "r2": _r2,
}
