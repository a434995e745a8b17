"""What each column adds to the answer of boosted trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Longs
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.common.explanations.text_table import shown_cells
from mercer.estimators.tree.columns import TreeColumns
from mercer.solvers.boost.binning import Bytes
from mercer.solvers.boost.forest import Forest
from mercer.solvers.boost.shapley import forest_shapley
from mercer.table import Table

METHOD = "exact Shapley values of the sum of trees, by the rows at their nodes (path dependent)"


def explain_boosted_rows(
    forest: Forest, columns: TreeColumns, bins: Bytes, table: Table, classes: NDArray[Any] | None
) -> Explanation:
    """Of the number predicted, or of the log odds of the second of two classes, or of the best against the runner-up.

    A test of a word is due to its text.
    """
    parts = columns.attribution(table.schema)  # (n_tested, n_columns)
    groups, owners = np.unique(parts, axis=0, return_inverse=True)
    base, values = forest_shapley(forest, bins, owners.reshape(-1).astype(np.int32), len(groups))
    sides: dict[str, Any] = {"unit": "prediction"}
    rows = np.arange(len(bins))
    one, other = np.zeros(len(bins), np.int64), None
    if classes is not None and len(classes) > 2:
        one, other = _best_two(forest.raw(bins))
        sides = {"unit": "log odds", "for_class": classes[one], "against_class": classes[other]}
    elif classes is not None:
        sides = {"unit": "log odds", "for_class": classes[one - 1], "against_class": classes[one]}
    chosen, start = values[rows, one], base[one]
    if other is not None:
        chosen, start = chosen - values[rows, other], start - base[other]
    names = tuple(table.schema.names)
    return Explanation(names, chosen @ groups, start, cells=shown_cells(table, names), method=METHOD, **sides)


def _best_two(raw: Floats) -> tuple[Longs, Longs]:
    order = np.argsort(-raw, axis=1, kind="stable")
    return order[:, 0], order[:, 1]
