"""Points on circles, lifted by a quadratic map.

    z = (x₁², √2 x₁x₂, x₂²),     (x·y)² = z(x)·z(y)

A class inside a circle and one around it become separable by a plane in three dimensions. The kernel (x·y)² is the dot
product there, computed from the two original coordinates; Mercer's condition says which functions are such products.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, colour, panels
from mercer.gallery.small_tables import circles
from mercer.kernels import Polynomial, check, polynomial_map

PASSAGE = "kernels as feature maps"
PLACE = 7


def run() -> Iterator[Comparison | Picture]:
    points, ring = circles()
    lifted, monomials = polynomial_map(points, degree=2)
    yield Comparison("new features", "3", len(monomials))
    text = np.column_stack([points[:, 0] ** 2, np.sqrt(2) * points.prod(axis=1), points[:, 1] ** 2])
    yield Comparison("largest difference to the text's map", 0.0, float(np.abs(lifted - text).max()), 1e-12)
    quadratic = Polynomial(degree=2, gamma=1, coef0=0)
    gram = quadratic.fit(points).gram(points)
    yield Comparison("largest |(x·y)² − z(x)·z(y)|", 0.0, float(np.abs(gram - text @ text.T).max()), 1e-9)
    yield Comparison("(x·y)² meets Mercer's condition here", "yes", check(quadratic, points).holds)
    flat = mercer.SVC(kernel="linear", C=100).fit(points, ring)
    plane = mercer.SVC(kernel="linear", C=100).fit(lifted, ring)
    kernel = mercer.SVC(kernel=quadratic, C=100).fit(points, ring)
    yield Comparison("a line separates the circles", "no", flat.score(points, ring) == 1)
    yield Comparison("a plane separates the lifted circles", "yes", plane.score(lifted, ring) == 1)
    yield Comparison("the quadratic kernel separates the circles", "yes", kernel.score(points, ring) == 1)

    figure, ax = panels(size=(7, 5.6), projection="3d")
    for k, name in enumerate(("inner", "outer")):
        rows = np.array(ring) == name
        ax.scatter(*lifted[rows].T, color=colour(k), marker="os"[k], label=name)
    across, up = np.meshgrid(np.linspace(0, 3.4, 30), np.linspace(-4, 4, 30))
    w = plane.coef_[0]
    height = -(w[0] * across + w[1] * up + plane.intercept_[0]) / w[2]
    ax.plot_surface(across, up, np.where(height >= 0, height, np.nan), alpha=0.3, color="#707070")
    ax.set(xlabel="x₁²", ylabel="√2 x₁x₂", zlabel="x₂²", zlim=(0, 6))
    ax.legend()
    yield Picture("lifted", figure, "The circles in the space of the quadratic map lie on a cone, and a plane "
                  "separates the inner from the outer one.")  # fmt: skip
    figure, ax = panels()
    mercer.plot.decision_regions(kernel, points, ring, ax=ax)
    yield Picture("regions", figure, "Back in the plane the boundary of the quadratic kernel is an ellipse.")
