"""Impurity of a node, by three measures.

    entropy −Σ p log₂ p       Gini 1 − Σ p²       classification error 1 − max p

A node of one class is pure, one with equal shares as mixed as can be. All three measures say so; between the ends the
error is made of straight lines, which is why it often sees no gain where entropy and Gini do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels

PASSAGE = "measuring node impurity"
PLACE = 6


def run() -> Iterator[Comparison | Picture]:
    def impurity(criterion: str, n_first: int, n_second: int) -> float:
        """Of the root of a tree that sees one constant column."""
        tree = mercer.DecisionTreeClassifier(criterion=criterion)
        return float(tree.fit([[0.0]] * (n_first + n_second), [0] * n_first + [1] * n_second).tree_.impurity[0])

    by_hand: dict[str, Callable[[float], float]] = {
        "entropy": lambda p: -sum(q * np.log2(q) for q in (p, 1 - p) if q > 0),
        "gini": lambda p: 1 - p**2 - (1 - p) ** 2,
        "error": lambda p: 1 - max(p, 1 - p),
    }
    for criterion, formula in by_hand.items():
        for counts in ((5, 5), (9, 1), (10, 10)):
            value = float(formula(counts[0] / sum(counts)))
            yield Comparison(f"{criterion} of {counts[0]} and {counts[1]} records", value, impurity(criterion, *counts))
        less = impurity(criterion, 9, 1) < impurity(criterion, 5, 5)
        yield Comparison(f"{criterion}: 9 and 1 are purer than 5 and 5", "yes", less)

    figure, ax = panels()
    shares = np.linspace(0, 1, 61)[1:-1]
    for (criterion, _), line in zip(by_hand.items(), ("-", "--", ":"), strict=True):
        values = [impurity(criterion, n, 60 - n) for n in range(1, 60)]
        ax.plot(shares, values, line, linewidth=2, label=criterion)
    label(ax, "Impurity of a node of two classes", "share of the first class", "impurity", legend=True)
    yield Picture("curves", figure, "Entropy, Gini and classification error against the share of one class: all are 0 "
                  "at the ends and largest in the middle; the error is two straight lines.")  # fmt: skip
