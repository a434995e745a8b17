"""A noisy sine by support vector regression and by kernel ridge regression.

    SVR: errors within ε cost nothing        KRR: f(x) = k(x)ᵀ (K + λ I)⁻¹ y

Both with k(x, x') = exp(−5 |x − x'|²) and the defaults C = 1, ε = 0.1, λ = 1. The points of the text are not printed,
and neither are its errors; here are those of 60 training and 60 test points, and the formula worked out by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels
from mercer.gallery.small_tables import noisy_sine

PASSAGE = "Example 3"
PLACE = 8


def run() -> Iterator[Comparison | Picture]:
    (X, y), (new, truth) = noisy_sine(60, 0), noisy_sine(60, 1)
    svr = mercer.SVR(gamma=5.0, tol=1e-6).fit(X, y)
    ridge = mercer.KernelRidge(kernel="rbf", gamma=5.0).fit(X, y)

    def gram(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.exp(-5 * (a - b.T) ** 2)

    by_hand = gram(new, X) @ np.linalg.solve(gram(X, X) + np.eye(60), y)
    yield Comparison("largest difference of KRR from its formula", "0",
                     float(np.abs(ridge.predict(new) - by_hand).max()), 1e-10)  # fmt: skip
    inside = np.abs(y - svr.predict(X)) < 0.1 - 1e-4
    yield Comparison("support vectors of SVR inside the tube", "0", int(inside[svr.support_].sum()))
    errors = {}
    for name, model in (("SVR", svr), ("KRR", ridge)):
        errors[name] = [float(np.mean((model.predict(a) - b) ** 2)) for a, b in ((X, y), (new, truth))]
        yield Comparison(f"{name}: test MSE near the variance of the noise, 0.04", "0.04", errors[name][1], 0.02)
    best = mercer.KernelRidge(kernel="rbf", gamma=5.0, alpha="cv").fit(X, y)
    better = float(np.mean((best.predict(new) - truth) ** 2))
    yield Comparison(
        "a λ found by leaving out each row is no worse on test rows", "yes", better < errors["KRR"][1] + 0.005
    )

    figure, axes = panels(1, 2, (12, 4.4))
    line = np.linspace(0, 2 * np.pi, 300)[:, None]
    for ax, (name, model) in zip(axes, (("SVR", svr), ("KRR", ridge)), strict=True):
        if name == "SVR":
            mercer.plot.regression_tube(model, X, y, ax=ax)
        else:
            ax.plot(X, y, ".", color="black", label="training rows")
            ax.plot(line, model.predict(line), label="prediction")
        ax.plot(new, truth, "x", ms=4, color="#CC79A7", label="test rows")
        label(
            ax,
            f"{name}: MSE {errors[name][0]:.3f} in training, {errors[name][1]:.3f} on test rows",
            "x",
            "y",
            legend=True,
        )
    yield Picture("fits", figure, "A noisy sine: support vector regression with its tube, kernel ridge regression.")
