"""What trees find hard: parity, and slanting borders.

    class = 1  if an even number of k truth values is true        →  a complete tree with 2ᵏ leaves
    a · x ≤ t  in place of  xⱼ ≤ t                               →  one oblique test in place of a staircase

Each test of one column leaves parity as mixed as before, so a tree has to ask for all columns. Two slanting Gaussians
at (8, 8) and (12, 12) need a staircase of tests, or one test of a sum of columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels

PASSAGE = "expressiveness"
PLACE = 7


def run() -> Iterator[Comparison | Picture]:
    for k in (2, 3, 4):
        rows = np.array(list(product((0, 1), repeat=k)))
        even = (rows.sum(axis=1) % 2 == 0).astype(int)
        tree = mercer.DecisionTreeClassifier().fit(rows, even)
        yield Comparison(f"leaves for the parity of {k} truth values: 2^{k}", str(2**k), int(tree.get_n_leaves()))
        yield Comparison(f"depth for {k} truth values", str(k), int(tree.get_depth()))

    random = np.random.default_rng(6)
    skewed = [[3.0, -2.4], [-2.4, 3.0]]
    X = np.vstack([random.multivariate_normal(centre, skewed, 150) for centre in ((8, 8), (12, 12))])
    y = np.repeat(["+", "o"], 150)
    straight = mercer.DecisionTreeClassifier().fit(X, y)
    oblique = mercer.DecisionTreeClassifier(oblique=True).fit(X, y)
    fewer = oblique.get_n_leaves() < straight.get_n_leaves()
    yield Comparison("fewer leaves with tests of several columns", "yes", fewer)
    yield Comparison("columns in its first test", "2", int(np.count_nonzero(oblique.combinations_[0])))

    figure, axes = panels(1, 2, (11, 4.6))
    for ax, name, model in zip(axes, ("one column at a time", "sums of columns"), (straight, oblique), strict=True):
        mercer.plot.decision_regions(model, X, y, ax=ax)
        ax.set_title(f"{name}: {model.get_n_leaves()} leaves", loc="left", fontsize="medium")
    yield Picture("regions", figure, "Two slanting Gaussians: tests of one column make a staircase, a test of a sum "
                  "of columns one slanting line.")  # fmt: skip
