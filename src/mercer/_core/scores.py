"""Counting, moments and log scores: what naive Bayes asks of the compiled half."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer._core import reference, select
from mercer.arrays import Floats, Ints

_impl = select.native or reference


def count_codes(
    codes: Ints,
    classes: Ints,
    weight: Floats | None,
    offsets: NDArray[np.int64],
    n_classes: int,
    n_jobs: int = 1,
) -> Floats:
    """counts[class, offsets[column] + code], the total weight of each level in each class; code -1 is missing."""
    counts: Floats = _impl.count_codes(codes, classes, weight, offsets, n_classes, n_jobs)
    return counts


def class_moments(
    x: NDArray[np.floating], classes: Ints, weight: Floats | None, n_classes: int, n_jobs: int = 1
) -> tuple[Floats, Floats, Floats]:
    """(weight, mean, sum of squared deviations) of each column in each class, each (n_classes, n_columns)."""
    n, mean, m2 = _impl.class_moments(x, classes, weight, n_classes, n_jobs)
    return n, mean, m2


def add_code_scores(codes: Ints, table: Floats, offsets: NDArray[np.int64], out: Floats, n_jobs: int = 1) -> None:
    """out[i, class] += sum over columns of table[class, offsets[column] + code]; missing cells add nothing."""
    _impl.add_code_scores(codes, table, offsets, out, n_jobs)


def add_gaussian_scores(
    x: NDArray[np.floating], mean: Floats, precision: Floats, log_scale: Floats, out: Floats, n_jobs: int = 1
) -> None:
    """out[i, c] += sum over seen cells of log_scale[c, j] - precision[c, j] (x[i, j] - mean[c, j])^2 / 2."""
    _impl.add_gaussian_scores(x, mean, precision, log_scale, out, n_jobs)


def softmax_rows(scores: Floats, n_jobs: int = 1) -> None:
    """scores[i, :] becomes exp(scores[i, :]) / sum, in place, without overflow."""
    _impl.softmax_rows(scores, n_jobs)
