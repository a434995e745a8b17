"""Margins: the widest street between two classes, and a soft one.

    min ½ |w|² + α Σ ζᵢ   with  yᵢ (w·xᵢ − c) ≥ 1 − ζᵢ;     the street is 2 / |w| wide
    w = Σ λᵢ yᵢ xᵢ,   Σ λᵢ yᵢ = 0,   0 ≤ λᵢ ≤ α            (first order conditions)

Only the points on the street's edges have λ > 0: they are the support vectors. Where no line separates the classes, the
street may be entered at a cost α (C in scikit-learn and here). The text's rule for new points, class +1 above +1 and -1
below -1, leaves the street undecided: the class is the sign of w·x − c.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels
from mercer.gallery.small_tables import twenty_points

PASSAGE = "section 4.3, eq. 4.5 to 4.19, Figures 4.2, 4.3, 4.6 and 4.7"
PLACE = 8


def run() -> Iterator[Comparison | Picture]:
    points, colours = twenty_points()
    apart = np.delete(np.arange(20), [9, 19])  # without the two that stand among the others
    X, y = points[apart], [colours[i] for i in apart]
    hard = mercer.SVC(kernel="linear", C=1e6, tol=1e-9).fit(X, y)
    w, c, slopes = hard.coef_[0], -hard.intercept_[0], hard.dual_coef_[0]  # slopes: λᵢ yᵢ
    yield Comparison("width of the street, 2 / |w|", 2 / np.linalg.norm(w), hard.margin_[0], 1e-6)
    for k in range(2):
        yield Comparison(f"w{k + 1}, of w = Σ λ y x (eq. 4.8)", float((slopes @ X[hard.support_])[k]), w[k], 1e-6)
    yield Comparison("Σ λ y (eq. 4.9)", 0.0, slopes.sum(), 1e-6)
    sides = np.where(np.array(y) == hard.classes_[1], 1, -1)[hard.support_]
    edges = sides * (X[hard.support_] @ w - c)
    yield Comparison("smallest y (w·x − c) of a support vector (eq. 4.5)", "1", edges.min(), 1e-4)
    yield Comparison("largest", "1", edges.max(), 1e-4)
    yield Comparison("c = mean of w·x − y over support vectors", float((X[hard.support_] @ w - sides).mean()), c, 1e-4)
    yield Comparison("value of the dual (4.11) beside that of the primal", hard.primal_, hard.dual_, 1e-4)

    soft = {alpha: mercer.SVC(kernel="linear", C=alpha).fit(points, colours) for alpha in (1, 10, 1000)}
    errors = soft[10].predict(points) != np.array(colours)
    yield Comparison("points on the wrong side of a straight line", "2", int(errors.sum()))
    narrower = soft[1].margin_[0] > soft[10].margin_[0] > soft[1000].margin_[0]
    yield Comparison("the street narrows as α grows", "yes", narrower)
    curved = mercer.SVC(kernel="poly", degree=3, coef0=1, gamma=1, C=1e4).fit(points, colours)
    yield Comparison("points on the wrong side of a polynomial", "0", int((curved.predict(points) != colours).sum()))

    figure, axes = panels(2, 2, (11, 9))
    shown = {"no errors: the widest street": (hard, X, y),
              "α = 1: a wide street, entered by many": (soft[1], points, colours),
             "α = 1000: a narrow street": (soft[1000], points, colours),
             "polynomial of degree 3": (curved, points, colours)}  # fmt: skip
    for ax, (title, (model, rows, classes)) in zip(axes.flat, shown.items(), strict=True):
        mercer.plot.decision_regions(model, rows, classes, ax=ax)
        ax.set_title(title, loc="left", fontsize="medium")
    yield Picture("streets", figure, "The widest street between separable points, with its support vectors circled; "
                  "wide and narrow soft streets on the twenty points; a curve that separates them.")  # fmt: skip
