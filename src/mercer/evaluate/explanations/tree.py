"""A decision tree: the upper part of it as nodes to draw, and its heaviest leaves as rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.estimators.tree.explain import Names
from mercer.estimators.tree.fit import ALGORITHMS
from mercer.estimators.tree.picture import Node, nodes, readable_depth, toned
from mercer.evaluate.explanations.subject import Subject
from mercer.solvers.tree.tree import LEAF, THRESHOLD, Tree

MOST_RULES, FEW_RULES = 12, 4
MOST_LEAVES, FEW_LEAVES = 16, 8  # of the picture
MOST_DEPTH, FEW_DEPTH = 4, 3
MOST_SHARES = 3  # classes named in a rule


@dataclass(frozen=True, slots=True)
class RuleLine:
    """IF the conditions hold, the answer; `shares` of the most frequent classes among the rows of the leaf."""

    conditions: list[str]
    answer: str
    rows: float
    part: float  # of all rows
    shares: list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class TreeAccount:
    """Size, how it was grown and pruned, nodes of its upper part (root first), and its heaviest rules."""

    criterion: str
    prune: str | None
    penalty: float
    missing: str
    n_leaves: int
    depth: int
    rows: float
    shown_depth: int
    nodes: list[Node]
    n_classes: int
    toned: list[str]  # classes whose shares the nodes tell one by one
    rules: list[RuleLine]
    covered: float  # share of the rows under the rules shown


def tree_account(subject: Subject) -> TreeAccount:
    model, tree = subject.model, subject.model.tree_
    names = Names(model.columns_.tested, subject.classes)
    depth = readable_depth(tree, *((MOST_LEAVES, MOST_DEPTH) if subject.full else (FEW_LEAVES, FEW_DEPTH)))
    leaves = np.flatnonzero(tree.kind == LEAF)
    heaviest = leaves[np.argsort(-tree.weight[leaves], kind="stable")][: MOST_RULES if subject.full else FEW_RULES]
    rules = [_rule(tree, names, int(node)) for node in heaviest]
    preset = ALGORITHMS[model.algorithm]
    return TreeAccount(
        criterion=preset.get("criterion", model.criterion),
        prune=preset.get("prune", model.prune),
        penalty=float(model.alpha_),
        missing=model.missing_,
        n_leaves=model.get_n_leaves(),
        depth=model.get_depth(),
        rows=float(tree.weight[0]),
        shown_depth=depth,
        nodes=nodes(tree, names, depth),
        n_classes=len(subject.classes),
        toned=[subject.classes[c] for c in toned(tree, names)],
        rules=rules,
        covered=sum(rule.part for rule in rules),
    )


def _rule(tree: Tree, names: Names, node: int) -> RuleLine:
    shares: list[tuple[str, float]] = []
    if names.classes:
        found = tree.value[node] / max(tree.weight[node], 1e-300)
        order = np.argsort(-found, kind="stable")[:MOST_SHARES]
        shares = [(names.classes[c], float(found[c])) for c in order if found[c] > 0]
    weight = float(tree.weight[node])
    part = weight / max(float(tree.weight[0]), 1e-300)
    return RuleLine(tight_path(tree, names, node), names.answer(tree, node), weight, part, shares)


def tight_path(tree: Tree, names: Names, node: int) -> list[str]:
    """The conditions from the root to a node; of several on one column that say the same thing, the last, tightest."""
    parents = tree.parents()
    found: dict[tuple[int, int], str] = {}
    while node > 0:
        parent = int(parents[node])
        branch = node - int(tree.first[parent])
        side = branch if tree.kind[parent] == THRESHOLD else -1
        found.setdefault((int(tree.column[parent]), side), names.test(tree, parent, branch))
        node = parent
    return list(found.values())[::-1]
