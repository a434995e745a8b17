"""A fitted classifier with its probabilities recalibrated: by a sigmoid or isotonic regression of their log-odds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from mercer.arrays import Floats, Longs
from mercer.combine.adapted.adapter import Adapter
from mercer.combine.members import FittedParameter, adapt
from mercer.docstrings import shares_docs
from mercer.errors import BadFile, MercerError
from mercer.parameters import ListOf, Part
from mercer.select.calibration import Calibrator, fit_calibrator
from mercer.state import Reader

Method = Literal["sigmoid", "isotonic"]
_LEAST = 1e-12  # probability whose log-odds are taken


def log_odds(probabilities: Floats) -> Floats:
    """log p / (1 - p), of probabilities kept away from 0 and 1."""
    p = np.clip(probabilities, _LEAST, 1 - _LEAST)
    found: Floats = np.log(p) - np.log1p(-p)
    return found


def fit_calibrators(probabilities: Floats, codes: Longs, weight: Floats | None, method: Method) -> list[Calibrator]:
    """One calibrator of the second of two classes, or one for each of several; none where a class has no row."""
    n = probabilities.shape[1]
    mass = np.ones(len(codes)) if weight is None else weight
    if (np.bincount(codes, minlength=n) == 0).any():
        return []
    wanted, odds = ([1] if n == 2 else range(n)), log_odds(probabilities)
    return [fit_calibrator(odds[:, c], codes == c, mass, method) for c in wanted]


def recalibrated(probabilities: Floats, calibrators: Sequence[Calibrator]) -> Floats:
    """p'(c) = f_c(log-odds of p(c)), over their sum; as they were where that is 0."""
    odds = log_odds(probabilities)
    if len(calibrators) == 1:
        second = calibrators[0](odds[:, 1])
        return np.column_stack([1 - second, second])
    found = np.column_stack([f(odds[:, c]) for c, f in enumerate(calibrators)])
    total = found.sum(axis=1, keepdims=True)
    return np.where(total > 0, found / np.where(total > 0, total, 1.0), probabilities)


class RecalibratedClassifier(ClassifierMixin, BaseEstimator):
    """p'(c | x) = f_c(log p(c | x) / (1 - p(c | x))): a fitted classifier whose probabilities are recalibrated.

    `mercer train --calibrate auto` keeps such a model where cross-validation says that it pays.

    Parameters
    ----------
    model : classifier
        Fitted, with `predict_proba`.
    calibrators : list of Calibrator
        One of the second of two classes, or one for each of several.
    """

    def __init__(self, model: Any, calibrators: Sequence[Calibrator]) -> None:
        self.model = model
        self.calibrators = calibrators

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def schema_(self) -> Any:
        """What the columns are."""
        return self.model.schema_

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes of the model."""
        found: NDArray[Any] = self.model.classes_
        return found

    def fit(self, X: Any, y: Any) -> Any:
        """Refused: its model is fitted, and its calibrators to rows held out in cross-validation."""
        raise MercerError("This model is fitted and its probabilities recalibrated by mercer train. Train again.")

    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, recalibrated.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        return recalibrated(self.model.predict_proba(X), self.calibrators)

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
        labels: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels


def _restored(model: RecalibratedClassifier, state: Reader) -> list[Any]:
    n = len(getattr(model.model, "classes_", ()))
    if len(model.calibrators) != (1 if n == 2 else n) or n < 2:
        raise BadFile(f"{state.where}: calibrators for {n} classes are expected.")
    return [model.model]


CALIBRATOR = Part("a calibrator", Calibrator, Calibrator.to_state, Calibrator.from_state)
adapt(
    Adapter(
        RecalibratedClassifier,
        {"model": FittedParameter(), "calibrators": ListOf(CALIBRATOR)},
        lambda model: {},
        _restored,
    )
)
