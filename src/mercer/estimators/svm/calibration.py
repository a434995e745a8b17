"""Probabilities of binary problems: calibrators fitted to decisions on rows that were not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.multiclass.codes import BinaryProblem
from mercer.estimators.svm.formulations import Classification, NuClassification, all_decisions
from mercer.select.calibration import Calibrator, Method, fit_calibrator
from mercer.select.sampling import deal_folds

FOLDS = 5


def cross_validated_calibrators(
    formulation: Classification,
    problems: Sequence[BinaryProblem],
    data: TrainingRows,
    rows: Any,
    solver: Any,
    method: Method,
    seed: int,
) -> list[Calibrator]:
    """A calibrator for each binary problem from decisions of 5-fold cross-validation; the kernel is computed once."""
    folds = deal_folds(data.target, len(data.target), FOLDS, seed)
    if isinstance(formulation, NuClassification):
        formulation = replace(formulation, capped=True)
    return [
        calibrator(
            test_decisions(formulation, p, data.weight[p.rows], folds[p.rows], rows, solver),
            p.y, data.weight[p.rows], method,
        )
        for p in problems
    ]  # fmt: skip


def calibrator(decisions: Floats, y: Floats, weight: Floats, method: Method) -> Calibrator:
    """From decisions on the rows of a problem; y is -1 or 1. Where they call every row alike, it stands alone."""
    used = weight > 0
    called = decisions[used] >= 0
    found = fit_calibrator(decisions[used], y[used] > 0, weight[used], method)
    return replace(found, alone=bool(called.all() or not called.any()))


def test_decisions(
    formulation: Classification, problem: BinaryProblem, weight: Floats, folds: Ints, rows: Any, solver: Any
) -> Floats:
    """The decision on each row of a problem by a machine trained without its fold."""
    decisions = np.zeros(len(problem.rows))
    for fold in range(FOLDS):
        test = folds == fold
        kept = ~test
        if not test.any() or len({*problem.y[kept & (weight > 0)]}) < 2:
            kept = np.ones_like(test)  # too few rows to hold any out: decisions on training rows
        trained = all_decisions(formulation, problem.take(kept), weight[kept], rows, solver)
        decisions[test] = trained[problem.rows[test]]
    return decisions
