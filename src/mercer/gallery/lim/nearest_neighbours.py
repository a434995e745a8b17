"""One and three nearest neighbours among twenty points.

    d(u, v) = √ Σ_k (u_k − v_k)²,    P(white | A) = share of white among the k points nearest to A

The nearest point to A is black, but the next two are white: one neighbour says black, three say white with probability
2/3. For B it is the other way round. The points are ours, placed as in the text's drawing. (The text prints the index 1
for both coordinates in the distance; it runs over them.)
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels
from mercer.gallery.small_tables import twenty_points

PASSAGE = "section 4.2, Figure 4.1"
PLACE = 7
TESTS = {"A": (0.33, 0.55), "B": (0.67, 0.45)}


def run() -> Iterator[Comparison | Picture]:
    points, label = twenty_points()
    printed = {("A", 1): "black", ("A", 3): "white", ("B", 1): "white", ("B", 3): "black"}
    for (name, k), answer in printed.items():
        model = mercer.KNeighborsClassifier(k).fit(points, label)
        yield Comparison(f"class of {name} by {k}-NN", answer, str(model.predict([TESTS[name]])[0]))
    share = mercer.KNeighborsClassifier(3).fit(points, label).predict_proba(list(TESTS.values()))  # black, white
    yield Comparison("P(white | A), 3-NN", "2/3", share[0, 1])
    yield Comparison("P(black | A), 3-NN", "1/3", share[0, 0])
    yield Comparison("P(black | B), 3-NN", "2/3", share[1, 0])

    here = np.array(TESTS["A"])
    for name, p, by_hand in (
        ("Euclidean", 2, np.sqrt(((points - here) ** 2).sum(axis=1)).min()),
        ("Manhattan", 1, np.abs(points - here).sum(axis=1).min()),
        ("Minkowski, p = 3", 3, (np.abs(points - here) ** 3).sum(axis=1).min() ** (1 / 3)),
    ):
        found = mercer.KNeighborsClassifier(1, p=p).fit(points, label).kneighbors([here])[0][0, 0]
        yield Comparison(f"distance from A to its nearest point: {name}", float(by_hand), float(found))

    figure, axes = panels(2, 2, (11, 9))
    for ax, (name, k) in zip(axes.flat, product(TESTS, (1, 3)), strict=True):
        model = mercer.KNeighborsClassifier(k).fit(points, label)
        mercer.plot.neighbours(model, points, label, queries=[TESTS[name]], ax=ax)
        ax.set_title(f"{name}, k = {k}: {model.predict([TESTS[name]])[0]}", loc="left", fontsize="medium")
    yield Picture("neighbours", figure, "The test points A and B, each with its one and its three nearest neighbours "
                  "joined to it: the third neighbour's vote turns the answer.")  # fmt: skip
