"""Regression and outliers: the line tilts.

    min Σ (yᵢ − f(xᵢ))²        a row twice as far off counts four times

One extreme row pulls the line of least squares towards itself. It can be left out where its studentised residual (its
error in units of what chance would make it) is above 3; whether it says something useful must be asked first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels

PASSAGE = "outliers"
PLACE = 3


def run() -> Iterator[Comparison | Picture]:
    random = np.random.default_rng(4)
    x = np.linspace(0, 10, 25)
    y = 2 + 0.6 * x + random.normal(0, 0.7, 25)
    spoilt = y.copy()
    spoilt[22] += 22  # one extreme value on the right

    clean = mercer.LinearRegression().fit({"x": x}, y)
    tilted = mercer.LinearRegression().fit({"x": x}, spoilt)
    mended = mercer.LinearRegression(outliers=3).fit({"x": x}, spoilt)
    yield Comparison("the line tilts towards the extreme value", "yes", tilted.coef_[0] > 1.5 * clean.coef_[0])
    yield Comparison("rows left out", "22", ", ".join(str(row) for row in mended.outliers_))
    without = mercer.LinearRegression().fit({"x": np.delete(x, 22)}, np.delete(y, 22))
    yield Comparison("slope once it is removed", without.coef_[0], mended.coef_[0])

    figure, ax = panels()
    ax.plot(x, spoilt, "o", alpha=0.7)
    for name, model, line in (("all rows", tilted, "-"), ("outlier left out", mended, "--")):
        ax.plot(x, model.predict({"x": x}), line, linewidth=2, label=f"{name}: slope {model.coef_[0]:.2f}")
    label(ax, "One row tilts the line", "x", "y", legend=True)
    yield Picture("lines", figure, "Points along a line and one far above it on the right: the line of all rows is "
                  "tilted, the line without the outlier follows the others.")  # fmt: skip
