"""Differences of what two confusion matrices of the same rows say, by the likelihood of their joint counts."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import special

from mercer.arrays import Floats
from mercer.evaluation.metrics import METRICS
from mercer.evaluation.uncertainty.confusion import LikelihoodTest, nearest
from mercer.evaluation.uncertainty.matrices import (
    MATRIX_SCORES,
    MatrixScore,
    f1_bias,
    mean_f1,
    precision,
    seen_classes,
)

JOINT_LIKELIHOOD = "likelihood of the joint counts"


class Gap(NamedTuple):
    """Difference of a score, with its interval and the chance of one as far from 0 if there were none."""

    value: float
    low: float
    high: float
    p_value: float


def joint_gap(key: str, counts: Floats, positive: int | None, level: float) -> Gap:
    """T(first) - T(second) of counts by (truth, first, second), with the interval of `matrix_interval`.

    A joint distribution has both confusion matrices as its margins, so the difference has a slope by each of its cells,
    and the likeliest shares with a given difference are found as those with a given score.

    Parameters
    ----------
    key : str
        Metric of `MATRIX_SCORES`, or "precision" or "f1" of the positive class.
    counts : ndarray of shape (n_classes, n_classes, n_classes)
        Rows by true class, class of the first model and of the second; where they come in groups, what they are worth.
    positive : int or None
        The positive one of two classes.
    level : float
        Confidence level.

    Returns
    -------
    Gap
        The p-value from the same R(0).
    """
    if key == "balanced_accuracy":  # the mean of the recalls of classes that have rows
        present = counts.sum(axis=(1, 2)) > 0
        order = np.argsort(~present, kind="stable")
        counts = counts[present][:, order][:, :, order]
    scores = [_score_of(key, counts.sum(axis=axis), positive) for axis in (2, 1)]
    limits = METRICS[key].limits
    test = _GapTest(scores, (limits[0] - limits[1], limits[1] - limits[0]), counts, level)
    none = nearest(test.score, test.counts, 0.0, test.shares)
    p_value = 2 * float(special.ndtr(-abs(test.root(0.0, none)))) if none is not None and test.value else 1.0
    return Gap(test.value, test.end(-1), test.end(1), p_value)


def _score_of(key: str, matrix: Floats, positive: int | None) -> tuple[MatrixScore, Floats | None]:
    """The score, and the weights of the classes where it is a mean of their F1."""
    if key == "precision" and positive is not None:
        return partial(precision, positive=positive), None
    if key in ("f1", "f1_macro"):
        weight = seen_classes(matrix) if positive is None or key == "f1_macro" else np.eye(len(matrix))[positive]
        return partial(mean_f1, weight=weight), weight
    return MATRIX_SCORES[key], None


class _GapTest(LikelihoodTest):
    def __init__(
        self,
        scores: list[tuple[MatrixScore, Floats | None]],
        limits: tuple[float, float],
        counts: Floats,
        level: float,
    ) -> None:
        (first, one), (second, two) = scores
        self.weights = one, two

        def gap(joint: Floats) -> tuple[float, Floats]:
            (ours, slope), (theirs, their_slope) = first(joint.sum(axis=2)), second(joint.sum(axis=1))
            return ours - theirs, slope[:, :, None] - their_slope[:, None, :]

        super().__init__(gap, limits, counts, level)

    def bias(self, shares: Floats) -> float:
        one, two = (
            0.0 if weight is None else f1_bias(shares.sum(axis=axis), weight, self.n)
            for weight, axis in zip(self.weights, (2, 1), strict=True)
        )
        return one - two
