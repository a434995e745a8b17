"""A support vector machine finds a circle.

    x₁² − x₁ + x₂² − x₂ = −0.46        is the circle (x₁ − ½)² + (x₂ − ½)² = 0.2²
    Φ(x) = (x₁², x₂², √2 x₁, √2 x₂, 1),   K(x, z) = (x·z + 1)²

Points inside the circle are one class, those outside the other. In the space of Φ the border is a plane, and a kernel
of degree 2 finds it: its weights, divided by that of x₁², are the coefficients of the circle.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels
from mercer.kernels import polynomial_map

PASSAGE = "nonlinear support vector machines"
PLACE = 9
SLIP = "it is ½ |w|²: only then do its value and the dual's agree, though ½ |w| has the same minimum"


def run() -> Iterator[Comparison | Picture]:
    random = np.random.default_rng(9)
    X = random.uniform(0, 1, (1500, 2))
    value = (X**2 - X).sum(axis=1)
    X, value = X[np.abs(value + 0.46) > 0.004], value[np.abs(value + 0.46) > 0.004]
    y = np.where(value < -0.46, "inside", "outside")
    model = mercer.SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=1e6, tol=1e-4).fit(X, y)
    features, monomials = polynomial_map(X[model.support_], degree=2, coef0=1)
    weights = dict(zip(monomials, model.dual_coef_[0] @ features, strict=True))  # of Φ, a feature each
    factor = {m: polynomial_map(np.ones((1, 2)), degree=2, coef0=1)[0][0, k] for k, m in enumerate(monomials)}
    plain = {m: weights[m] * factor[m] / (weights[0, 0] * factor[0, 0]) for m in monomials}
    constant = plain[()] + model.intercept_[0] / (weights[0, 0] * factor[0, 0])
    yield Comparison("coefficient of x₂²", "1", plain[1, 1], 0.05)
    yield Comparison("coefficient of x₁", "-1", plain[0,], 0.05)
    yield Comparison("coefficient of x₂", "-1", plain[1,], 0.05)
    yield Comparison("coefficient of x₁x₂ (the text leaves it out)", "0", plain[0, 1], 0.05)
    yield Comparison("constant: − of the right side", "0.46", constant, 0.02)
    yield Comparison("points on the wrong side", "0", int((model.predict(X) != y).sum()))
    norm = float(np.sqrt(sum(v**2 for v in weights.values())))
    yield Comparison("value of the objective, printed as ½ |w|", norm / 2, model.primal_, slip=SLIP)
    yield Comparison("the margin 2 / |w|", 2 / norm, model.margin_[0], 1e-6)

    figure, ax = panels(size=(6, 5.2))
    mercer.plot.decision_regions(model, X[:500], y[:500], ax=ax)
    ax.set(aspect="equal")
    ax.set_title("degree 2: the circle of radius 0.2 around (½, ½)", loc="left", fontsize="medium")
    yield Picture("circle", figure, "Points in the unit square, those within 0.2 of its centre of one class: the "
                  "border of the kernel of degree 2 is that circle.")  # fmt: skip
