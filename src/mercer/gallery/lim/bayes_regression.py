"""Naive Bayes for a number: intervals of the target, or kernel densities.

    prediction = Σ_k z_k · P(z_k | features),   z_k the midpoint of interval k of q

The target is cut into q intervals, which are taken as classes; the prediction is the mean of their midpoints under the
posterior. Kernel densities leave no steps. Neither is made for regression: beside a straight line both lag behind.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels

PASSAGE = "section 4.1, the last paragraphs"
PLACE = 6


def run() -> Iterator[Comparison | Picture]:
    random = np.random.default_rng(7)  # our own days: the next index from volatility and volume
    days = {"volatility": random.uniform(10, 30, 300), "volume": random.normal(50, 8, 300)}
    index = 3000 - 12 * days["volatility"] + 4 * days["volume"] + random.normal(0, 25, 300)
    model = mercer.NaiveBayesRegressor("intervals", n_intervals=10).fit(days, index)

    # The text's sum, from the classifier of the intervals.
    posterior = model.classifier_.predict_proba(days)
    yield Comparison("Σ midpoint x posterior of the first day", float(posterior[0] @ model.points_),
                     float(model.predict(days)[0]))  # fmt: skip
    yield Comparison("posteriors of the first day add up to", "1", float(posterior[0].sum()))

    figure, axes = panels(1, 3, (14, 4.2))
    models = {"10 intervals": model, "kernel densities": mercer.NaiveBayesRegressor("kernel").fit(days, index),
              "a straight line": mercer.LinearRegression().fit(days, index)}  # fmt: skip
    for ax, (name, shown) in zip(axes, models.items(), strict=True):
        ax.plot(index, shown.predict(days), ".", alpha=0.6)
        ax.axline((3000, 3000), slope=1, linestyle="--", color="#707070")
        label(ax, f"{name}: R² {shown.score(days, index):.3f}", "index of the next day", "predicted")
    yield Picture("predictions", figure, "Predicted against actual index by intervals, by kernel densities and by "
                  "linear regression, which made the data and fits best.")  # fmt: skip
