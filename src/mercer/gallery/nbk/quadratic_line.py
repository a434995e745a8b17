"""Points on a line, lifted by their squares.

    x → (x, x²)

One class lies in the middle of the line, the other on both sides: no threshold separates them. With x² as a second
coordinate a straight line does. A quadratic kernel gives the same answers without computing the coordinate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels
from mercer.kernels import polynomial_map

PASSAGE = "classifying data that no line separates"
PLACE = 6


def run() -> Iterator[Comparison | Picture]:
    x = np.array([-3.0, -2.5, -2.1, -1.0, -0.6, 0.1, 0.5, 0.9, 2.0, 2.4, 3.1])[:, None]
    middle = np.where(np.abs(x[:, 0]) < 1.5, "middle", "sides")
    lifted = np.column_stack([x, x**2])
    line = mercer.SVC(kernel="linear", C=1000).fit(x, middle)
    plane = mercer.SVC(kernel="linear", C=1000).fit(lifted, middle)
    yield Comparison("a threshold on x separates them", "no", line.score(x, middle) == 1)
    yield Comparison("a line in (x, x²) separates them", "yes", plane.score(lifted, middle) == 1)

    quadratic = mercer.SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=1000, tol=1e-8).fit(x, middle)
    features, monomials = polynomial_map(x, degree=2, coef0=1)  # (1, √2 x, x²)
    written_out = mercer.SVC(kernel="linear", C=1000, tol=1e-8).fit(features, middle)
    yield Comparison("features of (1 + x z)²", "3", len(monomials))
    new = np.linspace(-3, 3, 50)[:, None]
    apart = quadratic.decision_function(new) - written_out.decision_function(polynomial_map(new, degree=2, coef0=1)[0])
    yield Comparison("kernel and written-out features differ by", 0.0, float(np.abs(apart).max()), 1e-4)

    figure, (left, right) = panels(1, 2, (11, 4.2))
    for k, name in enumerate(("middle", "sides")):
        rows = middle == name
        left.plot(x[rows, 0], 0 * x[rows, 0], "os"[k], label=name)
    left.set(ylim=(-1, 1), yticks=[], xlabel="x")
    left.legend()
    left.set_title("on the line", loc="left", fontsize="medium")
    named = {"x": x[:, 0], "x²": x[:, 0] ** 2}
    mercer.plot.decision_regions(mercer.SVC(kernel="linear", C=1000).fit(named, middle), named, middle, ax=right)
    right.set_title("lifted", loc="left", fontsize="medium")
    yield Picture("lifted", figure, "Left: the middle class between the two sides, on a line. Right: lifted to (x, "
                  "x²), a straight line with its margin separates them.")  # fmt: skip
