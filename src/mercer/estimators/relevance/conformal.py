"""What is left of the target on rows that a relevance vector machine was trained without, by 5-fold cross-validation.

The deviation of a relevance vector machine supposes normal noise and the right kernel, and is too small where the
machine fits the noise: by these scores its intervals (`common/intervals.py`) hold their share of new rows all the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.relevance.machine import function_values, train
from mercer.estimators.svm.conformal import FOLDS
from mercer.select.copies import find_copies
from mercer.select.search import fold_numbers


def conformal_scores(model: Any, data: TrainingRows) -> Floats:
    """(|y - mean| / deviation, weight) of every row in use, (n_rows, 2): the kernel is that of all rows."""
    used = np.flatnonzero(data.weight > 0)
    if len(used) < FOLDS:
        raise MercerError(f"conformal=True needs {FOLDS} rows or more, for as many folds; there are {len(used)}.")
    folds = fold_numbers(FOLDS, data.target, False, 0, find_copies(data.table, data.target))
    scores = np.zeros(len(data.target))
    for fold in range(FOLDS):
        test = used[folds[used] == fold]
        kept, found = train(model, replace(data, weight=np.where(folds == fold, 0.0, data.weight)), model._solve)
        mean, variance = function_values(model, data.table.take(test), found, data.table, kept)
        scores[test] = np.abs(data.target[test] - mean[0]) / np.sqrt(variance[0] + found[0].noise)
    return np.column_stack([scores, data.weight])[used]
