"""Words and numbers side by side in naive Bayes.

    P(Z | F, G) ∝ P(Z) · ∏ⱼ P(Fⱼ | Z) · ∏ⱼ N(Gⱼ; μ_Zj, σ²_Zj)

A table may hold categories and numbers: each column has the likelihood that suits it, and they are multiplied, or their
logarithms added. A word from several sources is as many columns, "news:growth" and "analysts:growth".
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import norm

import mercer
from mercer.gallery import Comparison, Picture, panels

PASSAGE = "section 4.1, features of mixed types"
PLACE = 4


def run() -> Iterator[Comparison | Picture]:
    random = np.random.default_rng(5)  # our own days
    rise = random.random(300) < 0.6
    days = {"news:growth": np.where(random.random(300) < np.where(rise, 0.5, 0.2), "yes", "no"),
            "analysts:growth": np.where(random.random(300) < np.where(rise, 0.4, 0.3), "yes", "no"),
            "volatility": random.normal(np.where(rise, 15, 20), np.where(rise, 2, 5))}  # fmt: skip
    label_of = np.where(rise, "rise", "no rise")
    model = mercer.NaiveBayes(smoothing="none").fit(days, label_of)

    day = {"news:growth": ["yes"], "analysts:growth": ["no"], "volatility": [18.0]}
    logs = []
    for z in (False, True):
        words = [np.mean(days[name][rise == z] == day[name][0]) for name in ("news:growth", "analysts:growth")]
        numbers = days["volatility"][rise == z]
        density = norm.pdf(18.0, numbers.mean(), numbers.std(ddof=1))
        logs.append(np.log(np.mean(rise == z)) + np.log(words).sum() + np.log(density))
    ours = model.predict_joint_log_proba(day)[0]
    yield Comparison("sum of logarithms, no rise", logs[0], ours[0])
    yield Comparison("sum of logarithms, rise", logs[1], ours[1])
    yield Comparison("class by the largest sum", ["no rise", "rise"][int(np.argmax(logs))], str(model.predict(day)[0]))

    figure, (left, middle, right) = panels(1, 3, (15, 4))
    mercer.plot.likelihood_table(model, "news:growth", ax=left)
    mercer.plot.likelihood_table(model, "volatility", ax=middle)
    mercer.plot.bayes_product(model, day, ax=right)
    yield Picture("columns", figure, "Left: how often the news say growth, by class. Middle: densities of the "
                  "volatility. Right: the factors of one day and their product.")  # fmt: skip
