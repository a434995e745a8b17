"""What each column adds to the answer of a tree, or to the mean answer of several."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Longs
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.common.explanations.text_table import shown_cells
from mercer.estimators.tree.columns import TreeColumns
from mercer.solvers.tree.forest import HeldForest
from mercer.solvers.tree.shapley import tree_shapley
from mercer.solvers.tree.tree import Columns, Tree
from mercer.table import Table

METHOD = "exact Shapley values of the tree, by the weights of its nodes (path dependent)"
FOREST_METHOD = "exact Shapley values of the trees, by the weights of their nodes (path dependent)"


def explain_tree_rows(
    trees: Sequence[Tree], columns: TreeColumns, table: Table, classes: Sequence[NDArray[Any]], n_jobs: int
) -> Explanation:
    """Shapley values of the mean, of the second of two shares, or of the largest of several; mean over the trees.

    A test of a word is due to its text, one of a sum of columns to these alike; the way of a missing cell to the column
    that is tested.
    """
    parts = columns.attribution(table.schema)  # (n_tested, n_columns)
    cells, outputs = columns.transform(table), np.zeros(len(table), dtype=np.int64)
    sides: dict[str, Any] = {"unit": "prediction"}
    if classes:
        known = classes[0]
        outputs = _explained(trees, cells, len(known), n_jobs)
        two = len(known) == 2
        sides = {
            "unit": "probability",
            "for_class": known[outputs],
            "against_class": known[0 * outputs] if two else None,
        }
    groups, owners = np.unique(parts, axis=0, return_inverse=True)
    players = owners.reshape(-1).astype(np.int32)
    with ThreadPoolExecutor(max(1, n_jobs)) as threads:
        found = list(threads.map(lambda tree: tree_shapley(tree, cells, players, len(groups), outputs), trees))
    base, values = (sum(parts) / len(trees) for parts in zip(*found, strict=True))
    names = tuple(table.schema.names)
    method = METHOD if len(trees) == 1 else FOREST_METHOD
    return Explanation(names, values @ groups, base, cells=shown_cells(table, names), method=method, **sides)


def _explained(trees: Sequence[Tree], cells: Columns, n_classes: int, n_jobs: int) -> Longs:
    """The class that is explained: the second of two, the most probable of more."""
    if n_classes <= 2:
        return np.full(len(cells), n_classes - 1, dtype=np.int64)
    return np.asarray(HeldForest(trees, cells, n_jobs).values(cells, n_jobs=n_jobs).argmax(axis=1), dtype=np.int64)
