"""Scores of confusion matrices, many at once."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Bools, Floats
from mercer.select.weighted import matthews


def matrix_scores(matrices: Floats, present: Bools, positive: int | None) -> dict[str, Floats]:
    """Balanced accuracy, F1, precision and Matthews correlation.

    Parameters
    ----------
    matrices : ndarray of shape (n_matrices, n_classes, n_classes)
        Shares of the rows: true class, class predicted.
    present : ndarray of shape (n_classes,)
        Which classes have rows: the others have no recall.
    positive : int or None
        The positive one of two classes, which "f1" and "precision" are of.

    Returns
    -------
    dict of str to ndarray of shape (n_matrices,)
        By key of the metric.
    """
    right, true = np.diagonal(matrices, axis1=1, axis2=2), matrices.sum(axis=2)
    called = matrices.sum(axis=1)
    f1 = 2 * right / (true + called)
    found = {
        "balanced_accuracy": (right / true)[:, present].mean(axis=1),
        "f1_macro": f1.mean(axis=1),
        "f1_weighted": (f1 * true).sum(axis=1),
        "mcc": matthews(matrices),
    }
    if positive is None:
        return found
    return found | {"f1": f1[:, positive], "precision": (right / called)[:, positive]}
