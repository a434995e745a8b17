"""The machines that the text names, on one set of points.

    SVM: hinge loss                     LS-SVM: squares
    RVM: a prior on every weight        twin SVM: a plane near each class
    core vector machine: smallest ball  one-class SVM: where one class is

All take the same kernel. They agree on most of the plane, and differ in what they keep: the relevance vector machine
keeps the fewest points, the least squares and twin machines all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels
from mercer.gallery.small_tables import circles
from mercer.kernels import RBF

PASSAGE = "other kernel machines"
PLACE = 9


def run() -> Iterator[Comparison | Picture]:
    X, y = circles()
    kernel = RBF(gamma=0.5)
    models = {
        "SVM": mercer.SVC(kernel=kernel, C=5),
        "LS-SVM": mercer.LSSVC(kernel=kernel),
        "relevance vectors": mercer.RVC(kernel=kernel),
        "twin SVM": mercer.TwinSVC(kernel=kernel),
        "core vector machine": mercer.CoreVectorMachine(kernel=kernel),
    }
    for name, model in models.items():
        yield Comparison(f"{name}: share of the points on the right side", "1", float(model.fit(X, y).score(X, y)))
    inner = X[np.array(y) == "inner"]
    alone = mercer.OneClassSVM(kernel=kernel, nu=0.1).fit(inner)
    yield Comparison("one-class SVM: share of the class outside, at most ν = 0.1", "yes",
                     bool((alone.predict(inner) < 0).mean() <= 0.1 + 1 / len(inner)))  # fmt: skip

    figure, axes = panels(2, 3, (14, 8.4))
    for ax, (name, model) in zip(axes.flat, models.items(), strict=False):
        mercer.plot.decision_regions(model, X, y, margin=False, ax=ax)
        label(ax, name, "x₁", "x₂")
    mercer.plot.decision_regions(alone, X, alone.predict(X), margin=False, ax=axes[1, 2])
    label(axes[1, 2], "one-class SVM of the inner circle", "x₁", "x₂")
    yield Picture("regions", figure, "Two circles by five machines with the same kernel, and the region of the inner "
                  "circle alone.")  # fmt: skip
