"""Meningitis and a stiff neck.

    P(M | S) = P(S | M) P(M) / P(S)

Meningitis stiffens the neck in half of the cases, yet a stiff neck hardly speaks for it: the disease is so rare that
nearly every stiff neck has another cause. The picture shows how rare it must not be for the neck to matter.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, colour, label, panels

PASSAGE = "example of Bayes' theorem"
PLACE = 3


def run() -> Iterator[Comparison | Picture]:
    yield Comparison("P(meningitis | stiff neck)", "0.0002", mercer.posterior(1 / 50_000, 0.5, evidence=1 / 20))

    # Without the disease, a neck is stiff for other reasons: P(S | not M), from P(S) by total probability.
    other = (1 / 20 - 0.5 / 50_000) / (1 - 1 / 50_000)
    prior = np.logspace(-5, -0.3, 200)
    figure, ax = panels()
    ax.plot(prior, [mercer.posterior(p, (0.5, other)) for p in prior], linewidth=2)
    ax.plot(1 / 50_000, 0.0002, "o", color=colour(3), label="the text: 1 patient in 50,000")
    ax.plot(prior, prior, ":", color="#707070", label="no evidence: posterior = prior")
    ax.set(xscale="log", yscale="log")
    label(ax, "A stiff neck makes meningitis ten times as probable, and no more", "P(M) before the neck is seen",
          "P(M | stiff neck)", legend=True)  # fmt: skip
    yield Picture("posterior", figure, "Posterior against prior probability of meningitis: ten times the prior while "
                  "the disease is rare, with the text's case at the lower left.")  # fmt: skip
