"""Gaussian naive Bayes, and what its variances assume.

    P(Z | G) ∝ P(Z) · ∏ⱼ N(Gⱼ; μ_Zj, σ²_Zj)

Volatility, traded volume and yesterday's change are numbers, so each gets a normal density in each class. The variances
may belong to the class, or be shared by the classes ("pooled"), which makes the boundary a straight line. The text also
lets the means be shared: then the columns say nothing, and only P(Z) is left.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import norm

import mercer
from mercer.gallery import Comparison, Picture, panels

PASSAGE = "section 4.1, eq. 4.3"
PLACE = 3


def run() -> Iterator[Comparison | Picture]:
    random = np.random.default_rng(3)  # our own numbers: 120 days before a rise, 80 others
    rise = np.repeat([1, 0], (120, 80))
    days = {"volatility": np.where(rise, random.normal(15, 2, 200), random.normal(20, 5, 200)),
            "volume": np.where(rise, random.normal(52, 6, 200), random.normal(47, 9, 200)),
            "change": np.where(rise, random.normal(0.2, 1, 200), random.normal(-0.2, 1.3, 200))}  # fmt: skip
    model = mercer.NaiveBayes(variance="class", ddof=1).fit(days, rise)

    day = {"volatility": [18.0], "volume": [50.0], "change": [0.5]}
    by_hand = np.array([
        np.mean(rise == z)
        * np.prod([norm.pdf(day[c][0], v[rise == z].mean(), v[rise == z].std(ddof=1)) for c, v in days.items()])
        for z in (0, 1)
    ])  # fmt: skip
    joint = np.exp(model.predict_joint_log_proba(day)[0])
    yield Comparison("right side of eq. 4.3, Z = 0", by_hand[0], joint[0])
    yield Comparison("right side of eq. 4.3, Z = 1", by_hand[1], joint[1])
    yield Comparison("class by eq. 4.3", str(by_hand.argmax()), str(model.predict(day)[0]))
    scaled = {name: (v - v.mean()) / v.std() for name, v in days.items()}
    same = (mercer.NaiveBayes().fit(scaled, rise).predict(scaled) == model.predict(days)).all()
    yield Comparison("standardising first changes no prediction", "yes", same)

    two = {name: days[name] for name in ("volatility", "volume")}
    figure, axes = panels(1, 3, (14, 4.4))
    for ax, variance in zip(axes, ("class", "pooled", "global"), strict=True):
        shown = mercer.NaiveBayes(variance=variance).fit(two, rise)
        mercer.plot.decision_regions(shown, two, rise, ax=ax)
        ax.set_title(f"variance = {variance!r}", loc="left", fontsize="medium")
    yield Picture("variances", figure, "Regions of the two classes with a variance for each class, one within "
                  "classes, and one over all rows: curved in the first, straight in the others.")  # fmt: skip
