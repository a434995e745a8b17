"""Credit-card fraud: confusion matrices, precision, recall and ROC curves.

    precision = TP / (TP + FP)        recall = TP / (TP + FN)

Of what is called fraud, how much is fraud; of the frauds, how many are caught. A linear support vector machine catches
more of them than naive Bayes or 3-NN, with fewer false alarms. The figures are over 100 draws of the legitimate rows,
the pictures of one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import precision_score, recall_score

import mercer
from mercer.gallery import Comparison, Draws, Picture, label, panels, tables
from mercer.gallery.lim.fraud import draw

PASSAGE = "section 4.5, confusion matrices and classification reports"
PLACE = 13
NEEDS = (tables.FRAUD,)
MODELS: dict[str, Any] = {
    "naive Bayes": mercer.GaussianNB(),
    "3-NN": mercer.KNeighborsClassifier(3),
    "linear SVM": mercer.SVC(kernel="linear"),
}
PRINTED = {"naive Bayes": ("0.94", "0.88"), "3-NN": ("0.95", "0.89"), "linear SVM": ("0.99", "0.94")}


def named(train: Any, test: Any, y: Any, truth: Any) -> tuple[Any, ...]:
    return train, test, np.where(y, "fraud", "legitimate"), np.where(truth, "fraud", "legitimate")


def run(table: Any) -> Iterator[Comparison | Picture]:
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in MODELS}
    for seed in range(100):
        train, test, y, truth = named(*draw(table, seed))
        for name, model in MODELS.items():
            predicted = model.fit(train, y).predict(test)
            scores = (score(truth, predicted, pos_label="fraud") for score in (precision_score, recall_score))
            found[name].append(tuple(scores))
    for name, (precision, recall) in PRINTED.items():
        values = np.array(found[name])
        yield Comparison(f"{name}: precision of fraud", precision, Draws(values[:, 0]))
        yield Comparison(f"{name}: recall of fraud", recall, Draws(values[:, 1]))

    train, test, y, truth = named(*draw(table, 0))
    figure, axes = panels(1, 3, (12, 3.8))
    for ax, (name, model) in zip(axes, MODELS.items(), strict=True):
        mercer.plot.confusion_matrix(model.fit(train, y), test, truth, ax=ax)
        ax.set_title(name, loc="left", fontsize="medium")
    yield Picture("confusion", figure, "Confusion matrices of naive Bayes, 3-NN and the linear support vector machine "
                  "on the 197 test rows of one draw: frauds that are missed are more than false alarms.")  # fmt: skip
    figure, axes = panels(1, 3, (12, 4))
    for ax, (name, model) in zip(axes, MODELS.items(), strict=True):
        mercer.plot.roc_curve(model, test, truth, label="fraud", ax=ax)
        label(ax, name, "false alarms, share of legitimate rows", "share of frauds caught", legend=True)
    yield Picture("roc", figure, "ROC curves of the same models with bootstrap bands: all rise steeply, as most "
                  "frauds stand far from the legitimate rows.")  # fmt: skip
