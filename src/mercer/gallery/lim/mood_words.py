"""Mood words of a day, and whether the index rises on the next.

    P(Z | F₁ … Fₙ) ∝ P(Z) · ∏ P(Fⱼ | Z),    P(Fⱼ | Z) = (days of class Z with word j + α) / (days of class Z + α L)

Of 700 days 500 were followed by a rise. "optimistic" was in the reports of 200 of those and of 4 of the others,
"growth" of 100 and 10; "boom" of 2 of the others. The text multiplies over the words that occur; a word that does not
is a cell left empty here, which naive Bayes skips. L is the number of values a word column has: it occurs, or it does
not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels
from mercer.likelihoods import Alpha

PASSAGE = "section 4.1, eq. 4.1 and 4.2"
PLACE = 2
DAYS = {"optimistic": (200, 4), "growth": (100, 10), "boom": (60, 2)}  # with a rise, without; 60 is ours
SLIP = "the denominator 200 + 100 α counts the words of the dictionary; P and 1 - P of one word add up with 200 + 2 α"


def run() -> Iterator[Comparison | Picture]:
    rise = ["rise"] * 500 + ["no rise"] * 200
    days = {word: ["yes"] * up + ["no"] * (500 - up) + ["yes"] * down + ["no"] * (200 - down)
            for word, (up, down) in DAYS.items()}  # fmt: skip
    model = mercer.NaiveBayes(smoothing="none").fit(days, rise)
    tables = model.tables()
    yield Comparison("P(optimistic | rise)", "0.4", tables.value("optimistic", "yes", "rise"), 1e-9)
    yield Comparison("P(growth | rise)", "0.2", tables.value("growth", "yes", "rise"), 1e-9)
    yield Comparison("P(optimistic | no rise)", "0.02", tables.value("optimistic", "yes", "no rise"), 1e-9)
    yield Comparison("P(growth | no rise)", "0.05", tables.value("growth", "yes", "no rise"), 1e-9)

    day = {"optimistic": ["yes"], "growth": ["yes"], "boom": [None]}
    up, down = 0.4 * 0.2 * 500 / 700, 0.02 * 0.05 * 200 / 700
    yield Comparison("P(rise | optimistic, growth), by eq. 4.1", up / (up + down), model.predict_proba(day)[0, 1])
    yield Comparison("prediction by eq. 4.2", "rise", str(model.predict(day)[0]))

    smoothed = mercer.NaiveBayes(smoothing=Alpha(1.0)).fit(days, rise).tables()
    text = (2 + 1) / (200 + 1 * 100)
    yield Comparison("P(boom | no rise), α = 1", text, smoothed.value("boom", "yes", "no rise"), slip=SLIP)

    alphas = np.linspace(0, 5, 30)
    figure, (left, right) = panels(1, 2, (10.5, 4))
    mercer.plot.likelihood_table(model, "optimistic", ax=left)
    right.plot(alphas, (2 + alphas) / (200 + 2 * alphas), label="two values of a word (mercer)")
    right.plot(alphas, (2 + alphas) / (200 + 100 * alphas), "--", label="100 words (the text)")
    label(right, "Smoothing of P(boom | no rise): 2 days of 200", "α", "estimate", legend=True)
    yield Picture("words", figure, "Left: how often a day's reports are optimistic, by what the index did next. "
                  "Right: the estimate for a rare word grows with α; with the text's denominator it "
                  "stays, as 2 of 200 is 1 of 100.")  # fmt: skip
