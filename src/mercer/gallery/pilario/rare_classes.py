"""A rare class: fewer rows of the others, or more of its own.

    undersampling drops rows, oversampling repeats rows, SMOTE adds  x + u (x' − x),  u in [0, 1], x' a neighbour

All three move the border towards the frequent class: more of the rare rows are found, and more others are taken for
them. So does a weight on the class, without a changed row.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels

PASSAGE = "what about class imbalance?"
PLACE = 7


def clouds(n_rare: int, n_other: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = np.vstack([random.normal((1.6, 1.2), 0.8, (n_rare, 2)), random.normal((0, 0), 1.0, (n_other, 2))])
    return X, np.repeat(["rare", "other"], [n_rare, n_other])


def run() -> Iterator[Comparison | Picture]:
    X, y = clouds(20, 400, 0)
    new, _ = clouds(2000, 0, 1)
    plain = mercer.SVC()
    models = {
        "as they are": plain,
        "undersampling": mercer.Resampled(plain, "under", correct=False),
        "oversampling": mercer.Resampled(plain, "over", correct=False),
        "SMOTE": mercer.Resampled(plain, "smote", correct=False, metric="euclidean"),
        "class weights": mercer.SVC(class_weight="balanced"),
    }
    recall = {name: float((m.fit(X, y).predict(new) == "rare").mean()) for name, m in models.items()}
    for name in list(models)[1:]:
        yield Comparison(f"{name} finds more of the rare rows", "yes", recall[name] > recall["as they are"])

    figure, axes = panels(2, 3, (14, 8.4))
    axes[1, 2].axis("off")
    for ax, name in zip(axes.flat, models, strict=False):
        mercer.plot.decision_regions(models[name], X, y, margin=False, support=False, ax=ax)
        label(ax, f"{name}: {recall[name]:.0%} of new rare rows found", "x₁", "x₂")
    yield Picture("borders", figure, "The same 20 rare and 400 other rows: without a remedy the rare class is nearly "
                  "given up, with one the border moves towards the others.")  # fmt: skip
