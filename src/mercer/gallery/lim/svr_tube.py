"""Support vector regression: a tube that costs nothing.

    min ½ |w|² + α Σ ζᵢ   with  |yᵢ − (w·xᵢ − c)| ≤ ε + ζᵢ

Points within ε of the line cost nothing, others cost α for each unit beyond. A flat line has the widest tube, so the
slope is as small as the points allow: a larger α tilts the line towards them, a larger ε lets it lie flat. With ε = 0
the loss is |error|: that is the line of least absolute errors, not the least squares that the text speaks of.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels

PASSAGE = "section 4.4, eq. 4.21, Figures 4.8 and 4.9"
PLACE = 11


def run() -> Iterator[Comparison | Picture]:
    random = np.random.default_rng(2)
    x = np.linspace(0, 10, 30)[:, None]
    y = 0.7 * x[:, 0] + random.normal(0, 1.2, 30)
    y[[4, 22]] += 4, -4  # two outliers

    def line(alpha: float, epsilon: float) -> mercer.SVR:
        return mercer.SVR(kernel="linear", C=alpha, epsilon=epsilon, tol=1e-6).fit(x, y)

    def beyond(model: mercer.SVR) -> float:  # Σ ζ
        return float(np.maximum(np.abs(y - model.predict(x)) - model.epsilon, 0).sum())

    weak, strong, flat = line(0.005, 1.0), line(10, 1.0), line(10, 8.0)
    yield Comparison("a larger α tilts the line", "yes", abs(strong.coef_[0, 0]) > abs(weak.coef_[0, 0]))
    yield Comparison("a larger α makes Σ ζ smaller", "yes", beyond(strong) < beyond(weak))
    yield Comparison("a larger ε makes Σ ζ smaller", "yes", beyond(flat) < beyond(strong))
    yield Comparison("slope when the tube holds every point", "0", abs(flat.coef_[0, 0]), 1e-6)
    primal = 0.5 * strong.coef_[0, 0] ** 2 + 10 * beyond(strong)
    yield Comparison("value of (4.21)", primal, strong.primal_, 1e-4)

    thin = line(1e4, 0.0)
    squares = mercer.LinearRegression().fit(x, y)
    yield Comparison("slope as ε shrinks to 0", f"{squares.coef_[0]:.3f}", thin.coef_[0, 0],
                     slip="least squares is not the limit: with ε = 0 the sum of |errors| is minimised")  # fmt: skip
    less = np.abs(y - thin.predict(x)).sum() < np.abs(y - squares.predict(x)).sum()
    yield Comparison("Σ |error| is smaller with ε = 0 than by least squares", "yes", less)

    figure, axes = panels(2, 2, (11, 8))
    shown = {"α = 0.005: flat, many points outside": weak, "α = 10: tilted towards them": strong,
             "ε = 8: every point inside, slope 0": flat, "ε = 0: least absolute errors": thin}  # fmt: skip
    for ax, (title, model) in zip(axes.flat, shown.items(), strict=True):
        mercer.plot.regression_tube(model, x, y, ax=ax)
        ax.set_title(title, loc="left", fontsize="medium")
    yield Picture("tubes", figure, "Four tubes around the same points: a small cost leaves the line flat, a larger "
                  "one tilts it, a tube that holds every point has slope 0, and no tube is median "
                  "regression.")  # fmt: skip
