"""Underfit, good fit, overfit.

    small γ: a wide kernel, nearly a line        large γ: every point is an island

Training accuracy rises with γ to the end; that on rows the model has not seen rises and falls again. So the width is
chosen on such rows, by cross-validation.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels

PASSAGE = "underfitting vs. overfitting"
PLACE = 4


def moons(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    angle, upper = random.uniform(0, np.pi, n), np.arange(n) % 2 == 0
    x = np.where(upper, np.cos(angle), 1 - np.cos(angle)), np.where(upper, np.sin(angle), 0.5 - np.sin(angle))
    return np.column_stack(x) + random.normal(0, 0.3, (n, 2)), np.where(upper, "upper", "lower")


def run() -> Iterator[Comparison | Picture]:
    X, y = moons(120, 0)
    unseen, truth = moons(2000, 1)
    widths = {"underfit": 0.01, "good fit": 1.0, "overfit": 300.0}
    models = {name: mercer.SVC(gamma=gamma, C=10).fit(X, y) for name, gamma in widths.items()}
    train = {name: model.score(X, y) for name, model in models.items()}
    test = {name: model.score(unseen, truth) for name, model in models.items()}
    yield Comparison("training accuracy rises with γ", "yes", train["underfit"] < train["good fit"] < train["overfit"])
    yield Comparison("accuracy on new rows is best in the middle", "yes", max(test, key=test.__getitem__) == "good fit")
    found = mercer.SVC(gamma="cv", C=10, random_state=0).fit(X, y)
    best = max(test.values())
    yield Comparison(
        "the width found by cross-validation is as good, to 0.03", "yes", found.score(unseen, truth) > best - 0.03
    )

    figure, axes = panels(1, 3, (14, 4.4))
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        mercer.plot.decision_regions(model, X, y, margin=False, support=False, ax=ax)
        label(ax, f"{name}: {train[name]:.0%} in training, {test[name]:.0%} on new rows", "x₁", "x₂")
    yield Picture("fits", figure, "Three widths on the same rows: too wide, right, and so narrow that every "
                  "training row is learned by heart.")  # fmt: skip
