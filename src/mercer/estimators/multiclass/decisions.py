"""How the decisions of binary problems on one table are read: classes, and probabilities calibrated on other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Bools, Floats, Ints, Longs
from mercer.estimators.multiclass.codes import BinaryProblem
from mercer.estimators.multiclass.strategy import Multiclass, Shape
from mercer.select.calibration import Calibrator, Method, fit_calibrator
from mercer.select.cv_scores import RowNumbers


@dataclass(frozen=True)
class ClassDecisions:
    """How decisions (n_problems, n_rows) between classes are read."""

    classes: NDArray[Any]
    codes: Ints
    multiclass: Multiclass
    break_ties: bool
    shape: Shape
    calibration: Method

    def take(self, rows: Longs) -> ClassDecisions:
        """Of some of the rows."""
        return replace(self, codes=self.codes[rows])

    def class_codes(self, decisions: Floats) -> Longs:
        """The class of each row."""
        return self.multiclass.class_codes(decisions.T, self.break_ties)

    def decision_function(self, decisions: Floats) -> Floats:
        """As the machine gives them."""
        return self.multiclass.decision_function(decisions.T, self.shape)

    def test_probabilities(self, decisions: Floats, test: RowNumbers) -> Floats:
        """By calibrators fitted to the decisions of all other rows."""
        others = np.ones(decisions.shape[1], dtype=bool)
        others[test] = False
        calibrators = calibrators_of(self.multiclass.problems(self.codes), decisions, others, self.calibration)
        return self.multiclass.calibrated(decisions[:, test].T, calibrators, self.break_ties)


def calibrators_of(
    problems: Sequence[BinaryProblem], decisions: Floats, others: Bools, method: Method
) -> list[Calibrator]:
    """A calibrator for each binary problem from known decisions (n_problems, n_rows) on some rows, `others`."""
    found = []
    for decision, problem in zip(decisions, problems, strict=True):
        used = others[problem.rows] & np.isfinite(decision[problem.rows])
        d, positive = decision[problem.rows][used], problem.y[used] > 0
        both = bool(positive.any() and not positive.all())
        found.append(fit_calibrator(d, positive, np.ones(len(d)), method) if both else Calibrator(1.0))
    return found


def fitted_calibrators(model: Any) -> list[Calibrator]:
    """The `calibrators_` of a fitted machine; NotFittedError, as scikit-learn has it, where it was fitted without."""
    check_is_fitted(model)
    if not hasattr(model, "calibrators_"):
        raise NotFittedError(
            "predict_proba is not available when fitted with probability=False: fit it again, now with probability."
        )
    found: list[Calibrator] = model.calibrators_
    return found
