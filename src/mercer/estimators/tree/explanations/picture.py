"""The picture of a tree: its upper nodes as plain data, and those drawn from left to right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from mercer.estimators.tree.explanations.rules import Names, preorder
from mercer.solvers.tree.tree import LEAF, Tree

COLOURS = ("#0a6c98", "#c2512f", "#4c8a3a", "#7a55a8", "#8b95a1")  # the last for every class beyond the fourth
_BOX_WIDTH, _BOX_HEIGHT, _GAP, _STEP = 180, 48, 26, 58
_MAX_LETTERS = 25  # of a condition
_FIT_BOLD, _FIT = 20, 22  # letters that fit in a box in every font; longer conditions are condensed
_MIN_NAME = 6  # of the name of a column


@dataclass(frozen=True, slots=True)
class Node:
    """One box: the condition that leads to it, the answer there, and what its rows are.

    `parent` is a place in the list of nodes, -1 for the root. `hidden` counts the leaves below that are not drawn.
    `shares` are of the most frequent classes (see `coloured_classes`) and, last, of all others; for numbers, one entry:
    where the mean lies between the lowest and the highest of the tree.
    """

    parent: int
    depth: int
    test: str
    answer: str
    rows: float
    share: float | None  # of the answer's class
    shares: list[float]
    hidden: int


def readable_depth(tree: Tree, most_leaves: int, most_depth: int) -> int:
    """The largest depth, up to `most_depth`, that is drawn with at most so many boxes at its ends."""
    depths, parents = tree.depths(), tree.parents()
    for depth in range(min(most_depth, int(depths.max())), 0, -1):
        ends = (depths == depth) | ((tree.kind == LEAF) & (depths < depth))
        if int(ends.sum()) <= most_leaves:
            return depth
    return min(1, len(parents) - 1)


def picture_nodes(tree: Tree, names: Names, max_depth: int) -> list[Node]:
    """The nodes down to a depth, each before its children."""
    drawn = list(preorder(tree, max_depth))
    place = {node: i for i, (node, _, _) in enumerate(drawn)}
    parents, below = tree.parents(), _leaves_below(tree)
    low, high = float(tree.answer[:, 0].min()), float(tree.answer[:, 0].max())
    coloured, found = coloured_classes(tree, names), []
    for node, depth, branch in drawn:
        parent = int(parents[node]) if depth else -1
        answer, cut = tree.answer[node], depth == max_depth and tree.kind[node] != LEAF
        if names.classes:
            shares = [*answer[coloured].tolist(), max(0.0, 1.0 - float(answer[coloured].sum()))]
        else:
            shares = [(float(answer[0]) - low) / (high - low) if high > low else 0.5]
        found.append(
            Node(
                place[parent] if depth else -1, depth, names.test(tree, parent, branch) if depth else "all rows",
                names.answer(tree, node), float(tree.rows[node]),
                names.share(tree, node) if names.classes else None, shares, int(below[node]) if cut else 0,
            )
        )  # fmt: skip
    return found


def coloured_classes(tree: Tree, names: Names) -> list[int]:
    """The classes that get a colour of their own: the four most frequent, in order."""
    if not names.classes:
        return []
    order = np.argsort(-tree.answer[0], kind="stable")[: len(COLOURS) - 1]
    return sorted(int(c) for c in order)


def _leaves_below(tree: Tree) -> list[int]:
    parents = tree.parents()
    count = (tree.kind == LEAF).astype(np.int64)
    for node in range(len(tree) - 1, 0, -1):  # children come after their parent
        count[int(parents[node])] += count[node]
    return [int(c) for c in count]


def draw(boxes: Sequence[Node], title: str) -> str:
    """An <svg>: the root on the left, a box per node with condition, answer and a bar of its classes.

    Elements carry classes (`t0` ... `t4`, `box`, `edge`, `test`, `say`), so that a page may restyle them.
    """
    across = vertical_places(boxes)
    width = (max(n.depth for n in boxes) + 1) * (_BOX_WIDTH + _GAP) - _GAP
    height = (max(across) + 1) * _STEP - (_STEP - _BOX_HEIGHT)
    at = [(n.depth * (_BOX_WIDTH + _GAP), y * _STEP) for n, y in zip(boxes, across, strict=True)]
    name = escape(title, quote=True)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tree" viewBox="-1 -1 {width + 2} {height + 2:.0f}" '
        f'width="{width + 2}" role="img" aria-label="{name}" font-family="sans-serif" font-size="12">'
    ]
    for node, spot in zip(boxes, at, strict=True):
        if node.parent >= 0:
            parts.append(_edge(at[node.parent], spot))
    for node, spot in zip(boxes, at, strict=True):
        parts.extend(_box(node, spot))
    return "".join([*parts, "</svg>"])


def vertical_places(boxes: Sequence[Node]) -> list[float]:
    """Ends one below the other in order; a node in the middle of its children."""
    below: list[list[int]] = [[] for _ in boxes]
    for i, node in enumerate(boxes):
        if node.parent >= 0:
            below[node.parent].append(i)
    across, row = [0.0] * len(boxes), 0
    for i in range(len(boxes)):
        if not below[i]:
            across[i], row = float(row), row + 1
    for i in reversed(range(len(boxes))):
        if below[i]:
            across[i] = (across[below[i][0]] + across[below[i][-1]]) / 2
    return across


def _edge(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x0, y0), (x1, y1) = start, end
    left, middle = x0 + _BOX_WIDTH, x0 + _BOX_WIDTH + _GAP / 2
    path = f"M{left:.0f} {y0 + _BOX_HEIGHT / 2:.1f}H{middle:.0f}V{y1 + _BOX_HEIGHT / 2:.1f}H{x1:.0f}"
    return f'<path class="edge" d="{path}" fill="none" stroke="#8b95a1"/>'


def _box(node: Node, at: tuple[float, float]) -> Iterator[str]:
    x, y = at
    more = f", {node.hidden} leaves beyond" if node.hidden > 1 else ""
    rows = f"{node.rows:,.0f} {'row' if round(node.rows) == 1 else 'rows'}"
    share = "" if node.share is None else f": {100 * node.share:.0f} %"
    yield f"<g><title>{escape(f'{node.test}: {node.answer}{share}, {rows}{more}')}</title>"
    yield (
        f'<rect class="box" x="{x:.0f}" y="{y:.1f}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="5" fill="#ffffff" '
        f'stroke="#8b95a1"{" stroke-dasharray=" + chr(34) + "4 3" + chr(34) if node.hidden else ""}/>'
    )
    asked = condition(node.test, _MAX_LETTERS)
    dense = f' textLength="{_BOX_WIDTH - 18}" lengthAdjust="spacingAndGlyphs"' if len(asked) > _FIT_BOLD else ""
    yield _text("test", x + 9, y + 17, asked, f' font-weight="bold"{dense}')
    count = f"{node.rows:,.0f}"
    yield _text("say", x + 9, y + 33, _cut(node.answer, _FIT - len(share) - len(count)) + share, "")
    yield _text("say", x + _BOX_WIDTH - 9, y + 33, count, ' text-anchor="end" opacity="0.75"')
    yield from _bar(node, x, y + _BOX_HEIGHT - 7)
    yield "</g>"


def _bar(node: Node, x: float, y: float) -> Iterator[str]:
    """Stacked shares of the classes, or how high the mean is."""
    left, room = x + 9, _BOX_WIDTH - 18
    if len(node.shares) == 1:
        yield f'<rect class="bed" x="{left:.1f}" y="{y:.1f}" width="{room}" height="3" fill="#dde2e8"/>'
    last = len(node.shares) - 1
    for place, share in enumerate(node.shares):
        colour = len(COLOURS) - 1 if place == last > 0 else place
        if share > 0.001:
            yield (
                f'<rect class="t{colour}" x="{left:.1f}" y="{y:.1f}" width="{room * share:.1f}" height="3" '
                f'fill="{COLOURS[colour]}"/>'
            )
            left += room * share


def _text(kind: str, x: float, y: float, words: str, more: str) -> str:
    return f'<text class="{kind}" x="{x:.0f}" y="{y:.1f}"{more}>{escape(words)}</text>'


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"


def condition(words: str, most: int) -> str:
    """Shortened in the name of its column, so that what is asked of it stays; at the end too when that is too long."""
    asked = words.find(" in {") if " in {" in words else max(map(words.rfind, (" <= ", " > ", " = ", " is ")))
    if len(words) <= most or asked < 0:
        return _cut(words, most)
    room = max(_MIN_NAME, most - (len(words) - asked))
    name = words[:asked] if asked <= room else words[: room - 1] + "…"
    return _cut(name + words[asked:], most)
