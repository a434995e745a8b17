"""Rounds of boosting: scored by the loss or by any scorer of scikit-learn, and printed for `verbose`."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring

from mercer.arrays import Floats
from mercer.solvers.boost.boost import Rows

Answers = Callable[[Floats], NDArray[Any]]  # of raw predictions (n_rows, n_outputs)


class _Classifier(ClassifierMixin, BaseEstimator):
    """Raw predictions in the place of rows, so that a scorer of estimators can score them."""

    def __init__(self, classes: NDArray[Any], probabilities: Answers, raw: Answers) -> None:
        self.classes_, self._probabilities, self._raw = classes, probabilities, raw

    def fit(self, X: Any, y: Any) -> _Classifier:
        return self

    def predict_proba(self, X: Floats) -> NDArray[Any]:
        return self._probabilities(X)

    def decision_function(self, X: Floats) -> NDArray[Any]:
        return self._raw(X)

    def predict(self, X: Floats) -> NDArray[Any]:
        found: NDArray[Any] = self.classes_[self._probabilities(X).argmax(axis=1)]
        return found


class _Regressor(RegressorMixin, BaseEstimator):
    def __init__(self, numbers: Answers) -> None:
        self._numbers = numbers

    def fit(self, X: Any, y: Any) -> _Regressor:
        return self

    def predict(self, X: Floats) -> NDArray[Any]:
        return self._numbers(X)


def class_score(scoring: Any, classes: NDArray[Any], probabilities: Answers) -> Callable[[Floats, Rows], float] | None:
    """A score of raw predictions of classes, higher is better; None for the loss itself."""
    if scoring == "loss":
        return None
    stand_in = _Classifier(classes, probabilities, lambda raw: raw[:, 0] if raw.shape[1] == 1 else raw)
    return _score(stand_in, scoring, lambda y: classes[y.astype(np.int64)])


def number_score(scoring: Any, numbers: Answers) -> Callable[[Floats, Rows], float] | None:
    """A score of raw predictions of numbers, higher is better; None for the loss itself."""
    return None if scoring == "loss" else _score(_Regressor(numbers), scoring, lambda y: y)


def _score(stand_in: Any, scoring: Any, labels: Callable[[Floats], NDArray[Any]]) -> Callable[[Floats, Rows], float]:
    scorer = check_scoring(stand_in, scoring)

    def score(raw: Floats, rows: Rows) -> float:
        extra = {} if rows.weight is None else {"sample_weight": rows.weight}
        return float(scorer(stand_in, raw, labels(rows.y), **extra))

    return score


EVERY = 1.0  # seconds from line to line


def round_printer(most: int, clock: Callable[[], float] = monotonic) -> Callable[[int], bool]:
    """A function of the number of rounds done that prints it of `most`, once a second at most; always True."""
    begin = clock()
    last = begin

    def show(done: int) -> bool:
        nonlocal last
        now = clock()
        if now - last >= EVERY:
            last = now
            print(f"Round {done:,} of at most {most:,} after {now - begin:.0f} s", flush=True)
        return True

    return show
