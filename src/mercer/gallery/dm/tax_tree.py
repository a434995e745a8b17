"""A tree for ten tax returns, by four criteria.

    gain = I(parent) − Σ_v (n_v / n) · I(child v),    gain ratio = gain / −Σ_v (n_v / n) log₂ (n_v / n)
    entropy −Σ p log₂ p       Gini 1 − Σ p²       classification error 1 − max p

At each node the test with the largest gain is taken. More than one tree fits the data without an error. The
classification error sees no gain at the root, whatever is tested: it is a poor guide for growing a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels
from mercer.gallery.small_tables import tax_returns

PASSAGE = "decision trees: example, best split, node impurity"
PLACE = 5
IMPURITY: dict[str, Callable[[Any], float]] = {
    "entropy": lambda p: float(-sum(q * np.log2(q) for q in p if q > 0)),
    "gini": lambda p: float(1 - (p**2).sum()),
    "error": lambda p: float(1 - p.max()),
}


def run() -> Iterator[Comparison | Picture]:
    rows, cheat = tax_returns()
    classes = np.array(cheat) == "Yes"

    def impurity(criterion: str, kept: Any) -> float:
        share = classes[kept].mean()
        return IMPURITY[criterion](np.array([share, 1 - share]))

    figure, axes = panels(2, 2, (13, 5.6))
    for ax, criterion in zip(axes.flat, ("entropy", "gain_ratio", "gini", "error"), strict=True):
        model = mercer.DecisionTreeClassifier(criterion=criterion, nominal="multiway").fit(rows, cheat)
        yield Comparison(f"{criterion}: the tree fits without an error", "yes", model.score(rows, cheat) == 1)
        mercer.plot.candidate_splits(model, rows, cheat, ax=ax)
        ax.set_title(f"{criterion}: best test of each column at the root", loc="left", fontsize="medium")
        ax.set_xlim(0, max(ax.get_xlim()[1], 0.3))
        names = [tick.get_text().removesuffix(" (chosen)") for tick in ax.get_yticklabels()]
        gains = dict(zip(names, (float(bar.get_width()) for bar in ax.patches), strict=True))
        if criterion in IMPURITY:
            for column in ("Refund", "Status"):
                levels = [np.array(rows[column]) == level for level in set(rows[column])]
                after = sum(kept.mean() * impurity(criterion, kept) for kept in levels)
                by_hand = impurity(criterion, np.full(10, True)) - after
                yield Comparison(f"{criterion}: gain of {column}", by_hand, gains[column], 1e-12)
    yield Picture("gains", figure, "The best test of each column at the root and its gain by four criteria: income "
                  "and marital status gain most, and the classification error sees no gain at all.")  # fmt: skip

    figure, axes = panels(1, 2, (13, 3.8))
    for ax, hidden in zip(axes, ((), ("Income",)), strict=True):
        known = {name: cells for name, cells in rows.items() if name not in hidden}
        model = mercer.DecisionTreeClassifier(criterion="entropy", nominal="multiway").fit(known, cheat)
        mercer.plot.tree(model, ax=ax)
    axes[0].set_title("all columns", loc="left", fontsize="medium")
    axes[1].set_title("without the income: a leaf stays mixed", loc="left", fontsize="medium")
    yield Picture("trees", figure, "Left: with all columns, two cuts of the income suffice. Right: without the income "
                  "the tree tests the marital status and the refund, and some leaves stay mixed.")  # fmt: skip
