"""Arc-cosine kernels: infinitely wide networks of one layer."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mercer._core.gram import Matrix
from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.kernels.numeric.base import NumericKernel
from mercer.kernels.numeric.pairwise import dots, squares
from mercer.kernels.registry import register
from mercer.parameters import Number, Parameters
from mercer.table import Columns, Selector, numeric


@register
@shares_docs()
class ArcCosine(NumericKernel):
    """k(a, b) = |a|^n |b|^n J_n(t) / pi, with t the angle of a and b, and n = degree

    J_0 = pi - t; J_1 = sin t + (pi - t) cos t; J_2 = 3 sin t cos t + (pi - t)(1 + 2 cos^2 t). What a network of one
    layer compares that has infinitely many units with normal weights, steps (n = 0), ramps (n = 1) or squared ramps.

    Parameters
    ----------
    degree : int, default 1
        0, 1 or 2.
    {on_numeric}

    Attributes
    ----------
    {compared_schema_}

    References
    ----------
    Cho and Saul (2009), Kernel methods for deep learning.

    Examples
    --------
    >>> from mercer.kernels import ArcCosine
    >>> ArcCosine(degree=1).fit([[1.0, 0.0]]).gram([[1.0, 0.0]], [[2.0, 0.0], [0.0, 1.0]]).round(4)
    array([[2.    , 0.3183]])
    """

    parameters: ClassVar[Parameters] = {"degree": Number(0, 2, whole=True), "on": Columns()}

    def __init__(self, degree: int = 1, *, on: Selector = numeric()) -> None:
        self.degree = degree
        self.on = on

    def compare(self, x: Matrix, y: Matrix) -> Array:
        lengths = np.sqrt(squares(x))[:, None] * np.sqrt(squares(y))[None, :]
        cosine = np.divide(dots(x, y), lengths, out=np.zeros_like(lengths), where=lengths > 0)
        np.clip(cosine, -1, 1, out=cosine)
        if y is x:
            np.fill_diagonal(cosine, lengths.diagonal() > 0)  # rounding would leave an angle of 1e-8
        found = lengths ** int(self.degree) * _angular(cosine, int(self.degree)) / np.pi
        return np.asarray(found.astype(x.dtype, copy=False))

    def compare_self(self, x: Matrix) -> Array:
        own = squares(x)
        return np.asarray(own ** int(self.degree) * _angular((own > 0).astype(own.dtype), int(self.degree)) / np.pi)


def _angular(cosine: Array, degree: int) -> Array:
    """J_n of the angle; a row of length 0 is at right angles to all."""
    angle = np.arccos(cosine)
    if degree == 0:
        return np.asarray(np.pi - angle)
    if degree == 1:
        return np.asarray(np.sin(angle) + (np.pi - angle) * cosine)
    return np.asarray(3 * np.sin(angle) * cosine + (np.pi - angle) * (1 + 2 * cosine**2))
