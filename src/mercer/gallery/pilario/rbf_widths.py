"""The Gaussian kernel and its width.

    k(x, x') = exp(−|x − x'|² / σ)

A point is like itself (1), and less and less like points further away; σ says how fast. In mercer γ = 1/σ.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels
from mercer.kernels import RBF

PASSAGE = "kernel functions"
PLACE = 2


def run() -> Iterator[Comparison | Picture]:
    origin, away = np.zeros((1, 2)), np.array([[1.0, 0.0]])
    for sigma in (0.1, 1.0, 2.0):
        kernel = RBF(gamma=1 / sigma).fit(origin)
        yield Comparison(
            f"k at distance 1 with σ = {sigma:g}", float(np.exp(-1 / sigma)), kernel.gram(origin, away)[0, 0]
        )
        yield Comparison(f"k of a point with itself, σ = {sigma:g}", "1", kernel.gram(origin, origin)[0, 0])

    figure, axes = panels(1, 3, (12, 3.8))
    line = np.linspace(-2, 2, 81)
    grid = np.column_stack([a.ravel() for a in np.meshgrid(line, line)])
    for ax, sigma in zip(axes, (0.1, 1.0, 2.0), strict=True):
        values = RBF(gamma=1 / sigma).fit(origin).gram(origin, grid).reshape(81, 81)
        ax.contourf(line, line, values, levels=np.linspace(0, 1, 11), cmap="cividis")
        ax.set_aspect("equal")
        label(ax, f"σ = {sigma:g}", "x₁", "x₂")
    yield Picture("widths", figure, "Similarity with the point (0, 0): a narrow kernel knows its neighbours alone, a "
                  "wide one reaches across the picture.")  # fmt: skip
    figure, ax = panels()
    mercer.plot.kernel_shapes([RBF(gamma=10.0), RBF(gamma=1.0), RBF(gamma=0.5)], ax=ax)
    yield Picture("shapes", figure, "The same three kernels by the distance of two points.")
