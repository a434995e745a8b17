"""Rosenblatt's perceptron: mistake by mistake to a line that separates.

    on a mistake, y (w·x + b) ≤ 0:   w ← w + η y x,   b ← b + η y R²,   R = max |x|

No optimum is sought: the first line without a mistake is kept, and another order of the points gives another line.
Asking for y (w·x + b) ≥ 1 in place of > 0 leaves room on both sides. The largest margin is that of the support vector
machine.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels

PASSAGE = "Rosenblatt's perceptron"
PLACE = 1


def margin(w: np.ndarray, b: float, X: np.ndarray, y: np.ndarray) -> float:
    return float((y * (X @ w + b)).min() / np.linalg.norm(w))


def run() -> Iterator[Comparison | Picture]:
    random = np.random.default_rng(3)
    X = np.vstack([random.normal((1.0, 1.0), 0.5, (20, 2)), random.normal((3.2, 3.0), 0.5, (20, 2))])
    y = np.repeat([-1, 1], 20)

    w, b, reach, mistakes, passes = np.zeros(2), 0.0, float((X**2).sum(axis=1).max()), -1, 0
    while mistakes:  # the algorithm as the text has it, with η = 1
        mistakes, passes = 0, passes + 1
        for x, sign in zip(X, y, strict=True):
            if sign * (w @ x + b) <= 0:
                w, b, mistakes = w + sign * x, b + sign * reach, mistakes + 1
    yield Comparison("mistakes in the last pass", "0", mistakes)
    rows = random.permutation(40)
    orders = [mercer.Perceptron(shuffle=False, tol=None, max_iter=100).fit(X[r], y[r]) for r in (np.arange(40), rows)]
    yield Comparison("mistakes of mercer.Perceptron", "0", int((orders[0].predict(X) != y).sum()))
    yield Comparison("another order gives another line", "yes", not np.allclose(orders[0].coef_, orders[1].coef_))

    svm = mercer.SVC(kernel="linear", C=1e6).fit(X, y)
    widest = margin(svm.coef_[0], svm.intercept_[0], X, y)
    yield Comparison(
        "margin of the support vector machine: 1 / |w|", 1 / float(np.linalg.norm(svm.coef_)), widest, 1e-3
    )
    yield Comparison("no perceptron has a wider one", "yes", margin(w, b, X, y) < widest)

    figure, (left, right) = panels(1, 2, (11, 4.6))
    mercer.plot.perceptron_path(mercer.Perceptron(shuffle=False), X, y, ax=left)
    mercer.plot.decision_regions(svm, X, y, ax=right)
    right.set_title("the line of the largest margin", loc="left", fontsize="medium")
    yield Picture("path", figure, f"Left, the lines of a perceptron after each of its mistakes; right, the line of the "
                  f"largest margin. The algorithm of the text ends after {passes} passes.")  # fmt: skip
