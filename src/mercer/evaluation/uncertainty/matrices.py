"""Scores of confusion matrices, many at once."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Bools, Floats

MATRIX_KEYS = ("balanced_accuracy", "f1_macro", "f1_weighted")


def matrix_scores(matrices: Floats, present: Bools) -> Floats:
    """Balanced accuracy, macro F1 and weighted F1, (3, n_matrices).

    Parameters
    ----------
    matrices : ndarray of shape (n_matrices, n_classes, n_classes)
        Shares of the rows: true class, class predicted.
    present : ndarray of shape (n_classes,)
        Which classes have rows: the others have no recall.

    Returns
    -------
    ndarray of shape (3, n_matrices)
        In the order of `MATRIX_KEYS`.
    """
    right, true = np.diagonal(matrices, axis1=1, axis2=2), matrices.sum(axis=2)
    f1 = 2 * right / (true + matrices.sum(axis=1))
    recalls = (right / true)[:, present].mean(axis=1)
    return np.stack([recalls, f1.mean(axis=1), (f1 * true).sum(axis=1)])
