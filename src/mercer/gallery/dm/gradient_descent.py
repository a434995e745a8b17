"""Multiple regression: closed form, gradient descent, and why to normalise.

    w = (XᵀX)⁻¹ Xᵀy        or step by step        w ← w − η Xᵀ(Xw − y) / n

Both minimise |Xw − y|². Where columns have very different scales, the error is a long narrow valley: the step must be
small for the steep direction and is then far too small along the valley. After z-scores the valley is round, and the
weights can be compared: each is the effect of one standard deviation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, colour, label, panels

PASSAGE = "multiple linear regression, normalization"
PLACE = 2


def descend(X: Any, y: Any, steps: int) -> Any:
    """Weights after each step, from 0; the step is as long as the steepest direction allows."""
    step = len(y) / np.linalg.eigvalsh(X.T @ X).max()
    path = [np.zeros(X.shape[1])]
    for _ in range(steps):
        path.append(path[-1] - step * X.T @ (X @ path[-1] - y) / len(y))
    return np.array(path)


def run() -> Iterator[Comparison | Picture]:
    random = np.random.default_rng(1)  # ours: home owners in %, income in thousands, and the GDP
    rows = {"owners": random.normal(60, 3, 80), "income": random.normal(30, 12, 80)}
    gdp = 5 + 0.5 * rows["owners"] + 0.9 * rows["income"] + random.normal(0, 3, 80)
    X = np.column_stack(list(rows.values()))
    design = np.column_stack([np.ones(80), X])
    closed = np.linalg.inv(design.T @ design) @ design.T @ gdp
    model = mercer.LinearRegression().fit(rows, gdp)
    descent = mercer.LinearRegression(method="gradient", tol=1e-12).fit(rows, gdp)
    for k, name in enumerate(rows):
        yield Comparison(f"weight of {name}, (XᵀX)⁻¹ Xᵀy", closed[k + 1], model.coef_[k], 1e-8)
        yield Comparison(f"weight of {name}, gradient descent", closed[k + 1], descent.coef_[k], 1e-5)
    scaled = np.asarray(mercer.encode.ZScore().fit_transform(X))
    weights = mercer.LinearRegression().fit(scaled, gdp).coef_
    yield Comparison("weight of income after z-scores: w σ", model.coef_[1] * rows["income"].std(), weights[1], 1e-8)

    figure, axes = panels(1, 2, (11, 4.6))
    for ax, shown, title in zip(axes, (X - X.mean(axis=0), scaled), ("centred", "z-scores"), strict=True):
        best = np.linalg.lstsq(shown, gdp - gdp.mean(), rcond=None)[0]
        path = descend(shown, gdp - gdp.mean(), 30)
        reach = 1.4 * np.abs(best).max()
        across, up = np.meshgrid(np.linspace(-0.3, reach, 80), np.linspace(-0.3, reach, 80))
        error = ((shown @ np.stack([across.ravel(), up.ravel()]) - (gdp - gdp.mean())[:, None]) ** 2).mean(axis=0)
        ax.contour(across, up, error.reshape(80, 80), levels=14, cmap="cividis", linewidths=0.8)
        ax.plot(*path.T, "o-", color=colour(3), markersize=3, label="30 steps of gradient descent")
        ax.plot(*best, "*", color="black", markersize=12, label="least squares")
        label(ax, f"{title}: mean squared error", "weight of owners", "weight of income", legend=True)
    yield Picture("path", figure, "Contours of the error with the path of gradient descent: with columns of different "
                  "scales it creeps along a narrow valley, after z-scores it goes straight to the "
                  "minimum.")  # fmt: skip
