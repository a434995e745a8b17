"""Similarity kernels, ensembles of them and a forest, in the layout of the thesis.

    AUC, AP and positive accuracy (the share of the positive rows that are called so, at a probability of one half)

The methods and folds are those of the curves, on another table than the thesis has: its figures cannot come out, but
its order of methods may. How far the folds are apart tells what a difference between methods is worth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from mercer.gallery import Comparison, Picture, label, panels, tables
from mercer.gallery.yao.thesis_curves import folds

PASSAGE = "chapter 4, Tables 4.3 to 4.6"
PLACE = 5
NEEDS = (tables.TELCO,)
PRINTED = {"RBF": ("0.7793", "0.3571", "0.2293"), "Lin": ("0.8169", "0.4222", "0.4021"),
           "ensemble on AUC": ("0.8281", "0.4235", "0.6563"), "ensemble on AP": ("0.8218", "0.44402", "0.7433"),
           "random forest": ("0.8380", "0.4303", "0.6022")}  # fmt: skip
MEASURES = ("AUC", "AP", "positive accuracy")
WHY = "another table: the thesis has up-selling of KDD Cup 2009"


def run(table: Any) -> Iterator[Comparison | Picture]:
    rotated = folds(table)
    scores = {name: np.array([[roc_auc_score(y, found[name]), average_precision_score(y, found[name]),
                               (found[name][y] > 0.5).mean()] for y, found in rotated])
              for name in rotated[0][1]}  # fmt: skip
    means = {name: values.mean(axis=0) for name, values in scores.items()}
    for name, figures in PRINTED.items():
        for k, what in enumerate(MEASURES):
            yield Comparison(f"{name}: {what}, mean of three folds", figures[k], means[name][k], differs=WHY)
    for k, better, worse in ((0, "Lin", "RBF"), (0, "ensemble on AUC", "Lin"), (1, "ensemble on AP", "Lin")):
        yield Comparison(f"{better} is above {worse} by {MEASURES[k]}", "yes", means[better][k] > means[worse][k])
    above = means["random forest"][0] > means["ensemble on AUC"][0]
    yield Comparison("random forest is above ensemble on AUC by AUC", "yes", above, differs=WHY)

    figure, axes = panels(1, 3, (14, 4.6))
    for k, ax in enumerate(axes):
        for r, mark in enumerate("osD"):
            ax.plot([values[r, k] for values in scores.values()], list(scores), mark, label=f"fold {r + 1}")
        ax.invert_yaxis()
        label(ax, MEASURES[k], f"{MEASURES[k]} on the test third", legend=k == 2)
    yield Picture("methods", figure, "AUC, AP and positive accuracy of twelve methods in three folds: the folds differ "
                  "by more than the methods; Goodall4 and the forest are behind by AUC and AP.")  # fmt: skip
