"""The periodic kernel."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer._core.gram import KernelSpec, Matrix
from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.kernels.numeric.base import WIDTH, NumericKernel
from mercer.kernels.numeric.pairwise import is_sparse
from mercer.kernels.registry import register
from mercer.parameters import Parameters
from mercer.table import Columns, Selector, Table, numeric


@register
@shares_docs()
class Periodic(NumericKernel):
    """k(a, b) = exp(-2/length_scale^2 sum_k sin^2(pi (a_k - b_k) / period))

    For what comes round again: the hour, the weekday, an angle. Each number becomes a point on a circle, (cos, sin) of
    2 pi a_k / period, and the points are compared by an RBF.

    Parameters
    ----------
    period : float, default 1.0
        Above 0; numbers that differ by it are alike.
    length_scale : float, default 1.0
        Above 0; the smaller, the faster likeness falls within a period.
    {on_numeric}

    Attributes
    ----------
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Periodic
    >>> Periodic(period=24).fit([[0.0]]).gram([[23.0]], [[1.0], [23.0], [11.0]]).round(4)
    array([[0.8746, 1.    , 0.1353]])
    """

    parameters: ClassVar[Parameters] = {
        "period": WIDTH,
        "length_scale": WIDTH,
        "on": Columns(),
    }

    def __init__(self, period: float = 1.0, length_scale: float = 1.0, *, on: Selector = numeric()) -> None:
        self.period = period
        self.length_scale = length_scale
        self.on = on

    @property
    def spec(self) -> KernelSpec:
        return KernelSpec("rbf", 1 / (2 * float(self.length_scale) ** 2))

    def rows(self, table: Table, dtype: np.dtype[Any]) -> Matrix:
        x = self._finite(table, np.dtype(np.float64))
        turns = np.mod((x.toarray() if is_sparse(x) else x) / self.period, 1.0)
        return np.hstack([np.cos(2 * np.pi * turns), np.sin(2 * np.pi * turns)]).astype(dtype)

    def compare_self(self, x: Matrix) -> Array:
        return np.ones(x.shape[0])
