"""RBF kernel against polynomial kernel.

    k(x, z) = exp(−γ |x − z|²),  γ = 1 / (2 σ²)           k(x, z) = (γ x·z + c)^d

A polynomial suits a curved border, the RBF kernel classes that reach into each other; a large γ bends the border more
and follows the training points too closely. scikit-learn's default γ is called "scale" and is 1 / (columns · variance
of the cells); the text calls it "score", with the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split

import mercer
from mercer.gallery import Comparison, Picture, panels
from mercer.kernels import RBF

PASSAGE = "section 4.3, other kernels"
PLACE = 10


def run() -> Iterator[Comparison | Picture]:
    X, y = make_moons(400, noise=0.28, random_state=1)
    train, test, known, truth = train_test_split(X, y, test_size=0.5, random_state=1)
    sigma = 0.6
    gram = RBF(gamma=1 / (2 * sigma**2)).fit(train).gram(train[:1], train[1:2])[0, 0]
    by_hand = np.exp(-((train[0] - train[1]) ** 2).sum() / (2 * sigma**2))
    yield Comparison("k of two points, γ = 1 / (2 σ²)", float(by_hand), float(gram))
    scale = mercer.SVC(tol=1e-8).fit(train, known)
    same = mercer.SVC(gamma=1 / (train.shape[1] * train.var()), tol=1e-8).fit(train, known)
    apart = np.abs(scale.decision_function(test) - same.decision_function(test)).max()
    yield Comparison("decisions with 'scale' and 1 / (columns · variance) differ by", 0.0, apart, 1e-6)
    unit = train / np.linalg.norm(train, axis=1, keepdims=True)
    ours = RBF(gamma=2.0).fit(unit).gram(unit[:1], unit[1:2])[0, 0]
    yield Comparison("exp(−2γ) exp(2γ x·z), points of length 1", float(np.exp(-4 + 4 * unit[0] @ unit[1])), float(ours))
    ours = RBF(gamma=2.0).fit(train).gram(train[:1], train[1:2])[0, 0]
    yield Comparison("the same for any points", float(np.exp(-4 + 4 * train[0] @ train[1])), float(ours),
                     slip="|x − z|² is 2 − 2 x·z only where x and z have length 1")  # fmt: skip

    models = {"polynomial, d = 3": mercer.SVC(kernel="poly", degree=3, gamma=1, coef0=1),
              "RBF, γ = 1": mercer.SVC(gamma=1.0),
              "RBF, γ = 200": mercer.SVC(gamma=200.0)}  # fmt: skip
    scores = {name: (m.fit(train, known).score(train, known), m.score(test, truth)) for name, m in models.items()}
    bent, smooth = scores["RBF, γ = 200"], scores["RBF, γ = 1"]
    yield Comparison("a high γ fits the training rows better", "yes", bent[0] > smooth[0])
    yield Comparison("and may overfit: it is worse on test rows", "yes", bent[1] < smooth[1])
    figure, axes = panels(1, 3, (14, 4.4))
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        mercer.plot.decision_regions(model, test, truth, support=False, ax=ax)
        ax.set_title(f"{name}: {scores[name][0]:.3f} train, {scores[name][1]:.3f} test", loc="left", fontsize="medium")
    yield Picture("regions", figure, "Regions on test rows: polynomial of degree 3 and RBF with γ = 1 follow the "
                  "moons, γ = 200 makes islands around training rows.")  # fmt: skip
