"""Scores of a confusion matrix, with their slopes by each cell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.arrays import Floats

MatrixScore = Callable[[Floats], tuple[float, Floats]]
_NOTHING = 1e-300  # what sums of no row are divided by


def balanced_accuracy(matrix: Floats) -> tuple[float, Floats]:
    """Mean of x_cc / t_c over the classes that have rows: dx_cc / t_c - x_cc dt_c / t_c^2 of each.

    This and the functions below take one matrix of weights, true class by class predicted, and return its score and
    how much that grows with each cell. Matrices of shares and of counts have the same score, since only ratios count.
    Classes that no row is of may have a column alone here, behind the others.
    """
    right, true = matrix.diagonal(), matrix.sum(axis=1)
    present, there = int((true > 0).sum()), np.maximum(true, _NOTHING)
    recall = right / there
    slope = -np.repeat((recall / there / present)[:, None], matrix.shape[1], axis=1)
    slope.flat[:: matrix.shape[1] + 1] += 1 / there / present
    return float(recall.sum()) / present, slope


def mean_f1(matrix: Floats, weight: Floats) -> tuple[float, Floats]:
    """sum_c w_c F_c of the F1 of the classes."""
    f1, there, _ = _f1(matrix)
    return float(f1 @ weight), _mean_slope(f1, there, weight)


def macro_f1(matrix: Floats) -> tuple[float, Floats]:
    """Mean of F1 over the classes that rows are of or called."""
    return mean_f1(matrix, seen_classes(matrix))


def seen_classes(matrix: Floats) -> Floats:
    """1 over their number for the classes that rows are of or called, 0 for others."""
    seen = matrix.sum(axis=0) + matrix.sum(axis=1) > 0
    weight: Floats = seen / seen.sum()
    return weight


def f1_bias(shares: Floats, weight: Floats, n: float) -> float:
    """By how much sum_c w_c F_c of n rows is more on average than of these shares: each F_c by -F_c e_c / s_c^2."""
    right, both = shares.diagonal(), shares.sum(axis=0) + shares.sum(axis=1)
    errors = (both - 2 * right) / (n * np.square(both))
    return -float(weight @ (2 * right / both * np.minimum(errors, 1.0)))


def precision(matrix: Floats, positive: int) -> tuple[float, Floats]:
    """Share right of the rows called positive."""
    called = max(float(matrix[:, positive].sum()), _NOTHING)
    value, slope = float(matrix[positive, positive]) / called, np.zeros_like(matrix)
    slope[:, positive] = -value / called
    slope[positive, positive] += 1 / called
    return value, slope


def weighted_f1(matrix: Floats) -> tuple[float, Floats]:
    """Mean of F1 over the rows, each with the F1 of its class."""
    f1, there, true = _f1(matrix)
    share = true / true.sum()
    value = float((f1 * share).sum())
    return value, _mean_slope(f1, there, share) + (f1[:, None] - value) / true.sum()


def matthews_correlation(matrix: Floats) -> tuple[float, Floats]:
    """M = C / sqrt(P T), as `matthews` has them: dM = dC / sqrt(P T) - M (dP / 2P + dT / 2T)."""
    true, called, total = matrix.sum(axis=1), matrix.sum(axis=0), matrix.sum()
    right = matrix.trace()
    spread_called, spread_true = total**2 - called @ called, total**2 - true @ true
    if spread_called * spread_true <= 0:
        return 0.0, np.zeros_like(matrix)
    scale = float(np.sqrt(spread_called * spread_true))
    value = float(total * right - true @ called) / scale
    by_called = (right - true) / scale - value * (total - called) / spread_called
    slope = by_called[None, :] - (called / scale + value * (total - true) / spread_true)[:, None]
    slope.flat[:: len(matrix) + 1] += total / scale
    return value, slope


def _f1(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """F_c = 2 x_cc / s_c, s_c = rows of the class and rows called so, and the rows of the class."""
    true = matrix.sum(axis=1)
    there = np.maximum(true + matrix.sum(axis=0), _NOTHING)
    return 2 * matrix.diagonal() / there, there, true


def _mean_slope(f1: Floats, there: Floats, weight: Floats) -> Floats:
    """Of sum_c w_c F_c: a row of class c that is called k adds to s_c and to s_k, and to x_cc where it is right."""
    less = weight * f1 / there
    slope: Floats = -(less[:, None] + less[None, :])
    slope.flat[:: len(f1) + 1] += 2 * weight / there
    return slope


MATRIX_SCORES: dict[str, MatrixScore] = {
    "balanced_accuracy": balanced_accuracy,
    "f1_macro": macro_f1,
    "f1_weighted": weighted_f1,
    "mcc": matthews_correlation,
}
