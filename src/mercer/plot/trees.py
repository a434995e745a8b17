"""Decision trees: the tree itself, and the table of candidate splits with their gains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.tree import plot_tree
from sklearn.utils.validation import check_is_fitted

from mercer.errors import MercerError
from mercer.estimators.tree.base import BaseDecisionTree
from mercer.estimators.tree.explanations.candidates import CandidateSplit
from mercer.estimators.tree.explanations.candidates import candidate_splits as computed_splits
from mercer.estimators.tree.explanations.picture import (
    Node,
    coloured_classes,
    condition,
    picture_nodes,
    readable_depth,
    vertical_places,
)
from mercer.estimators.tree.fit import ALGORITHMS
from mercer.plot.style.canvas import axes, drawing
from mercer.plot.style.colours import GUIDE, INK, colour, hatch, ink, tint
from mercer.plot.style.fonts import spelled_out
from mercer.plot.style.labels import short, words
from mercer.plot.style.marks import bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BOX = 0.82  # of the width that a node has
_WIDTH, _HEIGHT, _LETTERS = 2.3, 0.62, 7.5  # inches that a node needs; its letters, in points
_VISIBLE = 0.001  # of a bar
_CRITERIA = {
    "entropy": "Information gain (bits)",
    "log_loss": "Information gain (bits)",
    "gain_ratio": "Gain ratio",
    "gini": "Decrease of the Gini impurity",
    "error": "Decrease of the error rate",
    "absolute_error": "Decrease of the absolute error",
    "poisson": "Decrease of the Poisson deviance",
}


@drawing
def tree(
    model: Any,
    *,
    max_depth: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A decision tree from its root on the left: in each box a condition, the prediction, rows, and a bar of classes.

    Parameters
    ----------
    model : DecisionTreeClassifier or DecisionTreeRegressor
        Fitted: mercer's, or scikit-learn's, which its `plot_tree` draws.
    max_depth : int, optional
        How many tests deep; None for as deep as 16 boxes at the ends allow.
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    MercerError
        If the model is no decision tree.

    Examples
    --------
    >>> import mercer
    >>> rows = {"sky": ["blue", "blue", "grey", "grey"]}
    >>> ax = mercer.plot.tree(mercer.DecisionTreeClassifier().fit(rows, ["play", "play", "stay", "stay"]))
    >>> [text.get_text() for text in ax.texts][3:5]
    ['sky = blue', 'play: 100 %']
    """
    if not isinstance(model, BaseDecisionTree):
        return _theirs(model, max_depth, ax)
    check_is_fitted(model)
    depth = readable_depth(model.tree_, 16, 12) if max_depth is None else max_depth
    boxes = picture_nodes(model.tree_, model._names, depth)
    down = vertical_places(boxes)
    wide, high = max(b.depth for b in boxes) + 1, max(down) + 1
    ax = axes(ax, (max(4.0, _WIDTH * wide), 0.9 + _HEIGHT * high))
    room = ax.get_window_extent()
    size = _LETTERS * min(
        1.0, room.width / (0.85 * _WIDTH * wide * ax.figure.dpi), room.height / (0.6 * _HEIGHT * high * ax.figure.dpi)
    )
    for box, y in zip(boxes, down, strict=True):
        if box.parent >= 0:
            _edge(ax, boxes[box.parent].depth, down[box.parent], box.depth, y)
    for box, y in zip(boxes, down, strict=True):
        _box(ax, box, y, size)
    _legend(ax, model, boxes)
    ax.set_xlim(-0.05, wide - 1 + _BOX + 0.05)
    ax.set_ylim(max(down) + 0.55, -0.55)
    ax.axis("off")
    leaves = model.tree_.n_leaves
    return words(ax, f"Decision tree with {leaves} {'leaf' if leaves == 1 else 'leaves'}")


def _theirs(model: Any, max_depth: int | None, ax: Axes | None) -> Axes:
    if not hasattr(model, "tree_") and not hasattr(model, "get_depth"):
        raise MercerError(f"{type(model).__name__} is no decision tree.")
    check_is_fitted(model)
    ax = axes(ax, (9.0, 5.0))
    names = [str(n) for n in getattr(model, "feature_names_in_", [f"x{j}" for j in range(model.n_features_in_)])]
    classes = [str(c) for c in model.classes_] if hasattr(model, "classes_") else None
    plot_tree(model, max_depth=max_depth, feature_names=names, class_names=classes, ax=ax, impurity=False, fontsize=7)
    return words(ax, f"Decision tree with {model.get_n_leaves()} leaves")


def _edge(ax: Axes, depth: int, y: float, end: int, end_y: float) -> None:
    middle = end - (1 - _BOX) / 2
    ax.plot([depth + _BOX, middle, middle, end], [y, y, end_y, end_y], color=GUIDE, linewidth=0.9, zorder=1)


def _box(ax: Axes, box: Node, y: float, size: float) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    x, top, height = float(box.depth), y - 0.4, 0.8
    edge = "--" if box.hidden else "-"
    ax.add_patch(Rectangle((x, top), _BOX, height, facecolor="white", edgecolor=GUIDE, linestyle=edge, zorder=2))
    left, share = x, "" if box.share is None else f": {100 * box.share:.0f} %"
    for k, part in enumerate(box.shares):
        if part > _VISIBLE:
            ax.add_patch(
                Rectangle((left, top + 0.68), _BOX * part, 0.12, facecolor=tint(k, 0.2), edgecolor=INK, linewidth=0.3,
                          hatch=hatch(k), zorder=3)
            )  # fmt: skip
            left += _BOX * part
    text: dict[str, Any] = {"fontsize": size, "va": "center", "zorder": 4, "color": INK, "clip_on": True}
    ax.text(x + 0.03, top + 0.18, condition(spelled_out(box.test), 25), weight="bold", **text)
    ax.text(x + 0.03, top + 0.47, short(box.answer, 16) + share, **text)
    ax.text(x + _BOX - 0.03, top + 0.47, f"{box.rows:,.0f}", ha="right", **text)


def _legend(ax: Axes, model: BaseDecisionTree, boxes: Sequence[Node]) -> None:
    names = model._names
    shown = coloured_classes(model.tree_, names)
    for k, c in enumerate(shown):
        ax.fill_between(
            [], [], [], facecolor=tint(k, 0.2), hatch=hatch(k), edgecolor=INK, label=short(names.classes[c])
        )
    k = len(shown)
    if shown and any(len(box.shares) > k and box.shares[k] > _VISIBLE for box in boxes):
        ax.fill_between([], [], [], facecolor=tint(k, 0.2), hatch=hatch(k), edgecolor=INK, label="other classes")
    if shown:
        ax.legend(fontsize="x-small", frameon=False, loc="upper left", bbox_to_anchor=(0, 0), ncols=k + 1)


@drawing
def candidate_splits(
    source: Any,
    X: Any = None,
    y: Any = None,
    node: int = 0,
    *,
    most: int = 15,
    ax: Axes | None = None,
) -> Axes:
    """The best test of each column at a node of a tree, and what it gains; the tree's own is marked.

    Two sets of many levels are picked among many, for which a tree asks a price (`set_penalty`): its own test need not
    be the one that gains most.

    Parameters
    ----------
    source : DecisionTreeClassifier, DecisionTreeRegressor or sequence of CandidateSplit
        A fitted tree of mercer, or the splits of one of its nodes.
    X : array, data frame, mapping or Table, optional
        Its training rows.
    y : array of shape (n_rows,), optional
        Their target.
    node : int, default 0
        Number of the node; 0 is the root.
    most : int, default 15
        Most columns drawn.
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    MercerError
        If the model is no tree of mercer, or comes without its training rows.

    Examples
    --------
    >>> import mercer
    >>> rows = {"sky": ["blue", "blue", "grey", "grey"], "rain": ["no", "yes", "no", "yes"]}
    >>> y = ["play", "play", "stay", "stay"]
    >>> model = mercer.DecisionTreeClassifier(criterion="entropy").fit(rows, y)
    >>> ax = mercer.plot.candidate_splits(model, rows, y)
    >>> [float(bar.get_width()) for bar in ax.patches]
    [1.0, 0.0]
    """
    if isinstance(source, Sequence):
        splits, ratio, label = list(source), False, "Gain"
    else:
        if X is None or y is None:
            raise MercerError("Give the training rows of the tree: X and y.")
        splits = computed_splits(source, X, y, node)
        criterion = ALGORITHMS[source.algorithm].get("criterion", source.criterion)
        ratio, label = criterion == "gain_ratio", _CRITERIA.get(criterion, "Decrease of the variance")
    shown = sorted(splits, key=lambda s: -_merit(s, ratio))[:most]
    ax = axes(ax, (8.5, 1.4 + 0.36 * len(shown)))
    merits = np.array([_merit(s, ratio) for s in shown])
    bars(ax, [short(s.column) + (" (chosen)" if s.chosen else "") for s in shown], merits, most=40)
    for place, (split, merit) in enumerate(zip(reversed(shown), reversed(merits), strict=True)):
        ax.annotate(
            f"{merit:.3g}   {_test(split)}", (merit, place), xytext=(5, 0), textcoords="offset points", va="center",
            fontsize="x-small", color=ink(ax), annotation_clip=False,
        )  # fmt: skip
        if split.chosen:
            ax.patches[len(shown) - 1 - place].set_facecolor(tint(1, 0.1))
            ax.patches[len(shown) - 1 - place].set_edgecolor(colour(3))
    ax.set_xlim(0, max(float(merits.max(initial=0.0)), 1e-12) * 2.2)
    return words(ax, f"Candidate splits of node {node}: the best test of each column", label)


def _merit(split: CandidateSplit, ratio: bool) -> float:
    return split.ratio if ratio else split.gain


def _test(split: CandidateSplit) -> str:
    if not split.tests:
        return "no test"
    rows = " / ".join(f"{n:,.6g}" for n in split.rows[:6])
    test = (
        split.tests[0].removeprefix(split.column).strip() if len(split.tests) == 2 else f"{len(split.tests)} branches"
    )
    return f"{short(test, 34)}   (rows {rows})"
