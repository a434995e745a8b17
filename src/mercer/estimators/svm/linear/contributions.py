"""What each column adds to the score of a linear machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.extmath import safe_sparse_dot

from mercer.arrays import Floats
from mercer.encode.numeric import NumericEncoding
from mercer.estimators.common.explanations.compared import class_scores, compared_classes
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.common.explanations.text_table import shown_cells
from mercer.estimators.linear.explain import owner_sums
from mercer.table import Table


def explain_planes(
    encoding: NumericEncoding, table: Table, coef: Floats, intercept: Floats, classes: NDArray[Any] | None
) -> Explanation:
    """Scores or predictions as sums over columns: coef . E(x) + intercept, coef of shape (n_planes, n_encoded)."""
    names, matrix, n = tuple(table.schema.names), encoding.matrix(table), len(table)
    sides: dict[str, Any] = {"unit": "prediction"}
    if classes is None:
        coef, base = coef[[0] * n], np.full(n, intercept[0])
    else:
        chosen, other = compared_classes(np.asarray(safe_sparse_dot(matrix, coef.T, dense_output=True)) + intercept)
        each, b = class_scores(coef.T).T, class_scores(intercept[None])[0]
        coef, base = each[chosen] - each[other], b[chosen] - b[other]
        sides = {"unit": "score", "for_class": classes[chosen], "against_class": classes[other]}
    values = owner_sums(matrix, encoding.owners, names, coef, 0.0)
    return Explanation(names, values, base, cells=shown_cells(table, names), **sides)
