"""A tree as people read it: indented text, rules, and the path of one row."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mercer.solvers.tree.tree import LEAF, MULTIWAY, THRESHOLD, Tree
from mercer.table import Column, Kind, shown_number


@dataclass(frozen=True)
class Names:
    """What the numbers in a tree stand for: its columns in order, and the classes of each output (none for numbers)."""

    columns: tuple[Column, ...]
    outputs: tuple[tuple[str, ...], ...]

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, where there is one output."""
        return self.outputs[0] if len(self.outputs) == 1 else ()

    def answer(self, tree: Tree, node: int) -> str:
        """The class with the largest share, or the mean; of several outputs, one after the other."""
        answer = tree.answer[node]
        if not self.outputs:
            return ", ".join(f"{value:.6g}" for value in answer)
        parts = np.split(answer, np.cumsum(tree.classes)[:-1])
        return ", ".join(names[int(np.argmax(part))] for names, part in zip(self.outputs, parts, strict=True))

    def share(self, tree: Tree, node: int) -> float:
        """How much of the node's weight is of that class; for numbers, of the root's weight that is here."""
        if self.classes:
            return float(tree.answer[node].max())
        return float(tree.weight[node] / tree.weight[0])

    def test(self, tree: Tree, node: int, branch: int) -> str:
        """The condition that leads from a node to one of its children."""
        column = self.columns[tree.column[node]]
        too = int(tree.missing_branch[node] == branch)  # missing cells go there, as they did in training
        if tree.kind[node] == THRESHOLD:
            if np.isposinf(tree.threshold[node]):
                return f"{column.name} is {'known' if branch == 0 else 'missing'}"
            cut = f"{column.name} {'<=' if branch == 0 else '>'} {_cut(column, float(tree.threshold[node]))}"
            return cut + " or missing" * too
        part = slice(tree.level_start[node], tree.level_start[node + 1])
        levels = [column.levels[k] for k in tree.level[part][tree.branch[part] == branch]]
        if not levels:
            return f"{column.name} is missing"
        if tree.kind[node] == MULTIWAY or len(levels) == 1:
            return f"{column.name} = {levels[0]}" + " or missing" * too
        shown = ", ".join(levels[:6]) + (f" and {len(levels) - 6} more" if len(levels) > 6 else "")
        return f"{column.name} in {{{shown}}}" + " or missing" * too


def _cut(column: Column, threshold: float) -> str:
    if column.kind is Kind.NUMERIC:
        return shown_number(column, threshold)
    return column.levels[min(int(np.floor(threshold)), len(column.levels) - 1)]


def preorder(tree: Tree, max_depth: int | None) -> Iterator[tuple[int, int, int]]:
    """(node, depth, branch of its parent) from the root, each node before its children, in order."""
    stack = [(0, 0, -1)]
    while stack:
        node, depth, branch = stack.pop()
        yield node, depth, branch
        if max_depth is None or depth < max_depth:
            first = int(tree.first[node])
            stack.extend((first + b, depth + 1, b) for b in reversed(range(int(tree.branches[node]))))


def as_text(tree: Tree, names: Names, max_depth: int | None = None) -> str:
    """One line a node: the condition, the answer, and the rows behind it."""
    parents = tree.parents()
    lines = []
    for node, depth, branch in preorder(tree, max_depth):
        test = "all rows" if depth == 0 else names.test(tree, int(parents[node]), branch)
        more = " ..." if depth == max_depth and tree.kind[node] != LEAF else ""
        share = f" {names.share(tree, node):.0%}" if names.classes else ""
        behind = _rows_behind(float(tree.rows[node]), float(tree.weight[node]))
        lines.append(f"{'|   ' * depth}{test}: {names.answer(tree, node)}{share} ({behind}){more}")
    return "\n".join(lines)


@dataclass(frozen=True)
class Rule:
    """IF every condition holds THEN the answer, which was right for `share` of the `weight` of the `rows` it covers."""

    conditions: tuple[str, ...]
    answer: str
    weight: float
    share: float
    rows: float

    def __str__(self) -> str:
        when = " AND ".join(self.conditions) or "any row"
        return f"IF {when} THEN {self.answer} ({_rows_behind(self.rows, self.weight)}, {self.share:.0%})"


def _rows_behind(rows: float, weight: float) -> str:
    """A number of rows, and their weight where it is another."""
    return f"{rows:.6g} rows" if math.isclose(rows, weight) else f"{rows:.6g} rows, weight {weight:.6g}"


def path_to(tree: Tree, names: Names, node: int) -> tuple[str, ...]:
    """The conditions from the root to a node."""
    parents = tree.parents()
    found = []
    while node > 0:
        parent = int(parents[node])
        found.append(names.test(tree, parent, node - int(tree.first[parent])))
        node = parent
    return tuple(reversed(found))


def as_rules(tree: Tree, names: Names) -> list[Rule]:
    """A rule per leaf, the heaviest first."""
    leaves = [int(i) for i in np.flatnonzero(tree.kind == LEAF)]
    leaves.sort(key=lambda i: -tree.weight[i])
    return [rule_of(tree, names, i) for i in leaves]


def rule_of(tree: Tree, names: Names, node: int) -> Rule:
    """The conditions that lead to a node, and its answer."""
    weight, rows = float(tree.weight[node]), float(tree.rows[node])
    return Rule(path_to(tree, names, node), names.answer(tree, node), weight, names.share(tree, node), rows)
