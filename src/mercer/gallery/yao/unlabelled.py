"""What the frequencies of unlabelled rows add to similarities of levels.

    p̂_k(x) = f_k(x) / N,   counted in the labelled rows alone, or in the labelled and the unlabelled rows together

A similarity by frequency needs no labels, so the thesis counts levels in training and test rows alike and expects a
better estimate of how alike rows are. Here a few mushrooms are labelled, edible or poisonous, the others not: the gain
is the accuracy on 1,000 further rows with all frequencies, less that with those of the labelled rows, in 50 draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels, tables
from mercer.kernels import IOF, OF, Goodall1, Goodall2, Goodall3, Goodall4, Lin, Overlap

PASSAGE = "section 3.3"
PLACE = 3
NEEDS = (tables.MUSHROOM,)
KINDS = (Overlap, IOF, OF, Lin, Goodall1, Goodall2, Goodall3, Goodall4)
LABELLED, DRAWS = (10, 20, 40, 80), 50


def gain(kind: Any, X: Any, y: Any, labelled: int, seed: int) -> float:
    rows = np.random.default_rng(seed).permutation(len(y))
    train, test, others = rows[:labelled], rows[labelled : labelled + 1000], rows[labelled + 1000 :]
    accuracy = [
        mercer.SVC(kernel=kind(), C=10).fit(X.take(train), y[train], unlabelled=more).score(X.take(test), y[test])
        for more in (None, X.take(others))
    ]
    return accuracy[1] - accuracy[0]


def run(table: Any) -> Iterator[Comparison | Picture]:
    X, y = table.drop(["column_1"]), table.column("column_1")
    gains = {kind.__name__: np.array([[gain(kind, X, y, n, seed) for seed in range(DRAWS)] for n in LABELLED])
             for kind in KINDS}  # fmt: skip
    yield Comparison("Overlap, which counts nothing: largest gain or loss", 0.0, np.abs(gains["Overlap"]).max())
    for name, values in list(gains.items())[1:]:
        why = f"its mean gain is {100 * values.mean():.2f} points" if name != "IOF" else ""
        what = f"{name}: gains half a point of accuracy or more, on average"
        yield Comparison(what, "yes", values.mean() >= 0.005, differs=why)

    figure, ax = panels(size=(7.5, 4.6))
    for k, (name, values) in enumerate(list(gains.items())[1:]):
        error = 2 * values.std(axis=1, ddof=1) / np.sqrt(DRAWS)
        places = np.arange(len(LABELLED)) + 0.09 * (k - 3)
        ax.errorbar(places, 100 * values.mean(axis=1), 100 * error, fmt="osD^vPX"[k], capsize=2, label=name)
    ax.axhline(0, color="#707070", linewidth=1)
    ax.set_xticks(range(len(LABELLED)), [str(n) for n in LABELLED])
    label(ax, "Gain by frequencies of unlabelled rows", "labelled rows", "points of accuracy, ± 2 standard errors",
          legend=True)  # fmt: skip
    yield Picture("gains", figure, "Mean gain of each measure with 10 to 80 labelled rows: IOF, which counts rows and "
                  "not shares of them, gains one to two points; no other gains half a point.")  # fmt: skip
