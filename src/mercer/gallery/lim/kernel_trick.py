"""The kernel trick: lift the points, and a plane separates them.

    φ(x₁, x₂) = (x₁, x₂, x₁² + x₂²)
    (x·z + 1)² = φ(x)·φ(z)   with  φ(x) = (√2 x₁, √2 x₂, √2 x₁x₂, x₁², x₂², 1)

No line separates points on a circle from those inside it. With the squared distance from the centre as a third
coordinate a plane does. A polynomial kernel compares points in such a space of six dimensions without going there.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, colour, panels
from mercer.gallery.small_tables import circles
from mercer.kernels import Polynomial, polynomial_map

PASSAGE = "section 4.3, Figures 4.4 and 4.5"
PLACE = 9


def run() -> Iterator[Comparison | Picture]:
    points, ring = circles()
    lifted = np.column_stack([points, (points**2).sum(axis=1)])
    flat = mercer.SVC(kernel="linear", C=100).fit(points, ring)
    plane = mercer.SVC(kernel="linear", C=100).fit(lifted, ring)
    yield Comparison("a line separates the circles", "no", flat.score(points, ring) == 1)
    yield Comparison("a plane separates the lifted circles", "yes", plane.score(lifted, ring) == 1)
    tests = np.array([[0.2, -0.5], [1.9, 1.2]])
    answers = plane.predict(np.column_stack([tests, (tests**2).sum(axis=1)]))
    yield Comparison("test points A and B", "inner, outer", ", ".join(str(a) for a in answers))

    features, monomials = polynomial_map(points, degree=2, coef0=1)
    yield Comparison("dimensions of the polynomial kernel's space", "6", len(monomials))
    text = np.column_stack([np.sqrt(2) * points, np.sqrt(2) * points.prod(axis=1), points**2, np.ones(len(points))])
    gram = Polynomial(degree=2, gamma=1, coef0=1).fit(points).gram(points)
    yield Comparison("largest |(x·z + 1)² − φ(x)·φ(z)|", 0.0, np.abs(gram - text @ text.T).max(), 1e-9)
    yield Comparison("the same with mercer's φ", 0.0, np.abs(gram - features @ features.T).max(), 1e-9)

    figure, (left, right) = panels(1, 2, (11, 4.6))
    for ax, model in ((left, flat), (right, mercer.SVC(kernel="poly", degree=2, gamma=1, coef0=1).fit(points, ring))):
        mercer.plot.decision_regions(model, points, ring, ax=ax)
    left.set_title("a straight line", loc="left", fontsize="medium")
    right.set_title("polynomial kernel of degree 2", loc="left", fontsize="medium")
    yield Picture("regions", figure, "Two circles: a straight line fails, a polynomial kernel of degree 2 finds the "
                  "ring between them.")  # fmt: skip

    figure, ax = panels(size=(7, 5.6), projection="3d")
    for k, name in enumerate(("inner", "outer")):
        rows = np.array(ring) == name
        ax.scatter(*lifted[rows].T, color=colour(k), marker="os"[k], label=name)
    across, up = np.meshgrid([-2.6, 2.6], [-2.6, 2.6])
    w = plane.coef_[0]
    ax.plot_surface(across, up, -(w[0] * across + w[1] * up + plane.intercept_[0]) / w[2], alpha=0.3, color="#707070")
    ax.set(xlabel="x₁", ylabel="x₂", zlabel="x₁² + x₂²")
    ax.legend()
    yield Picture("lifted", figure, "The circles lifted by the squared distance from the centre: a plane lies between "
                  "the inner and the outer one.")  # fmt: skip
