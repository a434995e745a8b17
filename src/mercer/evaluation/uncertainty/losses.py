"""Intervals for mean losses of class probabilities that do not miss the rare large loss which few rows do not show."""

from __future__ import annotations

import numpy as np
from scipy import stats

from mercer.arrays import Floats, Longs
from mercer.evaluation.intervals import Score
from mercer.evaluation.uncertainty.clusters import design_effect

EXPECTED = "score, variance drawn to that expected"
_PRIOR = 20.0  # rows outside the largest class that the variance expected of the probabilities counts as


def loss_intervals(
    log_loss: Floats, brier: Floats, proba: Floats, few: int, level: float, groups: Longs | None = None
) -> dict[str, Score]:
    """{M: |m - M| <= t sqrt(r M / n)}: the mean losses that a test would not reject, given the mean m of these rows.

    The variance of a loss grows with its mean; r is their ratio on these rows, drawn towards the one expected if the
    probabilities were right, as if twenty more rows outside the largest class had shown that, and never drawn below it.
    With 30 rows, 3 of them positive, the t interval of the logarithm covers 80 % (benchmarks/interval_coverage.py).
    Rows in groups are worth as many as `design_effect` says.

    Parameters
    ----------
    log_loss, brier : ndarray of shape (n_rows,)
        Losses of the rows.
    proba : ndarray of shape (n_rows, n_classes)
        Probabilities of the classes.
    few : int
        Rows outside the largest class.
    level : float
        Confidence level.
    groups : ndarray of shape (n_rows,), optional
        The group of each row.

    Returns
    -------
    dict of str to Score
        "log_loss" and "brier".
    """
    shares = proba / proba.sum(axis=1, keepdims=True)
    of_class = -np.log(np.clip(shares, np.finfo(np.float64).eps, 1.0))
    found = {"log_loss": _interval(log_loss, *_moments(shares, of_class), few, level, groups)}
    squares = np.square(proba).sum(axis=1, keepdims=True) - 2 * proba + 1
    squares /= 2 if proba.shape[1] == 2 else 1
    found["brier"] = _interval(brier, *_moments(shares, squares), few, level, groups)
    return found


def _moments(shares: Floats, losses: Floats) -> tuple[float, float]:
    """Mean and variance of the loss of a row, if its class were drawn from the probabilities."""
    mean = float((shares * losses).sum(axis=1).mean())
    return mean, float((shares * np.square(losses)).sum(axis=1).mean()) - mean**2


def _interval(
    losses: Floats, expected: float, variance: float, few: float, level: float, groups: Longs | None
) -> Score:
    mean = float(losses.mean())
    effect = design_effect(losses - mean, groups, level)
    n, few = len(losses) / effect, few / effect
    if n <= 1:
        return Score(mean)
    shown = float(losses.var()) * n / (n - 1) / mean if mean > 0 else 0.0
    drawn = variance / expected if expected > 0 else shown
    ratio = max(shown, (few * shown + _PRIOR * drawn) / (few + _PRIOR))
    if ratio <= 0:
        return Score(mean)
    reach = float(stats.t.ppf((1 + level) / 2, n - 1)) ** 2 * ratio / n
    half = float(np.sqrt(reach * reach / 4 + reach * mean))
    low = mean * mean / (mean + reach / 2 + half)  # mean + reach / 2 - half, without the loss of digits
    return Score(mean, low, mean + reach / 2 + half, EXPECTED)
