"""NumPy twins of counting, moments and log scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints


def count_codes(
    codes: Ints,
    classes: Ints,
    weight: Floats | None,
    offsets: NDArray[np.int64],
    n_classes: int,
    n_jobs: int = 1,
) -> Floats:
    """counts[class, offsets[column] + code], the total weight of each level in each class; code -1 is missing."""
    _expect_codes(codes, offsets)
    _expect_classes(classes, codes.shape[0], n_classes)
    weight = np.ones(codes.shape[0]) if weight is None else weight
    counts = np.zeros((n_classes, int(offsets[-1])))
    for j in range(codes.shape[1]):
        seen = codes[:, j] >= 0
        np.add.at(counts, (classes[seen], offsets[j] + codes[seen, j]), weight[seen])
    return counts


def class_moments(
    x: NDArray[np.floating], classes: Ints, weight: Floats | None, n_classes: int, n_jobs: int = 1
) -> tuple[Floats, Floats, Floats]:
    """(weight, mean, sum of squared deviations) of each column in each class, each (n_classes, n_columns)."""
    _expect_classes(classes, x.shape[0], n_classes)
    n, mean, m2 = (np.zeros((n_classes, x.shape[1])) for _ in range(3))
    weight = np.ones(x.shape[0]) if weight is None else weight
    for c in range(n_classes):
        rows = np.asarray(x[classes == c], dtype=np.float64)
        seen = ~np.isnan(rows)
        w = weight[classes == c][:, None] * seen
        rows = np.where(seen, rows, 0.0)
        n[c] = w.sum(axis=0)
        total = np.where(n[c] > 0, n[c], 1.0)
        mean[c] = (w * rows).sum(axis=0) / total
        m2[c] = (w * (rows - mean[c]) ** 2).sum(axis=0)
    return n, mean, m2


def add_code_scores(codes: Ints, table: Floats, offsets: NDArray[np.int64], out: Floats, n_jobs: int = 1) -> None:
    """out[i, class] += sum over columns of table[class, offsets[column] + code]; missing cells add nothing."""
    _expect_codes(codes, offsets)
    for j in range(codes.shape[1]):
        seen = codes[:, j] >= 0
        out[seen] += table[:, offsets[j] + codes[seen, j]].T


def add_gaussian_scores(
    x: NDArray[np.floating], mean: Floats, precision: Floats, log_scale: Floats, out: Floats, n_jobs: int = 1
) -> None:
    """out[i, c] += sum over seen cells of log_scale[c, j] - precision[c, j] (x[i, j] - mean[c, j])^2 / 2."""
    for c in range(mean.shape[0]):
        terms = log_scale[c] - 0.5 * precision[c] * (x - mean[c]) ** 2
        out[:, c] += np.where(np.isnan(x), 0.0, terms).sum(axis=1)


def softmax_rows(scores: Floats, n_jobs: int = 1) -> None:
    """scores[i, :] becomes exp(scores[i, :]) / sum, in place, without overflow."""
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)


def _expect_codes(codes: Ints, offsets: NDArray[np.int64]) -> None:
    if len(offsets) != codes.shape[1] + 1 or (codes.size and (codes.max(axis=0) >= np.diff(offsets)).any()):
        raise ValueError("code out of range")


def _expect_classes(classes: Ints, n_rows: int, n_classes: int) -> None:
    if len(classes) != n_rows or (n_rows and not 0 <= classes.min() <= classes.max() < n_classes):
        raise ValueError("class code out of range")
