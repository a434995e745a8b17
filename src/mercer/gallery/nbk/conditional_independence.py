"""John, Mary and the alarm: dependent, but independent given the alarm.

    P(M | A, J) = P(M | A)      while      P(M | J) ≠ P(M)

Both neighbours call when they hear the alarm, and do not talk to each other. A call of John makes a call of Mary more
probable, as the alarm has probably gone off; once that is known, John's call adds nothing. It is the assumption of
naive Bayes, with the alarm as the class. And it is cheap: 2k − 2 numbers in place of k².
"""

from __future__ import annotations

from collections.abc import Iterator

import mercer
from mercer.gallery import Comparison, Picture, colour, label, panels

PASSAGE = "conditional independence"
PLACE = 2
ALARM, JOHN, MARY = 0.01, (0.9, 0.05), (0.7, 0.01)  # ours: P(alarm), P(John calls | alarm, none), the same of Mary


def run() -> Iterator[Comparison | Picture]:
    for k, printed in ((2, ("4", "2")), (10, ("100", "18")), (100, ("10000", "198"))):
        yield Comparison(f"numbers in a joint table, k = {k}", printed[0], k**2)
        yield Comparison(f"numbers if independent, k = {k}", printed[1], 2 * k - 2)

    def mary(alarm: float) -> float:  # by total probability
        return alarm * MARY[0] + (1 - alarm) * MARY[1]

    heard = mercer.posterior(ALARM, JOHN)  # P(alarm | John calls)
    yield Comparison("P(Mary | John) = P(Mary)", "no", abs(mary(heard) - mary(ALARM)) < 1e-6)

    # A table of 100,000 days with these probabilities, as weights of its eight kinds of days.
    kinds = [(a, j, m) for a in (1, 0) for j in (1, 0) for m in (1, 0)]
    side = {1: 0, 0: 1}
    weights = [(ALARM if a else 1 - ALARM) * (JOHN[side[a]] if j else 1 - JOHN[side[a]])
               * (MARY[side[a]] if m else 1 - MARY[side[a]]) * 100_000 for a, j, m in kinds]  # fmt: skip
    calls = {"John": [str(j) for _, j, _ in kinds], "Mary": [str(m) for *_, m in kinds]}
    model = mercer.NaiveBayes(smoothing="none").fit(calls, [a for a, *_ in kinds], sample_weight=weights)
    yield Comparison("P(Mary | alarm, John) = P(Mary | alarm)", MARY[0], model.tables().value("Mary", "1", "1"))
    both = mercer.posterior(ALARM, JOHN, MARY)
    ours = model.predict_proba({"John": ["1"], "Mary": ["1"]})[0, 1]
    yield Comparison("P(alarm | both call): Bayes' rule twice, and naive Bayes", both, ours)

    figure, ax = panels(size=(6.4, 3.8))
    bars = {
        "P(Mary)": mary(ALARM),
        "P(Mary | John)": mary(heard),
        "P(Mary | alarm)": MARY[0],
            "P(Mary | alarm, John)": MARY[0]}  # fmt: skip
    shades = [colour(0), colour(0), colour(1), colour(1)]
    drawn = ax.barh(list(bars), list(bars.values()), color=shades, edgecolor="black")
    ax.bar_label(drawn, fmt="%.3f", padding=3)
    ax.invert_yaxis()
    ax.set_xlim(0, 0.8)
    label(ax, "John's call tells something about Mary's, until the alarm is known", "probability")
    yield Picture("calls", figure, "Probability that Mary calls: higher once John has called, and the same with or "
                  "without his call once the alarm is known.")  # fmt: skip
