"""One and fifteen nearest neighbours: a ragged border and a smooth one.

    f(x) = majority of the classes of the k points nearest to x

With one neighbour each training point owns the region nearest to it (a Voronoi diagram): there is no error on the
training points, and islands around the odd ones. With fifteen the border is smooth, and new points fare better. The
text shows a textbook's figures of 200 points; these are drawn in the same way, ten centres for each class.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels

PASSAGE = "nearest neighbour classification, figures of 1-NN and 15-NN"
PLACE = 8


def run() -> Iterator[Comparison | Picture]:
    random = np.random.default_rng(8)
    centres = np.vstack([random.normal(middle, 1, (10, 2)) for middle in ((1, 0), (0, 1))])

    def points(n: int) -> tuple[np.ndarray, np.ndarray]:
        which = np.concatenate([random.integers(0, 10, n), random.integers(10, 20, n)])
        return centres[which] + random.normal(0, np.sqrt(0.2), (2 * n, 2)), np.repeat(["blue", "orange"], n)

    (X, y), (new, truth) = points(100), points(5000)
    models = {k: mercer.KNeighborsClassifier(k).fit(X, y) for k in (1, 15)}
    yield Comparison("errors of 1-NN on its own points", "0", int((models[1].predict(X) != y).sum()))
    yield Comparison("15-NN errs on its own points", "yes", models[15].score(X, y) < 1)
    yield Comparison("15-NN is better on new points", "yes", models[15].score(new, truth) > models[1].score(new, truth))

    distance, index = models[15].kneighbors(new[:1])
    weighted = mercer.KNeighborsClassifier(15, weights=lambda d: 1 / d**2).fit(X, y)
    votes = 1 / distance[0] ** 2
    by_hand = float(votes[y[index[0]] == "orange"].sum() / votes.sum())
    yield Comparison("P(orange) of a point, votes weighted by 1 / d²", by_hand, weighted.predict_proba(new[:1])[0, 1])

    figure, axes = panels(1, 2, (11, 4.8))
    for ax, (k, model) in zip(axes, models.items(), strict=True):
        mercer.plot.decision_regions(model, X, y, ax=ax)
        ax.set_title(f"{k}-NN: {model.score(X, y):.2f} on its points, {model.score(new, truth):.2f} on new ones",
                     loc="left", fontsize="medium")  # fmt: skip
    yield Picture("regions", figure, "Regions of 1-NN with many islands, and of 15-NN with a smooth border, on the "
                  "same 200 points.")  # fmt: skip
