"""What an attempt may end in, and the checks of answers that all areas share."""

from __future__ import annotations

import traceback
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_classifier


class Outcome(StrEnum):
    """How mercer took a hostile input."""

    REFUSED = "refused"  # with an error of its own
    SURPRISED = "surprised"  # refused as well, but because of an exception that no check foresaw
    ANSWERED = "answered"  # and the answer is sound
    WRONG = "wrong"  # answered NaN, or what is no probability
    CRASHED = "crashed"  # another exception, a signal, too much time or memory


class Wrong(AssertionError):
    """An answer that cannot be right."""


class Surprise(Exception):
    """A model file was refused, but an exception that is not mercer's had to say so."""

    def __init__(self, cause: BaseException) -> None:
        where = traceback.extract_tb(cause.__traceback__)[-1]
        super().__init__(f"{type(cause).__name__} in {Path(where.filename).name}: {where.name}")


def refused_by_scikit_learn(error: BaseException) -> bool:
    """Whether scikit-learn raised it: its own checks of input, weights and parameters are refusals too."""
    return "sklearn" in traceback.extract_tb(error.__traceback__)[-1].filename


def check_answers(model: Any, rows: Any) -> None:
    """Predictions are finite numbers or known labels; probabilities lie within [0, 1] and sum to 1."""
    predicted = np.asarray(model.predict(rows))
    if not is_classifier(model):
        if not np.isfinite(predicted.astype(np.float64)).all():
            raise Wrong(f"predictions that are not finite: {predicted[:3]}")
        return
    shares = model.predict_proba(rows) if hasattr(model, "predict_proba") else None
    if not isinstance(model.classes_, list):
        _check_classes(predicted, model.classes_, shares)
        return
    if isinstance(shares, np.ndarray):  # of a chain: how likely each output is 1
        shares = [np.column_stack([1 - share, share]) for share in shares.T]
    for j, classes in enumerate(model.classes_):  # a target in each column
        _check_classes(predicted[:, j], classes, None if shares is None else shares[j])


def _check_classes(predicted: Any, classes: Any, shares: Any) -> None:
    unknown = set(predicted.ravel().tolist()) - set(np.asarray(classes).tolist())
    if unknown:
        raise Wrong(f"labels that are no classes: {unknown}")
    if shares is None:
        return
    probabilities = np.asarray(shares)
    if probabilities.shape != (len(predicted), len(classes)):
        raise Wrong(f"probabilities of shape {probabilities.shape}")
    sums = probabilities.sum(axis=1)
    if not ((probabilities >= 0) & (probabilities <= 1)).all() or not np.allclose(sums, 1, atol=1e-6):
        raise Wrong(f"no probabilities: {probabilities[np.argmax(~(np.abs(sums - 1) < 1e-6))]}")
