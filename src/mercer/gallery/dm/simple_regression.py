"""Simple regression: the line of least squares.

    w₁ = Σ (xᵢ − x̄)(yᵢ − ȳ) / Σ (xᵢ − x̄)² = r · σ_y / σ_x,      w₀ = ȳ − w₁ x̄

The slope is the correlation in units of the two standard deviations, and the line goes through the means. With further
terms of x the model is still linear in its weights: x² bends it, log x flattens it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels

PASSAGE = "linear regression in one dimension; more complex models"
PLACE = 1


def run() -> Iterator[Comparison | Picture]:
    random = np.random.default_rng(0)
    x = random.uniform(1, 20, 40)
    y = 3 + 0.8 * x + random.normal(0, 2, 40)
    model = mercer.LinearRegression().fit({"x": x}, y)
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    yield Comparison("w₁ by sums", float(slope), model.coef_[0])
    yield Comparison("w₁ = r σ_y / σ_x", float(np.corrcoef(x, y)[0, 1] * y.std() / x.std()), model.coef_[0])
    yield Comparison("w₀", float(y.mean() - slope * x.mean()), model.intercept_)

    curve = 4 * np.log(x) + random.normal(0, 0.8, 40)
    terms = {"straight": None, "x²": ["x^2"], "log x": ["log(x)"]}
    bent = {name: mercer.LinearRegression(terms=extra).fit({"x": x}, curve) for name, extra in terms.items()}
    design = np.column_stack([np.ones(40), x, x**2])
    by_hand = np.linalg.solve(design.T @ design, design.T @ curve)
    yield Comparison("w₂ of f(x) = w₀ + w₁ x + w₂ x²", by_hand[2], bent["x²"].coef_[1], 1e-8)

    figure, (left, right) = panels(1, 2, (11, 4.2))
    grid = np.linspace(1, 20, 200)
    left.plot(x, y, "o", alpha=0.7)
    left.plot(grid, model.predict({"x": grid}), linewidth=2)
    left.vlines(x, y, model.predict({"x": x}), color="#707070", linewidth=0.7)
    label(left, f"y = {model.intercept_:.2f} + {model.coef_[0]:.2f} x, and the errors it minimises", "x", "y")
    right.plot(x, curve, "o", alpha=0.7)
    for (name, fitted), line in zip(bent.items(), ("-", "--", "-."), strict=True):
        score = fitted.score({"x": x}, curve)
        right.plot(grid, fitted.predict({"x": grid}), line, linewidth=2, label=f"{name}: R² {score:.3f}")
    label(right, "Terms of x", "x", "y", legend=True)
    yield Picture("lines", figure, "Left: the least squares line and the vertical errors. Right: data that grow as a "
                  "logarithm, fitted by a straight line, with x² and with log x.")  # fmt: skip
