"""Logistic regression: probabilities from a straight line of log-odds.

    P(C₊ | x) = 1 / (1 + exp(−β x − a)),        log P(C₊ | x) / P(C₋ | x) = β x + a

A straight line fitted to 0 and 1 leaves the range of probabilities. The logistic curve goes from 0 to 1 around x =
−a/β; β is large where the classes change sharply, small where they mix over a long range. β and a maximise the
likelihood.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels

PASSAGE = "logistic regression"
PLACE = 10


def run() -> Iterator[Comparison | Picture]:
    random = np.random.default_rng(11)
    x = random.uniform(0, 40, 200)
    chances = (1 / (1 + np.exp(-beta * (x - 20))) for beta in (1.2, 0.18))
    sharp, slow = (np.where(random.random(200) < p, "yes", "no") for p in chances)
    fitted = {}
    for name, y in (("sharp", sharp), ("slow", slow)):
        fitted[name] = mercer.LogisticRegression(C=np.inf, tol=1e-10).fit({"x": x}, y)
    beta = {name: model.coef_[0, 0] for name, model in fitted.items()}
    turning = {name: -model.intercept_[0] / beta[name] for name, model in fitted.items()}
    yield Comparison("β is larger where the change is sharp", "yes", beta["sharp"] > 2 * beta["slow"])
    yield Comparison("turning point −a / β, sharp", "20", turning["sharp"], 1.0)
    yield Comparison("turning point −a / β, slow", "20", turning["slow"], 2.5)
    chance = fitted["slow"].predict_proba({"x": [27.0]})[0, 1]
    line = beta["slow"] * 27 + fitted["slow"].intercept_[0]
    yield Comparison("log-odds at 27: β x + a", line, float(np.log(chance / (1 - chance))), 1e-9)

    # At the maximum of the likelihood its gradient is 0: Σ (y − P) = 0 and Σ x (y − P) = 0.
    error = (slow == "yes") - fitted["slow"].predict_proba({"x": x})[:, 1]
    yield Comparison("Σ (y − P)", 0.0, float(error.sum()), 1e-4)
    yield Comparison("Σ x (y − P)", 0.0, float((x * error).sum()), 1e-2)
    straight = mercer.LinearRegression().fit({"x": x}, (sharp == "yes").astype(float))
    ends = straight.predict({"x": [0.0, 40.0]})
    yield Comparison("a straight line leaves [0, 1]", "yes", ends[0] < 0 or ends[1] > 1)

    figure, axes = panels(1, 2, (11, 4.2))
    for ax, (name, model), y in zip(axes, fitted.items(), (sharp, slow), strict=True):
        mercer.plot.logistic_curve(model, {"x": x}, y, ax=ax)
        label(ax, f"{name} change: β = {beta[name]:.2f}, turning point {turning[name]:.1f}", "x", "P(yes | x)")
    axes[0].plot([0, 40], ends, "--", color="#707070")
    axes[0].annotate("straight line", (31, 0.72), fontsize="small", color="#505050")
    yield Picture("curves", figure, "Logistic curves for a sharp and a slow change around 20; the straight line, "
                  "dashed, goes below 0 and above 1.")  # fmt: skip
