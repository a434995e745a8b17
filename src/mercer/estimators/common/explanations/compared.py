"""Scores of classes, and which two of them an explanation compares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats


def class_scores(scores: Floats) -> Floats:
    """A column for each class: of two classes, the first scores 0."""
    return np.column_stack([np.zeros(len(scores)), scores]) if scores.shape[1] == 1 else scores


def compared_classes(scores: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The classes that an explanation compares: the second and the first, or of several the best and the runner-up."""
    if scores.shape[1] == 1:
        return np.ones(len(scores), dtype=np.intp), np.zeros(len(scores), dtype=np.intp)
    order = np.argsort(-scores, axis=1, kind="stable")
    return order[:, 0], order[:, 1]
