"""Several kernels at once, and what each is worth.

    k = Σ dₘ kₘ,   dₘ ≥ 0,   learned with the machine

The weights say which columns and which widths matter. Here two columns decide; two are noise, which
gets next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels
from mercer.kernels import RBF, MultipleKernel

PASSAGE = "multiple kernel learning"
PLACE = 10


def run() -> Iterator[Comparison | Picture]:
    random = np.random.default_rng(0)
    X = dict(zip(("radius", "angle", "noise 1", "noise 2"), random.normal(size=(4, 300)), strict=True))
    y = np.where(X["radius"] ** 2 + np.sin(2 * X["angle"]) > 1, "yes", "no")
    kernels = [RBF(gamma=1.0, on=[name]) for name in X]
    model = mercer.SVC(kernel=MultipleKernel(kernels, method="simple")).fit(X, y)
    weights = np.asarray(model.kernel_.weights_)
    share = weights / weights.sum()
    yield Comparison("the weights are not below 0", "yes", bool((weights >= 0).all()))
    yield Comparison("share of the two columns that decide is above 0.9", "yes", bool(share[:2].sum() > 0.9))
    mean = mercer.SVC(kernel=MultipleKernel(kernels, method="mean")).fit(X, y)
    new = dict(zip(X, random.normal(size=(4, 4000)), strict=True))
    truth = np.where(new["radius"] ** 2 + np.sin(2 * new["angle"]) > 1, "yes", "no")
    yield Comparison(
        "more accurate on new rows than equal weights", "yes", model.score(new, truth) > mean.score(new, truth)
    )

    figure, ax = panels()
    ax.barh(list(X), share)
    ax.invert_yaxis()
    label(ax, "weights of one Gaussian kernel per column", "share of the weight")
    yield Picture("weights", figure, "SimpleMKL gives its weight to the two columns that decide.")
