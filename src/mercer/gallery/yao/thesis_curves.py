"""The methods of the thesis fold by fold: ROC and precision-recall curves.

    a third of the rows trains · a third chooses costs, widths and the members of ensembles · a third tests; rotated

The thesis has the up-selling table of KDD Cup 2009, of which 7 % are positive; here it is who leaves a phone company,
27 %. Numbers are cut into 20 levels for the similarities; the RBF kernel and the forest see them as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

import mercer
from mercer.encode import Bins, Chain, Impute, OneHot, ZScore
from mercer.gallery import Picture, label, panels, tables
from mercer.gallery.yao.ensemble_selection import KINDS, by_hand
from mercer.kernels import RBF

PASSAGE = "chapter 4, Figures 4.1 to 4.3"
PLACE = 4
NEEDS = (tables.TELCO,)
COSTS, WIDTHS = (0.1, 0.3, 1.0, 3.0), (2.0**-6, 2.0**-8, 2.0**-10)
SHOWN = {"RBF": ":", "Lin": "--", "ensemble on AUC": "-", "ensemble on AP": "-", "random forest": "-."}


def tested(levels: Any, numbers: Any, y: Any, train: Any, choose: Any, test: Any) -> dict[str, Any]:
    """Probabilities of each method for the rows that test."""

    def predicted(model: Any, X: Any) -> Any:
        fitted = model.fit(X.take(train), y[train])
        return [fitted.predict_proba(X.take(rows))[:, 1] for rows in (choose, test)]

    found, library = {}, []
    for kind in (RBF, *KINDS):
        kernels = [RBF(gamma=width) for width in WIDTHS] if kind is RBF else [kind()]
        machines = [mercer.SVC(kernel=k, C=cost, probability="sigmoid") for k in kernels for cost in COSTS]
        tried = [predicted(machine, numbers if kind is RBF else levels) for machine in machines]
        found[kind.__name__] = max(tried, key=lambda two: roc_auc_score(y[choose], two[0]))[1]
        library += [] if kind is RBF else tried
    for name, score in (("AUC", roc_auc_score), ("AP", average_precision_score)):
        members, _ = by_hand(np.array([two[0] for two in library]), y[choose], 3, score)
        found[f"ensemble on {name}"] = np.mean([library[m][1] for m in members], axis=0)
    found["random forest"] = predicted(mercer.RandomForestClassifier(200, random_state=0), numbers)[1]
    return found


def folds(table: Any) -> list[tuple[Any, dict[str, Any]]]:
    """Of each rotation: which of the rows that test are positive, and the probabilities of each method."""
    y, filled = table.column("Churn") == "Yes", Impute("median", "level").fit_transform(table.drop(["Churn"]))
    levels, numbers = Bins(20).fit_transform(filled), Chain([("d", OneHot()), ("z", ZScore())]).fit_transform(filled)
    parts = np.array_split(np.random.default_rng(0).permutation(len(y)), 3)
    return [(y[parts[r - 1]], tested(levels, numbers, y, *parts[r:], *parts[:r])) for r in range(3)]


def run(table: Any) -> Iterator[Picture]:
    figure, axes = panels(2, 3, (14, 8.4))
    for r, ((y, found), (above, below)) in enumerate(zip(folds(table), axes.T, strict=True)):
        for name, line in SHOWN.items():
            false, true, _ = roc_curve(y, found[name])
            above.plot(false, true, line, label=f"{name}: {roc_auc_score(y, found[name]):.3f}")
            precision, recall, _ = precision_recall_curve(y, found[name])
            below.plot(recall, precision, line, label=f"{name}: {average_precision_score(y, found[name]):.3f}")
        label(above, f"ROC, fold {r + 1}", "false positive rate", "true positive rate", legend="AUC")
        label(below, f"Precision and recall, fold {r + 1}", "recall", "precision", legend="AP")
    yield Picture("curves", figure, "Curves of five methods in three folds: the kernels and the ensembles can hardly "
                  "be told apart, the forest is below them for the most part.")  # fmt: skip
