"""What the report says of a decision tree: size, pruning, its upper nodes to draw, its largest leaves as rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.estimators.tree.explanations.picture import Node, coloured_classes, picture_nodes, readable_depth
from mercer.estimators.tree.explanations.rules import Names
from mercer.estimators.tree.fit import ALGORITHMS
from mercer.formatting import amount
from mercer.solvers.tree.tree import LEAF, THRESHOLD, Tree

MOST_RULES, FEW_RULES = 12, 4
MOST_LEAVES, FEW_LEAVES = 16, 8  # of the picture
MOST_DEPTH, FEW_DEPTH = 4, 3
MOST_SHARES = 3  # classes named in a rule

_CRITERIA = {
    "gini": "Gini impurity",
    "entropy": "entropy (information gain)",
    "log_loss": "entropy (information gain)",
    "gain_ratio": "gain ratio",
    "error": "classification error",
    "squared_error": "squared error",
    "friedman_mse": "squared error",
    "poisson": "Poisson deviance",
    "absolute_error": "absolute error",
}
_MISSING = {
    "learned": "sent where they fit best; being missing is tested too",
    "fraction": "sent down every branch, in proportion",
    "surrogate": "decided by the surrogate split",
}


@dataclass(frozen=True, slots=True)
class RuleLine:
    """IF the conditions hold, the answer; `shares` of the most frequent classes among the rows of the leaf."""

    conditions: list[str]
    answer: str
    rows: float
    share: float  # of the weight of all rows
    shares: list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class TreeDetails:
    """How it was grown and pruned, its upper nodes (root first), and the rules of its largest leaves."""

    criterion: str
    prune: str | None
    penalty: float
    missing: str
    n_leaves: int
    depth: int
    rows: float
    weight: float  # of these rows
    shown_depth: int
    nodes: list[Node]
    n_classes: int
    coloured: list[str]  # classes whose shares the nodes tell one by one
    rules: list[RuleLine]
    covered: float  # share of the weight of the rows that the rules shown apply to


def explain_tree(fitted: FittedLearner) -> ModelExplanation:
    """Size, splitting and pruning; nodes to draw; rules."""
    found = _details(fitted)
    lead = "A new row goes from left to right, each time to the box whose condition it meets."
    return ModelExplanation("tree", lead, _facts(found), found)


def _details(fitted: FittedLearner) -> TreeDetails:
    model, tree = fitted.model, fitted.model.tree_
    names = Names(model.columns_.tested, (fitted.classes,) if fitted.classes else ())
    depth = readable_depth(tree, *((MOST_LEAVES, MOST_DEPTH) if fitted.full else (FEW_LEAVES, FEW_DEPTH)))
    leaves = np.flatnonzero(tree.kind == LEAF)
    largest = leaves[np.argsort(-tree.weight[leaves], kind="stable")][: MOST_RULES if fitted.full else FEW_RULES]
    rules = [_rule(tree, names, int(node)) for node in largest]
    preset = ALGORITHMS[model.algorithm]
    return TreeDetails(
        criterion=preset.get("criterion", model.criterion),
        prune=preset.get("prune", model.prune),
        penalty=float(model.alpha_),
        missing=model.missing_,
        n_leaves=model.get_n_leaves(),
        depth=model.get_depth(),
        rows=float(tree.rows[0]),
        weight=float(tree.weight[0]),
        shown_depth=depth,
        nodes=picture_nodes(tree, names, depth),
        n_classes=len(fitted.classes),
        coloured=[fitted.classes[c] for c in coloured_classes(tree, names)],
        rules=rules,
        covered=sum(rule.share for rule in rules),
    )


def _facts(found: TreeDetails) -> list[Fact]:
    penalty = f"cost-complexity penalty {amount(found.penalty)} per leaf"
    pruned = {
        "cv": ("by cross-validation", penalty),
        "pessimistic": ("by pessimistic error", ""),
        None: ("by cost complexity", penalty) if found.penalty else ("no", ""),
    }[found.prune]
    return [
        Fact("Leaves", f"{found.n_leaves:,}"),
        Fact("Depth", f"{found.depth:,}", "splits on the longest path"),
        Fact("Splits chosen by", _CRITERIA[found.criterion]),
        Fact("Pruned", *pruned),
        Fact("Missing cells", _MISSING[found.missing]),
    ]


def _rule(tree: Tree, names: Names, node: int) -> RuleLine:
    shares: list[tuple[str, float]] = []
    if names.classes:
        found = tree.answer[node]
        order = np.argsort(-found, kind="stable")[:MOST_SHARES]
        shares = [(names.classes[c], float(found[c])) for c in order if found[c] > 0]
    rows, share = float(tree.rows[node]), float(tree.weight[node]) / max(float(tree.weight[0]), 1e-300)
    return RuleLine(tight_path(tree, names, node), names.answer(tree, node), rows, share, shares)


def tight_path(tree: Tree, names: Names, node: int) -> list[str]:
    """The conditions from the root to a node; of several bounds on one column, the tightest."""
    parents = tree.parents()
    found: dict[tuple[int, int], str] = {}
    while node > 0:
        parent = int(parents[node])
        branch = node - int(tree.first[parent])
        side = branch if tree.kind[parent] == THRESHOLD else -1
        if np.isposinf(tree.threshold[parent]):  # missing or not: no bound
            side += 2
        found.setdefault((int(tree.column[parent]), side), names.test(tree, parent, branch))
        node = parent
    return list(found.values())[::-1]
