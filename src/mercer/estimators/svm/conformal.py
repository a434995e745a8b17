"""Quantile lines shifted until the share of rows below them is right on rows that were not trained on.

A flexible kernel has the asked share of its training rows below a line by construction, and fewer between two lines on
new rows. The shift of a line is the quantile of what is left of the target beyond lines of 5-fold cross-validation
(conformalised quantile regression, Romano, Patterson and Candes 2019, by folds as in Barber et al. 2021).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mercer._core.gram import KernelRows
from mercer.arrays import Floats
from mercer.estimators.common.intervals import outer_quantile
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.svm.formulations import AsymmetricRegression
from mercer.estimators.svm.solve import Solver
from mercer.select.copies import find_copies
from mercer.select.search import fold_numbers

FOLDS = 5


def conformal_shifts(
    made: AsymmetricRegression, data: TrainingRows, cost: float, quantiles: Floats, rows: KernelRows,
    solver: Solver,
) -> Floats:  # fmt: skip
    """What to add to each line, (n_quantiles,); the kernel is computed once."""
    folds = fold_numbers(FOLDS, data.target, False, 0, find_copies(data.table, data.target))
    used, found = data.weight > 0, []
    for tau in quantiles:
        beyond = np.zeros(len(data.target))
        for fold in range(FOLDS):
            kept, test = np.flatnonzero(used & (folds != fold)).astype(np.int32), folds == fold
            if len(kept):
                problem = made.problem(data.target[kept], cost * data.weight[kept], float(tau))
                line = solver(replace(problem, rows=kept[problem.kernel_rows]), rows)
                beyond[test] = (data.target - line.f - line.bias[0])[test]
        found.append(outer_quantile(beyond[used], data.weight[used], float(tau)))
    return np.array(found)
