"""Three species by machines for two classes: pairs, rests and output codes.

    one against one:       K (K − 1)/2 machines, and a vote
    one against the rest:  K machines, and the largest f(x)
    output codes:          9 machines, a bit each, and the nearest word

Sepal and petal length of 150 irises, SVM with its defaults, trained on and asked about all of them. The width
γ = 1/(columns × variance) is learned by each machine for its own rows: that is why the pairs differ from the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

import mercer
from mercer.gallery import Comparison, Picture, label, panels
from mercer.gallery.small_tables import lengths_of_iris

PASSAGE = "Example 2"
PLACE = 6

PRINTED = {"one against one": (3, 3), "one against the rest": (2, 4), "output codes of 9 bits": (2, 4)}

REPORT = {"precision": ("1.00", "0.92", "0.96"), "recall": ("1.00", "0.96", "0.92"), "F1": ("1.00", "0.94", "0.94")}


def run() -> Iterator[Comparison | Picture]:
    X, y = lengths_of_iris()
    models = dict(zip(PRINTED, (mercer.OneVsOne(mercer.SVC()), mercer.OneVsRest(mercer.SVC()),
                                mercer.OutputCode(mercer.SVC(), length=9)), strict=True))  # fmt: skip
    for name, model in models.items():
        table = confusion_matrix(y, model.fit(X, y).predict(X))
        versicolor, virginica = PRINTED[name]
        yield Comparison(f"{name}: versicolor taken for virginica", str(versicolor), int(table[1, 2]))
        yield Comparison(f"{name}: virginica taken for versicolor", str(virginica), int(table[2, 1]))
        yield Comparison(f"{name}: errors with setosa", "0", int(table[0, 1:].sum() + table[1:, 0].sum()))

    guess = models["output codes of 9 bits"].predict(X)
    report = dict(zip(("precision", "recall", "F1"), precision_recall_fscore_support(y, guess)[:3], strict=True))
    for what, values in report.items():
        for kind, printed, value in zip(np.unique(y), REPORT[what], values, strict=True):
            yield Comparison(f"{what} of {kind}", printed, value)
        yield Comparison(f"{what}, mean of the classes", "0.96", values.mean())
    yield Comparison("accuracy", "0.96", float((guess == y).mean()))

    figure, axes = panels(1, 3, (14, 4.4))
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        mercer.plot.decision_regions(model, X, y, ax=ax)
        label(ax, f"{name}: {int((model.predict(X) != y).sum())} errors", "sepal length (cm)", "petal length (cm)")
    yield Picture("regions", figure, "What the three strategies make of the plane: they differ where versicolor and "
                  "virginica meet.")  # fmt: skip
