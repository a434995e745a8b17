"""Learners compared fold by fold: how far each is behind the best, and which of them cannot be told from it."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.evaluate.intervals import Score, corrected_t
from mercer.evaluate.metrics import Metric


def behind(best: Sequence[float], other: Sequence[float], metric: Metric, test_share: float, level: float) -> Score:
    """Mean over the folds of how much better the best is, with its corrected t interval (Nadeau and Bengio 2003).

    Both were scored on the same rows: what makes a fold hard for both leaves the difference.

    Parameters
    ----------
    best, other : sequence of float
        Scores of each fold; where one has fewer folds than the other, the first ones.
    metric : Metric
        Which way is better.
    test_share : float
        n_test / n_train of one fold.
    level : float
        Confidence level.

    Returns
    -------
    Score
        Above 0 where the best is better.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    return corrected_t([sign * (a - b) for a, b in zip(best, other, strict=False)], test_share, level)


def is_tie(difference: Score) -> bool:
    """Whether the interval of a difference holds 0: these rows do not tell the two apart."""
    return difference.low is not None and difference.low <= 0
