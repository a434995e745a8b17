"""What each column adds to the score that a perceptron gives a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mercer.estimators.common.explanations.compared import class_scores, compared_classes
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.common.explanations.text_table import shown_cells
from mercer.estimators.linear.explain import by_column
from mercer.estimators.perceptron.hyperplanes import dense_coefficients
from mercer.table import Table

if TYPE_CHECKING:
    from mercer.estimators.perceptron.perceptron import Perceptron


def explain_scores(model: Perceptron, table: Table) -> Explanation:
    """Scores as sums over columns; times the link, they are the log odds of the model's probabilities."""
    chosen, other = compared_classes(model._scores(table))
    as_odds = model.probability and model.average != "voted"
    unit = model.link_ if as_odds else 1.0
    coef = unit * class_scores(dense_coefficients(model.coef_).T).T
    b = unit * class_scores(np.asarray(model.intercept_, dtype=np.float64)[None])[0]
    difference, base = coef[chosen] - coef[other], b[chosen] - b[other]
    mean = np.zeros(coef.shape[1]) if model.terms_.mean is None else model.terms_.mean
    names, values = by_column(model.terms_.design, table, difference, mean)
    classes = model.classes_[chosen], model.classes_[other]
    cells, baseline = shown_cells(table, names), base + difference @ mean
    return Explanation(names, values, baseline, *classes, cells, "log odds" if as_odds else "score")
