"""Credit-card fraud: how many neighbours to ask.

    P(fraud | x) = share of frauds among the k training rows nearest to x

With few neighbours the answer is unstable, with many it takes in rows of the other class. The text finds that accuracy
and area under the ROC curve rise from k = 3 to k = 5 and fall after that, in its one draw of rows. Over 100 draws the
accuracy does fall with k; the area does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

import mercer
from mercer.gallery import Comparison, Picture, label, panels, tables
from mercer.gallery.lim.fraud import draw

PASSAGE = "section 4.5, k-nearest neighbours"
PLACE = 14
NEEDS = (tables.FRAUD,)
K = (1, 3, 5, 7, 9, 11, 15, 21, 31)


def run(table: Any) -> Iterator[Comparison | Picture]:
    accuracy, area = np.empty((100, len(K))), np.empty((100, len(K)))
    for seed in range(100):
        train, test, y, truth = draw(table, seed)
        for j, k in enumerate(K):
            share = mercer.KNeighborsClassifier(k).fit(train, y).predict_proba(test)[:, 1]
            accuracy[seed, j] = ((share > 0.5) == truth).mean()
            area[seed, j] = roc_auc_score(truth, share)
    for name, values, why in (
        ("accuracy", accuracy, "k = 3 and k = 5 are 0.001 apart over 100 draws; the text has one"),
        ("area under the ROC curve", area, "over 100 draws the area still rises at k = 31; the text has one draw"),
    ):
        mean = values.mean(axis=0)
        yield Comparison(f"k with the best {name}", "5", str(K[int(mean.argmax())]), differs=why)
    yield Comparison("the area rises from k = 3 to k = 5", "yes", area[:, 2].mean() > area[:, 1].mean())
    yield Comparison("the accuracy falls from k = 5 on", "yes", accuracy[:, -1].mean() < accuracy[:, 2].mean())
    figure, axes = panels(1, 2, (11, 4))
    for ax, values, name in zip(axes, (accuracy, area), ("accuracy", "area under the ROC curve"), strict=True):
        ax.fill_between(K, *np.quantile(values, (0.05, 0.95), axis=0), alpha=0.18)
        ax.plot(K, values.mean(axis=0), "o-")
        ax.set_xticks(K)
        label(ax, f"{name}: mean and middle 90 % of 100 draws", "neighbours k", f"{name} on the test rows")
    yield Picture("path", figure, "Accuracy and area under the ROC curve against the number of neighbours: the "
                  "accuracy is best at 3 to 5 neighbours, the area rises with more of them.")  # fmt: skip
