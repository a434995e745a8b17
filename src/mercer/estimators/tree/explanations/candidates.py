"""The candidate splits of a node: the best test of each column, and what it would gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats
from mercer.errors import BadTable, MercerError
from mercer.estimators.tree.base import BaseDecisionTree
from mercer.table import Table

_ALONE: dict[str, Any] = {
    "max_depth": 1, "prune": None, "ccp_alpha": 0.0, "max_features": None, "max_leaf_nodes": None,
    "monotonic_cst": None, "oblique": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CandidateSplit:
    """The best test of one column at a node.

    Parameters
    ----------
    column : str
        Name of the column.
    tests : tuple of str
        The condition of each branch; empty where no test of the column is allowed.
    rows : tuple of float
        Weight of the rows in each branch.
    gain : float
        Impurity of the node minus the mean impurity of the branches, weighted by their rows.
    ratio : float
        The gain over the entropy of the branches' shares (Quinlan's gain ratio); 0 where there is no test.
    chosen : bool
        Whether it is the test of the tree.
    """

    column: str
    tests: tuple[str, ...]
    rows: tuple[float, ...]
    gain: float
    ratio: float
    chosen: bool


def candidate_splits(model: Any, X: Any, y: Any, node: int = 0) -> list[CandidateSplit]:
    """The best test of each column among the training rows of a node, the largest gain first.

    Each is found as the tree finds it, by the same criterion and rules, in a tree of one test on that column alone.

    Parameters
    ----------
    model : DecisionTreeClassifier or DecisionTreeRegressor
        Fitted.
    X : array, data frame, mapping or Table
        The training rows.
    y : array of shape (n_rows,)
        Their target.
    node : int, default 0
        Number of a node of `tree_`; 0 is the root.

    Returns
    -------
    splits : list of CandidateSplit
        One for each column that the model learned from.

    Raises
    ------
    MercerError
        If the model is no tree of mercer.
    BadTable
        If there is no such node, or none of the rows reaches it.
    """
    if not isinstance(model, BaseDecisionTree):
        raise MercerError(f"{type(model).__name__} is no decision tree of mercer: its candidate splits are not known.")
    check_is_fitted(model)
    table, target = model._input_table(X), np.asarray(y)
    if not 0 <= node < len(model.tree_):
        raise BadTable(f"There is no node {node}: the tree has {len(model.tree_)} nodes.")
    if len(target) != len(table):
        raise BadTable(f"y has {len(target)} entries; there are {len(table)} rows.")
    here = np.asarray(model.decision_path(table)[:, [node]].todense()).ravel() > 0
    if not here.any():
        raise BadTable(f"None of the rows reaches node {node}.")
    tested = int(model.tree_.column[node]) if model.tree_.branches[node] else -1
    own = model.columns_.tested[tested].name if tested >= 0 else ""
    found = [_best(model, table.take(here).select([name]), target[here], own) for name in table.schema.names]
    return sorted(found, key=lambda split: (-split.gain, not split.chosen))


def _best(model: BaseDecisionTree, table: Table, target: Any, own: str) -> CandidateSplit:
    """A tree of one test on the only column of the table."""
    name = table.schema.names[0]
    stump = clone(model).set_params(**_ALONE).fit(table, target)
    tree, gain = stump.tree_, float(stump.tree_.decreases().sum())
    if len(tree) == 1:
        return CandidateSplit(name, (), (), 0.0, 0.0, False)
    weights = tree.weight[1 : 1 + int(tree.branches[0])]
    tests = tuple(stump._names.test(tree, 0, branch) for branch in range(len(weights)))
    shares: Floats = weights / weights.sum()
    entropy = float(-(shares[shares > 0] * np.log2(shares[shares > 0])).sum())
    chosen = own == name or own.startswith(f"{name}:")
    return CandidateSplit(name, tests, tuple(map(float, weights)), gain, gain / entropy if entropy else 0.0, chosen)
