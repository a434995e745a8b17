"""A trading day of three sessions: the multinomial.

    P(Z | H) ∝ n! ∏ᵢ θᵢ^xᵢ / xᵢ! · P(Z)

In each session volatility, volume and index go up or down, which makes eight possibilities; a day is the numbers of
each among its three sessions. θᵢ is the share of possibility i in the sessions of the days of a class. The factor n! /
∏ xᵢ! is the same in every class, so a classifier can do without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import factorial, prod

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, colour, label, panels

PASSAGE = "section 4.1, eq. 4.4"
PLACE = 5
POSSIBLE = ["".join(p) for p in product(("V↑", "V↓"), ("L↑", "L↓"), ("I↑", "I↓"))]


def run() -> Iterator[Comparison | Picture]:
    # Ours: 60 days after which the index rose, 40 after which it did not, drawn from these shares.
    random = np.random.default_rng(1)
    shares = np.array([[6, 2, 5, 2, 4, 1, 3, 1], [2, 5, 1, 4, 2, 5, 1, 4]]) / 24
    days = np.vstack([random.multinomial(3, p, size=n) for p, n in zip(shares, (60, 40), strict=True)])
    rise = np.repeat(["rise", "no rise"], (60, 40))
    model = mercer.MultinomialNB(alpha=0).fit(days, rise)

    day = np.array([2, 0, 0, 0, 1, 0, 0, 0])  # two sessions of the first possibility, one of the fifth
    joint = {}
    for group in ("no rise", "rise"):
        theta = days[rise == group].sum(axis=0) / (3 * (rise == group).sum())
        text = factorial(3) * theta[0] ** 2 * theta[4] / (factorial(2) * factorial(1))
        terms = [theta[i] ** x / factorial(x) for i, x in enumerate(day)]
        yield Comparison(f"multinomial probability given {group}, both forms", text, factorial(3) * prod(terms))
        joint[group] = text * (rise == group).mean()
    ours = model.predict_proba([day])[0]
    yield Comparison("P(rise | H), by eq. 4.4", joint["rise"] / sum(joint.values()), ours[1])
    yield Comparison("prediction by eq. 4.4", max(joint, key=lambda group: joint[group]), str(model.predict([day])[0]))

    figure, ax = panels(size=(8, 4))
    theta = np.exp(model.feature_log_prob_)
    for k, group in enumerate(model.classes_):
        ax.bar(np.arange(8) + 0.4 * k - 0.2, theta[k], 0.38, color=colour(k), hatch=["", "///"][k], edgecolor="black",
               label=str(group))  # fmt: skip
    ax.set_xticks(range(8), POSSIBLE, fontsize="small")
    label(ax, "Share of each possibility in the sessions (V volatility, L volume, I index)", y="estimate of θ",
          legend="next day")  # fmt: skip
    yield Picture("shares", figure, "Estimated shares of the eight possibilities in the two classes of days.")
