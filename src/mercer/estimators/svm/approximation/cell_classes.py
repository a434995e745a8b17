"""The binary problems of the rows of a cell: several classes may be missing from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer._core.gram import KernelRows
from mercer.arrays import Floats, Longs
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.multiclass.codes import BinaryProblem
from mercer.estimators.multiclass.strategy import Multiclass
from mercer.estimators.svm.calibration import FOLDS, test_decisions
from mercer.estimators.svm.formulations import Classification
from mercer.estimators.svm.solve import Solver
from mercer.select.sampling import deal_folds
from mercer.solvers.svm.smo import Problem


@dataclass(frozen=True)
class CellClasses:
    """Problems of any training rows; where one side of a problem has no row, the other is the answer."""

    multiclass: Multiclass
    formulation: Classification
    data: TrainingRows
    seed: int

    def __call__(self, rows: Longs) -> list[Problem | float]:
        """The problems of some rows, numbered among these, or the sign of the only side that has rows (0: neither)."""
        return [self._one(binary, rows) for binary in self.multiclass.problems(self.data.target[rows])]

    def _one(self, binary: BinaryProblem, rows: Longs) -> Problem | float:
        weight = self.data.weight[rows][binary.rows]
        signs = np.unique(binary.y[weight > 0])
        return self.formulation.problem(binary, weight) if len(signs) == 2 else float(signs.sum())

    def left_out(self, rows: Longs, gram: KernelRows, solver: Solver) -> Floats:
        """Decisions of machines of the cell that were trained without each row's fold, (n_problems, n_rows)."""
        codes = self.data.target[rows]
        folds = deal_folds(codes, len(codes), FOLDS, self.seed)
        found = np.zeros((self.multiclass.n_problems, len(rows)))
        for m, binary in enumerate(self.multiclass.problems(codes)):
            weight = self.data.weight[rows][binary.rows]
            if isinstance(alone := self._one(binary, rows), float):
                found[m] = alone
            else:
                found[m, binary.rows] = test_decisions(
                    self.formulation, binary, weight, folds[binary.rows], gram, solver
                )
        return found
