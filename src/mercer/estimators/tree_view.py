"""A tree as people read it: indented text, rules, a picture, and the path of one row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np

from mercer.solvers.split import LEAF, MULTIWAY, THRESHOLD, Tree
from mercer.table import Column, Kind


@dataclass(frozen=True)
class Names:
    """What the numbers in a tree stand for: its columns in order, and the classes (none for a regression)."""

    columns: tuple[Column, ...]
    classes: tuple[str, ...]

    def answer(self, tree: Tree, node: int) -> str:
        """The class with the largest weight, or the mean."""
        value = tree.value[node]
        return self.classes[int(np.argmax(value))] if self.classes else f"{value[0]:.6g}"

    def share(self, tree: Tree, node: int) -> float:
        """How much of the node's weight is of that class; for numbers, of the root's weight that is here."""
        if self.classes:
            return float(tree.value[node].max() / tree.weight[node])
        return float(tree.weight[node] / tree.weight[0])

    def test(self, tree: Tree, node: int, branch: int) -> str:
        """The condition that leads from a node to one of its children."""
        column = self.columns[tree.column[node]]
        if tree.kind[node] == THRESHOLD:
            return f"{column.name} {'<=' if branch == 0 else '>'} {_cut(column, float(tree.threshold[node]))}"
        part = slice(tree.level_start[node], tree.level_start[node + 1])
        levels = [column.levels[k] for k in tree.level[part][tree.branch[part] == branch]]
        if tree.kind[node] == MULTIWAY:
            return f"{column.name} = {levels[0]}"
        shown = ", ".join(levels[:6]) + (f" and {len(levels) - 6} more" if len(levels) > 6 else "")
        return f"{column.name} in {{{shown}}}"


def _cut(column: Column, threshold: float) -> str:
    if column.kind is Kind.NUMERIC:
        return f"{threshold:.6g}"
    return column.levels[min(int(np.floor(threshold)), len(column.levels) - 1)]


def _down(tree: Tree, max_depth: int | None) -> Iterator[tuple[int, int, int]]:
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
    for node, depth, branch in _down(tree, max_depth):
        test = "all rows" if depth == 0 else names.test(tree, int(parents[node]), branch)
        more = " ..." if depth == max_depth and tree.kind[node] != LEAF else ""
        share = f" {names.share(tree, node):.0%}" if names.classes else ""
        lines.append(f"{'|   ' * depth}{test}: {names.answer(tree, node)}{share} ({tree.weight[node]:.6g} rows){more}")
    return "\n".join(lines)


@dataclass(frozen=True)
class Rule:
    """IF every condition holds THEN the answer, which was right for `share` of the `weight` of rows it covers."""

    conditions: tuple[str, ...]
    answer: str
    weight: float
    share: float

    def __str__(self) -> str:
        when = " AND ".join(self.conditions) or "any row"
        return f"IF {when} THEN {self.answer} ({self.weight:.6g} rows, {self.share:.0%})"


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
    return Rule(path_to(tree, names, node), names.answer(tree, node), float(tree.weight[node]), names.share(tree, node))


_WIDE, _HIGH, _GAP = 150, 44, 34
_COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#eeca3b", "#9d755d")


def as_svg(tree: Tree, names: Names, max_depth: int = 4) -> str:
    """The tree as a picture, boxes coloured by class and as strong as the class is pure."""
    drawn = list(_down(tree, max_depth))
    depth = {node: d for node, d, _ in drawn}
    place: dict[int, float] = {}
    column = 0
    for node, d, _ in reversed(drawn):  # children before parents, from the right
        kids = [tree.first[node] + b for b in range(tree.branches[node])] if d < max_depth else []
        if kids:
            place[node] = (place[int(kids[0])] + place[int(kids[-1])]) / 2
        else:
            place[node] = column
            column += 1
    width, height = column * _WIDE, (max(depth.values()) + 1) * (_HIGH + _GAP)
    at = {node: ((column - 1 - x) * _WIDE + _WIDE / 2, depth[node] * (_HIGH + _GAP)) for node, x in place.items()}
    parents = tree.parents()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11">'
    ]
    for node, d, branch in drawn:
        if d:
            parts.append(_edge(at[int(parents[node])], at[node], names.test(tree, int(parents[node]), branch)))
    parts.extend(_box(tree, names, node, at[node]) for node, _, _ in drawn)
    return "".join([*parts, "</svg>"])


def _edge(start: tuple[float, float], end: tuple[float, float], label: str) -> str:
    text = escape(label if len(label) <= 26 else label[:25] + "…")
    (x1, y1), (x2, y2) = start, end
    return (
        f'<line x1="{x1:.0f}" y1="{y1 + _HIGH:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="#888"/>'
        f'<text x="{x2:.0f}" y="{y2 - 5:.0f}" text-anchor="middle"><title>{escape(label)}</title>{text}</text>'
    )


def _box(tree: Tree, names: Names, node: int, at: tuple[float, float]) -> str:
    x, y = at
    colour = _COLOURS[int(np.argmax(tree.value[node])) % len(_COLOURS)] if names.classes else _COLOURS[0]
    answer = escape(names.answer(tree, node)[:20])
    strength = 0.15 + 0.6 * names.share(tree, node)
    share = f", {names.share(tree, node):.0%}" if names.classes else ""
    return (
        f'<rect x="{x - _WIDE / 2 + 6:.0f}" y="{y:.0f}" width="{_WIDE - 12}" height="{_HIGH}" rx="5" '
        f'fill="{colour}" fill-opacity="{strength:.2f}" stroke="{colour}"/>'
        f'<text x="{x:.0f}" y="{y + 18:.0f}" text-anchor="middle" font-weight="bold">{answer}</text>'
        f'<text x="{x:.0f}" y="{y + 34:.0f}" text-anchor="middle">{tree.weight[node]:.6g} rows{share}</text>'
    )
