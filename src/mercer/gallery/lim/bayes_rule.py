"""Balls in a bag, and a medical test.

    P(Z | Y) = P(Y | Z) P(Z) / [P(Y | Z) P(Z) + P(Y | Zᶜ) P(Zᶜ)]

A bag holds 30 blue, 30 red and 40 green balls; 10, 20 and 30 of them carry a black dot. A ball with a dot is then less
likely to be blue than before it was seen. A medical test is the same rule: its answer updates the prevalence, and a
second, independent test updates that.
"""

from __future__ import annotations

from collections.abc import Iterator

import mercer
from mercer.gallery import Comparison, Picture, label, panels

PASSAGE = "section 4.1"
PLACE = 1


def run() -> Iterator[Comparison | Picture]:
    bag = {"blue": 0.3, "red": 0.3, "green": 0.4}
    dotted = {"blue": 10 / 30, "red": 20 / 30, "green": 30 / 40}
    colour = mercer.posterior(bag, dotted)
    p_dot = colour.evidence[0]  # P(dot), by total probability
    yield Comparison("P(blue)", "0.3", bag["blue"], 1e-9)
    yield Comparison("P(dot)", "0.6", p_dot, 1e-9)
    yield Comparison("P(dot | blue) = P(dot and blue) / P(blue)", "1/3", colour["blue"] * p_dot / bag["blue"])

    # The text gives the test in letters; these are our numbers: 1 % ill, 95 % of them and 4 % of the others positive.
    prevalence, test = 0.01, (0.95, 0.04)
    by_hand = 0.95 * 0.01 / (0.95 * 0.01 + 0.04 * 0.99)
    yield Comparison("P(ill | positive), the text's formula", by_hand, mercer.posterior(prevalence, test))
    yield Comparison("P(ill | two positive tests): the posterior is the next prior",
                     mercer.posterior(by_hand, test), mercer.posterior(prevalence, test, test))  # fmt: skip

    figure, (left, right) = panels(1, 2, (10, 3.8))
    for k, (name, shade) in enumerate({"blue": "#0072B2", "red": "#D55E00", "green": "#009E73"}.items()):
        left.bar([k - 0.2, k + 0.2], [bag[name], colour[name]], width=0.36, color=shade, edgecolor="black",
                 hatch=["", "///"])  # fmt: skip
    left.set_xticks(range(3), list(bag))
    label(left, "Colour before (plain) and after a dot is seen (hatched)", y="Probability")
    steps = [mercer.posterior(prevalence, *[test] * n) if n else prevalence for n in range(5)]
    right.plot(range(5), steps, "o-", linewidth=2)
    for n, p in enumerate(steps):
        right.annotate(f"{p:.4f}", (n, p), xytext=(7, -11), textcoords="offset points", fontsize="small")
    right.set(xticks=range(5), xlim=(-0.2, 4.6), ylim=(-0.06, 1.08))
    label(right, "One positive test is weak evidence for a rare disease", "positive tests", "P(ill | tests)")
    yield Picture("posterior", figure, "Left: a dot makes blue less and green more probable. Right: the probability "
                  "of the disease after each positive test, from 1 % to nearly 1.")  # fmt: skip
