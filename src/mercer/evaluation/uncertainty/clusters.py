"""Rows in groups, such as copies of a row or visits of a patient: how many independent rows they are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from mercer.arrays import Floats, Longs


def design_effect(contribution: Floats, groups: Longs | None, level: float = 0.95) -> float:
    """D = variance over groups / variance over rows of a score (Kish 1965): n rows are worth n / D independent ones.

    With contributions c_i of the rows (`influence`), s_g their sum and q_g the sum of their squares in group g,
    sum_g s_g^2 / sum_g q_g estimates D (of an area under the ROC curve, the variance of Obuchowski 1997 over that of
    DeLong). It is drawn towards the size of the groups, which rows that are all alike in a group would give, as if
    one more group had shown that, and not below 1. (t / z)^2 allows for its own error: t has
    nu = 2 (sum s_g^2)^2 / sum_g (s_g^2 - D q_g)^2 degrees of freedom (Satterthwaite). Each row written k times: D = k.

    Parameters
    ----------
    contribution : ndarray of shape (n_rows,)
        Of each row to the score.
    groups : ndarray of shape (n_rows,) or None
        The group of each row, a whole number from 0; None where rows are independent.
    level : float, default 0.95
        Confidence level of the interval to come.

    Returns
    -------
    float
        1 or more; 1 without groups.
    """
    if groups is None:
        return 1.0
    sizes = np.bincount(groups).astype(np.float64)
    sums, squares = np.bincount(groups, contribution), np.bincount(groups, np.square(contribution))
    there = sizes > 0
    sizes, sums, squares = sizes[there], sums[there], squares[there]
    alike = float(np.square(sizes).sum() / sizes.sum())
    total = float(squares.sum())
    if len(sizes) == len(groups) or total <= 0:
        return alike  # 1 of groups of one row
    informative = total**2 / float(np.square(squares).sum())
    shown = float(np.square(sums).sum()) / total
    effect = max((informative * shown + alike) / (informative + 1), 1.0)
    return effect * _allowance(np.square(sums), shown * squares, level)


def _allowance(between: Floats, expected: NDArray[np.floating[Any]], level: float) -> float:
    """(t / z)^2 for the error of a ratio of sums."""
    error = float(np.square(between - expected).sum())
    if error <= 1e-18 * float(between.sum()) ** 2:  # copies: there is none
        return 1.0
    degrees = max(2 * float(between.sum()) ** 2 / error, 2.0)
    tail = (1 + level) / 2
    return float((stats.t.ppf(tail, degrees) / stats.norm.ppf(tail)) ** 2)
