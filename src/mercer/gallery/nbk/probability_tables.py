"""Probability tables: joint, marginal, conditional.

    P(B) = Σ_a P(A = a, B)        P(A | B) = P(A, B) / P(B)        P(A | B) = P(B | A) P(A) / P(B)

A year of days by weather and temperature. Sums over a row or a column are written on the margin; a column divided by
its sum is a conditional distribution. Naive Bayes with one column is Bayes' rule on such a table.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels

PASSAGE = "probability basics"
PLACE = 1
WEATHER, DAYS = ("sunny", "cloudy", "rainy"), {"hot": (150, 40, 5), "cold": (50, 60, 60)}


def run() -> Iterator[Comparison | Picture]:
    rows = [(w, t) for t, counts in DAYS.items() for w, n in zip(WEATHER, counts, strict=True) for _ in range(n)]
    weather, temperature = ([row[k] for row in rows] for k in (0, 1))
    model = mercer.NaiveBayes(smoothing="none").fit({"weather": weather}, temperature)  # P(temp), P(weather | temp)
    tables = model.tables()
    prior = dict(zip(tables.classes, tables.prior, strict=True))

    def joint(w: str, t: str) -> float:  # multiplication rule
        return prior[t] * tables.value("weather", w, t)

    yield Comparison("P(hot, rainy)", "5/365", joint("rainy", "hot"))
    for w, printed in zip(WEATHER, ("200/365", "100/365", "65/365"), strict=True):
        yield Comparison(f"P({w}), summed over temperatures", printed, joint(w, "hot") + joint(w, "cold"))
    yield Comparison("P(hot), summed over the weather", "195/365", prior["hot"])
    yield Comparison("P(cold)", "170/365", prior["cold"])
    sunny = model.predict_proba({"weather": ["sunny"]})[0]
    yield Comparison("P(hot | sunny) = P(hot, sunny) / P(sunny)", 150 / 200, sunny[tables.classes.index("hot")])

    # A die: it rolled 1, given that it rolled an odd number.
    die = mercer.posterior(dict.fromkeys(range(1, 7), 1 / 6), {k: k % 2 for k in range(1, 7)})
    yield Comparison("P(rolled 1 | rolled odd)", "1/3", die[1])
    yield Comparison("P(rolled odd)", "0.5", die.evidence[0], 1e-9)

    table = np.array([[joint(w, t) for w in WEATHER] for t in DAYS])
    figure, (left, right) = panels(1, 2, (11, 3.8))
    for ax, shown, title in ((left, table, "joint: P(temperature, weather)"),
                             (right, table / table.sum(axis=0), "conditional: P(temperature | weather)")):  # fmt: skip
        ax.imshow(shown, cmap="cividis", vmin=0)
        for (i, j), p in np.ndenumerate(shown):
            ax.text(j, i, f"{p:.3f}", ha="center", va="center", color="white" if p < 0.5 * shown.max() else "black")
        ax.set_xticks(range(3), WEATHER)
        ax.set_yticks(range(2), list(DAYS))
        label(ax, title)
    yield Picture("tables", figure, "The joint table of weather and temperature, and each of its columns divided by "
                  "its sum.")  # fmt: skip
