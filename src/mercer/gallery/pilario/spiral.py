"""The spiral: a border that no line comes near.

    f(x) = Σ yᵢ αᵢ k(xᵢ, x) + b,    k(x, x') = exp(−|x − x'|² / 1),    0 ≤ αᵢ ≤ 5

Every support vector of one class is a hill, every one of the other a valley; the border is where their sum is 0. The
points of the text are not printed: a spiral like it is drawn here.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels
from mercer.gallery.small_tables import spiral
from mercer.kernels import RBF

PASSAGE = "Example 1"
PLACE = 3


def run() -> Iterator[Comparison | Picture]:
    X, y = spiral()
    model = mercer.SVC(kernel=RBF(gamma=1.0), C=5, tol=1e-6).fit(X, y)
    yield Comparison("training points on the right side", "200", int((model.predict(X) == y).sum()))

    alpha = model.dual_coef_[0]  # yᵢ αᵢ of the support vectors
    kernel = RBF(gamma=1.0).fit(X)
    sums = kernel.gram(X, X[model.support_]) @ alpha + model.intercept_[0]
    yield Comparison("largest difference between f(x) and its sum of hills and valleys", "0",
                     float(np.abs(sums - model.decision_function(X)).max()), 1e-6)  # fmt: skip
    yield Comparison("Σ yᵢ αᵢ", "0", float(alpha.sum()), 1e-6)
    yield Comparison("largest αᵢ is at most C", "yes", bool(np.abs(alpha).max() <= 5 + 1e-9))
    yield Comparison("primal less dual value", "0", float(model.duality_gap_), 0.01)
    straight = mercer.SVC(kernel="linear", C=5).fit(X, y)
    yield Comparison("a line separates them", "no", bool((straight.predict(X) == y).all()))

    figure, axes = panels(1, 2, (11, 4.8))
    for ax, fitted, title in zip(axes, (straight, model), ("linear kernel", "RBF, width 1, C = 5"), strict=True):
        mercer.plot.decision_regions(fitted, X, y, ax=ax)
        ax.set_title(f"{title}: {(fitted.predict(X) == y).mean():.0%} right", loc="left", fontsize="medium")
    yield Picture("regions", figure, "Two arms of a spiral: the linear kernel cuts through both, the Gaussian kernel "
                  "follows them; ringed points are support vectors.")  # fmt: skip
