"""Ensemble selection: add the model that makes the mean best, until none does.

    M ← the N best models by themselves;   repeat  M ← M ∪ {i},  i = arg max score((Σ_{m∈M} f_m + f_i) / (|M| + 1))
    F(y | x) = Σ_{m∈M} f_m(y | x) / |M|

The library is eight similarity kernels of levels times two costs; the task is to tell the sex of penguins. The rows
that select are out of fold here, so that every row may train and select; the thesis keeps a third of them for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

import mercer
from mercer.gallery import Comparison, Picture, label, panels
from mercer.kernels import IOF, OF, Goodall1, Goodall2, Goodall3, Goodall4, Lin, Overlap

PASSAGE = "section 3.2, Algorithm 3.1"
PLACE = 2
KINDS = (Overlap, IOF, OF, Lin, Goodall1, Goodall2, Goodall3, Goodall4)
SELECTIONS = {"from the best model": mercer.Forward(best_of_trajectory=False),
              "from the three best": mercer.Forward(start=3, best_of_trajectory=False),
              "from the three best, 30 steps": mercer.Forward(start=3, steps=30)}  # fmt: skip


def penguins() -> tuple[Any, Any]:
    """Species, island, and three numbers as one of five intervals with as many rows each; whether male."""
    table = mercer.load_penguins()
    table = table.take(~table.missing("Sex"))
    X = table.select(["Species", "Island", "Culmen Length (mm)", "Flipper Length (mm)", "Body Mass (g)"])
    return mercer.encode.Bins(5).fit_transform(X), table.column("Sex") == "MALE"


def by_hand(predictions: Any, y: Any, start: int, score: Any = roc_auc_score) -> tuple[list[int], list[float]]:
    """The models in the mean, and its score after each step of the algorithm."""
    members = [int(m) for m in np.argsort([-score(y, predicted) for predicted in predictions])[:start]]
    scores = [score(y, predictions[members].mean(axis=0))]
    while True:
        tried = [score(y, predictions[[*members, i]].mean(axis=0)) for i in range(len(predictions))]
        if max(tried) <= scores[-1]:
            return members, scores
        members.append(int(np.argmax(tried)))
        scores.append(max(tried))


def run() -> Iterator[Comparison | Picture]:
    X, male = penguins()
    models = [(f"{kind.__name__}, C={cost:g}", mercer.SVC(kernel=kind(), C=cost, probability="sigmoid"))
              for kind in KINDS for cost in (0.1, 10)]  # fmt: skip
    library = mercer.ModelLibrary(models, cv=3).fit(X, male)
    predictions = library.predictions_[:, :, 1]
    best = max(roc_auc_score(male, predicted) for predicted in predictions)
    figure, axes = panels(1, 3, (14, 4.2))
    for ax, (name, forward) in zip(axes, SELECTIONS.items(), strict=True):
        found = mercer.EnsembleSelection(library, metric="roc_auc", combiner=forward).fit(X, male)
        if not forward.best_of_trajectory:
            _, steps = by_hand(predictions, male, forward.start)
            yield Comparison(f"{name}: steps of the algorithm", str(len(steps)), found.trajectory_.shape[1])
            yield Comparison(f"{name}: AUC at its end", steps[-1], found.score_)
        yield Comparison(f"{name}: on these rows no worse than the best model", "yes", found.score_ >= best)
        mercer.plot.ensemble_trajectory(found, ax=ax)
        ax.set_ylim(0.806, 0.823)
        label(ax, name, "step", "AUC, out of fold")
    yield Picture("trajectories", figure, "AUC after each step: the algorithm ends at the first step that brings "
                  "nothing; thirty steps may go down and up again, and the best of them is taken.")  # fmt: skip
