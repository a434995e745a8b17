"""New kernels from old, and Mercer's theorem.

    Σᵢ Σⱼ λᵢ λⱼ k(xᵢ, xⱼ) ≥ 0   for all points and all λ:   no Gram matrix has an eigenvalue below 0

Sums, products, positive multiples, exponentials and polynomials with coefficients ≥ 0 of kernels are kernels. The
sigmoid is not one: on some points its Gram matrix has eigenvalues below 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels
from mercer.gallery.small_tables import lengths_of_iris
from mercer.kernels import RBF, Exp, Kernel, Linear, Polynomial, PolynomialOf, Sigmoid, check

PASSAGE = "Mercer's theorem; creating kernels"
PLACE = 5


def run() -> Iterator[Comparison | Picture]:
    X, y = lengths_of_iris()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    one, two = RBF(gamma=1.0), Polynomial(degree=2, gamma=1.0, coef0=1.0)
    a, b = one.fit(X).gram(X, X), two.fit(X).gram(X, X)
    rules: dict[str, tuple[Kernel, np.ndarray]] = {
        "k₁ + k₂": (one + two, a + b),
        "k₁ k₂": (one * two, a * b),
        "3 k₁": (one * 3, 3 * a),
        "exp(k₁)": (Exp(one), np.exp(a)),
        "1 + 2 k₁ + k₁²": (PolynomialOf(one, (1.0, 2.0, 1.0)), 1 + 2 * a + a**2),
    }
    for name, (kernel, gram) in rules.items():
        difference = float(np.abs(kernel.fit(X).gram(X, X) - gram).max())
        yield Comparison(f"{name}: largest difference from the formula", "0", difference, 1e-9)
        yield Comparison(f"{name} is a Mercer kernel", "yes", check(kernel, X).holds)
    yield Comparison("the sigmoid is one", "no", check(Sigmoid(gamma=1.0, coef0=-1.0), X).holds)

    figure, axes = panels(1, 3, (13, 4.2))
    shown = {"linear": Linear(), "Gaussian": one, "Gaussian times quadratic": one * two}
    for ax, (name, kernel) in zip(axes, shown.items(), strict=True):
        mercer.plot.kernel_matrix(kernel, X, y, ax=ax)
        ax.set_title(name, loc="left", fontsize="medium")
    yield Picture("matrices", figure, "Gram matrices of 150 irises sorted by species: linear, Gaussian, and the "
                  "product of a Gaussian and a quadratic kernel.")  # fmt: skip
