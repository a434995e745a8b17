"""Intervals of means over the classes, from the interval of each class (Zou and Donner 2008)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.arrays import Floats
from mercer.evaluation.intervals import Score, wilson_and_exact

JOINED = "shares joined over the classes"


def joined(parts: Sequence[Score], alike: tuple[Floats, Floats] | None = None) -> Score:
    """m - sqrt(sum_ck r_ck d_c d_k) / K, and so above: the interval of the mean m of the scores of K classes.

    d_c is how far the low end of class c is from its score, for the high end of the mean how far its high end is.

    Parameters
    ----------
    parts : sequence of Score
        Of each class, between 0 and 1.
    alike : tuple of ndarray of shape (n_classes, n_classes), optional
        Correlations r of the scores at their low ends, and at their high ends; without, classes are independent.

    Returns
    -------
    Score
        Mean and interval.
    """
    value, low, high = (np.array([getattr(part, end) for part in parts]) for end in ("value", "low", "high"))
    at_low, at_high = (np.eye(len(parts)),) * 2 if alike is None else alike
    below, above = value - low, high - value
    mean = float(value.mean())
    low_end = mean - float(np.sqrt(below @ at_low @ below)) / len(parts)
    high_end = mean + float(np.sqrt(above @ at_high @ above)) / len(parts)
    return Score(mean, max(low_end, 0.0), min(high_end, 1.0), JOINED)


def macro_f1(matrix: Floats, level: float) -> Score:
    """The mean of F_c = 2 J_c / (1 + J_c), J_c being the share right of the rows that are of class c or called so.

    A row of class c that is called k is an error of both, so F_c and F_k are correlated: by the delta method

        r_ck = sqrt(J_c J_k) (x_ck + x_kc) / sqrt(e_c e_k)

    of x_ck such rows and e_c errors of class c in all, one row being spread over all cells. Each end has the r of the J
    that are its own: where no row of a class is right, J_c is 0 below but not above. A class that no row is of or
    called may have any F1.

    Parameters
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        Rows by true class and class predicted; where they come in groups, what they are worth.
    level : float
        Confidence level.

    Returns
    -------
    Score
        Macro F1 and its interval.
    """
    right = matrix.diagonal()
    either = matrix.sum(axis=0) + matrix.sum(axis=1) - right
    counts = zip(right.tolist(), either.tolist(), strict=True)
    shares = [wilson_and_exact(k, n, level) if n > 0 else Score(0.0, 0.0, 1.0) for k, n in counts]
    value, low, high = (np.array([getattr(part, end) for part in shares]) for end in ("value", "low", "high"))
    shared = _shared_errors(matrix)
    alike = shared * np.sqrt(np.outer(low, low)), shared * np.sqrt(np.outer(high, high))
    for correlations in alike:
        np.fill_diagonal(correlations, 1.0)
    f1 = zip(*(2 * end / (1 + end) for end in (value, low, high)), strict=True)
    return joined([Score(float(at), float(below), float(above)) for at, below, above in f1], alike)


def _shared_errors(matrix: Floats) -> Floats:
    """(x_ck + x_kc) / sqrt(e_c e_k)."""
    errors = matrix + matrix.T + 2 / matrix.size
    np.fill_diagonal(errors, 0.0)
    scale = np.sqrt(errors.sum(axis=1))
    shared: Floats = errors / np.outer(scale, scale)
    return shared
